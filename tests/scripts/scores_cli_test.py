"""headlight scores: six scores of one query, their weights and entropies, worked again here; and what it refuses."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
TEXT = ["--model", "stories", "--text", "a fluffy blue creature roamed the verdant forest"]


def run(*arguments):
    return subprocess.run([HEADLIGHT, "scores", *arguments], capture_output=True, text=True)


def asked(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = run(*arguments)
    assert done.returncode in (1, 2) and words in done.stderr and not done.stdout, (arguments, done)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def close(a, b):
    assert len(a) == len(b) and all(abs(x - y) < 1e-9 * max(1, abs(x)) for x, y in zip(a, b)), (a, b)


def check(result):
    s, h, visible = result["s"], result["h"], result["visible"]
    by_id = {row["id"]: row for row in result["scores"]}
    assert list(by_id) == ["cosine", "additive", "location", "general", "dot", "scaled_dot"]
    close(by_id["dot"]["scores"], [dot(s, k) for k in h])
    close(by_id["scaled_dot"]["scores"], [dot(s, k) * result["jacobian"]["factor"] for k in h])
    close(by_id["cosine"]["scores"], [dot(s, k) / math.sqrt(dot(s, s) * dot(k, k)) for k in h])
    for row in result["scores"]:
        largest = max(x for x, seen in zip(row["scores"], visible) if seen)
        powers = [math.exp((x - largest) / result["temperature"]) if seen else 0 for x, seen in zip(row["scores"], visible)]
        close(row["weights"], [p / sum(powers) for p in powers])
        close([row["entropy"]], [-sum(w * math.log(w) for w in row["weights"] if w > 0)])
    p = by_id["scaled_dot"]["weights"]
    jacobian = [(i == j) * p[i] - p[i] * p[j] for i in range(len(p)) for j in range(len(p))]
    close([result["jacobian"]["norm"]], [math.sqrt(dot(jacobian, jacobian))])
    return by_id


result = asked(*TEXT, "--query", "creature", "--layer", "1", "--head", "5")
check(result)
assert "creature" in result["query"]["token"] and result["in_use"] == "scaled_dot" and all(result["visible"]), result["query"]
assert [r["maps"] for r in result["relations"]] == [1, 2, 3]
assert result["relations"][0]["asymmetry"] < 1e-6 < result["relations"][2]["asymmetry"]
position = result["query"]["position"]
assert asked(*TEXT, "--query", str(position), "--layer", "1", "--head", "5") == result, "a word and its position"
masked = asked(*TEXT, "--query", str(position), "--layer", "1", "--head", "5", "--masked")
check(masked)
assert masked["visible"] == [key <= position for key in range(len(masked["tokens"]))]
sharp = asked(*TEXT, "--query", "creature", "--layer", "1", "--head", "5", "--factor", "10")
assert check(sharp)["scaled_dot"]["entropy"] < check(result)["scaled_dot"]["entropy"]
one = asked(*TEXT, "--query", "creature", "--relation", "one")
close(one["h"][one["query"]["position"]], one["s"])
other = asked("--text", "man bites dog", "--seed", "1", "--tokenizer", "words")
same = asked("--text", "man bites dog", "--seed", "1", "--tokenizer", "words")
assert other == same and other["seed"] == 1
lecture = asked("--text", "man bites dog", "--preset", "lecture", "--d-model", "8")
assert lecture["in_use"] == "dot" and lecture["relations"][0]["weights"] == 0 and len(lecture["relations"]) == 1

table = run(*TEXT, "--query", "creature", "--layer", "1", "--head", "5").stdout
for words in ("creature", "cosine", "additive*", "location*", "general*", ">scaled dot", "entropy, nat", "seed 0", "Jacobian", "Q = K = V: 1 map"):
    assert words in table, (words, table)

refused("no word 'unicorn'", *TEXT, "--query", "unicorn")
refused("no token 99", *TEXT, "--query", "99")
refused("no layer 40", *TEXT, "--layer", "40")
refused("no head -1", *TEXT, "--head", "-1")
refused("no sentence 3", *TEXT, "--sentence", "3")
refused("reads one sentence", *TEXT, "--site", "cross")
refused("--factor", *TEXT, "--factor", "nan")
refused("Q = K = V", "--text", "man bites dog", "--target", "dog", "--site", "cross", "--relation", "one")
refused("the sentence is empty", "--text", "")
cross = asked("--text", "man bites dog", "--target", "dog bites man", "--tokenizer", "words", "--site", "cross", "--query", "bites")
check(cross)

# Bahdanau's step from the weights that the command names.
step = asked("--text", "man bites dog", "--target", "dog bites", "--tokenizer", "words", "--step", "1")
w = step["weights"]


def times(matrix, x):
    return [dot(row, x) for row in w[matrix]]


e = [dot(w["v_a"][0], [math.tanh(a + b) for a, b in zip(times("W_a", step["s_before"]), times("U_a", h))]) for h in step["h"]]
close(step["e"], e)
close(step["alpha"], [math.exp(x) / sum(map(math.exp, e)) for x in e])
close(step["c"], [sum(a * h[u] for a, h in zip(step["alpha"], step["h"])) for u in range(4)])
close(step["s"], [math.tanh(sum(parts)) for parts in zip(times("W_y", step["y_before"]), times("U", step["s_before"]), times("C", step["c"]))])
logits = [sum(parts) for parts in zip(times("O_y", step["y_before"]), times("O_s", step["s"]), times("O_c", step["c"]))]
close(step["p"], [math.exp(x) / sum(map(math.exp, logits)) for x in logits])
assert len(step["tokens"]) >= 3 and len(step["p"]) == len(set(step["vocabulary"])), step["vocabulary"]
assert "alpha_ij" in run("--text", "man bites dog", "--step", "0").stdout
refused("no step 40", *TEXT, "--step", "40")
refused("no step -1", *TEXT, "--step", "-1")

with tempfile.TemporaryDirectory() as folder:
    for what in ("scores-compared", "scores-scale", "scores-relations", "bahdanau-step"):
        for ending in ("svg", "png"):
            path = pathlib.Path(folder) / f"{what}.{ending}"
            done = subprocess.run(
                [HEADLIGHT, "export", *TEXT, "--what", what, "--layer", "1", "--head", "5", "--token", str(position), "--out", str(path)],
                capture_output=True, text=True)
            if "no figure libraries" in done.stderr or "no step" in done.stderr:
                break  # a build without a window
            assert done.returncode == 0 and path.stat().st_size > 2000, (what, done)
print("scores: ok")
