"""What the reader does not have of math natively."""
import math


def factorial(n):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    out = 1
    for i in range(2, n + 1):
        out = out * i
    return out


def comb(n, k):
    if k > n:
        return 0
    return factorial(n) // (factorial(k) * factorial(n - k))


def perm(n, k=None):
    k = n if k is None else k
    return factorial(n) // factorial(n - k) if k <= n else 0


def isqrt(n):
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    out = int(math.sqrt(n))
    while out * out > n:
        out -= 1
    while (out + 1) * (out + 1) <= n:
        out += 1
    return out


def hypot(*coordinates):
    return math.sqrt(sum(x * x for x in coordinates))


def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def isinf(x):
    return x == math.inf or x == -math.inf


def isfinite(x):
    return not (math.isnan(x) or isinf(x))


def fsum(values):
    return float(sum(values))


def degrees(x):
    return x * 180 / math.pi


def exp2(x):
    return 2.0 ** x


def sinh(x):
    return (math.exp(x) - math.exp(-x)) / 2


def cosh(x):
    return (math.exp(x) + math.exp(-x)) / 2


def lcm(*values):
    out = 1
    for n in values:
        if n == 0:
            return 0
        out = out // math.gcd(out, n) * n
    return abs(out)


def copysign(x, y):
    return float(abs(x)) if y >= 0 else -float(abs(x))


def fmod(x, y):
    return x - y * math.trunc(x / y)
