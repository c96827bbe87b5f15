"""Runs exported files as a user does and says what each became: python3 roundtrip.py cases.jsonl > results.jsonl

A case names a file and, where the names of the weights are to be compared, asks for them. A result has the parameters, the shapes of the
outputs without the batch, and the names; or the error.
"""
import contextlib, io, json, os, runpy, sys, warnings
import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


def run(case, folder):
    with contextlib.redirect_stdout(io.StringIO()):
        scope = runpy.run_path(os.path.join(folder, case["file"]), run_name="__main__")
    model, outputs = scope["model"], scope["outputs"]
    result = dict(
        params=sum(p.numel() for p in model.parameters()),
        shapes=[list(y.shape)[1:] for y in outputs],
        batch=[y.shape[0] for y in outputs],
        strangers=sorted(m for m in ("torchvision", "torchaudio", "torch_geometric") if m in sys.modules),
    )
    if case.get("names"):
        result["names"] = [f"{k} [{','.join(map(str, v.shape))}]" for k, v in model.named_parameters()]
    if case.get("twin"):
        result["apart"] = apart(model, scope["inputs"], os.path.join(folder, case["twin"]))
    if not case.get("eval"):
        return result
    model.eval()
    with torch.no_grad():  # evaluation has fast paths of its own
        y = model(*scope["inputs"])
    result["eval"] = [list(t.shape)[1:] for t in (y if isinstance(y, tuple) else (y,))]
    return result


def apart(model, inputs, path):
    """How far the results of another file are from the model's, once they have the same weights."""
    with contextlib.redirect_stdout(io.StringIO()):
        twin = runpy.run_path(path, run_name="__main__")["model"]
    ours, theirs = list(model.parameters()), list(twin.parameters())
    if [p.shape for p in ours] != [p.shape for p in theirs]:
        raise ValueError("the twin has other parameters")
    with torch.no_grad():
        for p, q in zip(ours, theirs):
            p.uniform_(-0.1, 0.1)
            q.copy_(p)
        for p, q in zip(model.buffers(), twin.buffers()):  # each has run a batch of its own
            q.copy_(p)
        a, b = model.eval()(*inputs), twin.eval()(*inputs)
    a, b = (y if isinstance(y, tuple) else (y,) for y in (a, b))
    return max((x - y).abs().max().item() for x, y in zip(a, b))


def main(path):
    cases = [json.loads(line) for line in open(path)]
    for n, case in enumerate(cases, 1):
        try:
            result = run(case, os.path.dirname(path))
        except Exception as e:  # noqa: BLE001
            result = dict(error=f"{type(e).__name__}: {str(e)[:300]}")
        print(json.dumps(dict(id=case["id"], **result)), flush=True)
        if n % 200 == 0 or n == len(cases):
            print(f"round trip: {n} of {len(cases)} run in PyTorch {torch.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
