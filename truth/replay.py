"""Counts the memory of training steps of transformers' models and of graphs without a card: python3 replay.py OUT.jsonl [--rows FILE] [--types a,b] [--part 0/2] [--live]

The real modules run on fake CUDA tensors, which have shapes and no numbers, and every storage goes through a small copy of PyTorch's caching
allocator. Rows are those of memory.py and come out with `keptBytes` (allocated after the forward pass), `forwardBytes`, `backwardBytes`,
`optimizerBytes` (the most in each phase of the second step), `peakBytes` and `reservedBytes`, and no time. Where memory.py measured the same
row on an H200, the peak agreed within 0.5 % in 79 of 99 rows and within 2 % in 91 (docs/accuracy.md says where not): what a kernel takes for
itself, as cuDNN's workspaces, is not seen but for sums, and attention's kernel is guessed.

--rows: rows to replay, as memory.py or --plan writes them. --plan: write the rows of every model type in hf.jsonl.gz, in its default
configuration with at most six layers, and replay nothing. --live: say what lives at the peak, and which line made it.
Needs transformers, and a PyTorch; one that was built without CUDA is given the little that fake tensors ask of it by a library that is
built here, with g++ and PyTorch's headers.
"""
import argparse, bisect, contextlib, gc, gzip, json, os, signal, subprocess, sys, tempfile, time, warnings, weakref

# What PyTorch built without CUDA lacks for tensors that only say that they are on a card: a device that can be the current one.
SHIM = r"""
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
using c10::Device;
using c10::Stream;
static const auto kind = c10::DeviceType::CUDA;
struct Guard : c10::impl::NoOpDeviceGuardImpl<kind> {
  static Device card() { return Device(kind, 0); }
  static Stream stream() { return Stream(Stream::DEFAULT, card()); }
  Device exchangeDevice(Device) const override { return card(); }
  Device getDevice() const override { return card(); }
  Stream getStream(Device) const noexcept override { return stream(); }
  Stream getDefaultStream(Device) const override { return stream(); }
  Stream exchangeStream(Stream) const noexcept override { return stream(); }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
  void record(void**, const Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard)
namespace at {
struct CUDAHooks : CUDAHooksInterface {
  CUDAHooks(CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex current_device() const override { return 0; }
  DeviceIndex getCurrentDevice() const override { return 0; }
};
REGISTER_CUDA_HOOKS(CUDAHooks)
}
"""


def with_card():
    """Starts this program again with the library in front of PyTorch, which has to find it when it is loaded."""
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "card.cpp"), os.path.join(folder, "card.so")
    with open(source, "w") as f:
        f.write(SHIM)
    subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", "-O1", source, "-o", library, "-lc10", "-ltorch_cpu"], check=True)
    os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, LD_PRELOAD=library))


os.environ.setdefault("PYTORCH_JIT", "0")  # scripted functions crash on tensors without numbers
import torch
if torch.version.cuda is None and "card.so" not in os.environ.get("LD_PRELOAD", ""):
    with_card()
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
import memory

warnings.filterwarnings("ignore")
aten = torch.ops.aten
if torch.version.cuda is None:  # a card has an operation for each of these, PyTorch without one writes them as several
    CARD = torch.library.Library("aten", "IMPL", "CUDA")
    for name in ("silu_backward", "mish_backward"):
        CARD.impl(name, lambda grad, x: torch.empty_like(x))
MIB = 1 << 20


