"""Trains three models through the HTTP API on this machine's card, and measures the trainer beside a plain loop. Needs python3 with torch.

    python3 measure.py --bin FOLDER --data FOLDER --examples FOLDER

FOLDER of --bin holds verifier, verifier-hosted and verifier-worker. Nothing outside of this machine is reached. A service and a worker
are started on loopback, an organisation and a key are made as a new user makes them, and the models are submitted as any caller
submits them. What is printed is a transcript in Markdown; the exit status is 1 where a figure is below what is expected.
"""

from __future__ import annotations

import argparse
import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
PASSWORD = "a password for one measurement"

RUNS: list[dict[str, Any]] = [
    {
        "file": "tabular-mlp.graph",
        "dataset": "tabular",
        "config": {"epochs": 15, "batchSize": 32, "lr": 1e-2, "optimizer": "adamw"},
        "least": 0.93,
    },
    {
        "file": "mnist-convnet.graph",
        "dataset": "mnist",
        "config": {"epochs": 2, "batchSize": 64, "lr": 1e-3, "optimizer": "adam"},
        "least": 0.985,
    },
    {
        "file": "cifar-resnet.graph",
        "dataset": "cifar10",
        "config": {"epochs": 10, "batchSize": 128, "lr": 0.1, "optimizer": "sgd"},
        "least": 0.80,
    },
]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Service:
    """verifier-hosted and verifier-worker on loopback."""

    def __init__(self, args: argparse.Namespace, folder: str) -> None:
        self.args, self.folder = args, folder
        self.running: list[subprocess.Popen[bytes]] = []
        self.url, self.key = "", ""

    def program(self, name: str) -> str:
        return os.path.join(os.path.abspath(self.args.bin), name)

    def start(self) -> None:
        data = os.path.join(self.folder, "service")
        command = [self.program("verifier-hosted"), "--addr", f"127.0.0.1:{free_port()}", "--data", data]
        command += ["--local-worker", "off"]
        if self.args.hosted:
            command += self.args.hosted.split()
        greeting = os.path.join(self.folder, "greeting.txt")
        with open(greeting, "w") as out, open(os.path.join(self.folder, "service.log"), "w") as log:
            self.running.append(subprocess.Popen(command, stdout=out, stderr=log))
        link = self.wait(greeting)
        self.url = link.split("/", 3)[0] + "//" + link.split("/")[2]
        self.key = self.sign_up(link)
        # An organisation gets no cards of 80 GB and more unless its operator says so.
        allow = [self.program("verifier-hosted"), "--data", data, "limits", "Measure", "big-gpu=yes"]
        subprocess.run(allow, check=True, capture_output=True)
        token = subprocess.run(
            [self.program("verifier-hosted"), "--data", data, "worker-add", "measure"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = re.search(r"mvw_\S+", token)
        if not found:
            raise SystemExit("no token in " + token)
        environment = {**os.environ, "VERIFIER_WORKER_TOKEN": found[0]}
        worker = [self.program("verifier-worker"), "run", "--server", self.url, "--data", self.args.data]
        worker += ["--python", sys.executable, *(["--cpu"] if self.args.cpu else [])]
        with open(os.path.join(self.folder, "worker.log"), "w") as log:
            self.running.append(subprocess.Popen(worker, stderr=log, env=environment))

    def stop(self) -> None:
        for process in reversed(self.running):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

    def wait(self, greeting: str) -> str:
        """Waits for the link that makes the first organisation."""
        for _ in range(300):
            with open(greeting) as f:
                if found := re.search(r"http://\S+link=\S+", f.read()):
                    return found[0]
            time.sleep(0.1)
        raise SystemExit("the service did not start: see service.log in " + self.folder)

    def sign_up(self, link: str) -> str:
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def form(url: str, values: dict[str, str]) -> str:
            request = urllib.request.Request(url, urllib.parse.urlencode(values).encode(), {"Origin": self.url})
            with browser.open(request) as answer:
                page: str = answer.geturl() + "\n" + answer.read().decode()
                return page

        secret = link.split("link=")[1]
        who = {"organisation": "Measure", "name": "Owner", "email": "owner@measure.example", "password": PASSWORD}
        page = form(link.split("?")[0], {"link": secret, **who})
        settings = re.search(r"/settings/[a-z2-7]{26}", page)
        key = settings and re.search(
            r"mv_[A-Za-z0-9_-]{20,}", form(self.url + settings[0] + "/api", {"name": "measure"})
        )
        if not key:
            raise SystemExit("no key: the pages of the service are other than expected")
        return str(key[0])

    def call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as fault:
            return {"status": fault.code, "error": fault.read().decode()[:2000]}

    def train(self, run: dict[str, Any]) -> dict[str, Any]:
        """Submits a run as soon as the worker is there, and waits for its end."""
        path = os.path.join(self.args.examples, run["file"])
        read = [self.program("verifier"), "import", path, "--json"]
        graph = json.loads(subprocess.run(read, check=True, capture_output=True).stdout)["model"]
        body = {"model": graph, "dataset": run["dataset"], "config": run["config"]}
        for _ in range(120):
            job = self.call("POST", "/api/v1/train", body)
            if job.get("status") != 503:
                break
            time.sleep(1)
        if "job_id" not in job:
            raise SystemExit("refused: " + json.dumps(job)[:2000])
        poll = "/api/v1/train?job=" + job["job_id"]
        while True:
            job = self.call("GET", poll)
            if job.get("status") not in ("queued", "running"):
                return dict(job)
            time.sleep(1)


def show(run: dict[str, Any], job: dict[str, Any]) -> bool:
    """Prints a run, and says whether it reached what is expected."""
    rows = job.get("epochs") or []
    reached = bool(rows) and job.get("model_trained") is True and rows[-1]["valAcc"] >= run["least"]
    print(f"\n### {run['file']} on {run['dataset']}: {json.dumps(run['config'])}\n")
    print("| epoch | training loss | validation loss | validation accuracy |\n|--:|--:|--:|--:|")
    for r in rows:
        print(f"| {r['epoch']} | {r['trainLoss']:.4f} | {r['valLoss']:.4f} | {100 * r['valAcc']:.2f} % |")
    kept = (
        "status",
        "mode",
        "gpu",
        "wall_sec",
        "est_cost_usd",
        "ledger",
        "model_trained",
        "model_format",
        "reason",
        "error",
    )
    print("\n`" + json.dumps({k: job[k] for k in kept if k in job}) + "`")
    print(f"\nat least {100 * run['least']:.1f} % was expected: " + ("reached" if reached else "NOT REACHED"))
    return reached


def bench(args: argparse.Namespace, run: dict[str, Any], folder: str) -> bool:
    source = os.path.join(folder, run["dataset"] + ".py")
    path = os.path.join(args.examples, run["file"])
    subprocess.run([os.path.join(args.bin, "verifier"), "export", path, "--to", "torch", "-o", source], check=True)
    with open(source) as f:
        text = f.read()
    name = re.findall(r"^class (\w+)\(nn\.Module\):", text, re.MULTILINE)[-1]
    shape = {"tabular": "30", "mnist": "1,28,28", "cifar10": "3,32,32"}[run["dataset"]]
    command = [
        sys.executable,
        os.path.join(HERE, "bench.py"),
        "--model",
        source,
        "--class",
        name,
        "--dataset",
        run["dataset"],
    ]
    command += ["--data", args.data, "--input", shape, "--rounds", str(args.rounds), "--limit", str(args.limit)]
    command += ["--optimizer", run["config"]["optimizer"], "--batch", str(run["config"]["batchSize"])]
    out = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print("\n`" + json.dumps(out) + "`", flush=True)
    return bool(out["share"] >= 0.9)


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("--examples", required=True, help="folder of the graphs")
    p.add_argument("--only", default="", help="tabular, mnist or cifar10")
    p.add_argument("--cpu", action="store_true", help="train without a card")
    p.add_argument("--hosted", default="", help="further options of verifier-hosted")
    p.add_argument("--rounds", type=int, default=5, help="epochs of the benchmark; 0 leaves it out")
    p.add_argument("--limit", type=int, default=0, help="samples of the benchmark; 0 is all")
    args = p.parse_args()
    runs = [r for r in RUNS if args.only in ("", r["dataset"])]
    with tempfile.TemporaryDirectory() as folder:
        try:
            service = Service(args, folder)
            try:
                service.start()
                reached = [show(r, service.train(r)) for r in runs]
            finally:
                service.stop()
            if args.rounds:
                print("\n### train.py beside a plain loop, samples per second\n")
                reached += [bench(args, r, folder) for r in runs if r["dataset"] != "tabular"]
        finally:
            for name in ("service.log", "worker.log"):
                if os.path.exists(os.path.join(folder, name)):
                    with open(os.path.join(folder, name)) as f:
                        sys.stderr.write(f"--- {name}\n" + f.read()[-6000:])
    print("\nall reached" if all(reached) else "\nNOT ALL REACHED")
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
