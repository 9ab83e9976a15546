"""headlight by-hand: the material's tables to the last printed digit, cases of one's own, what is refused; and sdpa over scores."""

import json
import pathlib
import subprocess
import sys
import tempfile

HEADLIGHT = sys.argv[1]


def run(*arguments, text=None):
    return subprocess.run([HEADLIGHT, *arguments], capture_output=True, text=True, input=text)


def printed(*arguments):
    done = run("by-hand", *arguments)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def refused(words, *arguments, text=None):
    done = run(*arguments, text=text)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1 and not done.stdout, done
    for word in words:
        assert word in done.stderr, (word, done.stderr)


three = printed()
for row in (".4223  0.1554  0.4223", "0.2119  0.2119  0.5761", "0.2447  0.0900  0.6652", "2.5777  1.6893", "3.1522  1.5761", "3.1758  1.8199"):
    assert row in three, (row, three)
assert three.endswith("every number as printed in a lecture's note on attention, to 4 digits\n"), three
slides = printed("--preset", "pattern")
for row in ("K1     1  0.75  0.69  0.92  0.47  0.00", "K3     0     0  0.24  0.02  0.22  0.02", "K6     0     0     0     0     0  0.03"):
    assert row in slides, (row, slides)
assert slides.endswith("every number but 1 as printed in a lecture's slides on attention, to 2 digits: column 5, row 1 is .465, printed with its "
                       "last digit cut off\n"), slides
creature = printed("--preset", "creature")
assert "  creature     0.42     0.58        0\n  forest          0        0        1\n" in creature and "-0.8675" in creature, creature
search = json.loads(printed("--preset", "search", "--json", "--temperature", "0"))
assert search["stages"]["scores"] == [[1, 2, 3, -1]] and search["stages"]["weights"] == [[0, 0, 1, 0]], search
own = run("by-hand", "--in", "-", text='{"scores": [[1, 2]], "v": [[1, 0], [0, 1]]}')
assert own.returncode == 0 and "0.2689  0.7311" in own.stdout and "printed" not in own.stdout, own

assert run("by-hand", "--in", "-", text=printed("--json")).stdout == three.rsplit("every number", 1)[0], "what --json prints is read again"

refused(["--preset", "'four-words'", "three-words"], "by-hand", "--preset", "four-words")
refused(["standard input, x", "row 0, column 1", "no number"], "by-hand", "--in", "-", text='{"x": [[1, "a"]]}')
refused(["row 1 has length 1"], "by-hand", "--in", "-", text='{"x": [[1, 2], [3]]}')
refused(["--temperature", "'cold'"], "by-hand", "--temperature", "cold")

try:
    import numpy
except ImportError:
    print("skipped: sdpa over scores needs NumPy")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)

    def sdpa(arrays, *options):
        numpy.savez(folder / "in.npz", **arrays)
        done = run("sdpa", "--in", str(folder / "in.npz"), "--out", str(folder / "y.npz"), *options)
        return numpy.load(folder / "y.npz") if done.returncode == 0 else done.stderr

    scores = numpy.array([[1, 0, 1], [1, 1, 2], [2, 1, 3]], "f4")
    v = numpy.array([[1, 2], [3, 0], [4, 2]], "f4")
    both = sdpa({"scores": scores, "v": v})
    assert (both["y"].round(4) == numpy.array([[2.5777, 1.6893], [3.1522, 1.5761], [3.1758, 1.8199]], "f4")).all(), both["y"]
    alone = sdpa({"scores": scores})
    assert alone.files == ["weights"] and (alone["weights"] == both["weights"]).all(), alone.files
    half = sdpa({"scores": scores, "v": v}, "--scale", "0.5")["weights"]
    wanted = numpy.exp(scores / 2) / numpy.exp(scores / 2).sum(-1, keepdims=True)
    assert numpy.abs(half - wanted).max() < 1e-6, half
    causal = sdpa({"scores": numpy.tile(scores, (2, 3, 1, 1)), "v": numpy.tile(v, (2, 3, 1, 1))}, "--causal")
    assert causal["y"].shape == (2, 3, 3, 2) and (causal["weights"][:, :, 0] == [1, 0, 0]).all(), causal["weights"]
    for arrays, words in (({"scores": scores, "q": v}, "stands beside scores"),
                          ({"scores": scores[:, 0]}, "is [3]"),
                          ({"scores": scores, "v": v[:2]}, "a row for each key")):
        said = sdpa(arrays)
        assert words in said, (words, said)
print("by-hand says what the material prints, and sdpa takes scores")
