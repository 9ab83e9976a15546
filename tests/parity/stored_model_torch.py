#!/usr/bin/env python3
"""Stored models in PyTorch: the blocks of docs/weights.md open models of their kinds, and their logits are
those of `headlight trace`, to 1e-3 of the largest. The models are small ones that this test writes or trains, and the bundled ones.

    stored_model_torch.py HEADLIGHT BUILD_FOLDER         exit status 77: PyTorch, transformers, safetensors or NumPy are not installed
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
    import safetensors.torch  # noqa: F401
    import torch
    import transformers  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TEXT, TARGET = "a mole ran into the old garden", "une taupe"
REPEATS = {
    "name": "repeats", "trained_on": "random syllables", "task": "repeat", "repeat": {"symbols": 32, "shortest": 3, "longest": 6},
    "model": {"d_model": 32, "heads": 4, "layers": 2, "feed_forward": False, "norm_kind": "layer", "final_norm": True, "position": "rotary",
              "bias": False, "masks": ["causal"]},
    "length": 32, "batch": 4, "steps": 40, "warmup": 5, "learning_rate": 1e-2, "evaluate_every": 40, "evaluate_batches": 1, "checkpoint_every": 40}
PAIRS = REPEATS | {
    "name": "pairs", "trained_on": "made-up pairs", "task": "pairs", "corpus": ["pairs.tsv"], "held_out": 0.2, "length": 64,
    "tokenizer": {"kind": "characters", "size": 0}, "target_tokenizer": {"kind": "characters", "size": 0},
    "model": {"d_model": 32, "heads": 4, "layers": 2, "d_ff": 48, "norm_kind": "layer", "final_norm": True, "position": "sinusoidal",
              "activation": "relu", "bias": True, "masks": ["causal", "padding"]}}
del PAIRS["repeat"]


def blocks(file, heading):
    """The Python blocks of the part of a file that begins with these words, up to the next heading."""
    text = (TOP / file).read_text(encoding="utf-8")
    part = re.search(rf"{heading}.*?(?=\n##? |\Z)", text, re.S)
    assert part, f"{file} has no '{heading}'"
    found = re.findall(r"```python\n(.*?)```", part[0], re.S)
    assert found, f"{file} has no lines for PyTorch behind '{heading}'"
    return found[0]


def llama_lines():
    lines = blocks("docs/weights.md", "## A decoder like Llama's")
    assert len([line for line in lines.splitlines() if line.strip()]) <= 10, lines
    return lines


def lines_for(kind):
    return blocks("docs/weights.md", "# Weights in other programs") + blocks("docs/weights.md", f"## {kind}")


def train(program, folder, name, config):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    done = subprocess.run([program, "train", "--config", str(path), "--data", str(folder), "--out", str(folder / name)], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / name


def compare(program, lines, model, folder, text=TEXT, target=None):
    with tempfile.TemporaryDirectory() as name:
        out = os.path.join(name, "trace.npz")
        more = ["--target", target] if target else []
        subprocess.run([program, "trace", "--model", str(model), "--text", text, *more, "--out", out], check=True)
        with np.load(out) as arrays:
            expected = arrays["logits"]
            ids = {"source_ids": arrays["encoder.tokens"].tolist(), "target_ids": arrays["decoder.tokens"].tolist()} if target else {
                "ids": arrays["tokens"].tolist()}
    names = {"folder": str(folder), **ids}
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with torch.no_grad():
        exec(compile(lines, "the lines for PyTorch", "exec"), names)
    logits = names["logits"].numpy()
    assert logits.shape == expected.shape, (logits.shape, expected.shape)
    error = np.abs(logits - expected).max() / np.abs(expected).max()
    print(f"{model}: {error:.1e} of the largest logit {np.abs(expected).max():.2f}")
    assert error <= 1e-3, error


def main():
    program = sys.argv[1]
    two, alone = lines_for("An encoder and a decoder"), lines_for("Attention alone")
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        folder = tiny_model.write_model(here / "tiny")
        compare(program, llama_lines(), folder, folder)
        folder = tiny_model.write_model(here / "tiny-pairs", "encoder-decoder")
        compare(program, two, folder, folder, target=TARGET)
        words = ["a mole ran", "the old mole", "the garden", "an old garden", "the mole sat", "it rained", "we left", "no rat"]
        (here / "pairs.tsv").write_text("".join(f"{a} and {b}\t{b[::-1]} {a}\n" for a in words for b in words), encoding="utf-8")
        one_table = {key: value for key, value in PAIRS.items() if key != "target_tokenizer"} | {"one_tokenizer": True}
        for config_name, config in (("pairs", PAIRS), ("one-table", one_table)):
            folder = train(program, here, config_name, config)
            compare(program, two, folder, folder, target=TARGET)
        folder = train(program, here, "repeats", REPEATS)
        compare(program, alone, folder, folder, "pa lar vu so pa lar vu")
        for config in sorted((TOP / "assets/models").glob("*/config.json")):
            said, model = json.loads(config.read_text()), config.parent
            own = said["headlight"]
            if "architectures" in said:
                compare(program, llama_lines(), model.name, model)
            elif own["task"] == "encoder-decoder":
                compare(program, two, model.name, model, target=TARGET)
            elif own["task"] == "decoder" and not own["feed_forward"]:
                compare(program, alone, model.name, model, "pa lar vu so pa lar vu")


if __name__ == "__main__":
    main()
