"""Arrays of one's own, as people have them: masks of every kind, NaN and infinity, bfloat16, integers, masked scores, layers before
the sentences, files of other formats. Each result is compared with NumPy. arrays_cli_test.py PROGRAM BUILD_FOLDER."""

import io
import json
import os
import pathlib
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy
except ImportError:
    print("skipped: this test needs NumPy")
    sys.exit(77)

program = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
rng = numpy.random.default_rng(7)


def call(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=folder)


def done(*arguments, said=()):
    """What stood on stderr; `said` names what must be there, and nothing may be there without it."""
    run = call(*arguments)
    assert run.returncode == 0 and run.stdout == "", (arguments, run)
    assert bool(run.stderr) == bool(said), (arguments, run.stderr)
    for words in said:
        assert words in run.stderr, (words, run.stderr)
    return run.stderr


def refused(status, *arguments, said):
    run = call(*arguments)
    assert run.returncode == status and run.stdout == "" and run.stderr.count("\n") == 1, (arguments, run)
    for words in said:
        assert words in run.stderr, (words, run.stderr)
    return run.stderr


def softmax(scores):
    """Rows of minus infinity alone give zeros, and a NaN fills its row."""
    largest = scores.max(-1, keepdims=True)
    largest = numpy.where(numpy.isneginf(largest), 0, largest)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        e = numpy.exp(scores - largest)
        total = e.sum(-1, keepdims=True)
        return numpy.where(total == 0, 0, e / total)


def attention(q, k, v, keep=True, added=0.0):
    """Of [B, H, L, D]."""
    scores = q.astype("f8") @ numpy.swapaxes(k.astype("f8"), -1, -2) / q.shape[-1] ** 0.5 + added
    weights = softmax(numpy.where(keep, scores, -numpy.inf))
    return weights @ v.astype("f8"), weights


def same(ours, wanted, tolerance=2e-5):
    assert ours.shape == wanted.shape, (ours.shape, wanted.shape)
    assert (numpy.isnan(ours) == numpy.isnan(wanted)).all(), (ours, wanted)
    assert numpy.nanmax(numpy.abs(ours - wanted), initial=0) <= tolerance, numpy.nanmax(numpy.abs(ours - wanted))


def sdpa(arrays, *options, said=()):
    numpy.savez(folder / "in.npz", **arrays)
    done("sdpa", "--in", "in.npz", "--out", "y.npz", *options, said=said)
    return numpy.load(folder / "y.npz")


def bfloat16_npy(values, descr="<V2"):
    """An .npy as ml_dtypes writes it, of numbers that bfloat16 has."""
    bits = (numpy.ascontiguousarray(values, "<f4").view("<u4") >> 16).astype(descr[0] + "u2" if descr[0] in "<>" else "<u2")
    head = str({"descr": descr, "fortran_order": False, "shape": values.shape}).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bits.tobytes()


B, H, N, M, D = 2, 3, 5, 7, 4
q = rng.normal(size=(B, H, N, D)).astype("f4")
k = rng.normal(size=(B, H, M, D)).astype("f4")
v = rng.normal(size=(B, H, M, D)).astype("f4")
qkv = {"q": q, "k": k, "v": v}

# --- masks
keep = rng.random((B, H, N, M)) < 0.7
keep[0, 0, 0] = False  # a row that may attend to nothing
padding = numpy.ones((B, M), bool)
padding[0, 5:] = padding[1, 3:] = False
for mask, where, said in (
        (keep, keep, ()),
        (keep.astype("i4"), keep, ()), (keep.astype("i8"), keep, ()), (keep.astype("u1"), keep, ()), (keep.astype("i2"), keep, ()),
        ((keep * 255).astype("u1"), keep, ()), (keep[0, 0], keep[0, 0], ()), (keep[0], keep[0], ()),
        (padding, padding[:, None, None], ["[2, 7] is read as [batch, key]"]),
        (padding.astype("i8"), padding[:, None, None], ["[2, 7] is read as [batch, key]"]),
        (padding[:, None, None], padding[:, None, None], ()), (padding[:1], padding[0], ()), (padding[0], padding[0], ()),
        (keep[:, 0], keep[:, :1], ["[2, 5, 7] is read as [batch, query, key]"]),
        (keep[:, :1, :1], keep[:, :1, :1], ()),
        (keep.reshape(B * H, N, M), keep, ["[6, 5, 7] is read as [batch * head, query, key]"])):
    y = sdpa({**qkv, "mask": mask}, said=said)
    wanted = attention(q, k, v, where)
    same(y["y"], wanted[0]), same(y["weights"], wanted[1])
    causal = sdpa({**qkv, "mask": mask}, "--causal", said=said)
    same(causal["weights"], attention(q, k, v, numpy.broadcast_to(where, keep.shape) & numpy.tri(N, M, dtype=bool))[1])
