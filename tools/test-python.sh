#!/bin/sh
# Tests the wheel of this platform with real PyTorch, transformers, timm, torchvision, peft, Lightning, Jupyter, Dask and Ray, in a virtual
# environment of its own (VENV). What is installed there already stays. PyTorch's own index is asked first: its builds for the CPU are
# 200 MB, those of PyPI bring 4 GB for GPUs.
set -eu
venv=${VENV:-$PWD/.cache/venv-python}
models=${MODELS:-200}
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
if ! "$venv/bin/python" -c 'import torch' 2>/dev/null && curl -fsS -m 10 -o /dev/null https://download.pytorch.org/whl/cpu/torch/ 2>/dev/null; then
	"$venv/bin/pip" install -q torch torchvision --index-url https://download.pytorch.org/whl/cpu
fi
"$venv/bin/pip" install -q torch torchvision timm transformers peft lightning nbclient ipykernel torchinfo accelerate 'dask[distributed]' ray pytest mypy ruff
venv=$(cd "$venv" && pwd)
case $(uname -s) in Darwin) system=macosx ;; *) system=manylinux ;; esac
wheel=$(find dist -name "model_verifier-*${system}*$(uname -m)*.whl" 2>/dev/null | sort | tail -n 1)
[ -n "$wheel" ] || { echo "dist/ has no wheel for $(uname -m): run make wheels PLATFORMS=linux/amd64"; exit 1; }
"$venv/bin/pip" install -q --force-reinstall --no-deps "$wheel"
(cd python && "$venv/bin/ruff" check --no-cache verifier build_wheel.py libraries)
(cd python && "$venv/bin/mypy" --cache-dir ../.cache/mypy verifier build_wheel.py)
HF_HUB_OFFLINE=1 exec "$venv/bin/python" -m pytest -q -p no:cacheprovider python/libraries --models "$models" ${ROWS:+--rows "$ROWS"}
