#!/usr/bin/env python3
"""Compares headlight isdpa and sdpa with NumPy in float64, from the formulas of S1, S2, S3, S5, S6 and S13.

usage: isdpa_numpy.py HEADLIGHT BUILD_FOLDER        exit status 77: NumPy is missing
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy")
    sys.exit(77)

program = sys.argv[1]
folder = tempfile.mkdtemp(prefix="headlight-isdpa-")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def close(actual, expected, tolerance, what):
    check(actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}")
    if actual.shape == expected.shape:
        error = np.abs(actual.astype("f8") - expected).max()
        check(error <= tolerance, f"{what}: largest error {error:.3g} above {tolerance:.3g}")


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def compute(command, arrays, *options, says=""):
    source, target = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(source, **arrays)
    if os.path.exists(target):
        os.remove(target)
    done = run(command, "--in", source, "--out", target, *options)
    # What is rounded is said, what `says` expects, and nothing else.
    said = [line for line in done.stderr.splitlines() if "is rounded and computed in float32" not in line]
    check(done.returncode == 0 and done.stdout == "" and len(said) == (says != "") and says in "".join(said), f"{command} {options}: {done.returncode} {done.stderr}")
    return dict(np.load(target)) if done.returncode == 0 else None


def refused(command, arrays, status, says, *options):
    source, target = os.path.join(folder, "bad.npz"), os.path.join(folder, "none.npz")
    np.savez(source, **arrays)
    done = run(command, "--in", source, "--out", target, *options)
    check(done.returncode == status, f"{command} {options} {says!r}: exit status {done.returncode}, not {status}")
    check(done.stdout == "" and done.stderr.count("\n") == 1 and says in done.stderr, f"{command}: {done.stderr!r} does not say {says!r}")
    check(not os.path.exists(target), f"{command}: wrote a file though it failed")


def softmax(x):
    largest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)  # a fully masked row: all zeros


def expected_isdpa(a, pad=None):
    f = {k: v.astype("f8") for k, v in a.items() if k != "IC"}
    ids = a["IC"]
    position = {n: f.get("P" + n, f[n]) for n in ("WQ", "WK", "WV")}
    content = {n: f["F"][ids] @ f[n] for n in position}
    place = {n: f["P"] @ position[n] for n in position}
    q, k, v = (content[n] + place[n] for n in ("WQ", "WK", "WV"))
    qk = q @ k.transpose(0, 2, 1)
    scores = qk / np.sqrt(f["F"].shape[1])
    queries = np.ones(ids.shape)
    if pad is not None:
        scores = np.where((ids == pad)[:, None, :], -np.inf, scores)
        queries = (ids != pad).astype("f8")
    weights = softmax(scores) * queries[:, :, None]
    count = queries.sum(axis=1)
    score = weights.sum(axis=1) / np.maximum(count, 1)[:, None]
    transposed = lambda x: x.swapaxes(-1, -2)
    zero = np.zeros_like(qk)
    return {
        "Q": q, "K": k, "V": v, "QK": qk, "score": score, "result": np.einsum("wl,wld->wd", score, v),
        "mm": content["WQ"] @ transposed(content["WK"]),
        "mp": content["WQ"] @ transposed(place["WK"]),
        "pm": place["WQ"] @ transposed(content["WK"]),
        "pp": zero + place["WQ"] @ transposed(place["WK"]),
    }


rng = np.random.default_rng(7)


def isdpa_arrays(words, length, n, d, separate):
    a = {"F": rng.standard_normal((n, d)), "P": rng.standard_normal((length, d))}
    a["F"][0] = 0
    for name in ("WQ", "WK", "WV") + (("PWQ", "PWK", "PWV") if separate else ()):
        a[name] = rng.uniform(-1, 1, (d, d)) / np.sqrt(d)
    a = {k: v.astype("f4") for k, v in a.items()}
    a["IC"] = rng.integers(0, n, (words, length))
    a["IC"][0] = 0  # a word of padding alone
    return a


for separate in (False, True):
    for pad in (None, 0):
        arrays = isdpa_arrays(20, 8, 30, 64, separate)
        expected = expected_isdpa(arrays, pad)
        options = ["--terms"] + ([] if pad is None else ["--pad-index", str(pad)])
        for method in ("index", "direct"):
            for backend, tolerance in (("cpu", 1e-5), ("reference", 1e-12)):  # float32 sums of 64 products; double
                made = compute("isdpa", arrays, "--method", method, "--backend", backend, *options)
                if made is None:
                    continue
                check(set(made) == set(expected), f"isdpa wrote {sorted(made)}")
                for name, values in expected.items():
                    scale = max(1.0, np.abs(values).max())
                    close(made[name], values, tolerance * scale, f"isdpa {method} {backend} pad {pad} separate {separate}: {name}")
                check(made["Q"].dtype == ("f8" if backend == "reference" else "f4"), "the type of the backend")

# Several heads, pooled and not: head i owns columns i*d_k .. (i+1)*d_k.
def expected_heads(a, heads, pooled, pad):
    f = {k: v.astype("f8") for k, v in a.items() if k != "IC"}
    ids, d = a["IC"], a["F"].shape[1]
    split = lambda x: x.reshape(*x.shape[:2], heads, d // heads).transpose(0, 2, 1, 3)
    q, k, v = (split((f["F"][ids] + f["P"]) @ f[n]) for n in ("WQ", "WK", "WV"))
    qk = q @ k.swapaxes(-1, -2)
    scores = np.where((ids == pad)[:, None, None, :], -np.inf, qk / np.sqrt(d // heads))
    weights = softmax(scores)
    if not pooled:
        return qk, weights, (weights @ v).transpose(0, 2, 1, 3).reshape(*ids.shape, d)
    queries = (ids != pad).astype("f8")
    score = (weights * queries[:, None, :, None]).sum(axis=2) / np.maximum(queries.sum(axis=1), 1)[:, None, None]
    return qk, score, np.einsum("whl,whld->whd", score, v).reshape(ids.shape[0], d)


for heads, pooled in ((4, True), (4, False), (1, False)):
    arrays = isdpa_arrays(20, 8, 30, 64, False)
    expected = expected_heads(arrays, heads, pooled, 0)
    for method in ("index", "direct"):
        made = compute("isdpa", arrays, "--method", method, "--heads", str(heads), "--pad-index", "0", *([] if pooled else ["--unpooled"]))
        for name, values in zip(("QK", "score", "result"), expected):
            values = values if heads > 1 or name == "result" else values[:, 0]
            close(made[name], values, 1e-5 * max(1.0, np.abs(values).max()), f"isdpa {method} {heads} heads pooled {pooled}: {name}")

# S13, to four digits.
x = np.array([[1, 0], [0, 1], [1, 1]], "f8")
example = {"q": x @ np.eye(2), "k": x @ [[1, 1], [0, 1]], "v": x @ [[1, 2], [3, 0]]}
made = compute("sdpa", example, "--scale", "1")
close(made["y"], np.array([[2.5777, 1.6893], [3.1522, 1.5761], [3.1758, 1.8199]]), 5.1e-5, "S13 output")
close(made["weights"], np.array([[0.4223, 0.1554, 0.4223], [0.2119, 0.2119, 0.5761], [0.2447, 0.0900, 0.6652]]), 5.1e-5, "S13 weights")


def expected_sdpa(q, k, v, mask=None, scale=None, causal=False):
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.swapaxes(-1, -2) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights


q, k, v = rng.standard_normal((2, 6, 5, 12)), rng.standard_normal((2, 3, 9, 12)), rng.standard_normal((2, 3, 9, 7))
allowed = rng.random((2, 1, 5, 9)) < 0.6
allowed[1, 0, 3] = False  # a row that may attend to nothing
flat = lambda t: t.transpose(0, 2, 1, 3).reshape(t.shape[0], t.shape[2], -1)
for mask in (None, allowed, allowed[0, 0], rng.standard_normal((5, 9)), rng.standard_normal((6, 1, 9))):
    for causal in (False, True):
        for scale in (None, 0.3):
            y, weights = expected_sdpa(q, k, v, mask, scale, causal)
            options = (["--causal"] if causal else []) + ([] if scale is None else ["--scale", str(scale)])
            arrays = {"q": q, "k": k, "v": v} | ({} if mask is None else {"mask": mask})
            made = compute("sdpa", arrays, *options)
            close(made["y"], y, 1e-5, f"sdpa {options}")
            close(made["weights"], weights, 1e-5, f"sdpa {options} weights")
            check(mask is None or mask.dtype != bool or (made["weights"][~np.broadcast_to(mask, weights.shape)] == 0).all(),
                  "masked weights are exactly 0")
            arrays |= {"q": flat(q), "k": flat(k), "v": flat(v)}
            made = compute("sdpa", arrays, "--q-heads", "6", "--kv-heads", "3", "--backend", "reference", *options)
            close(made["y"], flat(y), 1e-12, f"sdpa {options} of [B,L,H*D]")
            close(made["weights"], weights, 1e-12, f"sdpa {options} of [B,L,H*D], weights")

# A NaN in a query reaches that query's row and no other.
broken = {"q": q[0, 0].copy(), "k": k[0, 0], "v": v[0, 0]}
broken["q"][2, 0] = np.nan
made = compute("sdpa", broken, says="array 'q' holds 1 NaN among 60 numbers, the first at [query 2, column 0]")
check(np.isnan(made["y"]).all(axis=1).tolist() == [False, False, True, False, False], "NaN stays in its row")

# If something cannot be computed, one line says what, and nothing is written.
good = isdpa_arrays(3, 4, 5, 6, False)
refused("isdpa", {key: value for key, value in good.items() if key != "WK"}, 1, "there is no array 'WK'")
refused("isdpa", good | {"WK": np.zeros((6, 5), "f4")}, 1, "array 'WK' is [6, 5]; it must be [6, 6]")
refused("isdpa", good | {"P": np.zeros((5, 6), "f4")}, 1, "array 'P' is [5, 6]; it must be [4, 6]")
refused("isdpa", good | {"IC": np.full((3, 4), 5)}, 1, "array 'IC' has 5 at [0, 0]; indices run from 0 to 4")
refused("isdpa", good | {"IC": np.zeros((3, 4), "f4")}, 1, "array 'IC' holds float32")
refused("isdpa", good | {"PWQ": good["WQ"]}, 1, "there is no array 'PWK'")
refused("isdpa", good, 2, "--pad-index", "--pad-index", "5")
refused("isdpa", good, 2, "--method", "--method", "magic")
refused("isdpa", good, 2, "--heads", "--heads", "0")
refused("isdpa", good, 1, "d 6 cannot be divided among 4 heads", "--heads", "4")
refused("isdpa", good, 2, "known are reference, cpu, cuda", "--backend", "abacus")
# If a GPU was asked for and there is none, the command fails: an independent check must not test the CPU instead.
source, target = os.path.join(folder, "gpu.npz"), os.path.join(folder, "from_gpu.npz")
np.savez(source, **good)
on_gpu = run("isdpa", "--in", source, "--out", target, "--backend", "cuda:tf32")
check((on_gpu.returncode == 0) == os.path.exists(target), f"isdpa --backend cuda:tf32: {on_gpu.returncode} {on_gpu.stderr!r}")
check(on_gpu.returncode == 0 or (on_gpu.returncode == 1 and ("GPU" in on_gpu.stderr or "CUDA module" in on_gpu.stderr)), f"isdpa --backend cuda:tf32: {on_gpu.stderr!r}")
refused("sdpa", {"q": q, "k": k}, 1, "there is no array 'v'")
refused("sdpa", {"q": q, "k": k[0], "v": v}, 1, "array 'k' has 3 axes")
refused("sdpa", {"q": q, "k": k[:, :, :, :5], "v": v}, 1, "array 'k' has 5 where the head size of q has 12")
refused("sdpa", {"q": q, "k": k, "v": v[:, :, :4]}, 1, "array 'v' has 4 where the length of k has 9")
refused("sdpa", {"q": q[:, :4], "k": k, "v": v}, 1, "array 'k' has 3 heads and q has 4")
refused("sdpa", {"q": q, "k": k, "v": v, "mask": np.ones((5, 8), bool)}, 1, "array 'mask' is [5, 8]")
refused("sdpa", {"q": q, "k": k, "v": v, "mask": np.full((5, 9), 2, "i4")}, 1, "array 'mask'")
refused("sdpa", {"q": flat(q), "k": flat(k), "v": flat(v)}, 1, "no multiple of 5 heads", "--q-heads", "5")
refused("sdpa", example, 2, "--q-heads", "--q-heads", "0")
missing = run("sdpa", "--in", os.path.join(folder, "absent.npz"), "--out", os.path.join(folder, "y.npz"))
check(missing.returncode == 1 and "absent.npz" in missing.stderr, "a missing file is named")
np.savez(os.path.join(folder, "s13.npz"), **example)
nowhere = run("sdpa", "--in", os.path.join(folder, "s13.npz"), "--out", os.path.join(folder, "no", "such", "y.npz"))
check(nowhere.returncode == 1 and "no/such" in nowhere.stderr, "an output folder that does not exist is named")

for name in os.listdir(folder):
    os.remove(os.path.join(folder, name))
os.rmdir(folder)
print(f"{len(failures)} failures" if failures else "isdpa and sdpa agree with NumPy")
sys.exit(1 if failures else 0)