added = numpy.where(keep, rng.normal(size=keep.shape), -numpy.inf).astype("f4")
for mask in (added, added[0, 0], added[:, :1, :1], added.astype("f2")):
    for options, where in (([], True), (["--causal"], numpy.tri(N, M, dtype=bool))):
        same(sdpa({**qkv, "mask": mask}, *options)["weights"], attention(q, k, v, where, mask.astype("f8"))[1])
# Real numbers are added, whatever they are; that is said where it may be meant otherwise.
truths = padding.astype("f4")
y = sdpa({**qkv, "mask": truths[:, None, None]}, said=["0 and 1 as real numbers, which are added", "mask.astype(bool)"])
same(y["weights"], attention(q, k, v, added=truths[:, None, None])[1])
# As many texts as queries: NumPy's reading counts, and the other one is named.
square = {"q": q[:, :, :B], "k": k, "v": v, "mask": padding}
y = sdpa(square, said=["[2, 7] is read as [query, key]", "[batch, 1, 1, key]"])
same(y["weights"], attention(q[:, :, :B], k, v, padding)[1])
heads_too = {"q": q[:, :2], "k": k[:, :2], "v": v[:, :2], "mask": keep[:, 0]}
same(sdpa(heads_too, said=["is read as [head, query, key]"])["weights"], attention(q[:, :2], k[:, :2], v[:, :2], keep[:, 0])[1])
beside = {"q": q[:, 0], "k": k[:, 0], "v": v[:, 0], "mask": padding.astype("i4")}  # [B, L, D]
same(sdpa(beside, said=["[batch, key]"])["weights"], attention(q[:, :1], k[:, :1], v[:, :1], padding[:, None, None])[1])
for mask, said in ((keep.astype("i4") * 2, ["the integer 2 at place", "float32"]), (padding[:, :5], ["is [2, 5]", "[batch, key]"]),
                   (numpy.where(keep, 0, -10000), ["the integer -10000"])):
    numpy.savez(folder / "in.npz", **qkv, mask=mask)
    refused(1, "sdpa", "--in", "in.npz", "--out", "no.npz", said=["in.npz: array 'mask'", *said])

# --- other types of q, k, v
whole = {name: rng.integers(-3, 4, x.shape) for name, x in qkv.items()}
for kind in ("i8", "i4", "i2", "i1"):
    same(sdpa({name: x.astype(kind) for name, x in whole.items()})["y"], attention(*whole.values())[0])
half = {name: x.astype("f2") for name, x in qkv.items()}
same(sdpa(half)["y"], attention(*half.values())[0])
large = {**whole, "v": whole["v"] * (1 << 24) + 1}
same(sdpa(large, said=["integers beyond 2^24 (v) are rounded"])["y"] / 2.0 ** 24, attention(*large.values())[0] / 2.0 ** 24)
same(sdpa(large, "--backend", "reference")["y"], attention(*large.values())[0], 1e-6)
wide = {**whole, "v": whole["v"].astype("i8") * 5_000_000_000}  # beyond int32
same(sdpa(wide, said=["integers beyond 2^24 (v) are rounded"])["y"] / 5e9, attention(*wide.values())[0] / 5e9)
same(sdpa(wide, "--backend", "reference")["y"] / 5e9, attention(*wide.values())[0] / 5e9, 1e-12)
for beyond in (numpy.int64(2 ** 53 + 1), numpy.int64(-2 ** 63 + 1), numpy.uint64(2 ** 64 - 1)):
    numpy.savez(folder / "in.npz", **{**whole, "k": numpy.full_like(whole["k"], beyond, dtype=beyond.dtype)})
    refused(1, "sdpa", "--in", "in.npz", "--out", "no.npz",
            said=["array 'k'", f"holds the integer {beyond} at place 0, which float64 does not hold exactly"])
numpy.savez(folder / "in.npz", **whole, mask=numpy.full((N, M), 2 ** 40))
refused(1, "sdpa", "--in", "in.npz", "--out", "no.npz", said=["array 'mask' holds integers beyond 32 bits", "1 = may attend"])

