"""headlight value-map: its ranks, sizes and sums, what it refuses, and, with NumPy, every singular value again from a trace."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]
SMALL = ["--text", "a fluffy blue creature roamed", "--tokenizer", "words", "--d-model", "24", "--heads", "3", "--layers", "2"]


def run(*arguments):
    return subprocess.run([HEADLIGHT, *arguments], capture_output=True, text=True)


def mapped(*arguments):
    done = run("value-map", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(words, *arguments):
    done = run("value-map", *arguments)
    assert done.returncode in (1, 2) and words in done.stderr and not done.stdout, (arguments, done)


small = mapped(*SMALL, "--layer", "1", "--head", "2", "--backend", "reference")
assert small["v_down"]["rows"] == 24 and small["v_down"]["columns"] == 8 and small["v_down"]["column"] == 16, small
assert small["numbers"] == 2 * 24 * 8 and small["full_rank_numbers"] == 24 * 24, small
assert [head["rank"] for head in small["heads"]] == [8, 8, 8] and small["full_rank"]["rank"] == 24
assert small["sum"]["equal"] and small["sum"]["difference"] < 1e-14 and small["sum"]["tokens"] == 5, small["sum"]
for head in small["heads"]:
    values = head["singular_values"]
    assert values == sorted(values, reverse=True) and len(values) == 8
    assert abs(math.sqrt(sum(v * v for v in values)) - head["norm"]) < 1e-12
    shares = [v / sum(values) for v in values]
    assert abs(math.exp(-sum(p * math.log(p) for p in shares)) - head["effective_rank"]) < 1e-9
table = run("value-map", *SMALL, "--head", "1").stdout
for words in ("layer.0. head 1 of sandbox: V_down 24 x 8 times V_up 8 x 24, rank 8 of 24", "384 numbers; a full-rank map has 576",
              ">head 1", "equal within rounding"):
    assert words in table, (words, table)
cross = mapped(*SMALL, "--target", "un chat", "--site", "cross")
assert cross["site"] == "decoder.layer.0.cross." and cross["sum"]["equal"] and cross["sum"]["tokens"] == 2, cross

refused("there is no head 3", *SMALL, "--head", "3")
refused("there is no layer 2", *SMALL, "--layer", "2")
refused("there is no sentence 1", *SMALL, "--sentence", "1")
refused("no 'cross'", *SMALL, "--site", "cross")
refused("no matrices W_V and W_O", "--preset", "lecture", "--text", "a b")

try:
    import numpy
except ImportError:
    print("skipped: the singular values again need NumPy")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder, "trace.npz")
    done = run("trace", *SMALL, "--backend", "reference", "--weights", "--out", str(out))
    assert done.returncode == 0, done.stderr
    arrays = numpy.load(out)
    w_v, w_o = arrays[small["v_down"]["parameter"]], arrays[small["v_up"]["parameter"]]
    for number, head in enumerate(small["heads"]):
        again = numpy.linalg.svd(w_v[:, 8 * number:8 * number + 8] @ w_o[8 * number:8 * number + 8], compute_uv=False)
        assert numpy.allclose(again[:8], head["singular_values"], rtol=1e-5), (again, head)
        assert (again[8:] < 1e-6 * again[0]).all()
print("value-map: ok")
