"""Attention that was computed elsewhere, as a document: every type, order and format that NumPy writes gives the numbers that NumPy has; what
does not fit, lies or could run code is refused in one sentence. given_arrays_cli_test.py PROGRAM."""

import csv
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
    import numpy as np
except ImportError:
    print("skipped: this test needs NumPy")
    sys.exit(77)

program = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
rng = np.random.default_rng(5)
TOKENS = ["The", " fox", " sees", " it", "."]


def call(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=folder)


def trace(path, *options, said=""):
    """The steps of the file as a document; `said` is in the only lines on stderr."""
    done = call("trace", "--arrays", path, *options, "--out", "trace.npz")
    assert done.returncode == 0, (path, options, done.stderr)
    assert (said in done.stderr) if said else done.stderr == "", (path, done.stderr)
    with np.load(folder / "trace.npz") as file:
        return dict(file)


def refused(path, words, *options):
    done = call("trace", "--arrays", path, *options, "--out", "trace.npz")
    assert done.returncode in (1, 2), (path, done)
    assert done.stderr.count("\n") == 1 and words in done.stderr, (path, done.stderr)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def causal(*shape):
    return softmax(np.where(np.tril(np.ones(shape[-2:], bool)), rng.normal(size=shape), -np.inf))


def weights_of(steps, layers):
    return np.stack([steps[f"layer.{layer}.weights"] for layer in range(layers)])