# --- axes before [batch, head, query, d], as numpy.stack makes them of several layers
layers = {name: numpy.stack([x, x[::-1] * 0.5, x + 1]) for name, x in qkv.items()}
for mask in (None, keep, padding[:, None, None], numpy.stack([keep, ~keep | (numpy.arange(M) == 0), keep])):
    y = sdpa({**layers, **({} if mask is None else {"mask": mask})})
    wanted = attention(*layers.values(), True if mask is None else mask)
    same(y["y"], wanted[0]), same(y["weights"], wanted[1])
same(sdpa({**layers, "mask": padding})["weights"],
     attention(*layers.values(), padding[:, None, None])[1])
six = {name: x[None] for name, x in layers.items()}
same(sdpa(six, "--causal")["weights"], attention(*six.values(), numpy.tri(N, M, dtype=bool))[1])
stacked = numpy.stack([rng.normal(size=keep.shape)] * 2).astype("f4")
same(sdpa({"scores": stacked})["weights"], softmax(stacked.astype("f8")))
for wrong, said in (({**layers, "k": layers["k"][:2]}, ["array 'k'", "q begins with [3, 2]"]),
                    ({**layers, "mask": numpy.ones((4, B, H, N, M), bool)}, ["array 'mask' is [4,", "broadcast to [3, 2]"])):
    numpy.savez(folder / "in.npz", **wrong)
    refused(1, "sdpa", "--in", "in.npz", "--out", "no.npz", said=said)
cut = {name: (x.view("u4") & 0xffff0000).view("f4") for name, x in qkv.items()}
for descr in ("<V2", "|V2", ">V2", "bfloat16"):
    with zipfile.ZipFile(folder / "bf16.npz", "w") as z:
        for name, x in cut.items():
            z.writestr(name + ".npy", bfloat16_npy(x, descr))
    done("sdpa", "--in", "bf16.npz", "--out", "y.npz")
    same(numpy.load(folder / "y.npz")["y"], attention(*cut.values())[0])
    (folder / "bf16.npy").write_bytes(bfloat16_npy(cut["q"], descr))
    done("export", "--in", "bf16.npy", "--out", "same.npy")
    assert (numpy.load(folder / "same.npy") == cut["q"]).all()
for descr, name in (("<f1", "float8_e5m2"), ("<V1", "float8"), ("float8_e4m3fn", "float8_e4m3fn")):
    (folder / "f8.npy").write_bytes(bfloat16_npy(cut["q"], descr))
    refused(1, "export", "--in", "f8.npy", "--out", "no.npy", said=["f8.npy: holds " + name, "astype(\"float32\")"])

# --- NaN and infinity
bad = {name: x.copy() for name, x in qkv.items()}
bad["q"][0, 1, 3] = numpy.nan
bad["k"][1, 0, 2, 1] = numpy.inf
y = sdpa(bad, said=["in.npz: array 'q' holds 4 NaN among 120 numbers, the first at [batch 0, head 1, query 3, column 0]",
                    "array 'k' holds 1 inf among 168 numbers, the first at [batch 1, head 0, key 2, column 1]"])
assert numpy.isnan(y["weights"][0, 1, 3]).all() and numpy.isnan(y["y"][0, 1, 3]).all()
assert numpy.isfinite(y["weights"][0, 0]).all() and numpy.isfinite(y["y"][0, 2]).all()
same(y["weights"][0], attention(bad["q"][:1], bad["k"][:1], bad["v"][:1])[1][0])
said = refused(1, "sdpa", "--in", "in.npz", "--out", "no.npz", "--strict", said=["array 'q' holds 4 NaN", "array 'k' holds 1 inf", "--strict"])
assert not (folder / "no.npz").exists()
done("sdpa", "--in", "in.npz", "--out", "y.npz", "--backend", "reference", said=["4 NaN"])
same(numpy.load(folder / "y.npz")["weights"], y["weights"])
mask = added.copy()
mask[1, 2, 4, 6] = numpy.nan
y = sdpa({**qkv, "mask": mask}, said=["array 'mask' holds 1 NaN among 210 numbers, the first at [batch 1, head 2, query 4, key 6]"])
same(y["weights"], attention(q, k, v, True, mask.astype("f8"))[1])
v_bad = {**qkv, "v": v.copy()}
v_bad["v"][0, 0, 0, 2] = -numpy.inf
v_bad["v"][0, 0, 1, 2] = numpy.nan
sdpa(v_bad, said=["array 'v' holds 1 NaN, 1 -inf among 168 numbers, the first, -inf, at [batch 0, head 0, key 0, column 2]"])
done("sdpa", "--in", "in.npz", "--out", "y.npz", "--no-weights", said=["1 NaN, 1 -inf"])
flat = {"q": numpy.array([[1, numpy.nan]], "f4"), "k": numpy.ones((2, 2), "f4"), "v": numpy.ones((2, 2), "f4")}
sdpa(flat, said=["[query 0, column 1]"])

