"""The package with the program that VERIFIER_BINARY names: go test ./internal/cli -run PythonPackage runs it with Debian's PyTorch."""

import concurrent.futures
import copy
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import verifier
from verifier import binary, history
from verifier.gate import Gate, Refused
from verifier.modules import read_module

try:
    import torch
    from torch import nn
except ImportError:
    torch = None

MLP = {
    "components": [
        {"id": "in", "type": "input", "params": {"shape": [784]}},
        {"id": "fc1", "type": "linear", "params": {"inFeatures": 784, "outFeatures": 128}},
        {"id": "act", "type": "relu"},
        {"id": "fc2", "type": "linear", "params": {"inFeatures": 128, "outFeatures": 10}},
        {"id": "out", "type": "output"},
    ],
    "connections": [{"from": a, "to": b} for a, b in (("in", "fc1"), ("fc1", "act"), ("act", "fc2"), ("fc2", "out"))],
}


def lambda_free(x):
    return x + 1


def verdicts(models):
    return [r.verdict for r in verifier.check_many(models)]


def broken():
    graph = copy.deepcopy(MLP)
    graph["components"][3]["params"]["inFeatures"] = 100
    return graph


class Graphs(unittest.TestCase):
    def test_a_graph_is_checked(self):
        r = verifier.check(MLP)
        self.assertTrue(r.ok)
        self.assertEqual((r.params, r.flops), (101770, 203264))
        self.assertEqual([s.name for s in r.stages], ["preflight", "data", "train", "evaluate", "deploy"])

    def test_a_refused_model_is_an_answer(self):
        r = verifier.check(broken())
        self.assertEqual((r.verdict, r.ok), ("block", False))
        self.assertEqual((r.findings[0].rule, r.findings[0].component), ("linear-in-mismatch", "fc2"))
        self.assertEqual(r.findings[0].edit[0]["value"], 128)
        self.assertEqual(verifier.lint(broken()).verdict, "fail")

    def test_many_graphs_go_through_one_program_in_their_order(self):
        models = [MLP, broken(), {"model": MLP}, {"components": 3}, verifier.read(MLP)] * 40
        got = list(verifier.check_many(iter(models)))
        self.assertEqual([getattr(r, "verdict", r.__class__.__name__) for r in got[:5]], ["ask", "block", "ask", "Unreadable", "ask"])
        self.assertEqual(len(got), len(models))
        self.assertEqual(got[1].raw, verifier.check(broken()).raw)
        self.assertEqual(got[3].code, "wrong-type")

    def test_many_graphs_are_streamed(self):
        def endless():
            while True:
                yield MLP

        self.assertEqual([r.ok for r, _ in zip(verifier.check_many(endless()), range(3))], [True] * 3)

        def breaks():
            yield MLP
            raise KeyError("theirs")

        with self.assertRaises(KeyError):
            list(verifier.check_many(breaks()))
        with self.assertRaises(verifier.Unreadable):
            list(verifier.check_many(["resnet18"]))

    def test_partitions_on_two_processes_give_the_answers_of_one(self):
        models = [MLP, broken()] * 30
        alone = verdicts(models)
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            parts = list(pool.map(verdicts, [models[:25], models[25:]]))
        self.assertEqual(parts[0] + parts[1], alone)

    def test_a_plan_has_its_numbers(self):
        p = verifier.plan(MLP, gpu="L4", batch=32, precision="fp32")
        self.assertEqual((p.params, p.legal, p.fits), (101770, True, True))
        self.assertEqual(p.memory.weights, 407552, "4 bytes each, in blocks of 512 as the allocator gives them")
        self.assertEqual(p.raw["plan"]["training"]["batch"], 32)
        self.assertIn(p.fingerprint, json.dumps(p.raw))

    def test_what_does_not_fit_is_false(self):
        f = verifier.fit("resnet18", gpu="T4", batch=4096)
        self.assertFalse(f)
        self.assertTrue(f.legal and f.fits is False and f.need_bytes > f.card_bytes, f)
        self.assertIn("does not fit T4", str(f))
        self.assertTrue(verifier.fit("resnet18", gpu="T4", batch=8))

    def test_candidates_are_ranked(self):
        r = verifier.rank({"good": MLP, "bad": broken()})
        self.assertEqual([(x.id, x.tier) for x in r.ranked], [("good", "legal"), ("bad", "blocked")])

    def test_unreadable_input_is_an_exception(self):
        for model, words in (
            ("no/such/file.json", "no/such/file.json"),
            (7, "int"),
            ("-", "'-'"),
            ({"components": 3}, "components"),
        ):
            with self.subTest(model=model), self.assertRaises(verifier.Unreadable) as e:
                verifier.check(model)
            self.assertIn(words, str(e.exception))
        with self.assertRaises(verifier.Unreadable) as e:
            verifier.plan(MLP, gpu="L5")
        self.assertIn("L4", str(e.exception))

    def test_a_result_draws_itself(self):
        h = verifier.plan(MLP, gpu="L4")._repr_html_()
        self.assertIn("<svg", h)
        self.assertIn("activations", h)
        h = verifier.check(broken())._repr_html_()
        self.assertIn("linear-in-mismatch", h)
        self.assertIn("fix: ", h)


