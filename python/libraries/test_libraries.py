"""The package as it is installed from its wheel, with the libraries that it meets."""

import http.server
import json
import subprocess
import sys
import threading
import warnings

import pytest
import torch
from torch import nn

import verifier
from verifier.modules import read_module


def count(model):
    return sum(p.numel() for p in model.parameters())


def test_three_lines_check_a_torchvision_model():
    import torchvision

    model = torchvision.models.resnet18()
    assert verifier.check(model, inputs=(1, 3, 224, 224)).params == count(model) == 11_689_512


def test_three_lines_check_a_timm_model():
    import timm

    model = timm.create_model("convnext_tiny")
    assert verifier.check(model).params == count(model)


def test_three_lines_check_a_transformers_model():
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=2))
    graph = verifier.read(model)
    assert (graph.method, graph.params) == ("config", count(model))
    changed = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=2))
    changed.lm_head = nn.Linear(768, 10)
    traced = verifier.read(changed)
    assert (traced.method, traced.params) == ("record", count(changed)), (
        "what the configuration does not describe is traced"
    )


def test_adapters_of_peft_are_counted():
    import peft
    import transformers

    base = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, vocab_size=500
        )
    )
    model = peft.get_peft_model(base, peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    graph = verifier.read(model, kwargs={"input_ids": torch.zeros((2, 8), dtype=torch.int64)})
    assert graph.params == count(model)
    assert any("lora_A" in c["id"] for c in graph.model["components"])


class Net(nn.Module):
    def __init__(self, features=8):
        super().__init__()
        self.fc = nn.Linear(16, 8)
        self.out = nn.Linear(features, 2)

    def forward(self, x):
        return self.out(torch.relu(self.fc(x)))


@pytest.fixture
def service(monkeypatch):
    """A server that keeps what is posted to it."""
    kept = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            kept.append(
                (
                    self.path,
                    self.headers["Authorization"],
                    json.loads(self.rfile.read(int(self.headers["Content-Length"]))),
                )
            )
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"ledger": "written"}')

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("VERIFIER_URL", "http://127.0.0.1:%d" % server.server_port)
    monkeypatch.setenv("VERIFIER_API_KEY", "good")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield kept
    server.shutdown()


def lightning_module(features):
    import lightning.pytorch as pl

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.net, self.example_input_array, self.steps = Net(features), torch.zeros(1, 16), 0

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, i):
            self.steps += 1
            loss = self.net(batch).sum()
            self.log("val_loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    return Module()


def fit_with_lightning(module, callback, folder):
    import lightning.pytorch as pl

    trainer = pl.Trainer(
        max_steps=2,
        accelerator="cpu",
        callbacks=[callback],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        default_root_dir=folder,
    )
    trainer.fit(module, torch.utils.data.DataLoader(torch.zeros(8, 16), batch_size=4))


def test_lightning_is_refused_before_its_first_step(tmp_path):
    from verifier.lightning import Refused, VerifierCallback

    module = lightning_module(9)
    with pytest.raises(Refused, match="linear-in-mismatch"):
        fit_with_lightning(module, VerifierCallback(gpu="L4"), tmp_path)
    assert module.steps == 0


def test_lightning_writes_its_outcome(tmp_path, service):
    from verifier.lightning import VerifierCallback

    module = lightning_module(8)
    fit_with_lightning(module, VerifierCallback(gpu="L4"), tmp_path)
    assert module.steps == 2
    [(path, key, body)] = service
    assert (path, key, body["metric"]) == ("/api/v1/history", "Bearer good", "val_loss")
    assert body["fingerprint"] == verifier.plan(module).fingerprint


def test_the_trainer_is_refused_or_warned(tmp_path, service):
    import transformers

    from verifier.trainer import Refused, VerifierCallback

    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(n_layer=1, n_embd=32, n_head=2, vocab_size=64, n_positions=16)
    )
    data = [{"input_ids": [1] * 8, "labels": [1] * 8}] * 4
    args = transformers.TrainingArguments(
        str(tmp_path),
        per_device_train_batch_size=2,
        max_steps=1,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
    )
    callback = VerifierCallback(gpu="T4", metric="loss")
    transformers.Trainer(model=model, args=args, train_dataset=data, callbacks=[callback]).train()
    assert callback.gate.plan.raw["plan"]["training"]["batch"] == 2
    assert [b["metric"] for _, _, b in service] == ["loss"]
    large = VerifierCallback(gpu="T4", batch=1 << 20)
    with pytest.raises(Refused, match="T4 has"):
        transformers.Trainer(model=model, args=args, train_dataset=data, callbacks=[large]).train()
    soft = VerifierCallback(gpu="T4", on_fail="warn", batch=1 << 20)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        transformers.Trainer(model=model, args=args, train_dataset=data, callbacks=[soft]).train()
    assert any("T4 has" in str(w.message) for w in said)


def test_the_plugin_of_pytest(tmp_path):
    (tmp_path / "test_net.py").write_text("""
from torch import nn
def test_fits(assert_fits): assert_fits(nn.Linear(4, 4), gpu="L4", inputs=(1, 4), batch=8)
def test_does_not_fit(assert_fits): assert_fits("resnet18", gpu="T4", batch=4096)
def test_does_not_run(assert_runs): assert_runs(nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 4)), inputs=(1, 4))
def test_plan(plan_snapshot): plan_snapshot(nn.Linear(4, 4), inputs=(1, 4))
""")

    def run(*args):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
        return subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()

    out = run()
    assert "3 failed, 1 passed" in out, out
    assert "does not fit T4" in out and "linear-in-mismatch" in out and "--verifier-update" in out
    run("-k", "plan", "--verifier-update")
    assert "1 passed" in run("-k", "plan")
    test = tmp_path / "test_net.py"
    test.write_text(test.read_text().replace("plan_snapshot(nn.Linear(4, 4)", "plan_snapshot(nn.Linear(4, 5)"))
    assert "params: 25, was 20" in run("-k", "plan")


def test_a_notebook_shows_the_verdict():
    import nbclient
    import nbformat

    cells = ["import verifier", "verifier.plan('resnet18', gpu='L4')", "print(verifier.check('resnet18'))"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = book.cells[1].outputs[0]["data"]
    assert "<svg" in shown["text/html"] and "activations" in shown["text/html"]
    assert "Plan(" in shown["text/plain"]


def test_fx_and_the_record_give_one_graph():
    import torchvision

    model = torchvision.models.resnet18()
    prints = {verifier.plan(read_module(model, (1, 3, 224, 224), method=m)).fingerprint for m in ("record", "fx")}
    assert len(prints) == 1


def test_a_picture_that_does_not_fit_leaves_the_text():
    import transformers

    with torch.device("meta"):
        model = transformers.ModernVBertForMaskedLM(transformers.ModernVBertConfig())
    refused = verifier.check(model)
    assert refused.verdict == "block", "14 patches are no multiple of 4"
    assert any("text_only=True" in n for n in refused.notes)
    assert verifier.check(verifier.read(model, text_only=True)).verdict != "block"
    from verifier.gate import Gate

    gate = Gate("H100", "raise", "loss")
    gate.before(model)  # what its batches have is not known, so that it is not stopped
    assert gate.plan.legal
