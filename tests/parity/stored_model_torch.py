#!/usr/bin/env python3
"""A stored model in PyTorch: the lines of the README's block "In PyTorch" open a small model that this test writes, and the bundled ones of
that kind, and its logits are those of `headlight trace`, to 1e-3 of the largest.

    stored_model_torch.py HEADLIGHT BUILD_FOLDER         exit status 77: PyTorch, transformers or NumPy are not installed
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/support"))
import tiny_model  # noqa: E402

try:
    import numpy as np
    import torch  # noqa: F401
    import transformers  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TEXT = "a mole ran into the old garden"


def lines_of_readme():
    """The Python block behind the words "In PyTorch"."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    found = re.search(r"In PyTorch.*?```python\n(.*?)```", text, re.S)
    assert found, "README.md has no lines for PyTorch"
    lines = [line for line in found[1].splitlines() if line.strip()]
    assert len(lines) <= 10, lines
    return found[1]


def compare(program, model, folder, out):
    subprocess.run([program, "trace", "--model", str(model), "--text", TEXT, "--out", out], check=True)
    with np.load(out) as arrays:
        ids, expected = arrays["tokens"], arrays["logits"]
    names = {"folder": str(folder), "ids": ids.tolist()}
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    exec(compile(lines_of_readme(), "README.md", "exec"), names)
    logits = names["logits"].numpy()
    assert logits.shape == expected.shape, (logits.shape, expected.shape)
    error = np.abs(logits - expected).max() / np.abs(expected).max()
    print(f"{model}: {error:.1e} of the largest logit {np.abs(expected).max():.2f}")
    assert error <= 1e-3, error


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        out = os.path.join(name, "trace.npz")
        folder = tiny_model.write_model(pathlib.Path(name) / "tiny")
        compare(program, folder, folder, out)
        for config in sorted((TOP / "assets/models").glob("*/config.json")):
            if "architectures" in json.loads(config.read_text()):
                compare(program, config.parent.name, config.parent, out)


if __name__ == "__main__":
    main()