class Allocator:
    """CUDACachingAllocator in small: the piece that fits best, cut where more than a little would be left, joined when it is given back."""

    def __init__(self):
        self.free = {True: [], False: []}  # of small tensors and of others: size, segment, offset, in order
        self.blocks = {}  # segment and offset: size, whether it is in use, whether it is small
        self.before = {}  # segment and the end of a block: its offset
        self.segments = self.reserved = 0

    def take(self, n):
        """The place of n bytes, and what counts as allocated for them."""
        n = (n + 511) // 512 * 512
        small = n <= MIB
        pool = self.free[small]
        i = bisect.bisect_left(pool, (n,))
        if i < len(pool):
            size, segment, at = pool.pop(i)
        else:
            size = 2 * MIB if small else 20 * MIB if n < 10 * MIB else (n + 2 * MIB - 1) // (2 * MIB) * (2 * MIB)
            self.segments += 1
            self.reserved += size
            segment, at = self.segments, 0
        if size - n >= 512 if small else size - n > MIB:
            self.put(segment, at + n, size - n, small)
            size = n
        self.blocks[segment, at] = size, True, small
        self.before[segment, at + size] = at
        return (segment, at), size

    def put(self, segment, at, size, small):
        self.blocks[segment, at] = size, False, small
        self.before[segment, at + size] = at
        bisect.insort(self.free[small], (size, segment, at))

    def drop(self, segment, at):
        """Takes a block that is free out of the pool: its size, or 0 where none is."""
        size, used, small = self.blocks.get((segment, at), (0, True, True))
        if used:
            return 0
        pool = self.free[small]
        pool.pop(bisect.bisect_left(pool, (size, segment, at)))
        del self.blocks[segment, at]
        return size

    def give(self, segment, at):
        size, _, small = self.blocks.pop((segment, at))
        size += self.drop(segment, at + size)
        start = self.before.get((segment, at))
        if start is not None and start in (at - n for n in [self.drop(segment, start)] if n):
            at, size = start, size + at - start
        self.put(segment, at, size, small)


MODULES = ("/reference.py", "/more_blocks.py", "/more_ops.py", "/nn/modules/transformer.py", "/nn/functional.py")


def place():
    """The lines of transformers, or of the modules of a graph, that are being run."""
    f, out = sys._getframe(2), []
    while f is not None and len(out) < 3:
        name = f.f_code.co_filename
        if "/transformers/" in name and "/utils/" not in name or name.endswith(MODULES):
            out.append(f"{name.rsplit('/', 1)[-1]}:{f.f_lineno} {f.f_code.co_name}")
        f = f.f_back
    return " < ".join(out) or "backward"