class Programs(unittest.TestCase):
    def setUp(self):
        self.before = os.environ.get("VERIFIER_BINARY")
        self.addCleanup(lambda: os.environ.__setitem__("VERIFIER_BINARY", self.before))

    def test_a_program_of_another_platform_is_said_to_be_one(self):
        with tempfile.NamedTemporaryFile(delete=False) as f:
            f.write(b"\x7fELF of another machine")
        os.chmod(f.name, 0o755)
        self.addCleanup(os.unlink, f.name)
        os.environ["VERIFIER_BINARY"] = f.name
        with self.assertRaises(verifier.NoBinary) as e:
            verifier.check(MLP)
        self.assertIn("another platform", str(e.exception))

    def test_a_missing_program_is_said(self):
        os.environ["VERIFIER_BINARY"] = "/no/such/verifier"
        with self.assertRaises(verifier.NoBinary):
            binary.locate()

    def test_the_command_is_the_program(self):
        out = subprocess.run(
            [sys.executable, "-m", "verifier", "version", "--json"], stdout=subprocess.PIPE, check=True
        ).stdout
        self.assertEqual(json.loads(out)["ruleSet"], verifier.version()["ruleSet"])


@unittest.skipUnless(torch, "PyTorch is not installed")
class Modules(unittest.TestCase):
    def net(self):
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
                self.bn1 = nn.BatchNorm2d(width)
                self.relu = nn.ReLU()
                self.scale = nn.Parameter(torch.ones(width, 1, 1))

            def forward(self, x):
                return self.relu(self.bn1(self.conv1(x)) * self.scale + x)

        class Net(nn.Module):
            def __init__(self, features=8 * 16 * 16):
                super().__init__()
                self.stem = nn.Conv2d(3, 8, 3, padding=1)
                self.blocks = nn.Sequential(Block(8), Block(8))
                self.pool = nn.MaxPool2d(2)
                self.fc = nn.Linear(features, 10)

            def forward(self, x):
                x = self.pool(self.blocks(self.stem(x)))
                return self.fc(x.view(x.size(0), -1))

        return Net

    def count(self, model):
        return sum(p.numel() for p in model.parameters())

    def test_a_module_is_its_class(self):
        """The graph of the trace is that of the source: components, parameters and connections."""
        source = os.path.join(os.path.dirname(__file__), "testdata", "net.py")
        scope = {}
        with open(source, encoding="utf-8") as f:
            exec(compile(f.read(), source, "exec"), scope)
        model = scope["Net"]()
        traced = verifier.read(model, inputs=(1, 3, 32, 32))
        written = verifier.read(source + ":Net", inputs=(1, 3, 32, 32))
        self.assertEqual(traced.params, self.count(model))
        self.assertEqual(traced.params, written.params)
        self.assertEqual(verifier.plan(traced).fingerprint, verifier.plan(written).fingerprint)
        self.assertEqual(
            [(c["id"], c["type"]) for c in traced.model["components"]],
            [(c["id"], c["type"]) for c in written.model["components"]],
        )

    def test_a_module_that_runs(self):
        model = self.net()()
        before = {n: p for n, p in model.named_parameters()}
        model.eval()
        r = verifier.check(model, inputs=(1, 3, 32, 32))
        self.assertTrue(r.ok, r)
        self.assertEqual(r.params, self.count(model))
        self.assertFalse(r.notes)
        self.assertFalse(model.training, "the mode is put back")
        self.assertTrue(
            all(before[n] is p and p.device.type == "cpu" for n, p in model.named_parameters()),
            "the weights are put back",
        )

    def test_a_module_that_does_not_run(self):
        model = self.net()(features=1600)
        r = verifier.check(model, inputs=torch.zeros(1, 3, 32, 32))
        self.assertEqual(r.verdict, "block")
        self.assertEqual((r.findings[0].rule, r.findings[0].component), ("linear-in-mismatch", "fc"), r)
        self.assertEqual(r.findings[0].edit[0]["value"], 2048)

    def test_an_exception_of_its_own_is_a_block(self):
        class Odd(nn.Module):
            def forward(self, x):
                if x.shape[1] != 4:
                    raise ValueError("four channels, please")
                return x * 2

        r = verifier.check(Odd(), inputs=(1, 3))
        self.assertEqual(r.verdict, "block")
        self.assertIn("four channels, please", str(r))
        self.assertTrue(verifier.check(Odd(), inputs=(1, 4)).ok)

    def test_shared_weights_count_once(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(100, 16)
                self.body = nn.Linear(16, 16)
                self.head = nn.Linear(16, 100, bias=False)
                self.head.weight = self.embed.weight
                self.never = nn.Linear(3, 5)

            def forward(self, ids):
                return self.head(self.body(self.body(self.embed(ids))))

        model = Tied()
        g = verifier.read(model, inputs=[((2, 7), "int64")])
        self.assertEqual(g.params, self.count(model))
        self.assertEqual(verifier.plan(g).params, self.count(model))

    def test_attention_recurrence_and_several_inputs(self):
        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(16, 8, batch_first=True, bidirectional=True)
                self.attn = nn.MultiheadAttention(16, 4, batch_first=True)
                self.norm = nn.LayerNorm(16)

            def forward(self, x, y):
                h, (n, c) = self.rnn(x)
                a, _ = self.attn(h, h, h, need_weights=False)
                q, k = torch.chunk(self.norm(a + y), 2, dim=-1)
                return (q @ k.transpose(1, 2)).softmax(-1).mean(dim=(1, 2)), n

        model = Mixed()
        r = verifier.check(model, inputs=[(2, 5, 16), (2, 5, 16)])
        self.assertTrue(r.ok, r)
        self.assertEqual(r.params, self.count(model))

    def test_an_unknown_call_keeps_its_shape_and_is_said(self):
        class Rare(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                x = torch.special.polygamma(2, self.fc(x))
                return self.fc(torch.special.zeta(x, x))

        g = verifier.read(Rare(), inputs=(1, 4))
        self.assertEqual(g.params, 20)
        kinds = [c["type"] for c in g.model["components"]]
        self.assertEqual(kinds.count("linear"), 2, kinds)
        self.assertEqual(kinds.count("customModule"), 2, kinds)
        self.assertIn("the shape alone", g.notes[-1])
        self.assertIn("torch.special.polygamma, torch.special.zeta", g.notes[-1])
        self.assertIsNone(verifier.check(g).flops, "what a call of declared shape computes is not known")

    def test_a_function_of_its_own_and_one_that_is_compiled_are_not_lost(self):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

        compiled = torch.jit.script(lambda_free)

        class Own(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)
                self.table = torch.zeros(4)

            def forward(self, x):
                return self.fc(Twice.apply(self.fc(x)) + self.table), self.fc(compiled(x))

        g = verifier.read(Own(), inputs=(1, 4))
        custom = {c["name"]: c for c in g.model["components"] if c["type"] == "customModule"}
        self.assertIn({"from": "fc", "to": "Twice"}, g.model["connections"])
        if "unseen" in custom:
            self.assertEqual(sorted(custom), ["Twice", "unseen"])
            self.assertTrue(any("does not show" in n for n in g.notes), g.notes)
        else:  # some releases show what a compiled function calls
            self.assertEqual(sorted(custom), ["Twice"])
        self.assertEqual(g.params, 20)
        self.assertEqual(Twice.apply(torch.ones(1)).item(), 2, "apply is put back")

    def test_an_exception_that_is_caught_is_none(self):
        class Tries(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                try:
                    return self.fc(x[:, :3])
                except RuntimeError:
                    return self.fc(x)

        r = verifier.check(Tries(), inputs=(1, 4))
        self.assertTrue(r.ok, r)

    def test_what_cannot_be_traced_has_its_words(self):
        with self.assertRaises(verifier.Untraceable) as e:
            verifier.check(nn.Linear(2, 2))
        self.assertIn("inputs=", str(e.exception))
        with self.assertRaises(verifier.Untraceable) as e:
            verifier.check(torch.jit.script(nn.Linear(2, 2)), inputs=(1, 2))
        self.assertIn("torch.jit", str(e.exception))
        with self.assertRaises(verifier.Untraceable) as e:
            verifier.check(nn.LazyLinear(2), inputs=(1, 2))
        self.assertIn("lazy", str(e.exception))

    def test_what_needs_numbers_runs_on_zeros(self):
        class Numbers(nn.Module):
            def forward(self, x):
                return x * int(x.sum().item())

        r = verifier.check(Numbers(), inputs=(1, 2))
        self.assertTrue(r.ok, r)
        self.assertIn("ran on zeros", r.notes[0])

    def test_fx_reads_the_same(self):
        model = self.net()()
        a, b = (read_module(model, (1, 3, 32, 32), method=m) for m in ("record", "fx"))
        self.assertEqual(b.method, "fx")
        self.assertEqual(verifier.plan(a).fingerprint, verifier.plan(b).fingerprint)

    def test_a_single_layer(self):
        r = verifier.check(nn.Linear(4, 3), inputs=(1, 4))
        self.assertEqual((r.ok, r.params), (True, 15))

    def test_a_gate_refuses_before_the_first_step(self):
        gate = Gate("L4", "raise", "val_loss")
        with self.assertRaises(Refused) as e:
            gate.before(self.net()(features=3), (1, 3, 32, 32))
        self.assertIn("does not run", str(e.exception))
        gate = Gate("L4", "warn", "val_loss", batch=8)
        gate.before(self.net()(), (1, 3, 32, 32))
        self.assertTrue(gate.plan.fits)
        self.assertIsNone(gate.after({"val_loss": 0.5}, 1), "no service is configured")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            gate.before(torch.jit.script(nn.Linear(2, 2)), (1, 2))
        self.assertIn("did not check this run", str(said[-1].message))
        with self.assertRaises(ValueError):
            Gate("L4", "explode", "val_loss")


class History(unittest.TestCase):
    def test_an_address_that_is_none_is_refused(self):
        before = os.environ.get(history.URL)
        os.environ[history.URL] = "ftp://nowhere"
        try:
            with self.assertRaises(verifier.Unreadable) as e:
                history.write("00000000", "val_loss", 0.5)
        finally:
            del os.environ[history.URL]
            if before is not None:
                os.environ[history.URL] = before
        self.assertIn("http://", str(e.exception))


if __name__ == "__main__":
    unittest.main()
