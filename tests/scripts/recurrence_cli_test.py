"""headlight recurrence: every kind over a text, learning hello, what it refuses, and, with NumPy, an LSTM and a state space again."""

import json
import subprocess
import sys

HEADLIGHT = sys.argv[1]
HELLO = ("--text", "hello", "--tokenizer", "characters")


def run(*arguments):
    return subprocess.run([HEADLIGHT, "recurrence", *arguments], capture_output=True, text=True)


def told(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = run(*arguments)
    assert done.returncode in (1, 2) and words in done.stderr and not done.stdout, (arguments, done)


for kind in ("rnn", "lstm", "esn", "ssm"):
    table = run(*HELLO, "--kind", kind)
    assert table.returncode == 0 and "5 tokens, 4 different" in table.stdout and "steps one after another 5, attention 1" in table.stdout, table
    before = told(*HELLO, "--kind", kind)
    assert before["tokens"] == list("hello") and before["symbols"] == [0, 1, 2, 2, 3]
    assert abs(sum(before["losses"]) - before["sum"]) < 1e-9 and len(before["losses"]) == 4
    assert len(before["influence"]) == len(before["attention_influence"]) == 5 and len(before["gradient_lengths"]) == 101
    after = told(*HELLO, "--kind", kind, "--train", "300")
    assert after["sum"] < 0.2 * before["sum"] and abs(after["training"][0] - before["sum"]) < 1e-9, (kind, before["sum"], after["sum"])
    assert told(*HELLO, "--kind", kind)["sum"] == before["sum"]
small, large = told(*HELLO, "--weights-times", "0.5"), told(*HELLO, "--weights-times", "1.5")
assert small["gradient_lengths"][-1] < 1e-9 < large["gradient_lengths"][-1], (small["gradient_lengths"][-1], large["gradient_lengths"][-1])
space = told(*HELLO, "--kind", "ssm")
assert space["difference"] < 1e-12, space["difference"]
assert told(*HELLO, "--kind", "ssm", "--no-selection")["matrix"] != space["matrix"]
refused("add --kind ssm", "--times")
refused("one after the other", "--kind", "ssm", "--times", "--compare-learning")
compared = told("--text", "ababababab", "--tokenizer", "characters", "--compare-learning", "--train", "60", "--units", "8")
assert compared["steps"] == 60 and compared["asked"] == 9 and len(compared["curves"]) == 4, compared
for curve in compared["curves"]:
    assert len(curve["losses"]) == 61 and curve["losses"][-1] < 0.5 * curve["losses"][0] and curve["right"] == 9, curve
table = run("--text", "ababababab", "--tokenizer", "characters", "--compare-learning", "--train", "60", "--units", "8").stdout
assert "two attention layers" in table and f"{compared['curves'][1]['losses'][60]:.4f}" in table and "9 of 9" in table, table
refused("--units", "--units", "0")
refused("--kind", "--kind", "gru")
refused("--weights-times", "--weights-times", "-1")
refused("--states", "--kind", "ssm", "--states", "65")
refused("no channel 9", *HELLO, "--kind", "ssm", "--units", "4", "--channel", "9")
refused("is empty", "--text", "", "--tokenizer", "characters")

try:
    import numpy as np
except ImportError:
    print("the rest needs NumPy")
    sys.exit(0)

sigmoid = lambda x: 1 / (1 + np.exp(-x))
t = told(*HELLO, "--kind", "lstm")
w = {name: np.array(rows) for name, rows in t["weights"].items()}
h = c = np.zeros(16)
for step, symbol in enumerate(t["symbols"]):
    i, f, g, o = np.split(w["wx"][:, symbol] + w["wh"] @ h + w["b"][:, 0], 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    assert np.allclose(t["parts"]["c"][step], c, atol=1e-12) and np.allclose(t["parts"]["h"][step], h, atol=1e-12), step
    y = w["wy"] @ h + w["by"][:, 0]
    assert np.allclose(t["guesses"][step], np.exp(y) / np.exp(y).sum(), atol=1e-12)

w = {name: np.array(rows) for name, rows in space["weights"].items()}
state = np.zeros((16, 4))
inputs, output = np.array(space["input"]), []
for u in inputs:
    delta = np.log1p(np.exp(w["w_delta"] @ u + w["b_delta"][:, 0]))
    state = np.exp(-np.exp(w["a_log"]) * delta[:, None]) * state + delta[:, None] * (w["wb"] @ u)[None] * u[:, None]
    output.append(state @ (w["wc"] @ u) + w["skip"][:, 0] * u)
assert np.allclose(space["parts"]["y"], output, atol=1e-12)
assert np.allclose(np.array(space["matrix"]) @ inputs[:, 0], np.array(output)[:, 0], atol=1e-12)