# --- scores
scores = rng.normal(size=(B, H, N, M)).astype("f4")
hidden = numpy.where(keep, scores, -numpy.inf).astype("f4")
share = "%d of %d scores are -inf: masked cells" % (numpy.isneginf(hidden).sum(), hidden.size)
y = sdpa({"scores": hidden, "v": v}, said=[share])
same(y["weights"], softmax(hidden.astype("f8"))), same(y["y"], softmax(hidden.astype("f8")) @ v)
assert (y["weights"][0, 0, 0] == 0).all() and (y["y"][0, 0, 0] == 0).all()
done("sdpa", "--in", "in.npz", "--out", "y.npz", "--strict", said=[share])
for scale in ("0.5", "-1", "0"):
    with numpy.errstate(invalid="ignore"):
        scaled = numpy.where(keep, hidden.astype("f8") * float(scale), -numpy.inf)
    same(sdpa({"scores": hidden}, "--scale", scale, said=[share])["weights"], softmax(scaled))
same(sdpa({"scores": hidden, "mask": padding[:, None, None]}, "--causal", said=[share])["weights"],
     softmax(numpy.where(padding[:, None, None] & numpy.tri(N, M, dtype=bool), hidden.astype("f8"), -numpy.inf)))
same(sdpa({"scores": scores, "mask": added})["weights"], softmax(scores.astype("f8") + added))
holed = scores.copy()
holed[1, 0, 2, 3], holed[1, 0, 3, 4] = numpy.nan, numpy.inf
y = sdpa({"scores": holed}, said=["array 'scores' holds 1 NaN, 1 inf among 210 numbers, the first, NaN, at [batch 1, head 0, query 2, key 3]"])
assert numpy.isnan(y["weights"][1, 0, 2]).all() and numpy.isnan(y["weights"][1, 0, 3]).any()
assert numpy.isfinite(numpy.delete(y["weights"][1, 0], [2, 3], 0)).all()
# What the mask hides counts for nothing.
y = sdpa({"scores": holed, "mask": numpy.isfinite(holed)}, said=["1 NaN"])
same(y["weights"], softmax(numpy.where(numpy.isfinite(holed), holed.astype("f8"), -numpy.inf)))
same(sdpa({"scores": numpy.array([[1, 2], [3, 4]])})["weights"], softmax(numpy.array([[1, 2], [3, 4.0]])))

# --- isdpa
words = {"F": rng.normal(size=(6, 4)).astype("f4"), "P": rng.normal(size=(3, 4)).astype("f4"),
         **{w: rng.normal(size=(4, 4)).astype("f4") for w in ("WQ", "WK", "WV")}, "IC": rng.integers(0, 6, (2, 3))}
numpy.savez(folder / "words.npz", **words)
done("isdpa", "--in", "words.npz", "--out", "z.npz")
words["F"][5, 2] = words["WQ"][1, 3] = numpy.nan
numpy.savez(folder / "words.npz", **words)
done("isdpa", "--in", "words.npz", "--out", "z.npz",
     said=["array 'F' holds 1 NaN among 24 numbers, the first at [symbol 5, column 2]", "array 'WQ' holds 1 NaN", "[row 1, column 3]"])
refused(1, "isdpa", "--in", "words.npz", "--out", "no.npz", "--strict", said=["'F' holds 1 NaN"])

# --- by hand
def by_hand(case, *options):
    (folder / "case.json").write_text(case)
    return call("by-hand", "--in", "case.json", *options)


run = by_hand(json.dumps({"scores": [[1, float("-inf"), 2], [0, 0, 0]], "v": [[1], [2], [3]]}))
assert run.returncode == 0 and run.stderr == "" and "0.2689       0  0.7311" in run.stdout and "1  .  2" in run.stdout, run
case = json.dumps({"q": [[1, float("nan")], [1, 2]], "k": [[1, 1], [2, 2]]})
run = by_hand(case)
assert run.returncode == 0 and "case.json: array 'q' holds 1 NaN among 4 numbers, the first at [row 0, column 1]" in run.stderr, run
assert run.stdout.split()[-4:] == ["nan", "nan", "0.0474", "0.9526"], run.stdout
run = by_hand(case, "--strict")
assert run.returncode == 1 and run.stdout == "" and run.stderr.count("\n") == 1 and "1 NaN" in run.stderr, run
numpy.savez(folder / "hand.npz", scores=numpy.array([[1, 2]]), v=numpy.eye(2))
said = refused(1, "by-hand", "--in", "hand.npz", said=["hand.npz: holds arrays of NumPy", "JSON"])
line = said[said.index("python3 -c"):].rstrip("\n").replace("python3", sys.executable, 1)
assert subprocess.run(["sh", "-c", line], cwd=folder).returncode == 0, line
assert "0.2689  0.7311" in call("by-hand", "--in", "hand.json").stdout
(folder / "hand.csv").write_text("1,2\n3,4\n")
refused(1, "by-hand", "--in", "hand.csv", said=["is a CSV file", "by hand a case is JSON"])

