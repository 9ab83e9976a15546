"""Our BPE trainer against the PyPI package `tokenizers`, live, on the same text: the merges are equal until two pairs are equally
frequent (ties are broken differently there). Skipped (77) without the package or without HEADLIGHT_PARITY_DATA."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import tokenizers
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
except ImportError:
    print("the Python package tokenizers is not installed")
    sys.exit(77)
if not os.environ.get("HEADLIGHT_PARITY_DATA"):
    print("HEADLIGHT_PARITY_DATA is not set")
    sys.exit(77)

corpus = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"]) / "shakespeare/input.txt"
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    subprocess.run([sys.argv[1], "train-tokenizer", "bpe", "--corpus", corpus, "--vocab-size", "1200", "--out", folder / "ours",
                    "--steps", folder / "steps.json", "--candidates", "2"], check=True)
    steps = json.loads((folder / "steps.json").read_text())["steps"]

theirs = Tokenizer(models.BPE())
theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
# The whole text as one item: cutting it into lines would cut runs of newlines.
theirs.train_from_iterator([corpus.read_text()], trainers.BpeTrainer(
    vocab_size=1200, min_frequency=0, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
merges = [list(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]

equal = 0
for step, merge in zip(steps, merges):
    if step["pair"] != merge:
        break
    equal += 1
tie = next((i for i, s in enumerate(steps) if len(s["candidates"]) > 1 and s["candidates"][0]["count"] == s["candidates"][1]["count"]), len(steps))
print(f"tokenizers {tokenizers.__version__}: the first {equal} merges are equal; our first tie is at step {tie + 1} of {len(steps)}")
sys.exit(0 if equal >= tie and tie >= 50 else 1)
