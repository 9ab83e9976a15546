#!/usr/bin/env python3
"""The course material's rows S1..S24 by command: their formulas again in float64, their worked numbers to the last printed digit.

usage: rows.py HEADLIGHT ROW        such as rows.py build/release/bin/headlight S13; exit status 77: NumPy is missing
Each row is a function of its name below; CMake makes a test material.ROW of each, so that `ctest -L material` lists them all.
"""
import json
import sys

# The first of these also ends with 77 where NumPy is missing.
from by_command import arrays_of, close, computed, in_folder, json_of, png_of, shapes_of, softmax, text_of

import numpy as np

SENTENCE = "a fluffy blue creature roamed the verdant forest"


def positions(length, d):
    angle = np.arange(length)[:, None] * 10000.0 ** (-2.0 * (np.arange(d)[None, :] // 2) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))


def words(W=6, l=8, n=32, d=16, seed=0):
    """The notebook's arrays, smaller: a table F whose row 0 is padding, positions P, three projections, words of indices."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d)).astype("f4")
    table[0] = 0
    arrays = {"F": table, "P": positions(l, d).astype("f4"), "IC": rng.integers(0, n, (W, l)).astype("i4")}
    arrays["IC"][0] = [1, 16, 16, 12, 5, 0, 0, 0]  # apple
    for name in ("WQ", "WK", "WV"):
        arrays[name] = (rng.normal(size=(d, d)) / np.sqrt(d)).astype("f4")
    return arrays


def s1():
    a = words()
    direct = (a["F"].astype("f8")[a["IC"]] + a["P"]) @ a["WQ"]
    for method in ("index", "direct"):
        out = computed("isdpa", a, "--method", method)
        close(out["Q"], direct)
        assert np.abs(out["Q"] - direct).mean() < 1e-6, "the notebook's mean absolute error is 2.2e-7"
    sizes = {row["variant"]: row["sizes"] for row in json_of("bench", "isdpa", "--stage", "q", "--words", "4", "--length", "4", "--d", "16",
                                                             "--vocab", "8", "--seconds", "2")}
    assert len(sizes) >= 2 and all(s["words"] == 4 and s["d"] == 16 for s in sizes.values()), sizes


def s2():
    a = words(seed=1)
    rng = np.random.default_rng(2)
    for row in json_of("bench", "isdpa", "--stage", "qk", "--position-weights", "--words", "4", "--length", "4", "--d", "16", "--vocab", "8",
                       "--seconds", "2"):
        assert row["sizes"]["position_weights"] == 1 and row["error"]["relative"] < 1e-5, row
    for separate in (False, True):
        if separate:
            a.update({name: rng.normal(size=a["WQ"].shape).astype("f4") / 4 for name in ("PWQ", "PWK", "PWV")})
        out = computed("isdpa", a, "--terms")
        f, ic = a["F"].astype("f8"), a["IC"]
        meta_q, meta_k = f @ a["WQ"], f @ a["WK"]
        pos_q, pos_k = a["P"] @ a.get("PWQ", a["WQ"]).astype("f8"), a["P"] @ a.get("PWK", a["WK"]).astype("f8")
        close(out["mm"], (meta_q @ meta_k.T)[ic[:, :, None], ic[:, None, :]])
        close(out["mp"], (meta_q @ pos_k.T)[ic])
        close(out["pm"], np.swapaxes((pos_q @ meta_k.T).T[ic], 1, 2))
        close(out["pp"], np.broadcast_to(pos_q @ pos_k.T, out["pp"].shape))
        close(out["QK"], sum(out[name].astype("f8") for name in ("mm", "mp", "pm", "pp")))


def s3():
    a = words(seed=3)
    x = a["F"].astype("f8")[a["IC"]] + a["P"]
    q, k, v = (x @ a[name] for name in ("WQ", "WK", "WV"))
    d = a["F"].shape[1]
    score = softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(d)).mean(1)
    result = np.einsum("wl,wld->wd", score, v)
    for method in ("index", "direct"):
        out = computed("isdpa", a, "--method", method)
        close(out["score"], score)
        close(out["result"], result)
    masked = computed("isdpa", a, "--pad-index", "0")
    assert np.all(masked["score"][0, 5:] == 0) and np.abs(masked["result"][0] - result[0]).max() > 1e-3, "masking the padding shows"


def s4():
    counted = text_of("params", "--heads", "32", "--d-model", "512", "--layers", "1", "--stack-hidden", "16")
    assert "the 2-D stack of a layer has 528 numbers, Concat W_O would have 8,388,608" in counted, counted
    model = ("trace", "--text", "one two three", "--tokenizer", "words", "--layers", "1", "--d-model", "8", "--heads", "2", "--weights",
             "--backend", "reference")
    t = arrays_of(*model, "--combiner", "stack2d", "--stack-hidden", "4")
    heads = t["layer.0.context"][0]  # [h, L, d]: full width, then a new last axis
    assert heads.shape == (2, 3, 8), heads.shape
    stack = np.transpose(heads, (1, 2, 0))
    close(t["layer.0.heads_stacked"][0], stack, 0)
    w_h, w_o = t["parameters.layer.0.wh"], t["parameters.layer.0.wo"]
    assert w_h.shape == (2, 4) and w_o.shape == (4, 1)
    close(t["layer.0.attention_output"][0], np.tanh(np.tanh(stack @ w_h) @ w_o)[..., 0], 1e-12)
    concat = arrays_of(*model)
    joined = np.transpose(concat["layer.0.context"][0], (1, 0, 2)).reshape(3, 8)
    out = joined @ concat["parameters.layer.0.wo"] + concat.get("parameters.layer.0.bo", 0)
    close(concat["layer.0.attention_output"][0], out, 1e-12)


def s5():
    shapes, lines = shapes_of("--preset", "walkthrough")
    for name, shape in {"encoder.layer.0.padding_mask": [20, 10], "encoder.layer.0.padding_mask_unsqueezed_once": [20, 1, 10],
                        "encoder.layer.0.padding_mask_unsqueezed": [20, 1, 1, 10], "decoder.layer.0.causal_mask_unsqueezed_once": [1, 10, 10],
                        "decoder.layer.0.mask": [20, 1, 10, 10], "decoder.layer.0.cross.mask": [20, 1, 1, 10]}.items():
        assert shapes[name] == shape, (name, shapes[name])
    assert "[20, 1, 20, 10]" in lines["decoder.layer.0.mask"], "the notes' misprint is said"
    model = ("trace", "--text", "one two three", "--tokenizer", "words", "--layers", "1", "--d-model", "8", "--heads", "2")
    causal = arrays_of(*model, "--mask", "causal")["layer.0.weights"]
    assert np.all(causal[..., np.triu_indices(3, 1)[0], np.triu_indices(3, 1)[1]] == 0), "masked weights are exactly 0"
    close(causal.sum(-1), np.ones(causal.shape[:-1]), 1e-6)
    # Nothing may be seen in row 0: all zeros under -inf, as it is defined here; the same for every key under -1e9.
    nothing = ("--mask", "custom", "--custom-mask", "000/110/111")
    assert np.all(arrays_of(*model, *nothing)["layer.0.weights"][0, :, 0] == 0)
    close(arrays_of(*model, *nothing, "--mask-fill=-1e9")["layer.0.weights"][0, :, 0], np.full((2, 3), 1 / 3), 1e-6)
    # The padding index is the vocabulary's size: the table has a row more than the logits have columns.
    padded = arrays_of(*model, "--text", "one", "--padding", "row", "--logits", "true", "--weights")
    rows, columns = padded["parameters.embedding"].shape[0], padded["logits"].shape[-1]
    assert rows == columns + 1, (rows, columns)
    assert list(padded["tokens"][1, 1:]) == [columns, columns], padded["tokens"]


def s6():
    shapes, lines = shapes_of("--preset", "walkthrough")
    layer = "encoder.layer.0."
    for name, shape in {"q_projected": [20, 10, 200], "q_view": [20, 10, 4, 50], "q": [20, 4, 10, 50], "k_transposed": [20, 4, 50, 10],
                        "scores": [20, 4, 10, 10], "context": [20, 4, 10, 50], "context_transposed": [20, 10, 4, 50],
                        "concat": [20, 10, 200]}.items():
        assert shapes[layer + name] == shape, (name, shapes[layer + name])
    assert "not contiguous" in lines[layer + "context_transposed"] and "not contiguous" not in lines[layer + "context_copied"]
    loop = text_of("trace", "--text", SENTENCE, "--layers", "1", "--head-loop")
    assert "6 heads one by one" in loop and float(loop.split("largest difference ")[1].split(" ")[0]) < 1e-5, loop
    t = arrays_of("trace", "--text", SENTENCE, "--layers", "1", "--backend", "reference", "--weights", "--bias", "false")
    x, heads = t["layer.0.attention_norm"][0], t["layer.0.q"].shape[1]
    for i in range(heads):
        columns = slice(i * 32, (i + 1) * 32)
        q, k, v = (x @ t["parameters.layer.0.w" + name][:, columns] for name in "qkv")
        close(t["layer.0.context"][0, i], softmax(q @ k.T / np.sqrt(32)) @ v, 1e-10)
    # The picture of the grids holds the block that it writes out.
    with in_folder() as folder:
        text_of("export", "--text", SENTENCE, "--layers", "1", "--head", "2", "--what", "head-products", "--out", str(folder / "block.npz"))
        block = dict(np.load(folder / "block.npz"))
    t = arrays_of("trace", "--text", SENTENCE, "--layers", "1")
    close(block["q"], t["layer.0.q"][0, 2], 1e-6)
    close(block["k_transposed"], t["layer.0.k"][0, 2].T, 1e-6)
    close(block["scores"], block["q"] @ block["k_transposed"], 1e-5)


def s7():
    for norm in ("post", "pre"):
        for kind in ("layer", "rms"):
            t = arrays_of("trace", "--text", SENTENCE, "--layers", "1", "--norm", norm, "--norm-kind", kind, "--backend", "reference")
            x, attention = t["input"], t["layer.0.attention_output"]
            normed = t["layer.0.attention_norm"]
            before = x + attention if norm == "post" else x
            close(t["layer.0.attention_residual"], x + attention, 1e-12)
            centre = before.mean(-1, keepdims=True) if kind == "layer" else 0
            close(normed, (before - centre) / np.sqrt(((before - centre) ** 2).mean(-1, keepdims=True) + 1e-5), 1e-10)
    shapes, _ = shapes_of("--preset", "walkthrough")
    assert shapes["encoder.layer.0.mlp_hidden"] == [20, 10, 800] and shapes["encoder.layer.0.mlp_norm"] == [20, 10, 200]


def s8():
    shapes, _ = shapes_of("--preset", "walkthrough")
    tokens = shapes["logits"][2]
    assert shapes["logits"] == [20, 10, tokens] and shapes["logits_rows"] == [200, tokens] and shapes["labels"] == [200]
    assert shapes["logits_shifted"] == [180, tokens] and shapes["labels_shifted"] == [180]
    # The picture lists every step, and what the notes print otherwise beside it.
    with in_folder() as folder:
        text_of("export", "--preset", "walkthrough", "--what", "shapes", "--out", str(folder / "shapes.svg"))
        picture = (folder / "shapes.svg").read_text(encoding="utf-8")
    for name in shapes:
        assert ">" + name.split(".")[-1] + "<" in picture, name
    for said in ("the minus is missing", "W_q as [200, 100]", "[20, 1, 20, 10]", "Q = K = V in the encoder only", f"[200, {tokens}]"):
        assert said in picture, said
    t = arrays_of("trace", "--text", "one two three", "--target", "un deux trois quatre", "--layers", "1", "--d-model", "16", "--heads", "2",
                  "--logits", "true", "--backend", "reference")
    assert t["decoder.layer.0.cross.weights"].shape[-2:] == (t["decoder.tokens"].shape[1], t["encoder.tokens"].shape[1])
    for rows, labels, loss in (("logits_rows", "labels", "loss"), ("logits_shifted", "labels_shifted", "loss_shifted")):
        chosen = np.log(softmax(t[rows].astype("f8")))[np.arange(len(t[labels])), t[labels].astype(int)]
        close(t[loss].reshape(-1)[0], -chosen.mean(), 1e-6)
    close(t["labels_shifted"], t["labels"][1:], 0)


def s9():
    t = arrays_of("trace", "--text", SENTENCE, "--layers", "1", "--backend", "reference")
    close(t["position"], positions(*t["position"].shape), 1e-12)
    close(t["input"], t["embedding"] + t["position"], 1e-12)
    close(t["div_term"], 10000.0 ** (-2 * np.arange(96) / 192), 1e-12)


def s10():
    rng = np.random.default_rng(10)
    q, k, v = (rng.normal(size=(2, rows, 4)).astype("f4") for rows in (3, 5, 5))
    out = computed("sdpa", {"q": q, "k": k, "v": v})
    expected = softmax(q.astype("f8") @ np.swapaxes(k, 1, 2) / 2)
    assert out["weights"].shape == (2, 1, 3, 5), out["weights"].shape
    close(out["weights"][:, 0], expected)
    close(out["y"], expected @ v)
    search = json_of("by-hand", "--preset", "search")["stages"]
    assert search["scores"] == [[1, 2, 3, -1]], search
    assert json_of("by-hand", "--preset", "search", "--temperature", "0")["stages"]["weights"] == [[0, 0, 1, 0]]
    # One projection for all three, for keys and values, for each.
    model = ("trace", "--text", "one two three", "--tokenizer", "words", "--layers", "1", "--d-model", "8", "--heads", "2", "--backend",
             "reference")
    for relation, same in {"one": "qkv", "shared": "kv", "separate": ""}.items():
        t = arrays_of(*model, "--qkv", relation)
        for a, b in ("qk", "kv", "qv"):
            equal = np.array_equal(t["layer.0." + a], t["layer.0." + b])
            assert equal == (a in same and b in same), (relation, a, b)


def s11():
    told = json_of("scores", "--text", SENTENCE)
    s, h = np.array(told["s"]), np.array(told["h"])
    by_id = {entry["id"]: entry for entry in told["scores"]}
    assert list(by_id) == ["cosine", "additive", "location", "general", "dot", "scaled_dot"], list(by_id)
    close(by_id["dot"]["scores"], h @ s)
    close(by_id["scaled_dot"]["scores"], h @ s / np.sqrt(len(s)))
    close(by_id["cosine"]["scores"], h @ s / np.linalg.norm(s) / np.linalg.norm(h, axis=1))
    for entry in by_id.values():
        close(entry["weights"], softmax(np.array(entry["scores"])), 1e-6)
    for score in by_id:
        text_of("trace", "--text", "a b", "--layers", "1", "--score", score, "--shapes")


def s12():
    t = arrays_of("trace", "--preset", "lecture", "--text", SENTENCE, "--backend", "reference")
    e = t["embedding"][0]
    close(t["layer.0.context"][0, 0], softmax(e @ e.T) @ e, 1e-10)


def s13():
    printed = text_of("by-hand")
    for line in ("man    1  1", "bites  0  1", "dog    1  2", "dog    4  2", "dog        2      1      3", "0.4223  0.1554  0.4223",
                 "0.2119  0.2119  0.5761", "0.2447  0.0900  0.6652", "2.5777  1.6893", "3.1522  1.5761", "3.1758  1.8199"):
        assert line in printed, (line, printed)
    assert printed.endswith("every number as printed in a lecture's note on attention, to 4 digits\n"), printed
    x = np.array([[1, 0], [0, 1], [1, 1]], "f4")
    out = computed("sdpa", {"q": x, "k": x @ [[1, 1], [0, 1]], "v": x @ [[1, 2], [3, 0]]}, "--scale", "1")
    close(np.round(out["weights"], 4), [[.4223, .1554, .4223], [.2119, .2119, .5761], [.2447, .0900, .6652]], 1e-6)


def s14():
    with in_folder() as folder:
        (folder / "words.tsv").write_text("hug\t10\npug\t5\npun\t12\nbun\t4\nhugs\t5\n")
        for kind, pairs, scores in (("bpe", [["u", "g"], ["u", "n"], ["h", "ug"]], [20, 16, 15]),
                                    ("wordpiece", [["##g", "##s"], ["h", "##u"], ["hu", "##gs"]], [1 / 20, 1 / 36, 1 / 15])):
            text_of("train-tokenizer", kind, "--corpus", str(folder / "words.tsv"), "--word-counts", "--vocab-size", "14", "--out",
                    str(folder / kind), "--steps", str(folder / "steps.json"))
            steps = json.loads((folder / "steps.json").read_text())["steps"]
            assert [step["pair"] for step in steps] == pairs, steps
            close([step["score"] for step in steps], scores, 1e-15)
        vocabulary = json.loads((folder / "bpe/headlight-tokenizer.json").read_text())["vocabulary"]
        assert vocabulary[4:] == "b g h n p s u ug un hug".split(), vocabulary
    for kind in ("characters", "words", "bpe", "wordpiece"):
        assert json_of("tokenize", "--tokenizer", kind, "unhappiness")["tokens"], kind


def s15():
    bites = "man bites dog", "dog bites man"
    for position, same in (("none", True), ("sinusoidal", False), ("learned", False), ("rotary", False), ("relative", False)):
        there, back = (arrays_of("trace", "--text", text, "--tokenizer", "words", "--position", position, "--backend", "reference")
                       ["layer.5.mlp_residual"][0] for text in bites)
        difference = np.abs(there - back[::-1]).max()  # token by token: man, bites, dog
        assert (difference < 1e-9) == same, (position, difference)
    table = arrays_of("trace", "--text", "1 2 3 4 5 6 7 8", "--tokenizer", "words", "--position", "binary", "--layers", "1")["position"]
    assert ["".join(str(int(digit)) for digit in row) for row in table[:, :3]] == [format(place, "03b") for place in range(8)], table[:, :3]
    assert not table[:, 3:].any()
    printed = text_of("trace", "--order", *(part for text in bites for part in ("--text", text)), "--tokenizer", "words", "--backend", "reference")
    none, sinusoidal = (float(number) for number in printed.splitlines()[-1].split()[1:])
    assert none < 1e-9 < 1 < sinusoidal, printed
    # ALiBi knows how far, not on which side: a text read backwards is the same to it. With a causal mask it is not.
    for mask, same in (("none", True), ("causal", False)):
        there, back = (arrays_of("trace", "--text", text, "--tokenizer", "words", "--position", "alibi", "--mask", mask, "--backend", "reference")
                       ["layer.5.mlp_residual"][0] for text in bites)
        assert (np.abs(there - back[::-1]).max() < 1e-9) == same, mask
    # Rotary positions of neighbours, and of numbers half a head apart: x turned as a complex number.
    for position, first, second in (("rotary", slice(0, None, 2), slice(1, None, 2)), ("rotary-split", slice(0, 16), slice(16, None))):
        t = arrays_of("trace", "--text", SENTENCE, "--position", position, "--layers", "1", "--backend", "reference")
        q, turned = t["layer.0.q"], t["layer.0.q_rotated"]
        angle = np.arange(q.shape[2])[:, None] * 10000.0 ** (-np.arange(16) / 16)
        z = (q[..., first] + 1j * q[..., second]) * np.exp(1j * angle)
        close(turned[..., first], z.real, 1e-12)
        close(turned[..., second], z.imag, 1e-12)
    # Shaw et al. 2018: k_j + a^K inside the score, v_j + a^V inside the sum, rows clip(j - i, -k, k) of tables of 2 k + 1.
    t = arrays_of("trace", "--text", SENTENCE, "--position", "relative", "--relative-clip", "2", "--layers", "1", "--backend", "reference", "--weights")
    q, k, v = (t["layer.0." + name][0] for name in "qkv")
    by_key, by_value = t["parameters.layer.0.a_k"].astype(float), t["parameters.layer.0.a_v"].astype(float)
    assert by_key.shape == by_value.shape == (5, 32), by_key.shape
    rows = np.clip(np.arange(q.shape[1])[None, :] - np.arange(q.shape[1])[:, None], -2, 2) + 2
    weights = np.exp(np.einsum("hid,hijd->hij", q, k[:, None] + by_key[rows]) / np.sqrt(32))
    weights /= weights.sum(-1, keepdims=True)
    close(weights, t["layer.0.weights"][0], 1e-12)
    close(np.einsum("hij,hijd->hid", weights, v[:, None] + by_value[rows]), t["layer.0.context"][0], 1e-12)


def long_patterns():
    """One head's q and k of a sandbox, and every long-text method's weights over them."""
    text = " ".join(f"w{i}" for i in range(40))
    with in_folder() as folder:
        target = str(folder / "long.npz")
        text_of("export", "--what", "long-texts", "--text", text, "--tokenizer", "words", "--out", target)
        patterns = {name: values.astype("f8") for name, values in np.load(target).items() if values.ndim == 2 and values.dtype.kind == "f"}
    t = arrays_of("trace", "--text", text, "--tokenizer", "words", "--steps", "layer.0.q,layer.0.k")
    return t["layer.0.q"][0, 0].astype("f8"), t["layer.0.k"][0, 0].astype("f8"), patterns


def exponents():
    """The slope of counted operations by length, from 512 to 8,192 tokens, of every long-text method."""
    with in_folder() as folder:
        target = str(folder / "operations.npz")
        text_of("export", "--what", "long-operations", "--text", SENTENCE, "--out", target)
        z = np.load(target)
        labels = json.loads(str(z["labels.json"]))["operations"]["labels"]
        lengths = np.array([float(length) for length in labels[1]])
        rows = z["operations"].astype("f8")[:, lengths >= 512]
        return {name: np.polyfit(np.log(lengths[lengths >= 512]), np.log(row), 1)[0] for name, row in zip(labels[0], rows)}


def s16():
    q, k, patterns = long_patterns()
    phi = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    similar = phi(q) @ phi(k).T
    close(patterns["linear"], similar / similar.sum(axis=1, keepdims=True), 1e-5)
    close(patterns["full"], softmax(q @ k.T / np.sqrt(q.shape[1])), 1e-5)
    slope = exponents()
    assert abs(slope["linear"] - 1) < 0.05 and abs(slope["full"] - 2) < 0.05, slope


def s21():
    q, k, patterns = long_patterns()
    scores = q @ k.T / np.sqrt(q.shape[1])
    apart = np.abs(np.arange(40)[:, None] - np.arange(40)[None])
    first = (np.arange(40)[:, None] < 2) | (np.arange(40)[None] < 2)
    same_block = (np.arange(40)[:, None] // 8) == (np.arange(40)[None] // 8)
    seen = {"full": apart >= 0, "blockwise": apart >= 0, "ring": apart >= 0, "sliding window": apart <= 4,
            "dilated window": (apart <= 8) & (apart % 2 == 0), "block-sparse": same_block, "Longformer": (apart <= 4) | first}
    for name, cells in seen.items():
        close(patterns[name], softmax(np.where(cells, scores, -np.inf)), 1e-5)
    soft = np.clip((4 + 6 - apart) / 4, 0, 1) * np.exp(scores - scores.max(axis=1, keepdims=True))
    close(patterns["adaptive span"], soft / soft.sum(axis=1, keepdims=True), 1e-5)
    mean = np.array([[1.0 / 5 if 5 * r <= t < 5 * r + 5 else 0 for t in range(40)] for r in range(8)])
    close(patterns["Linformer"], softmax(q @ (mean @ k).T / np.sqrt(q.shape[1])) @ mean, 1e-5)
    sums = patterns["Reformer"].sum(axis=1)
    close(sums, np.ones(40), 1e-5)
    assert (patterns["Reformer"] > 0).sum() < 1600
    slope = exponents()
    for name in ("window", "dilated", "block", "global", "adaptive", "linformer"):
        assert abs(slope[name] - 1) < 0.1, (name, slope[name])
    assert abs(slope["ring"] - 2) < 0.1 and abs(slope["blockwise"] - 2) < 0.1, slope


def s18():
    printed = text_of("by-hand", "--preset", "pattern")
    for row in ("K1     1  0.75  0.69  0.92  0.47  0.00", "K2     0  0.25  0.08  0.02  0.01  0.46", "K3     0     0  0.24  0.02  0.22  0.02",
                "K4     0     0     0  0.04  0.06  0.01", "K5     0     0     0     0  0.24  0.48", "K6     0     0     0     0     0  0.03"):
        assert row in printed, (row, printed)
    assert "every number but 1 as printed" in printed and "column 5, row 1 is .465" in printed, printed
    creature = text_of("by-hand", "--preset", "creature")
    assert "creature     0.42     0.58        0\n" in creature and "forest          0        0        1\n" in creature, creature
    moles = ("American shrew mole", "One mole of carbon dioxide", "Take a biopsy of the mole")
    layers = json_of("context", "--model", "stories", "--word", "mole", *moles)["layers"]
    apart = [np.array(layer["distance"])[np.triu_indices(3, 1)] for layer in layers]
    assert np.all(apart[0] == 0) and all(np.all(distance > 0) for distance in apart[1:]), "one vector leaves as three"


def s19():
    told = json_of("value-map", "--model", "stories", "--text", SENTENCE, "--layer", "1")
    assert told["full_rank_numbers"] == 224 * 224 and told["numbers"] == 2 * 224 * 28, told
    assert all(head["rank"] == 28 for head in told["heads"]), [head["rank"] for head in told["heads"]]
    assert "equal within rounding" in text_of("value-map", "--model", "stories", "--text", SENTENCE, "--layer", "1")
    t = arrays_of("trace", "--text", SENTENCE, "--layers", "1", "--backend", "reference", "--weights")
    up = t["parameters.layer.0.wo"].reshape(6, 32, 192)
    close(np.einsum("hld,hdm->lm", t["layer.0.context"][0], up), t["layer.0.concat"][0] @ t["parameters.layer.0.wo"], 1e-10)


def s20():
    told = json_of("params")
    assert told["total"] == 175_181_291_520 and told["matrices"] == 27_938, told["total"]
    table = text_of("params")
    for number in ("1,572,864", "150,994,944", "14,495,514,624", "6,291,456", "603,979,776", "57,982,058,496", "617,558,016", "175,181,291,520",
                   "27,938", "a value map of full rank would have 150,994,944 a head"):
        assert number in table, number


def s17():
    hello = ("recurrence", "--text", "hello", "--tokenizer", "characters")
    sigmoid = lambda x: 1 / (1 + np.exp(-x))

    def hidden(kind, w, inputs):
        """h of every step: inputs are vectors, one-hot where they are tokens."""
        units = w["wh"].shape[1]
        h, c, all = np.zeros(units), np.zeros(units), []
        for x in inputs:
            sums = w["wx"] @ x + w["wh"] @ h + w["b"][:, 0]
            if kind == "lstm":
                i, f, g, o = np.split(sums, 4)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
            else:
                h = np.tanh(sums)
            all.append(h)
        return np.array(all)

    for kind in ("rnn", "lstm", "esn"):
        t = json_of(*hello, "--kind", kind)
        w = {name: np.array(rows) for name, rows in t["weights"].items()}
        one_hot = np.eye(4)[t["symbols"]]
        h = hidden(kind, w, one_hot)
        close(h, t["parts"]["h"], 1e-12)
        guesses = softmax(h @ w["wy"].T + w["by"][:, 0])
        close(guesses, t["guesses"], 1e-12)
        losses = [-np.log(guesses[i, t["symbols"][i + 1]]) for i in range(4)]
        close(losses, t["losses"], 1e-12)
        close(t["sum"], sum(losses), 1e-12)
        # ||d h_T / d x_t||_F by differences, for every input t.
        for at, norm in enumerate(t["influence"]):
            columns = []
            for symbol in range(4):
                moved = one_hot.copy()
                moved[at, symbol] += 1e-5
                up = hidden(kind, w, moved)[-1]
                moved[at, symbol] -= 2e-5
                columns.append((up - hidden(kind, w, moved)[-1]) / 2e-5)
            close(norm, np.linalg.norm(columns), 1e-6)
        assert t["steps"] == {"recurrent": 5, "attention": 1} and t["path"] == {"recurrent": 5, "attention": 1}, (t["steps"], t["path"])
        learnt = json_of(*hello, "--kind", kind, "--train", "300")
        assert all(learnt["guesses"][i][learnt["symbols"][i + 1]] == max(learnt["guesses"][i]) for i in range(4)), "hello is learnt to its end"
    # The reservoir stays as it is, has the spectral radius that is asked for, and the read-out is that of ridge regression.
    before, after = (json_of(*hello, "--kind", "esn", "--weights-times", "0.9", *more) for more in ((), ("--train", "1")))
    assert before["weights"]["wh"] == after["weights"]["wh"] and before["weights"]["wx"] == after["weights"]["wx"]
    close(np.abs(np.linalg.eigvals(np.array(before["weights"]["wh"]))).max(), 0.9, 1e-3)
    states = np.hstack([np.array(before["parts"]["h"])[:-1], np.ones((4, 1))])
    wanted = np.eye(4)[before["symbols"][1:]]
    solved = np.linalg.solve(states.T @ states + 1e-4 * np.eye(states.shape[1]), states.T @ wanted)
    close(np.array(after["weights"]["wy"]), 8 * solved[:-1].T, 1e-6)
    # Small weights vanish, large ones explode.
    small, large = (json_of(*hello, "--weights-times", scale)["gradient_lengths"][100] for scale in ("0.25", "4"))
    assert small < 1e-9 and large > 1e3 * small, (small, large)
    compared = json_of("recurrence", "--text", "abcdabcdabcdabcd", "--tokenizer", "characters", "--compare-learning")
    assert [curve["id"] for curve in compared["curves"]] == ["rnn", "lstm", "attention", "linear"], compared
    assert all(curve["losses"][-1] < 0.1 * curve["losses"][0] and len(curve["losses"]) == 301 for curve in compared["curves"]), compared


def s24():
    def a_bar(t, w, channel, step):
        return np.exp(-np.exp(w["a_log"][channel]) * t["parts"]["Delta"][step][channel])

    for options in ((), ("--no-selection",)):
        t = json_of("recurrence", "--kind", "ssm", "--text", SENTENCE, "--tokenizer", "words", "--channel", "5", *options)
        w = {name: np.array(rows) for name, rows in t["weights"].items()}
        u, T = np.array(t["input"]), len(t["tokens"])
        b = np.array([w["bb"][:, 0] if options else w["wb"] @ row for row in u])
        c = np.array([w["bc"][:, 0] if options else w["wc"] @ row for row in u])
        delta = np.log1p(np.exp((0 if options else u @ w["w_delta"].T) + w["b_delta"][:, 0] + np.zeros_like(u)))
        close(delta, t["parts"]["Delta"], 1e-12)
        m = np.zeros((T, T))
        for i in range(T):
            for j in range(i + 1):
                passed = np.ones(b.shape[1])
                for k in range(j + 1, i + 1):
                    passed = passed * a_bar(t, w, 5, k)
                m[i, j] = c[i] @ (passed * delta[j, 5] * b[j]) + (w["skip"][5, 0] if i == j else 0)
        close(m, t["matrix"], 1e-10)
        close(m @ u[:, 5], np.array(t["parts"]["y"])[:, 5], 1e-10)
        assert t["difference"] <= 1e-5, t["difference"]
        diagonals = [np.ptp(np.diag(m, -k)) for k in range(T - 1)]
        assert (max(diagonals) < 1e-10) == bool(options), "without selection the matrix depends on the distance alone"
    times = json_of("recurrence", "--kind", "ssm", "--times")
    assert times["difference"] <= 1e-5 and len(times["times"]) == 14, times
    operations = {way: np.array([(row["tokens"], row["flops"]) for row in times["times"] if row["variant"] == way]) for way in ("scan", "matrix")}
    slope = {way: np.polyfit(*np.log(rows[rows[:, 0] >= 512].T), 1)[0] for way, rows in operations.items()}
    assert abs(slope["scan"] - 1) < 0.01 and abs(slope["matrix"] - 2) < 0.01, slope
    assert all(row["seconds"] > 0 and np.isfinite(row["exponent"]) for row in times["times"]), times
    patches()


def s22():
    for model, prompt in (("stories", "Ankara is the capital of"), ("stories", "Once upon a time")):
        (told,) = json_of("generate", "--model", model, "--text", prompt, "--tokens", "2")
        for step in told["steps"]:
            chances = [candidate["probability"] for candidate in step["candidates"]]
            assert chances == sorted(chances, reverse=True) and 0 < sum(chances) <= 1 and step["token"] == step["candidates"][0]["token"], step
    t = arrays_of("trace", "--model", "stories", "--text", "Once upon a time", "--steps", "logits,probabilities")
    close(t["probabilities"], softmax(t["logits"].astype("f8")), 1e-5)


def s23():
    with in_folder() as folder:
        target = str(folder / "ledger.npz")
        text_of("export", "--what", "ledger", "--model", "stories", "--text", SENTENCE, "--out", target)
        ledger = np.load(target)
        vectors = ledger["vectors"].astype("f8")
        labels = json.loads(str(ledger["labels.json"]))["vectors"]["labels"][0]
        added = sum(vectors[i] for i, name in enumerate(labels) if name == "E before" or name.startswith("+"))
        assert sum("ΔE head" in name for name in labels) == 8, labels
        close(added, vectors[-1], 1e-5)
    weights = arrays_of("trace", "--text", SENTENCE, "--steps", "weights")
    assert len([name for name in weights if name.endswith(".weights")]) == 6, "blocks repeat"


def normed(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)


def by_head(x, heads):
    return np.stack(np.split(x, heads, axis=1))


def patches():
    """Dosovitskiy et al. 2021 over a picture of our own: 11 x 14 pixels, patches of 3, so that two columns and two rows are left out."""
    picture = np.random.default_rng(24).integers(0, 256, (11, 14, 3), dtype=np.uint8)
    with in_folder() as folder:
        (folder / "own.png").write_bytes(png_of(picture))
        t = arrays_of("patches", "--in", str(folder / "own.png"), "--patch", "3", "--d-model", "16", "--heads", "2",
                      "--caption", "a boat on a lake", "--region", "2")
    x = np.stack([picture[3 * r:3 * r + 3, 3 * c:3 * c + 3].reshape(-1) for r in range(3) for c in range(4)]) / 127.5 - 1
    close(t["patches"], x, 1e-12)
    close(t["tokens"], x @ t["w_e"], 1e-12)
    row, column = np.divmod(np.arange(12), 4)
    close(t["positions"], np.concatenate([positions(3, 8)[row], positions(4, 8)[column]], axis=1), 1e-12)
    close(t["norm"], normed(t["tokens"] + t["positions"]), 1e-12)
    q, k = by_head(t["norm"] @ t["wq"], 2), by_head(t["norm"] @ t["wk"], 2)
    close(t["weights"], softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(8)), 1e-12)
    regions = np.stack([t["norm"].reshape(3, 4, 16)[2 * r:2 * r + 2, 2 * c:2 * c + 2].reshape(-1, 16).mean(0) for r in range(2) for c in range(2)])
    close(t["caption.regions"], regions, 1e-12)
    close(t["caption.words"][0], t["caption.words"][3], 0)
    close(t["caption.positions"], positions(5, 16), 1e-12)
    words = normed(t["caption.words"] + t["caption.positions"])
    q, k, v = by_head(words @ t["caption.wq"], 2), by_head(regions @ t["caption.wk"], 2), by_head(regions @ t["caption.wv"], 2)
    weights = softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(8))
    close(t["caption.weights"], weights, 1e-12)
    close(t["caption.output"], np.concatenate(list(weights @ v), axis=1), 1e-12)
    told = json_of("patches", "--caption", "a boat on the lake")
    assert told["weights_are"] == "random" and [w["word"] for w in told["caption"]["words"]] == ["a", "boat", "on", "the", "lake"]
    assert np.allclose(np.array([w["weights"] for w in told["caption"]["words"]]).sum(-1), 1)
    for what in ("patches", "patch-positions", "patch-attention", "patch-caption"):
        with in_folder() as folder:
            text_of("export", "--what", what, "--text", "a boat on the lake", "--out", str(folder / "figure.svg"))
            assert (folder / "figure.svg").read_text().count("<image") >= 1, what


globals()[sys.argv[2].lower()]()
