"""headlight params: the lecture's table, sizes given by options and files, and what it refuses."""

import json
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]


def run(*arguments):
    return subprocess.run([HEADLIGHT, "params", *arguments], capture_output=True, text=True)


def counted(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = run(*arguments)
    assert done.returncode in (1, 2) and words in done.stderr and not done.stdout, (arguments, done)


table = run().stdout
for number in ("175,181,291,520", "27,938", "1,572,864", "150,994,944", "14,495,514,624", "603,979,776", "57,982,058,496", "617,558,016"):
    assert number in table, number
gpt3 = counted()
assert gpt3["total"] == 175181291520 and gpt3["matrices"] == 27938
assert gpt3["total"] == sum(line["parameters"] for line in gpt3["lines"])
# Twice the layers: all but the two tables twice.
assert gpt3["total_if_doubled"]["layers"] == 2 * gpt3["total"] - 2 * 617558016

# GPT-2's medium size, which transformers counts as 354,823,168 with biases, norms and positions.
medium = counted("--preset", "gpt2", "--layers", "24", "--d-model", "1024", "--heads", "16", "--neurons", "4096")
assert medium["total"] + sum(medium["left_out"].values()) == 354823168, medium

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "config.json"
    path.write_text(json.dumps({"model_type": "gpt2", "n_embd": 1024, "n_head": 16, "n_layer": 24, "n_positions": 1024, "vocab_size": 50257}))
    assert counted("--config", str(path))["total"] == medium["total"]
    path.write_text('{"model_type": "gpt2"}')
    refused("hidden_size", "--config", str(path))
    path.write_text("no json")
    refused(str(path), "--config", str(path))
    refused("no-such.json", "--config", str(pathlib.Path(folder) / "no-such.json"))
# S4: heads of full width, combined by a 2-D stack or by Concat W_O.
sizes = ("--d-model", "512", "--heads", "32", "--layers", "1")
stack = {line["matrix"]: line["one_layer"] for line in counted(*sizes, "--stack-hidden", "16")["lines"]}
concat = {line["matrix"]: line["one_layer"] for line in counted(*sizes, "--d-k", "512")["lines"]}
assert stack["stack_hidden"] + stack["stack_output"] == 528 and "output" not in stack, stack
assert concat["output"] == 8388608 and stack["query"] == concat["query"], concat
assert "528 numbers, Concat W_O would have 8,388,608" in run(*sizes, "--stack-hidden", "16").stdout
refused("full width", *sizes, "--stack-hidden", "16", "--d-k", "16")
refused("there is no such preset", "--preset", "gpt5")
refused("do not divide", "--heads", "7")
refused("no size that can be counted", "--layers", "0")
refused("quintillion", "--d-model", "1000000000000", "--heads", "1", "--neurons", "1000000000000")
refused("no-such-model", "--model", "no-such-model")
stories = counted("--model", "stories")
assert stories["total"] + sum(stories["left_out"].values()) > 5_000_000, stories
print("params: ok")