# --- arrays of several layers
L, S, E = 4, 2, 3
weights = softmax(rng.normal(size=(L, S, E, 6, 6)))


def rollout(layers):
    """Abnar & Zuidema 2020: 0.5 A + 0.5 I, rows of sum 1, multiplied from the lowest layer up; layers [layer, head, N, N]."""
    product = numpy.eye(layers.shape[-1])
    for layer in layers.mean(1):
        mixed = 0.5 * layer + 0.5 * numpy.eye(layers.shape[-1])
        product = mixed / mixed.sum(-1, keepdims=True) @ product
    return product


def exported(array, *options, said=()):
    numpy.save(folder / "w.npy", array)
    done("export", "--in", "w.npy", *options, "--out", "out.npy", said=said)
    return numpy.load(folder / "out.npy")


w4 = weights.astype("f4")
same(exported(w4), w4)
same(exported(w4, "--layer", 2), w4[2])
same(exported(w4, "--layer", 2, "--sentence", 1), w4[2, 1])
same(exported(w4, "--sentence", 1, "--head", 2), w4[:, 1, 2])
same(exported(w4, "--head", "mean"), weights.mean(2), 1e-6)
same(exported(w4, "--head", "max", "--layer", 3), w4[3].max(1))
same(exported(w4[0], "--sentence", 1, "--head", "max"), w4[0, 1].max(0))
same(exported(w4[:, 0], "--layer", 1, "--head", "mean"), w4[1, 0].mean(0), 1e-6)
same(exported(w4[None], "--layer", 2, "--sentence", 0, "--head", 1), w4[2, 0, 1])
for axis in (0, 1, 2):
    one = w4.take([1], axis)
    index = [0 if a == axis else 1 for a in range(3)]
    same(exported(one, "--layer", index[0], "--sentence", index[1], "--head", index[2]), one[tuple(index)])
same(exported(weights[0, 0], "--head", "mean"), weights[0, 0].mean(0), 1e-15)
same(exported(w4[0, 0].astype("f2"), "--head", "max"), w4[0, 0].astype("f2").max(0).astype("f4"))
for sentence in (0, 1):
    same(exported(w4, "--what", "rollout", "--sentence", sentence), rollout(weights[:, sentence]), 1e-6)
same(exported(w4, "--what", "rollout", "--layer", 1), rollout(weights[:2, 0]), 1e-6)
same(exported(w4[:, 1], "--what", "rollout"), rollout(weights[:, 1]), 1e-6)
holed = w4.copy()
holed[1, 0, 2, 3, 4] = numpy.nan
hurt = ["array 'w' holds 1 NaN among 864 numbers, the first at [layer 1, sentence 0, head 2, row 3, column 4]"]
same(exported(holed, "--head", "mean", said=hurt), holed.mean(2, dtype="f8"), 1e-6)
same(exported(holed, "--head", "max", said=hurt), holed.max(2))
same(exported(holed, "--what", "rollout", said=hurt), rollout(holed[:, 0].astype("f8")), 1e-6)
refused(1, "export", "--in", "w.npy", "--out", "no.npy", "--strict", said=["holds 1 NaN"])
numpy.save(folder / "w.npy", w4)
for options, said in ((["--layer", 4], ["no layer 4", "from 0 to 3"]), (["--sentence", 2], ["no sentence 2", "from 0 to 1"]),
                      (["--head", 3], ["no head 3"]), (["--head", "0,1"], ["one head or of all"]),
                      (["--what", "rollout", "--head", 1], ["all heads together"]), (["--strict", "--what", "rollout", "--layer", 9], ["no layer 9"])):
    refused(2, "export", "--in", "w.npy", *options, "--out", "no.npy", said=said)
numpy.save(folder / "w.npy", w4[0, 0])
refused(2, "export", "--in", "w.npy", "--what", "rollout", "--out", "no.npy", said=["over layers", "[layer, head, query, key]"])
refused(2, "export", "--in", "w.npy", "--layer", 0, "--out", "no.npy", said=["--layer", "[3, 6, 6]"])
numpy.save(folder / "w.npy", w4 - 1)
refused(1, "export", "--in", "w.npy", "--what", "rollout", "--out", "no.npy", said=["layer 0 holds a number below 0"])