def check_types():
    w = causal(3, 2, 5, 5)
    stored = {"f2": "<f2", "f4": "<f4", "f8": "<f8", "big f4": ">f4", "big f8": ">f8", "big f2": ">f2"}
    for name, kind in stored.items():
        for order in "CF":
            array = np.asarray(w.astype(kind), order=order)
            for write in (np.savez, np.savez_compressed):
                write(folder / "w.npz", weights=array, tokens=np.array(TOKENS))
                got = weights_of(trace("w.npz"), 3)[:, 0]
                assert np.array_equal(got, w.astype(kind).astype(got.dtype)), (name, order)
    bits = (w.astype("f4").view(np.uint32) >> 16).astype(np.uint16)
    np.savez(folder / "w.npz", weights=bits)
    expected = (bits.astype(np.uint32) << 16).view("f4")
    assert np.array_equal(weights_of(trace("w.npz"), 3)[:, 0], expected), "raw bfloat16"
    np.save(folder / "bf16.npy", bits.view("V2"))
    assert np.array_equal(weights_of(trace("bf16.npy"), 3)[:, 0], expected), "bfloat16 as ml_dtypes stores it"
    one_hot = np.broadcast_to(np.eye(5, dtype=int), (3, 2, 5, 5))
    for kind in ("i1", "i2", ">i4", "i8", "u1", "?"):
        np.save(folder / "one_hot.npy", one_hot.astype(kind))
        assert np.array_equal(weights_of(trace("one_hot.npy"), 3)[:, 0], one_hot), kind
    (folder / "w.json").write_text(json.dumps({"attention": w.astype("f4").tolist(), "tokens": TOKENS}))
    assert np.array_equal(weights_of(trace("w.json"), 3)[:, 0], w.astype("f4")), "json"
    body = w.astype("f2").tobytes()
    head = json.dumps({"__metadata__": {"tokens": json.dumps(TOKENS)},
                       "attn_weights": {"dtype": "F16", "shape": list(w.shape), "data_offsets": [0, len(body)]}}).encode()
    (folder / "w.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + body)
    assert np.array_equal(weights_of(trace("w.safetensors"), 3)[:, 0], w.astype("f2").astype("f4")), "safetensors"


def check_forms():
    w = causal(4, 3, 2, 5, 5).astype("f4")  # layer, sentence, head
    np.savez(folder / "f.npz", attentions=w)
    assert np.array_equal(weights_of(trace("f.npz"), 4), w)
    np.savez(folder / "f.npz", *w)  # as outputs.attentions: a layer each
    assert np.array_equal(weights_of(trace("f.npz"), 4), w)
    np.savez(folder / "f.npz", attention=w[0, 0].transpose(1, 2, 0), tokens=np.array(TOKENS))  # [query, key, head]
    assert np.array_equal(trace("f.npz")["layer.0.weights"][0], w[0, 0])
    np.savez(folder / "f.npz", attention=w[0, 0, 0])
    assert np.array_equal(trace("f.npz")["layer.0.weights"][0, 0], w[0, 0, 0])
    np.savez(folder / "f.npz", a=w.transpose(1, 0, 2, 4, 3))
    got = weights_of(trace("f.npz", "--array-axes", "sentence,layer,head,key,query"), 4)
    assert np.array_equal(got, w), "axes"
    cross = softmax(rng.normal(size=(2, 3, 7, 11))).astype("f4")
    np.savez(folder / "f.npz", cross_attentions=cross, tokens=np.array(list("abcdefg")), source_tokens=np.array(list("ABCDEFGHIJK")))
    steps = trace("f.npz")
    assert np.array_equal(steps["decoder.layer.1.cross.weights"][0], cross[1]), list(steps)
    q, k, v = (rng.normal(size=(2, 4, 5, 8)).astype("f4") for _ in range(3))  # sentence, head, position, d
    np.savez(folder / "f.npz", q=q, k=k[:, :2], v=v[:, :2], mask=np.tril(np.ones((5, 5), bool)), tokens=np.array([TOKENS, TOKENS]))
    steps = trace("f.npz")
    shared = np.repeat(k[:, :2], 2, axis=1)
    expected = softmax(np.where(np.tril(np.ones((5, 5), bool)), q @ shared.swapaxes(-1, -2) / np.sqrt(8), -np.inf))
    assert np.allclose(steps["layer.0.weights"], expected, atol=1e-6), "softmax of q k"
    assert np.allclose(steps["layer.0.context"], expected @ np.repeat(v[:, :2], 2, axis=1), atol=1e-5)
    np.savez(folder / "f.npz", q=q.swapaxes(1, 2), k=k.swapaxes(1, 2), tokens=np.array([TOKENS, TOKENS]))  # TransformerLens' order
    assert np.allclose(trace("f.npz")["layer.0.scores"], q @ k.swapaxes(-1, -2), atol=1e-5)
    scores = rng.normal(size=(4, 5, 5)).astype("f4")
    np.savez(folder / "f.npz", scores=scores)
    assert np.allclose(trace("f.npz")["layer.0.weights"][0], softmax(scores), atol=1e-6)
    assert trace("f.npz", "--mask", "causal")["layer.0.weights"][0, 0, 0, 1] == 0
    odd = w.copy()
    odd[0, 0, 0, 2, 1] = np.nan
    np.savez(folder / "f.npz", attentions=odd)
    assert np.array_equal(weights_of(trace("f.npz", said="holds NaN"), 4), odd, equal_nan=True)
    np.savez(folder / "f.npz", weights=w[:, 0] * 1.5)
    assert np.array_equal(weights_of(trace("f.npz", said="do not sum to 1"), 4)[:, 0], w[:, 0] * np.float32(1.5))


def check_refusals():
    np.savez(folder / "b.npz", weights=np.array([{"a": 1}], dtype=object))
    refused("b.npz", "pickle can run code")

    class Bomb:
        def __reduce__(self):
            return os.system, (f"touch {folder}/exploded",)

    (folder / "b.npy").write_bytes(pickle.dumps(Bomb()))
    refused("b.npy", "pickle")
    np.save(folder / "b.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    refused("b.npy", "pickle can run code")
    assert not (folder / "exploded").exists()
    np.savez(folder / "b.npz", weights=np.zeros((0, 12, 7, 7), "f4"))
    refused("b.npz", "holds no attention")
    np.savez(folder / "b.npz", weights=np.zeros(7, "f4"))
    refused("b.npz", "none of them has rows and columns")
    np.savez(folder / "b.npz", weights=causal(2, 3, 3).astype("f4"))
    refused("b.npz", "the numbers of axes differ", "--array-axes", "layer,head,query,key")
    refused("b.npz", "is no axis", "--array-axes", "layer,rows,columns")
    whole = (folder / "b.npz").read_bytes()
    (folder / "b.npz").write_bytes(whole[:200])
    refused("b.npz", "b.npz")
    with zipfile.ZipFile(folder / "lies.npz", "w") as lies:
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999, 99999), }".ljust(117) + b"\n"
        lies.writestr("weights.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header + b"\0" * 64)
    refused("lies.npz", "needs 39999200004 bytes, but 64 are there")
    (folder / "b.json").write_text('{"weights": [[1, 0], [0.5]]}')
    refused("b.json", "lists of different lengths")
    (folder / "b.json").write_text('{"weights": [[1, 0], [0.5, 0.5]}')
    refused("b.json", "line 1, column 32")
    np.savez(folder / "b.npz", weights=causal(2, 5, 5).astype("f4"), tokens=np.array(["x"] * 100_000))
    steps = trace("b.npz", said="'tokens' has 100000 tokens, and 'weights' has 5 queries")
    assert steps["layer.0.weights"].shape == (1, 2, 5, 5)


def check_markup():
    labels = ["<script>alert(1)</script>", '"&\'', "\u202eabc", "a\x01b", "&amp;"]
    np.savez(folder / "m.npz", weights=causal(1, 1, 5, 5).astype("f4"), tokens=np.array(labels))
    for out, bad in (("m.svg", "<script"), ("m.html", "<script>alert")):
        done = call("export", "--arrays", "m.npz", "--what", "weights", "--out", out) if out.endswith("svg") else call("export", "--arrays", "m.npz", "--out", out)
        if "figure libraries" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        assert bad not in (folder / out).read_text(encoding="utf-8"), out


def check_pictures_of_files():
    """export --in takes the same formats, with the file's own tokens along the axes."""
    w, tokens = causal(2, 3, 5, 5).astype("f4"), TOKENS
    header = json.dumps({"weights": {"dtype": "F32", "shape": list(w.shape), "data_offsets": [0, w.nbytes]}}).encode()
    (folder / "in.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + w.tobytes())
    (folder / "in.json").write_text(json.dumps({"tokens": tokens, "weights": w.tolist()}))
    np.savez(folder / "in.npz", weights=w)
    for name, first in (("in.safetensors", list("01234")), ("in.npz", list("01234")), ("in.json", tokens)):
        done = call("export", "--in", name, "--layer", "1", "--head", "2", "--out", "in.csv")
        assert done.returncode == 0 and done.stderr == "", (name, done)
        rows = list(csv.reader(open(folder / "in.csv", encoding="utf-8")))
        assert rows[0][1:] == first, (name, rows[0])
        got = np.array([[float(x) for x in row[1:]] for row in rows[1:]])
        assert np.abs(got - w[1, 2]).max() < 1e-6, name
    (folder / "null.json").write_text('{"scores": [[1, null], [0.5, 2]]}')
    done = call("export", "--in", "null.json", "--out", "null.npy")
    assert done.returncode == 0 and np.load(folder / "null.npy").tolist() == [[1, -np.inf], [0.5, 2]], done
    done = call("export", "--in", "in.json", "--array", "x", "--out", "in.csv")
    assert done.returncode == 1 and "there is no array 'x'; it holds weights" in done.stderr, done
    done = call("export", "--in", "in.json", "--out", "in.html")
    if "figure libraries" not in done.stderr:
        assert done.returncode == 0 and " sees" in (folder / "in.html").read_text(encoding="utf-8"), done
        # The page opened again has the file's arrays and tokens, in float16.
        steps = trace("in.html")
        assert all(np.abs(steps[f"layer.{layer}.weights"][0] - w[layer]).max() < 5e-4 for layer in range(2))
        labels = []
        for name in ("in.html", "in.json"):
            done = call("export", "--arrays", name, "--what", "weights", "--out", "again.csv", "--layer", "1", "--head", "2")
            assert done.returncode == 0, done
            labels.append(next(csv.reader(open(folder / "again.csv", encoding="utf-8"))))
        assert labels[0] == labels[1] and "fox" in labels[0][2], labels
        page = (folder / "in.html").read_text(encoding="utf-8")
        (folder / "b.html").write_text(page.replace('"heads":3', '"heads":2000000'), encoding="utf-8")
        refused("b.html", "more than 48000000 numbers")
        (folder / "b.html").write_text(page[: page.index('"runs"')], encoding="utf-8")
        refused("b.html", "none that Headlight exported")


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', (folder / page).read_text(encoding="utf-8"), re.S)[1])


def check_heads():
    """The heads and layers that can be chosen are the file's, not those of a document without a model."""
    w = causal(8, 9, 5, 5).astype("f4")
    np.savez(folder / "h.npz", weights=w, tokens=np.array(TOKENS))
    np.savez(folder / "few.npz", weights=w[:2, :3], tokens=np.array(TOKENS))
    done = call("export", "--arrays", "h.npz", "--what", "weights", "--layer", "7", "--head", "8", "--out", "h.npy")
    assert done.returncode == 0 and np.array_equal(np.load(folder / "h.npy"), w[7, 8]), done
    done = call("export", "--arrays", "few.npz", "--what", "weights", "--layer", "1", "--head", "all", "--out", "h.npy")
    assert done.returncode == 0 and np.array_equal(np.load(folder / "h.npy").reshape(3, 5, 5), w[1, :3]), done
    for out in ("no.csv", "no.svg"):
        done = call("export", "--arrays", "few.npz", "--what", "weights", "--head", "3", "--out", out)
        assert done.returncode == 2 and "there is no head 3; heads go from 0 to 2" in done.stderr, done
    if "figure libraries" in call("export", "--arrays", "h.npz", "--what", "heads-dots", "--out", "h.svg").stderr:
        return
    # Pictures of views; those that read more than attention say so.
    done = call("export", "--arrays", "h.npz", "--what", "heads-dots", "--layer", "7", "--head", "8", "--out", "h.svg")
    assert done.returncode == 0 and "layer 7" in (folder / "h.svg").read_text(encoding="utf-8"), done
    for option, number, most in (("--head", "3", 2), ("--layer", "2", 1)):
        done = call("export", "--arrays", "few.npz", "--what", "heads-dots", option, number, "--out", "no.svg")
        assert done.returncode == 2 and f"they go from 0 to {most}" in done.stderr, done
    for what, words in (("why", "arrays are attention alone"), ("context", "arrays are attention alone"), ("next-words", "arrays are attention alone"),
                        ("ledger", "an array named q, k or v"), ("scores-compared", "an array named q, k or v")):
        done = call("export", "--arrays", "h.npz", "--what", what, "--out", "no.svg")
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and words in done.stderr, (what, done)
    assert not list(folder.glob("no.*"))


def check_pages():
    """A page says what its numbers are, whichever way the file is read, and has each sentence's own tokens."""
    w = softmax(rng.normal(size=(2, 3, 2, 5, 5))).astype("f4")  # layer, sentence, head
    odd = w.copy()
    odd[1, 0, 1, 3] *= 2
    for array, sums in ((w[:, 0], True), (odd[:, 0], False)):
        np.savez(folder / "p.npz", weights=array, tokens=np.array(TOKENS))
        for how in ("--in", "--arrays"):
            done = call("export", how, "p.npz", "--out", "p.html")
            if "figure libraries" in done.stderr:
                return
            assert done.returncode == 0 and ("do not sum to 1" in done.stderr) == (not sums and how == "--arrays"), (how, done)
            run = data_of("p.html")["runs"][0]
            assert run["sites"][0]["sums"] == sums and any("do not sum to 1" in fact for fact in run["facts"]) == (not sums), (how, run["facts"])
            assert run["texts"][0]["pieces"] == [token.replace(" ", "\u00b7") for token in TOKENS]
    # Sentences of several lengths: NumPy fills the shorter ones up with empty texts.
    sentences = np.array([["a", " b", " c", "", ""], ["d", " e", " f", " g", " h"], ["i", " j", "", "", ""]])
    for size, name in ((3, "tokens"), (2, "words")):
        np.savez(folder / "s.npz", weights=w[:, :size], **{name: sentences[:size]})
        for how in ("--in", "--arrays"):
            done = call("export", how, "s.npz", "--out", "s.html", *(["--array-axes", "layer,sentence,head,query,key"] if how == "--arrays" else []))
            assert done.returncode == 0 and done.stderr == "", (how, done)
            for run, texts in zip(data_of("s.html")["runs"], sentences, strict=False):
                wanted = [text.replace(" ", "\u00b7") for text in texts if text]
                site = run["sites"][0]
                assert run["texts"][0]["pieces"] == wanted and (site["rows"], site["columns"]) == (len(wanted), len(wanted)), (how, run["texts"])
    done = call("export", "--in", "s.npz", "--layer", "1", "--sentence", "1", "--head", "0", "--out", "s.csv")
    rows = list(csv.reader(open(folder / "s.csv", encoding="utf-8")))
    assert done.returncode == 0 and rows[0][1:] == ["d", " e", " f", " g", " h"] and abs(float(rows[1][1]) - w[1, 1, 0, 0, 0]) < 1e-6, rows
    # Rows of cross-attention keep the names that the file gives them.
    cross = softmax(rng.normal(size=(1, 2, 3, 4))).astype("f4")
    np.savez(folder / "c.npz", cross_attentions=cross, tokens=np.array(["x", "y", "z"]), source_tokens=np.array(list("abcd")))
    done = call("export", "--arrays", "c.npz", "--what", "decoder.cross.weights", "--layer", "0", "--head", "1", "--out", "c.csv")
    rows = list(csv.reader(open(folder / "c.csv", encoding="utf-8")))
    assert done.returncode == 0 and [row[0] for row in rows[1:]] == ["x", "y", "z"] and rows[0][1:] == list("abcd"), rows
    assert call("export", "--arrays", "c.npz", "--out", "c.html").returncode == 0
    assert not data_of("c.html")["runs"][0]["sites"][0]["writes"]
    # A mark that turns what follows around is written by its name, also in the title.
    (folder / "m.json").write_text(json.dumps({"weights": [[1, 0], [0.5, 0.5]], "tokens": ["\u202eab", "c\u0000"]}))
    assert call("export", "--arrays", "m.json", "--out", "m.html").returncode == 0
    text = (folder / "m.html").read_text(encoding="utf-8")
    assert "U+202Eab" in re.search("<title>(.*?)</title>", text)[1] and "U+202Eab" in data_of("m.html")["runs"][0]["title"]


check_types()
check_forms()
check_heads()
check_pages()
check_pictures_of_files()
check_refusals()
check_markup()
print("every array was read as NumPy has it")