def sum_workspace(x, dims):
    """What CUDA's sum over all axes of a tensor but the last takes while it runs, as setReduceConfig of Reduce.cuh decides: each of the blocks that
    share a column leaves what its threads found. An H200 runs 132 * 2048 threads at once."""
    columns, rows = x.shape[-1], x.numel() // max(1, x.shape[-1])
    if {d % x.dim() for d in dims} != set(range(x.dim() - 1)) or not x.is_contiguous() or rows < 2:
        return 0
    vector = 4 if columns % 4 == 0 else 2 if columns % 2 == 0 else 1
    threads = 512 // vector
    power = lambda n: min(threads, 1 << max(0, n.bit_length() - 1))
    wide = min(power(columns // vector), 32)
    high = min(power(rows), threads // wide)
    wide = min(power(columns // vector), threads // high)
    each, grid = -(-rows // high), -(-columns // vector // wide)
    if each < 256 or grid > 132 * (2048 // (wide * high)):
        return 0
    blocks = max(min(-(-132 * (2048 // (wide * high)) // grid), -(-each // 16)), -(-each // 256))
    return 4 * columns * blocks * wide * vector if blocks > 1 else 0


class Tracker(TorchDispatchMode):
    """Counts storages as they come and go."""

    def __init__(self):
        super().__init__()
        self.allocator, self.seen, self.now, self.peak = Allocator(), {}, 0, 0
        self.watch, self.what, self.top, self.at_top, self.experts = False, {}, 0, [], 0

    def add(self, t, func):
        if t.device.type != "cuda" or t.untyped_storage()._cdata in self.seen or t.untyped_storage().nbytes() == 0:
            return
        storage = t.untyped_storage()
        key = storage._cdata
        at, size = self.allocator.take(storage.nbytes())

        def gone(_):
            self.now -= size
            self.allocator.give(*at)
            self.seen.pop(key); self.what.pop(key, None)
        self.seen[key] = weakref.ref(storage, gone)
        self.now += size
        if self.watch:
            self.what[key] = size, tuple(t.shape), str(t.dtype)[6:], f"{str(func)[5:]} {place()}"
        if self.now > self.peak:
            self.peak = self.now
            if self.watch and self.now > self.top + MIB:
                self.top, self.at_top = self.now, list(self.what.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = self.run(func, args, kwargs or {})
        for t in tree_flatten(out)[0]:
            if isinstance(t, torch.Tensor):
                self.add(t, func)
        return out

    def run(self, func, args, kwargs):
        if func is aten._local_scalar_dense.default:
            try:
                return func(*args)
            except Exception:  # a number that is not there: all of a mask on the card is one, nothing is there of any, a draw for a dropped layer says no, a count is 0
                return args[0].device.type == "cuda" and not getattr(args[0], "of_any", False) if args[0].dtype == torch.bool else 0
        if func is aten._grouped_mm.default and args[0].dtype == torch.float32:  # CUDA takes it, its shadow does not
            return func(*[a.bfloat16() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args], **kwargs).float()
        if func is aten.nonzero.default and self.experts:  # which tokens an expert gets: as many as the others
            return torch.empty(args[0].numel() // self.experts, args[0].dim(), dtype=torch.int64, device=args[0].device)
        out = func(*args, **kwargs)
        if func is aten.any.default:
            out.of_any = True
        if func is aten._softmax_backward_data.default and out.device.type == "cuda":  # the product of both is there with its result
            self.add(torch.empty(2 * out.numel() * out.element_size(), dtype=torch.uint8, device="cuda"), func)
        if func is aten.sum.dim_IntList and args[0].device.type == "cuda" and args[0].dim() > 1 and sum_workspace(args[0], args[1]):
            self.add(torch.empty(sum_workspace(args[0], args[1]), dtype=torch.uint8, device="cuda"), func)
        return out

    def most(self):
        n, self.peak = self.peak, self.now
        return n


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """scaled_dot_product_attention with the kernel that an H200 chooses: flash for half widths without a mask, else the memory-efficient
    one, else the plain sum."""
    if torch.is_autocast_enabled("cuda"):
        width = torch.get_autocast_dtype("cuda")
        query, key, value = query.to(width), key.to(width), value.to(width)
        attn_mask = attn_mask.to(width) if attn_mask is not None and attn_mask.is_floating_point() else attn_mask
    grad = torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad)
    with Autocast("cuda", enabled=False):
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(attn_mask.logical_not(), float("-inf"))
        e = query.shape[-1]
        if query.dim() == 4 and (enable_gqa or query.shape[1] == key.shape[1]) and query.dtype in (torch.float16, torch.bfloat16) and attn_mask is None and e == value.shape[-1] and e <= 256:
            q, k, v = (F.pad(x, (0, -e % 8)) if e % 8 else x for x in (query, key, value))
            return aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, False, scale=e ** -0.5 if scale is None else scale)[0][..., :e]
        if query.dim() != 4 or query.shape[1] != key.shape[1]:
            return aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)[0]
        if attn_mask is not None:
            n = attn_mask.shape[-1]
            attn_mask = F.pad(attn_mask, (0, -n % 16))[..., :n] if n % 16 else attn_mask
            attn_mask = attn_mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])
        return aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask, grad, dropout_p, is_causal, scale=scale)[0]


def native_attention(query, key, value, features, heads, weight, bias, out_weight, out_bias, mask=None, need_weights=True, average=True, mask_type=None):
    """What nn.MultiheadAttention runs without gradients: one map for queries, keys and values, a kernel and the last map; else the scores in memory."""
    batch, places, each = query.shape[0], query.shape[1], features // heads
    if not need_weights and each % 8 == 0:
        x = F.linear(query, weight, bias)
        q, k, v = (c.view(batch, -1, heads, each).transpose(1, 2) for c in x.chunk(3, -1))
        return F.linear(attention(q, k, v, mask).transpose(1, 2).reshape(batch, -1, features), out_weight, out_bias), None
    x = F.linear(query, weight)
    packed = x.new_empty(3, batch, heads, places, each)
    del x
    scores = packed.new_empty(batch, heads, places, places)
    scores = torch.empty_like(scores)  # their softmax
    turned = packed.new_empty(batch, places, features)
    return F.linear(turned, out_weight, out_bias), scores.sum(1) if need_weights else None


def native_encoder(src, features, heads, weight, bias, out_weight, out_bias, gelu, first, eps, scale1, shift1, scale2, shift2, weight1, bias1, weight2, bias2, mask=None, mask_type=None):
    """What nn.TransformerEncoderLayer runs without gradients: sums in place, and an activation that is a part of the first map."""
    def norm(x, scale, shift):
        return F.layer_norm(x, (features,), scale, shift, eps)
    x = norm(src, scale1, shift1) if first else src
    x = native_attention(x, x, x, features, heads, weight, bias, out_weight, out_bias, mask, False)[0]
    x.add_(src)
    if not first:
        x = norm(x, scale1, shift1)
    before = x
    if first:
        x = norm(x, scale2, shift2)
    x = F.linear(F.linear(x, weight1, bias1), weight2, bias2)
    x.add_(before)
    return x if first else norm(x, scale2, shift2)


class Autocast:
    """torch.autocast asks for a card; the dispatcher does not."""

    def __init__(self, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        self.device, self.dtype, self.enabled = device_type, dtype, enabled

    def __enter__(self):
        self.was = torch.is_autocast_enabled(self.device), torch.get_autocast_dtype(self.device)
        torch.set_autocast_enabled(self.device, self.enabled)
        if self.dtype:
            torch.set_autocast_dtype(self.device, self.dtype)
        torch.autocast_increment_nesting()

    def __exit__(self, *_):
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled(self.device, self.was[0]); torch.set_autocast_dtype(self.device, self.was[1])

    def __call__(self, f):
        def g(*a, **k):
            with self:
                return f(*a, **k)
        return g


class Root(torch.autograd.Function):
    """rms_norm as CUDA's kernel: it keeps what arrives and one number for each row. PyTorch without CUDA has single operations."""

    @staticmethod
    def forward(ctx, x, shape, weight):
        ctx.save_for_backward(x, x.new_empty(x.shape[:-len(shape)] + (1,) * len(shape), dtype=torch.float32), weight)
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx, g):
        x, _, weight = ctx.saved_tensors
        return torch.empty_like(x), None, None if weight is None else torch.empty_like(weight)


def root(x, normalized_shape, weight=None, eps=None):
    if weight is not None and weight.dtype != x.dtype:  # the kernel takes one width
        return aten.rms_norm(x, normalized_shape, weight, eps)
    return Root.apply(x, tuple(normalized_shape), weight)


def pretend():
    """Where PyTorch and transformers ask whether a card is there, or look at numbers."""
    F.scaled_dot_product_attention = torch._C._nn.scaled_dot_product_attention = attention
    F.rms_norm = torch.rms_norm = root
    torch._native_multi_head_attention, torch._transformer_encoder_layer_fwd = native_attention, native_encoder
    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = Autocast
    torch.cuda.get_device_capability, torch.cuda.current_device = lambda *a: (9, 0), lambda: 0
    torch.nn.init._no_grad_trunc_normal_ = lambda tensor, *a, **k: tensor  # draws until the numbers please it
    for name in ("adamw", "adam", "sgd", "_adafactor"):  # CUDA's default, which fake parameters are not given
        __import__("torch.optim." + name)
        sys.modules["torch.optim." + name]._default_to_fused_or_foreach = lambda params, differentiable, use_fused=False: (False, True)
    for m in list(sys.modules.values()):
        if getattr(m, "__name__", "").startswith("transformers.") and "is_tracing" in vars(m):
            m.is_tracing = lambda *a: False


def lower(m):
    """m.bfloat16(), which exchanges tensors in a way that fake ones refuse: one after the other, those of parts first, each freed when it has been copied."""
    places, inside = {}, []

    def walk(x):
        for y in x.children():
            walk(y)
        inside.append(x)
    walk(m)
    for x in dict.fromkeys(inside):
        for k, p in x._parameters.items():
            if p is not None:
                places.setdefault(p, []).append((x, k))
    while places:
        p = next(iter(places))
        new = torch.nn.Parameter(p.detach().bfloat16(), p.requires_grad)
        for x, k in places.pop(p):
            x._parameters[k] = new
        del p
    for x in inside:
        for k, b in x._buffers.items():
            if b is not None and b.is_floating_point():
                x._buffers[k] = b.bfloat16()


def run_of(row):
    """The modules of a row, and a function that gives the loss of a batch and what the script holds beside it."""
    if "graph" in row:
        m, loss_of = memory.graph_run(row["graph"], row, "cuda", lower)
        return m, lambda: loss_of(contextlib.nullcontext)
    m, x = memory.hf_run(memory.hf_again(row), dict(row, seq=row["seqLen"]), "cuda", lower)
    return m, lambda: (m(**x).loss, None)


def use(row, tracker, live):
    """A model in use: a batch of samples once, or a prompt and the last of the tokens that are written behind it."""
    def most(f):
        for again in (False, True):  # what the first call leaves, as buffers, is there in the second
            gc.collect()
            tracker.most()
            tracker.watch = live and again
            f()
        return tracker.most()
    if "graph" in row:
        memory.reference.EAGER = row["attention"] == "eager"
        with torch.device("cuda"):
            m = memory.reference.Graph(row["graph"]).eval()
        xs = m.inputs(row["batch"], "cuda")
        if row["precision"] == "bf16":
            lower(m)
            xs = {k: v.bfloat16() if v.is_floating_point() else v for k, v in xs.items()}
        pretend()
        out = dict(steadyBytes=tracker.now, peakBytes=most(lambda: m(xs)))
    elif "prompt" not in row:
        m, x = memory.hf_run(memory.hf_again(row), dict(row, seq=row["seqLen"], checkpointing=False), "cuda", lower)
        m.eval()
        x = {k: v for k, v in x.items() if k != "labels"}
        pretend()
        out = dict(steadyBytes=tracker.now, peakBytes=most(lambda: m(**x)))
    else:
        cfg = memory.hf_again(row)
        cfg.use_cache = True
        with torch.device("cuda"):
            m = memory.auto(row["task"]).from_config(cfg, attn_implementation=row["attention"]).eval()
        if row["precision"] == "bf16":
            lower(m)
        pretend()

        def ask(tokens, behind=0, cache=None):  # as generate does: the logits of the last position, of which it samples in 32 bits
            ids = torch.zeros(row["batch"], tokens, dtype=torch.long, device="cuda")
            mask = torch.ones(row["batch"], behind + tokens, dtype=torch.long, device="cuda")
            places = torch.arange(behind, behind + tokens, device="cuda").unsqueeze(0)
            got = m(input_ids=ids, attention_mask=mask, position_ids=places, past_key_values=cache, use_cache=True, logits_to_keep=1)
            scores = got.logits[:, -1, :].to(dtype=torch.float32, copy=True)
            scores.argmax(-1)
            return got.past_key_values
        out = dict(steadyBytes=tracker.now, promptBytes=most(lambda: ask(row["prompt"])))
        written = row["generated"] - 1  # the last is not read
        cache = ask(row["prompt"])
        if written > 1:
            cache = ask(written - 1, row["prompt"], cache)
        gc.collect()
        tracker.most()
        ask(1, row["prompt"] + written - 1, cache)
        out["tokenBytes"] = tracker.most()
        out["peakBytes"] = max(out["promptBytes"], out["tokenBytes"])
    return dict(out, reservedBytes=tracker.allocator.reserved, params=sum(p.numel() for p in m.parameters()))


def replay(row, tracker, live):
    if "optimizer" not in row:
        with torch.no_grad():
            return use(row, tracker, live)
    tracker.experts = max([c["params"]["numExperts"] for c in row.get("graph", {}).get("components", ()) if "numExperts" in c.get("params", {})], default=0)
    m, loss_of = run_of(row)
    pretend()
    o = memory.optimizer(row["optimizer"], [p for p in m.parameters() if p.requires_grad])
    dtype = {"amp": torch.bfloat16, "fp16": torch.float16}.get(row["precision"])
    out = {}
    for step in range(2):
        gc.collect()
        tracker.most()
        tracker.watch, out["steadyBytes"] = live and step == 1, tracker.now
        with Autocast("cuda", dtype, dtype is not None):
            loss, logits = loss_of()
        out["keptBytes"], out["forwardBytes"] = tracker.now, tracker.most()
        loss.backward()
        out["backwardBytes"] = tracker.most()
        o.step()
        out["optimizerBytes"] = tracker.most()
        o.zero_grad(set_to_none=True)
        del loss, logits
    out["peakBytes"] = max(out["forwardBytes"], out["backwardBytes"], out["optimizerBytes"])
    return dict(out, reservedBytes=tracker.allocator.reserved, params=sum(p.numel() for p in m.parameters()))


WAYS = ("amp sdpa adamw", "bf16 eager adamw", "fp32 sdpa adamw", "amp sdpa adamw dropout")
POSITIONS = ("", "max_position_embeddings", "n_positions", "max_target_positions", "max_seq_len", "max_seq_length")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers", "num_encoder_layers")


def plan(tokens=512, batch=32, images=64):
    """Rows of every model type that hf.jsonl.gz has, with dropout set to 0, and as it comes."""
    from transformers import CONFIG_MAPPING
    with gzip.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hf.jsonl.gz"), "rt") as f:
        defaults = [r for r in map(json.loads, f) if r["variant"] == "default" and r["task"] in memory.TASKS and r["config"]["model_type"] in CONFIG_MAPPING]
    for r in sorted(defaults, key=lambda r: (r["task"], r["config"]["model_type"])):
        ty, image = r["config"]["model_type"], r["task"] == "image-classification"
        over = {k: 6 for k in LAYERS if isinstance(r["config"].get(k), int) and r["config"][k] > 6}
        for way in WAYS:
            p, a, o, *drop = way.split()
            c = dict(type=ty, task=r["task"], over=over, dropout=bool(drop))
            try:
                d = memory.hf_config(c)[1]
            except Exception:  # one whose lists of layers have a length
                c["over"] = {}
                try:
                    d = memory.hf_config(c)[1]
                except Exception as e:
                    print("no configuration", r["task"], ty, type(e).__name__, str(e)[:100])
                    break
            if drop and d == memory.hf_config(dict(c, dropout=False))[1]:
                continue
            places = min(v for k, v in {**d, "": 1 << 30}.items() if k in POSITIONS and isinstance(v, int) and v > 0)
            n, s = (images, 0) if image else (batch, min(tokens, places - 2))  # some count from the padding token's number on
            yield dict(id=f"{ty}-{r['task']}-b{n}-s{s}-{p}-{a}-{o}{'-dropout' if drop else ''}", task=r["task"], batch=n, seqLen=s, precision=p, attention=a, optimizer=o, checkpointing=False, aside=False, config=d)


def report(tracker):
    count = {}
    for what in tracker.at_top:
        count[what] = count.get(what, 0) + 1
    for (n, shape, dtype, where), k in sorted(count.items(), key=lambda x: -x[0][0] * x[1])[:45]:
        print(f"  {n * k >> 20:7d} MiB = {k:3d} x {n / MIB:9.2f}  {list(shape)} {dtype}  {where}")


def late(*_):
    raise TimeoutError("took too long")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--rows", default="rows.jsonl"); ap.add_argument("--types", default=""); ap.add_argument("--only", default=""); ap.add_argument("--plan", action="store_true"); ap.add_argument("--live", action="store_true"); ap.add_argument("--seconds", type=int, default=120); ap.add_argument("--part", default="0/1")
    a = ap.parse_args()
    if a.plan:
        with open(a.out, "w") as f:
            f.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in plan())
        return
    with (gzip.open(a.rows, "rt") if a.rows.endswith(".gz") else open(a.rows)) as f:
        rows = [r for r in map(json.loads, f) if a.only in r["id"] and (not a.types or "config" in r and r["config"]["model_type"] in a.types.split(","))]
    memory.further_types()
    part, parts = map(int, a.part.split("/"))
    rows = rows[part::parts]
    signal.signal(signal.SIGALRM, late)
    with open(a.out, "w") as f:
        for n, row in enumerate(rows):
            tracker, start = Tracker(), time.time()
            try:
                signal.alarm(a.seconds)
                with FakeTensorMode(allow_non_fake_inputs=True), tracker:
                    torch._C._set_only_lift_cpu_tensors(True)  # or torch.tensor would make one on the card
                    got = replay(row, tracker, a.live)
            except Exception as e:
                print("failed", row["id"], type(e).__name__, str(e)[:200], flush=True)
                continue
            finally:
                signal.alarm(0)
            if a.live:
                report(tracker)
            measured = f"{got['peakBytes'] / row['peakBytes']:.4f} of what was measured" if "peakBytes" in row else ""
            print(f"{n + 1}/{len(rows)} {row['id']} {got['peakBytes'] >> 20} MiB {measured} {time.time() - start:.1f} s", flush=True)
            row = {k: v for k, v in row.items() if k not in ("stepMs", "gpu")}
            f.write(json.dumps(dict(row, **got, torch=torch.__version__), separators=(",", ":")) + "\n"); f.flush()


if __name__ == "__main__":
    main()