# Of a model, against the arrays that trace writes.
model = ["--tokenizer", "words", "--layers", "3", "--heads", "4", "--d-model", "8", "--text", "the dog bites the man", "--mask", "causal"]
done("trace", *model, "--out", "t.npz")
steps = numpy.load(folder / "t.npz")
layers = numpy.stack([steps["layer.%d.weights" % layer][0] for layer in range(3)]).astype("f8")
for options, wanted in ((["--what", "weights", "--layer", 1, "--head", "mean"], layers[1].mean(0)),
                        (["--what", "weights", "--layer", 2, "--head", "max"], layers[2].max(0)),
                        (["--what", "weights", "--head", "mean", "--view", "grid"], layers.mean(1)),
                        (["--what", "q", "--layer", 0, "--head", "mean"], steps["layer.0.q"][0].mean(0)),
                        (["--what", "rollout"], rollout(layers)), (["--what", "rollout", "--layer", 0], rollout(layers[:1])),
                        (["--what", "layer.1.rollout"], rollout(layers[:2]))):
    done("export", *model, *options, "--out", "out.npy")
    same(numpy.load(folder / "out.npy"), wanted, 1e-6)
done("export", *model, "--what", "rollout", "--out", "out.csv")
assert (folder / "out.csv").read_text().splitlines()[0] == "query,the,dog,bites,the,man", (folder / "out.csv").read_text()
both = [*model, "--target", "la taupe"]
refused(2, "export", *both, "--what", "rollout", "--out", "no.npy", said=["encoder.rollout, decoder.rollout"])
done("trace", *both, "--out", "t.npz")
steps = numpy.load(folder / "t.npz")
for stack in ("encoder", "decoder"):
    done("export", *both, "--what", stack + ".rollout", "--out", "out.npy")
    own = numpy.stack([steps["%s.layer.%d.weights" % (stack, layer)][0] for layer in range(3)]).astype("f8")
    same(numpy.load(folder / "out.npy"), rollout(own), 1e-6)
for options, said in ((["--what", "rollout", "--head", "1"], "all heads together"), (["--what", "rollout", "--layer", "3"], "no layer 3"),
                      (["--what", "input", "--head", "mean"], "has no heads"), (["--what", "weights", "--head", "median"], "mean or max")):
    refused(2, "export", *model, *options, "--out", "no.npy", said=[said])

# --- pictures say what they are of
if "libraries" not in call("export", *model, "--what", "weights", "--out", "/dev/null.png").stderr:
    def words(*arguments):
        done("export", *arguments, "--out", "out.svg")
        return " | ".join(re.findall(r"<text[^>]*>([^<]*)</text>", (folder / "out.svg").read_text()))

    for view in ("heatmap", "dots", "arcs"):
        assert "layer 1, mean of 4 heads · weights" in words(*model, "--what", "weights", "--layer", 1, "--head", "mean", "--view", view)
        assert "layer 1, largest of 4 heads" in words(*model, "--what", "weights", "--layer", 1, "--head", "max", "--view", view)
        shown = words(*model, "--what", "rollout", "--view", view)
        assert "rollout, layers 0 to 2" in shown and "head 0" not in shown, shown
    shown = words(*model, "--what", "weights", "--layer", 1, "--head", "mean", "--numbers", "on", "--cell", "9mm")
    mean = layers[1].mean(0)
    for i in range(5):
        assert ("%.2f" % mean[4, i]).lstrip("0") in shown, (mean[4], shown)
    grid = words(*model, "--what", "weights", "--head", "mean", "--view", "grid")
    assert "mean of 4 heads" in grid and all("layer %d" % layer in grid for layer in range(3)), grid
    numpy.save(folder / "w.npy", w4)
    own = ["--in", "w.npy"]
    assert "w, layer 0, sentence 0, head 0" in words(*own)
    assert "w, layer 2, sentence 1, head 1" in words(*own, "--layer", 2, "--sentence", 1, "--head", 1, "--view", "arcs")
    assert "w, layer 2, sentence 0, mean of 3 heads" in words(*own, "--layer", 2, "--head", "mean")
    assert "w, sentence 1, largest of 3 heads" in words(*own, "--sentence", 1, "--head", "max", "--view", "grid")
    assert "rollout, layers 0 to 3, sentence 1" in words(*own, "--what", "rollout", "--sentence", 1)
    assert "w, sentence 0" in words(*own, "--view", "grid")
    shown = words(*own, "--view", "grid", "--head", "mean")
    assert "layer 3" in shown and "| head" not in shown, shown
    assert "head 0" not in words(*own, "--view", "arcs", "--head", "mean")
    done("export", *own, "--view", "grid", "--layer", 2, "--head", "all", "--out", "out.png")
    numpy.save(folder / "w.npy", w4[:, 0])
    assert "w, layer 3, head 0" in words(*own, "--layer", 3)

