#!/bin/sh
# Tests the wheel of this platform with real PyTorch, transformers, timm, torchvision, peft, Lightning and Jupyter, in a virtual
# environment of its own (VENV). Packages that are there already stay; PyTorch's own index is asked first, whose builds for the CPU are
# 200 MB and not 4 GB.
set -eu
venv=${VENV:-.cache/venv-python}
python=${PYTHON:-python3}
models=${MODELS:-200}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
if ! "$venv/bin/python" -c 'import torch' 2>/dev/null; then
	if curl -fsS -m 10 -o /dev/null https://download.pytorch.org/whl/cpu/torch/ 2>/dev/null; then
		"$venv/bin/pip" install -q torch torchvision --index-url https://download.pytorch.org/whl/cpu
	else
		echo "download.pytorch.org cannot be reached: PyTorch comes from PyPI, with 4 GB for GPUs"
	fi
fi
"$venv/bin/pip" install -q torch torchvision timm transformers peft lightning nbclient ipykernel torchinfo accelerate pytest mypy ruff
wheel=$(ls dist/model_verifier-*-manylinux2014_"$(uname -m)"*.whl dist/model_verifier-*-macosx_*_"$(uname -m)".whl 2>/dev/null | tail -n 1)
[ -n "$wheel" ] || { echo "dist/ has no wheel of this platform: run make wheels"; exit 1; }
"$venv/bin/pip" install -q --force-reinstall --no-deps "$wheel"
(cd python && "../$venv/bin/ruff" check verifier build_wheel.py && "../$venv/bin/mypy" --strict verifier build_wheel.py) 2>/dev/null ||
	(cd python && "$venv/bin/ruff" check verifier build_wheel.py && "$venv/bin/mypy" --strict verifier build_wheel.py)
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider python/libraries --models "$models"
