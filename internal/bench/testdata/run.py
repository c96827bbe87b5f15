"""Runs models forward and backward in PyTorch: python3 run.py < cases.jsonl > results.jsonl

A case has the source of a module, its class, the shape of its input without the batch and the number of token ids, 0 for numbers. A
result has the parameters, the shape of the output without the batch, the parameters that got no gradient at all, and the share of
each parameter that got none beyond rounding; or the error. Models of more parameters than a machine holds run on the meta device, which computes shapes and
no numbers.
"""
import contextlib, json, sys, warnings
import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
BATCH, LARGE = 4, 40_000_000


def run(case):
    scope = {"__name__": "model"}
    exec(case["source"], scope)
    meta = case["params"] > LARGE
    torch.manual_seed(0)
    with without_memory() if meta else contextlib.nullcontext():
        model = scope[case["class"]]()
    device = "meta" if meta else "cpu"
    shape = [BATCH] + case["input"]
    if case["vocabulary"]:
        x = torch.randint(0, case["vocabulary"], shape, device=device)
    else:
        x = torch.randn(shape, device=device)
    y = model(x)
    (y * torch.randn(y.shape, device=device)).sum().backward()
    weights = dict(model.named_parameters())
    result = dict(params=sum(p.numel() for p in weights.values()), output=list(y.shape)[1:], meta=meta)
    result["missing"] = [k for k, p in weights.items() if p.grad is None]
    if not meta:
        grads = {k: p.grad.abs() for k, p in weights.items() if p.grad is not None}
        noise = 1e-6 * max((g.max().item() for g in grads.values()), default=0)
        result["dead"] = {k: share for k, g in grads.items() if (share := (g <= noise).float().mean().item()) > 0}
        result["finite"] = bool(torch.isfinite(y).all()) and all(torch.isfinite(p.grad).all() for p in weights.values() if p.grad is not None)
    return result


@contextlib.contextmanager
def without_memory():
    """What is constructed lies on the meta device: torch.device is no context in PyTorch 1."""
    makers = {name: getattr(torch, name) for name in ("empty", "zeros", "ones", "rand", "randn", "full", "arange", "tensor")}

    def on_meta(make):
        return lambda *args, **named: make(*args, **{**named, "device": named.get("device") or "meta"})

    for name, make in makers.items():
        setattr(torch, name, on_meta(make))
    try:
        yield
    finally:
        for name, make in makers.items():
            setattr(torch, name, make)


for line in sys.stdin:
    case = json.loads(line)
    try:
        result = run(case)
    except Exception as e:  # noqa: BLE001
        result = dict(error=f"{type(e).__name__}: {str(e)[:300]}")
    print(json.dumps(dict(id=case["id"], **result)), flush=True)