# --- files of other formats, and the line that converts them
table = rng.normal(size=(3, 3)).round(3)
lines = [",".join(map(str, row)) for row in table]
cases = {
    "plain.csv": ("\n".join(lines), "CSV file"),
    "head.csv": ("a,b,c\n" + "\n".join(lines), "CSV file"),
    "named.csv": (",a,b,c\n" + "\n".join("t%d,%s" % (i, line) for i, line in enumerate(lines)), "CSV file"),
    "bom.csv": ("\ufeff" + "\n".join(lines), "CSV file"),
    "tabs.tsv": ("\n".join(lines).replace(",", "\t"), "TSV file"),
    "spaces.txt": ("\n".join(lines).replace(",", "  "), "table of numbers"),
    "list.json": (json.dumps(table.tolist()), "JSON file"),
    "named.json": (json.dumps({"scores": table.tolist()}), "JSON file"),
    "it's \"odd\" $HOME.csv": ("\n".join(lines), "CSV file"),
}
(folder / "one.pkl").write_bytes(pickle.dumps({"scores": table}))
(folder / "bare.pkl").write_bytes(pickle.dumps(table))
numpy.save(folder / "one.npy", table)
for name, (text, what) in cases.items():
    (folder / name).write_text(text, encoding="utf-8")
for name, what in {**{name: what for name, (_, what) in cases.items()}, "one.pkl": "Python pickle", "bare.pkl": "Python pickle",
                   "one.npy": "single .npy array"}.items():
    said = refused(1, "sdpa", "--in", name, "--out", "no.npz", said=[name + ": is ", what, "an .npz is wanted", "python3 -c '"])
    line = said[said.index("python3 -c"):].rstrip("\n").replace("python3", sys.executable, 1)
    before = set(folder.iterdir())
    made = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, (line, made.stderr)
    made = (set(folder.iterdir()) - before).pop()
    assert made.suffix == ".npz" and made.stem == pathlib.Path(name).stem, (name, made)
    arrays = numpy.load(made)
    assert arrays.files == ["scores"] and numpy.allclose(arrays["scores"], table), (name, arrays.files)
    done("sdpa", "--in", made.name, "--out", "y.npz", said=["float64 (scores)"])
    same(numpy.load(folder / "y.npz")["weights"], softmax(table))
    made.unlink()

