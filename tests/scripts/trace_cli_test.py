"""Tests headlight trace and info: what they print, what they refuse and with which exit status. Only the standard library is
needed. trace_cli_test.py PROGRAM BUILD_FOLDER."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

program = sys.argv[1]


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def lines(*arguments):
    done = call(*arguments)
    assert done.returncode == 0 and done.stderr == "", (arguments, done)
    return done.stdout.splitlines()


def refused(status, words, *arguments):
    done = call(*arguments)
    assert done.returncode == status, (arguments, done)
    assert done.stdout == "" and done.stderr.count("\n") == 1, (arguments, done)
    assert words in done.stderr, (arguments, done.stderr)


base = ["trace", "--tokenizer", "words", "--text", "man bites dog", "--layers", "1"]
shapes = lines(*base, "--shapes")
assert shapes[0] == "tokens [batch, position] [1, 3]", shapes[0]
assert "layer.0.weights [batch, head, query, key] [1, 6, 3, 3]" in shapes
assert not any(line.startswith("parameters.") for line in shapes)
assert "parameters.layer.0.wq [d_model, head d_k] [192, 192]" in lines(*base, "--shapes", "--weights")
two = lines(*base, "--target", "l'homme mord le chien", "--shapes")
assert any(line.startswith("decoder.layer.0.cross.weights") for line in two)

# Every score function has the steps that scripts rely on. A general score multiplies q by a matrix first.
for score, own in (("scaled_dot", []), ("dot", []), ("cosine", ["q_unit", "k_unit"]), ("general", ["q_weighted"]),
                   ("additive", ["q_weighted", "k_weighted"]), ("location", ["k_places"])):
    steps = [line.split(" ")[0] for line in lines(*base, "--score", score, "--shapes")]
    for step in own + ["scores", "scaled_scores", "mask", "masked_scores", "weights", "context"]:
        assert "layer.0." + step in steps, (score, step, steps)
assert "parameters.layer.0.w_score [query d_k, key d_k] [32, 32]" in lines(*base, "--score", "general", "--shapes", "--weights")
refused(2, "general", *base, "--score", "bilinear", "--shapes")
printed = lines(*base, "--score", "additive", "--shapes", "--weights")
for name, shape in (("w_score", "[query d_k, d_k] [32, 32]"), ("u_score", "[key d_k, d_k] [32, 32]"), ("v_score", "[d_k] [32]")):
    assert f"parameters.layer.0.{name} {shape}" in printed, printed
printed = lines(*base, "--score", "location", "--shapes", "--weights")
assert "parameters.layer.0.w_score [position, head d_k] [4096, 192]" in printed, printed
assert not any(line.startswith("parameters.layer.0.wk ") for line in printed), printed
for score in ("general", "additive", "location"):
    refused(2, "was trained with the score function scaled_dot and has no parameters for " + score,
            "trace", "--model", "stories", "--text", "a fluffy creature", "--score", score, "--shapes")

# A mask has the shape it is made at: padding is one row a sentence, causal one square for all, the two together one a sentence.
texts = ["--text", "man bites dog", "--text", "the dog"]
for mask, shape in (("padding", "[2, 1, 1, 3], repeated to [2, 1, 3, 3]"), ("causal", "[1, 1, 3, 3], repeated to [2, 1, 3, 3]"),
                    ("causal,padding", "[2, 1, 3, 3]"), ("none", "[2, 1, 3, 3]"),
                    ("global:1", "[1, 1, 1, 1], repeated to [2, 1, 3, 3]"), ("window:1,global:1", "[1, 1, 3, 3], repeated to [2, 1, 3, 3]")):
    line = "layer.0.mask [batch, head, query, key] " + shape
    run = call(*base[:3], *texts, "--layers", "1", "--mask", mask, "--attend-padding", "--shapes")
    assert ("padding takes part" in run.stderr) == ("padding" not in mask), run.stderr
    printed = run.stdout.splitlines()
    assert line in printed, (mask, [p for p in printed if "mask" in p])
cross = lines(*base, "--target", "l'homme mord le chien", "--mask", "padding,causal", "--shapes")
assert any(p.startswith("decoder.layer.0.cross.mask ") and "[1, 1, 1, 3], repeated to" in p for p in cross), cross
assert any(p.startswith("encoder.layer.0.mask ") and "[1, 1, 1, 3], repeated to" in p for p in cross), cross

# The preset is attention alone; options given besides change it.
# The worked walk-through prints its shapes in order, with what is to be said beside them.
walk = lines("trace", "--preset", "walkthrough", "--shapes")
said = [line for line in walk if line.startswith(("encoder.div_term", "encoder.layer.0.context_transposed", "decoder.layer.0.mask ", "logits_rows",
                                                 "labels ", "logits_shifted", "labels_shifted"))]
assert said == [
    "encoder.div_term [pair] [100]  # the notes print 10000^(+2i/d): the minus is missing",
    "encoder.layer.0.context_transposed [batch, position, head, d_k] [20, 10, 4, 50], not contiguous",
    "decoder.layer.0.mask [batch, head, query, key] [20, 1, 10, 10]  # the notes print [20, 1, 20, 10] once; the masks' axes are "
    "[batch, 1, query, key]",
    "logits_rows [row, token] [200, 8192]", "labels [row] [200]", "logits_shifted [row, token] [180, 8192]", "labels_shifted [row] [180]",
], said
loops = lines("trace", "--preset", "walkthrough", "--head-loop")
assert [line.split(" ")[0] for line in loops] == [n + "concat" for n in ("encoder.layer.0.", "decoder.layer.0.", "decoder.layer.0.cross.")]
assert all("4 heads one by one, with slices [200, 50] of [200, 200]: largest difference" in line for line in loops), loops
assert all(float(line.split("difference ")[1].split(" ")[0]) < 1e-5 for line in loops), loops
refused(1, "more than the product of two rows", *base, "--position", "relative", "--head-loop")

alone = [line.split(" ")[0] for line in lines("trace", "--tokenizer", "words", "--text", "man bites dog", "--preset", "lecture", "--shapes")]
assert alone == ["tokens", "embedding", "input", *("layer.0." + n for n in (
    "q", "k", "v", "k_transposed", "scores", "scaled_scores", "mask", "masked_scores", "weights", "context", "concat"))], alone
assert "position" in [line.split(" ")[0] for line in lines(*base, "--preset", "lecture", "--position", "sinusoidal", "--shapes")]
refused(2, "there is no preset 'lesson'; known are lecture, walkthrough", "trace", "--preset", "lesson", "--shapes")

with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "trace.npz")
    assert lines(*base, "--out", out) == []
    names = zipfile.ZipFile(out).namelist()
    assert names == [line.split(" ")[0] + ".npy" for line in shapes] + ["document.json.npy"], names
    assert lines(*base, "--weights", "--out", out) == []
    assert "document.json.npy" in zipfile.ZipFile(out).namelist()
    before = open(out, "rb").read()

    # Rows of weights sum to 1 whatever the score, nothing goes to a masked key, and a masked score is -inf.
    scored = os.path.join(folder, "scored.npz")
    for score in ("scaled_dot", "general", "additive", "location"):
        done = call(*base, "--score", score, "--mask", "causal", "--out", scored)
        # The rows of places are repeated by plain loops, which the command says.
        said = "headlight: 1 step was computed by plain loops on the host, since cpu has no way of its own for it: repeat for every sentence\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, "", said if score == "location" else ""), done
        arrays = {}
        for step in ("weights", "masked_scores"):
            stored = zipfile.ZipFile(scored).read("layer.0." + step + ".npy")
            assert b"'<f4'" in stored[:128], stored[:128]
            arrays[step] = struct.unpack("<54f", stored[10 + int.from_bytes(stored[8:10], "little"):])  # 6 heads, 3 x 3
        for row in range(18):
            weights = arrays["weights"][3 * row:3 * row + 3]
            assert abs(sum(weights) - 1) < 1e-6, (score, row, weights)
            for key in range(row % 3 + 1, 3):
                assert weights[key] == 0 and arrays["masked_scores"][3 * row + key] == float("-inf"), (score, row, key)
    os.remove(scored)

    # The document that is stored with the arrays is one str of NumPy's, UTF-32. The trace opens as a session, and gives the same steps.
    assert lines("trace", "--session", out, "--shapes") == shapes
    member = zipfile.ZipFile(out).read("document.json.npy")
    document = member[10 + int.from_bytes(member[8:10], "little"):].decode("utf-32-le")
    session = os.path.join(folder, "session.json")
    open(session, "w").write(document)
    assert lines("trace", "--session", session, "--shapes") == shapes
    assert json.loads(document)["texts"] == ["man bites dog"]

    refused(1, "does not exist", *base, "--out", os.path.join(folder, "no", "such.npz"))
    refused(1, "budget", "trace", "--d-model", "16384", "--heads", "8", "--layers", "128", "--out", out)
    assert open(out, "rb").read() == before, "a refusal touched the file"
    open(session, "w").write('{"texts": ["a"], "colour": 1}')
    refused(1, "there is no field 'colour'", "trace", "--session", session, "--shapes")
    assert sorted(os.listdir(folder)) == ["session.json", "trace.npz"], os.listdir(folder)

refused(2, "--out trace.npz", *base)
refused(2, "the sentence is empty", "trace", "--text", "", "--shapes")
refused(2, "--heads", "trace", "--heads", "7", "--shapes")
refused(2, "--mask", "trace", "--mask", "sideways", "--shapes")
refused(2, "--colour", "trace", "--colour", "red", "--shapes")
refused(1, "no tokenizer 'none such'", "trace", "--tokenizer", "none such", "--shapes")

info = json.loads("\n".join(lines("info", "--json")))
for key in ("version", "commit", "build", "cpu", "backends", "opengl", "fonts", "assets"):
    assert key in info, key
available = {backend["id"]: backend["available"] for backend in info["backends"]}
assert available["reference"] and available["cpu"] and "cuda" in available, available
for backend in info["backends"]:
    assert backend["device"] and bool(backend["why"]) != backend["available"], backend
assert lines("info")[0].split() == ["headlight", info["version"], f"({info['commit']})"]
# A file that is larger than --file-size allows is refused with its size before anything is computed.
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "t.npz")
    with open(os.path.join(folder, "long.txt"), "w") as text:
        text.write("dog " * 4415)
    many = ["trace", "--tokenizer", "words", "--text-file", text.name, "--layers", "1", "--heads", "6"]
    refused(1, "bytes), and --file-size allows 1.0 GB; keep less, as with --steps layer.0.weights, use fewer tokens, or allow it with "
               "--file-size 2GB", *many, "--out", out)
    refused(1, "--file-size 1MB", *base, "--file-size", "10kB", "--out", out)
    refused(2, "'large' is no size", *base, "--file-size", "large", "--out", out)
    assert os.listdir(folder) == ["long.txt"], os.listdir(folder)
    assert call(*base, "--file-size", "10kB", "--steps", "weights", "--out", out).returncode == 0
    # The size that is told is that of the arrays; a file has their headers and the document besides.
    told = int(call(*base, "--file-size", "1kB", "--out", out).stderr.split("(")[1].split(" ")[0])
    assert call(*base, "--file-size", "1MB", "--out", out).returncode == 0
    assert told < os.path.getsize(out) < told + 20_000, (told, os.path.getsize(out))

print("trace and info do what they say")
