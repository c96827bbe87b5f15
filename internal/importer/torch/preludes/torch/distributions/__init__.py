"""torch.distributions, as far as shapes go: what is drawn, densities and entropies of the common ones."""
import torch


def _broadcast(*values):
    tensors = [v if isinstance(v, torch.Tensor) else torch.tensor(float(v)) for v in values]
    if len(tensors) == 1:
        return tensors
    return torch.broadcast_tensors(*tensors)


class Distribution:
    has_rsample = True
    has_enumerate_support = False

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self):
        return torch.Size(self._batch_shape)

    @property
    def event_shape(self):
        return torch.Size(self._event_shape)

    def _like(self):
        return self._params[0]

    def _extended(self, sample_shape):
        like = self._like()
        if len(tuple(sample_shape)) == 0:
            return like
        return like.expand(tuple(sample_shape) + tuple(like.shape))

    def rsample(self, sample_shape=()):
        x = self._extended(sample_shape)
        for p in self._params[1:]:
            x = x + p
        return x + torch.randn_like(x)

    def sample(self, sample_shape=()):
        return self.rsample(sample_shape)

    def sample_n(self, n):
        return self.sample((n,))

    def log_prob(self, value):
        out = value
        for p in self._params:
            out = out + p
        return out

    def prob(self, value):
        return torch.exp(self.log_prob(value))

    def cdf(self, value):
        return self.log_prob(value)

    def icdf(self, value):
        return self.log_prob(value)

    def entropy(self):
        out = self._params[0]
        for p in self._params[1:]:
            out = out + p
        return out

    @property
    def mean(self):
        return self.entropy()

    @property
    def variance(self):
        return self.entropy()

    @property
    def stddev(self):
        return self.entropy()

    @property
    def mode(self):
        return self.entropy()


class _OfTwo(Distribution):
    def __init__(self, a, b, validate_args=None):
        a, b = _broadcast(a, b)
        self._params = [a, b]
        super().__init__(a.shape)


class Normal(_OfTwo):
    def __init__(self, loc, scale, validate_args=None):
        super().__init__(loc, scale)
        self.loc, self.scale = self._params

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.scale.pow(2)

    def entropy(self):
        return 0.5 + torch.log(self.scale)


class Laplace(Normal):
    pass


class Cauchy(Normal):
    pass


class Gumbel(Normal):
    pass


class LogNormal(Normal):
    pass


class Uniform(_OfTwo):
    def __init__(self, low, high, validate_args=None):
        super().__init__(low, high)
        self.low, self.high = self._params


class Beta(_OfTwo):
    def __init__(self, concentration1, concentration0, validate_args=None):
        super().__init__(concentration1, concentration0)
        self.concentration1, self.concentration0 = self._params


class Gamma(_OfTwo):
    def __init__(self, concentration, rate, validate_args=None):
        super().__init__(concentration, rate)
        self.concentration, self.rate = self._params


class _OfOne(Distribution):
    def __init__(self, a, validate_args=None):
        a, = _broadcast(a)
        self._params = [a]
        super().__init__(a.shape)


class Exponential(_OfOne):
    def __init__(self, rate, validate_args=None):
        super().__init__(rate)
        self.rate = self._params[0]


class HalfNormal(_OfOne):
    def __init__(self, scale, validate_args=None):
        super().__init__(scale)
        self.scale = self._params[0]


class Poisson(Exponential):
    pass


class _OfProbs(_OfOne):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        super().__init__(probs if logits is None else logits)
        self._given = "probs" if logits is None else "logits"

    @property
    def probs(self):
        return self._params[0] if self._given == "probs" else torch.sigmoid(self._params[0])

    @property
    def logits(self):
        return self._params[0] if self._given == "logits" else torch.log(self._params[0])

    @property
    def mean(self):
        return self.probs


class Bernoulli(_OfProbs):
    pass


class RelaxedBernoulli(Bernoulli):
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self.temperature = temperature


class Geometric(_OfProbs):
    pass


class Categorical(Distribution):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = probs if logits is None else logits
        if given.dim() < 1:
            raise ValueError("`probs` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
            self.logits = torch.log(self.probs)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
            self.probs = torch.softmax(self.logits, dim=-1)
        self._params = [self.logits]
        super().__init__(given.shape[:-1])

    @property
    def param_shape(self):
        return self.logits.shape

    def sample(self, sample_shape=()):
        drawn = torch.argmax(self.logits, dim=-1)
        if len(tuple(sample_shape)) == 0:
            return drawn
        return drawn.expand(tuple(sample_shape) + tuple(drawn.shape))

    rsample = sample

    def log_prob(self, value):
        return self.logits.sum(-1) + value

    def entropy(self):
        return -(self.logits * self.probs).sum(-1)

    @property
    def mode(self):
        return torch.argmax(self.probs, dim=-1)

    @property
    def mean(self):
        return self.logits.sum(-1)

    variance = mean


class OneHotCategorical(Categorical):
    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self._event_shape = tuple(self.logits.shape[-1:])

    def sample(self, sample_shape=()):
        return self._extended(sample_shape) + 0

    rsample = sample

    def log_prob(self, value):
        return (self.logits * value).sum(-1)

    @property
    def mode(self):
        return self.probs

    @property
    def mean(self):
        return self.probs

    variance = mean


class OneHotCategoricalStraightThrough(OneHotCategorical):
    pass


class RelaxedOneHotCategorical(OneHotCategorical):
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self.temperature = temperature


class Dirichlet(Distribution):
    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        self._params = [concentration]
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    def log_prob(self, value):
        return (self.concentration + value).sum(-1)

    def entropy(self):
        return self.concentration.sum(-1)

    @property
    def mean(self):
        return self.concentration


class Independent(Distribution):
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = tuple(base_distribution.batch_shape)
        cut = len(shape) - reinterpreted_batch_ndims
        self._params = base_distribution._params
        super().__init__(shape[:cut], shape[cut:] + tuple(base_distribution.event_shape))

    def _summed(self, x):
        for _ in range(self.reinterpreted_batch_ndims):
            x = x.sum(-1)
        return x

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def log_prob(self, value):
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self):
        return self._summed(self.base_dist.entropy())

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def variance(self):
        return self.base_dist.variance

    @property
    def stddev(self):
        return self.base_dist.stddev

    @property
    def mode(self):
        return self.base_dist.mode


def kl_divergence(p, q):
    if isinstance(p, Independent):
        return p._summed(kl_divergence(p.base_dist, q.base_dist))
    return p.entropy() + q.entropy()