header = json.dumps({"q": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
torch_zip = io.BytesIO()
with zipfile.ZipFile(torch_zip, "w") as z:
    z.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
other_zip = io.BytesIO()
with zipfile.ZipFile(other_zip, "w") as z:
    z.writestr("word/document.xml", "<a/>")
for name, data, said in (
        ("m.safetensors", struct.pack("<Q", len(header)) + header + b"\0" * 8, ["is a safetensors file", "safetensors.torch.load_file(\"m.safetensors\")"]),
        ("m.npz", struct.pack("<Q", len(header)) + header + b"\0" * 8, ["is a safetensors file", "savez(\"m-arrays.npz\""]),
        ("m.pt", torch_zip.getvalue(), ["is a PyTorch file", "torch.load(\"m.pt\", map_location=\"cpu\", weights_only=True).items()"]),
        ("pytorch_model.bin", b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", ["is a PyTorch file", "pytorch_model.npz"]),
        ("lfs.npz", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 548105171\n", ["Git LFS pointer", "548105171 bytes", "git lfs pull"]),
        ("m.gguf", b"GGUF\3\0\0\0" + b"\0" * 40, ["is a GGUF file", "gguf.GGUFReader(\"m.gguf\")"]),
        ("m.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 40, ["is an HDF5 file", "h5py.File(\"m.h5\")"]),
        ("m.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 90, ["is a MATLAB file", "scipy.io.loadmat"]),
        ("m.npz.gz", b"\x1f\x8b\x08" + b"\0" * 20, ["is packed with gzip", "gzip -d"]),
        ("page.npz", b"<!DOCTYPE html><html>404</html>", ["web page", "download"]),
        ("m.docx", other_zip.getvalue(), ["zip file without arrays", "word/document.xml"]),
        ("empty.npz", b"", ["is empty"]), ("words.txt", b"attention\nis\n", ["is a text file"]),
        ("labels.txt", b"[PAD]\n[CLS]\n", ["is a text file"]), ("u.dat", "1,2\n".encode("utf-16"), ["text in UTF-16"])):
    (folder / name).write_bytes(data)
    refused(1, "sdpa", "--in", name, "--out", "no.npz", said=[name + ": is ", *said])
    if said[0] == "is a safetensors file":  # which a picture of an array reads, whatever it is called
        done("export", "--in", name, "--out", "out.npy")
        assert numpy.load(folder / "out.npy").tolist() == [0, 0], name
    else:
        refused(1, "export", "--in", name, "--out", "no.npy", said=[name + ": is ", *said])
    # A session that is none: what the window says of a file that is opened or dropped.
    if said[0] not in ("is a text file", "is empty", "text in UTF-16"):
        refused(1, "trace", "--session", name, "--shapes", said=[name, said[0], "no Headlight document"])
(folder / "objects.npy").write_bytes(bfloat16_npy(cut["q"], "|O"))
refused(1, "export", "--in", "objects.npy", "--out", "no.npy", said=["Python objects"])
refused(1, "trace", "--session", "named.json", "--shapes", said=["is a JSON file", "export --in", "python3 -c"])
refused(1, "trace", "--session", "plain.csv", "--shapes", said=["numbers alone", "export --in", "python3 -c"])
refused(1, "trace", "--session", "y.npz", "--shapes", said=["holds arrays", "no Headlight document", "export --in"])
# An .npy with the wrong ending is read as what it is.
(folder / "array.dat").write_bytes((folder / "one.npy").read_bytes())
done("export", "--in", "array.dat", "--out", "out.npy")
same(numpy.load(folder / "out.npy"), table)

# --- NaN that a model makes itself: scores beyond the range of numbers
broken = ["--text", "a b c", "--tokenizer", "characters", "--layers", 2, "--heads", 2, "--d-model", 8, "--mask", "causal"]
for name in ("wq", "wk"):
    broken += ["--matrix", f"layer.1.{name}=" + "/".join(" ".join("1e30" if i == j else "0" for j in range(8)) for i in range(8))]
heads = ["step 'layer.1.weights' holds 50 NaN among 50 numbers, the first at [batch 0, head 0, query 0, key 0]"]
done("trace", *broken, "--steps", "weights", "--out", "trace.npz", said=["headlight trace: " + heads[0]])
nans = numpy.isnan(numpy.load(folder / "trace.npz")["layer.1.weights"]).sum()
assert nans == 50, nans
said = done("trace", *broken, "--out", "trace.npz", said=["step 'layer.1.scores' holds", "inf among 50 numbers", "so do", "more"])
assert "layer.0" not in said and "masked_scores' holds 20 inf among" in said, said
refused(1, "trace", *broken, "--out", "no.npz", "--strict", said=["trace: no.npz: step 'layer.1.scores' holds", "leave out --strict"])
for arguments in (["--what", "weights", "--layer", 1, "--out", "w.csv"], ["--what", "weights", "--layer", 1, "--out", "w.svg"],
                  ["--what", "weights", "--layer", 1, "--head", "all", "--out", "w.png"], ["--what", "rollout", "--out", "w.npy"]):
    done("export", *broken, *arguments, said=["headlight export: " + heads[0]])
    refused(1, "export", *broken, *arguments[:-1], "no" + arguments[-1], "--strict", said=heads)
done("export", *broken, "--what", "masked_scores", "--layer", 0, "--out", "w.csv", "--strict")
done("export", *broken, "--what", "sum", "--out", "w.svg", said=["step 'layer.1.scores' holds"])
assert not list(folder.glob("no*")), list(folder.glob("no*"))

# --- NaN has one spelling, whatever its sign
numpy.save(folder / "nan.npy", numpy.array([[-numpy.nan, numpy.nan], [numpy.inf, -numpy.inf]]))
for kind in ("<f4", "<f8"):
    numpy.save(folder / "nan.npy", numpy.copysign(numpy.load(folder / "nan.npy"), [[-1, 1], [1, -1]]).astype(kind))
    done("export", "--in", "nan.npy", "--out", "nan.csv", said=["2 NaN"])
    assert (folder / "nan.csv").read_text().splitlines()[1:] == ["0,nan,nan", "1,inf,-inf"], (folder / "nan.csv").read_text()
print("masks, types, NaN, layers and files of other formats are as NumPy has them")
