#!/usr/bin/env python3
"""Computes every array of `headlight trace` again with NumPy alone.

It starts from `input` and `parameters`; later arrays of the program are only compared. It computes in float64. The program's
float32 arrays must agree to 1e-5 of each array's largest value or 1e-5, whichever is more; the reference backend's double
arrays to 1e-12 likewise.

    trace_numpy.py HEADLIGHT BUILD_FOLDER         exit status 77: NumPy is not installed
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

PAD = 0


def positions(length, d):
    """S9, as printed."""
    pos = np.arange(length)[:, None]
    i = np.arange(d)[None, :] // 2
    angle = pos * 10000.0 ** (-2.0 * i / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))


def digits(length, d):
    """S15, the binary code: the most significant digit first."""
    table = np.zeros((length, d))
    bits = max(1, (length - 1).bit_length())
    for pos in range(length):
        table[pos, :bits] = [int(digit) for digit in format(pos, f"0{bits}b")]
    return table


def relative_rows(n, m, clip):
    """Shaw et al. 2018: row clip(j - i, -k, k) + k of a table, for each query i and key j."""
    return np.clip(np.arange(m)[None, :] - np.arange(n)[:, None], -clip, clip) + clip


def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gamma + beta


def softmax(x):
    largest = x.max(-1, keepdims=True)
    dead = np.isneginf(largest)  # a fully masked row under -inf: defined as all zeros
    e = np.exp(x - np.where(dead, 0, largest))
    total = e.sum(-1, keepdims=True)
    return np.where(dead, 0, e / np.where(dead, 1, total))


class Case:
    def __init__(self, name, texts, targets=(), backend="cpu", **options):
        self.name, self.texts, self.targets, self.backend, self.options = name, texts, targets, backend, options

    def arguments(self):
        args = []
        for text in self.texts:
            args += ["--text", text]
        for text in self.targets:
            args += ["--target", text]
        sizes = {"d-model": 48, "heads": 4, "layers": 2, "tokenizer": "words"}
        for key, value in {**sizes, **{k.replace("_", "-"): v for k, v in self.options.items()}}.items():
            args += ["--" + key] + ([] if value is True else [str(value)])
        return args + ["--backend", self.backend]

    def get(self, key, otherwise):
        return self.options.get(key, otherwise)


class Check:
    """Recomputes one trace file."""

    def __init__(self, case, arrays):
        self.case, self.z = case, arrays
        self.seen, self.worst, self.bad = set(), 0.0, []
        self.tolerance = 1e-12 if case.backend == "reference" else 1e-5
        self.heads = case.get("heads", 4)
        # The index that fills up shorter sentences: [PAD]'s, or the size of the vocabulary, behind the last token.
        self.pad = self.z["parameters.embedding"].shape[0] - 1 if case.get("padding", "token") == "row" else PAD
        self.masks = [m.split(":") for m in str(case.get("mask", "none")).split(",")]

    def compare(self, name, mine):
        theirs = self.z[name]
        self.seen.add(name)
        wanted = np.float64 if self.case.backend == "reference" else np.float32
        if name.endswith(("mask", "mask_unsqueezed", "mask_unsqueezed_once")):
            wanted = np.uint8
        if theirs.dtype != wanted or not theirs.flags.c_contiguous:
            self.bad.append(f"{name}: {theirs.dtype}, C order {theirs.flags.c_contiguous}")
        if theirs.shape != mine.shape:
            self.bad.append(f"{name}: shape {theirs.shape}, expected {mine.shape}")
            return mine
        if not np.array_equal(np.isneginf(theirs), np.isneginf(mine)) or np.isnan(theirs).any():
            self.bad.append(f"{name}: infinities at different places, or NaN")
            return mine
        finite = np.isfinite(mine)
        if finite.any():
            error = np.abs(theirs[finite].astype(np.float64) - mine[finite]).max() / max(1.0, np.abs(mine[finite]).max())
            self.worst = max(self.worst, error)
            if not error <= self.tolerance:
                self.bad.append(f"{name}: differs by {error:.3g}")
        return mine

    def linear(self, x, prefix, w, b):
        y = x @ self.z[f"parameters.{prefix}{w}"].astype(np.float64)
        if str(self.case.get("bias", "true")) == "true":
            y = y + self.z[f"parameters.{prefix}{b}"].astype(np.float64)
        return y

    def norm(self, x, name):
        if self.case.get("norm_kind", "layer") == "rms":
            gamma = self.z[f"parameters.{name}.gamma"].astype(np.float64)
            return self.compare(name, x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gamma)
        gamma, beta = (self.z[f"parameters.{name}.{p}"].astype(np.float64) for p in ("gamma", "beta"))
        return self.compare(name, layer_norm(x, gamma, beta))

    def mask(self, site, key_ids, n):
        batch, m = key_ids.shape
        i, j = np.arange(n)[:, None], np.arange(m)[None, :]
        allowed = np.ones((batch, 1, n, m), bool)
        for kind, *value in self.masks:
            number = int(value[0]) if value else 0
            if kind == "padding":
                allowed &= (key_ids != self.pad)[:, None, None, :]
            elif kind == "causal" and site == "decoder":
                allowed &= (j <= i)[None, None]
            elif kind == "window" and site != "cross":
                allowed &= (abs(i - j) <= number)[None, None]
        return allowed

    def parts_of_mask(self, prefix, site, key_ids, n):
        i, j = np.arange(n)[:, None], np.arange(key_ids.shape[1])[None, :]
        for kind, *value in self.masks:
            if kind == "padding":
                part = (key_ids != self.pad).astype(np.uint8)
                unsqueezed = part[:, None, None, :]
            elif (kind == "causal" and site == "decoder") or (kind == "window" and site != "cross"):
                part = (j <= i if kind == "causal" else abs(i - j) <= int(value[0])).astype(np.uint8)
                unsqueezed = part[None, None]
            else:
                continue
            self.compare(f"{prefix}{kind}_mask", part)
            self.compare(f"{prefix}{kind}_mask_unsqueezed_once", unsqueezed[:, 0])
            self.compare(f"{prefix}{kind}_mask_unsqueezed", unsqueezed)

    def attention(self, prefix, site, x, memory, key_ids):
        norm = self.case.get("norm", "pre")
        h = self.norm(x, prefix + "attention_norm") if norm == "pre" else x
        source = h if memory is None else memory
        (batch, n, d), m, heads = x.shape, source.shape[1], self.heads
        stacked = self.case.get("combiner", "concat") == "stack2d"
        d_k = d if stacked else d // heads
        qkv = self.case.get("qkv", "separate")
        shared = qkv != "separate"
        one = qkv == "one" and memory is None

        def split(y):
            return y.reshape(batch, -1, heads, d_k).transpose(0, 2, 1, 3)

        projected = str(self.case.get("projected", "true")) == "true"
        # K = V has one matrix for both, called W_K; Q = K = V has W_Q alone.
        letter = {"q": "q", "k": "q" if one else "k", "v": "q" if one else "k" if shared else "v"}
        q, k, v = ((split(self.linear(s, prefix, "w" + letter[name], "b" + letter[name])) if projected else split(s))
                   for name, s in (("q", h), ("k", source), ("v", source)))
        for name, value in (("q", q), ("k", k), ("v", v)):
            self.compare(prefix + name, value)
            if projected and letter[name] == name:
                self.compare(f"{prefix}{name}_projected", self.linear(h if name == "q" else source, prefix, "w" + name, "b" + name))
                self.compare(f"{prefix}{name}_view", value.transpose(0, 2, 1, 3))
        self.compare(prefix + "k_transposed", np.swapaxes(k, -1, -2))
        scores = self.compare(prefix + "scores", q @ k.transpose(0, 1, 3, 2))
        scale = self.case.get("scale", "sqrt")
        scaled = self.compare(prefix + "scaled_scores",
                              scores * (1 / np.sqrt(d_k) if scale == "sqrt" else 1.0 if scale == "none" else float(scale)))
        factor = 1 / np.sqrt(d_k) if scale == "sqrt" else 1.0 if scale == "none" else float(scale)
        relative = self.case.get("position", "sinusoidal") == "relative" and site != "cross"
        rows = relative_rows(n, m, int(self.case.get("relative_clip", 4)))
        if relative:
            table = self.z[f"parameters.{prefix}a_k"].astype(np.float64)
            scaled = scaled + self.compare(prefix + "position_bias", np.einsum("bhid,ijd->bhij", q, table[rows]) * factor)
        self.parts_of_mask(prefix, site, key_ids, n)
        allowed = self.mask(site, key_ids, n)
        self.compare(prefix + "mask", allowed.astype(np.uint8))
        fill = -np.inf if self.case.get("mask_fill", "-inf") == "-inf" else -1e9
        masked = self.compare(prefix + "masked_scores", np.where(allowed, scaled, fill))
        weights = self.compare(prefix + "weights", softmax(masked / float(self.case.get("temperature", 1))))
        dead = ~allowed.any(-1, keepdims=True)
        sums = self.z[prefix + "weights"].sum(-1, keepdims=True)
        if not np.allclose(np.where(dead & np.isneginf(fill), 1, sums), 1, atol=1e-5):
            self.bad.append(f"{prefix}weights: rows do not sum to 1")
        if (self.z[prefix + "weights"][np.broadcast_to(~allowed & ~dead, weights.shape)] != 0).any():
            self.bad.append(f"{prefix}weights: a masked weight is not exactly 0")
        context = weights @ v
        if relative:
            table = self.z[f"parameters.{prefix}a_v"].astype(np.float64)
            self.compare(prefix + "context_of_values", context)
            context = context + self.compare(prefix + "context_of_positions", np.einsum("bhij,ijd->bhid", weights, table[rows]))
        self.compare(prefix + "context", context)
        if stacked:
            y = self.compare(prefix + "heads_stacked", context.transpose(0, 2, 3, 1))
            y = self.compare(prefix + "stack_hidden", np.tanh(y @ self.z[f"parameters.{prefix}wh"].astype(np.float64)))
            y = np.tanh(y @ self.z[f"parameters.{prefix}wo"].astype(np.float64))[..., 0]
            self.compare(prefix + "attention_output", y)
            return self.after_attention(prefix, x, y, norm)
        if projected:
            for name in ("context_transposed", "context_copied"):
                self.compare(prefix + name, context.transpose(0, 2, 1, 3))
        y = self.compare(prefix + "concat", context.transpose(0, 2, 1, 3).reshape(batch, n, d))
        if projected:
            y = self.compare(prefix + "attention_output", self.linear(y, prefix, "wo", "bo"))
        return self.after_attention(prefix, x, y, norm)

    def after_attention(self, prefix, x, y, norm):
        if str(self.case.get("residual", "true")) == "true":
            y = self.compare(prefix + "attention_residual", x + y)
        return self.norm(y, prefix + "attention_norm") if norm == "post" else y

    def feed_forward(self, prefix, x):
        if str(self.case.get("feed_forward", "true")) != "true":
            return x
        norm = self.case.get("norm", "pre")
        h = self.norm(x, prefix + "mlp_norm") if norm == "pre" else x
        hidden = self.compare(prefix + "mlp_hidden", np.maximum(0, self.linear(h, prefix, "w_up", "b_up")))
        y = self.compare(prefix + "mlp_output", self.linear(hidden, prefix, "w_down", "b_down"))
        if str(self.case.get("residual", "true")) == "true":
            y = self.compare(prefix + "mlp_residual", x + y)
        return self.norm(y, prefix + "mlp_norm") if norm == "post" else y

    def embed(self, prefix):
        ids = self.z[prefix + "tokens"]
        self.seen.add(prefix + "tokens")
        if ids.dtype != np.int32:
            self.bad.append(f"{prefix}tokens: {ids.dtype}")
        table = self.z["parameters.embedding"].astype(np.float64)
        if table[self.pad].any():
            self.bad.append("the row of [PAD] is not zero")
        x = self.compare(prefix + "embedding", table[ids])
        if prefix + "position" in self.z:
            length, d = x.shape[1:]
            binary = self.case.options.get("position") == "binary"
            table = digits(length, d) if binary else positions(length, d)
            x = x + self.compare(prefix + "position", table)
        if prefix + "div_term" in self.z:
            self.compare(prefix + "position_unsqueezed", table[None])
            places = self.compare(prefix + "places", np.arange(length, dtype=np.float64)[:, None])
            w = self.compare(prefix + "div_term", 10000.0 ** (-2 * np.arange((d + 1) // 2) / d))
            self.compare(prefix + "angles", places * w)
        self.compare(prefix + "input", x)
        return ids, self.z[prefix + "input"].astype(np.float64)

    def run(self):
        layers = self.case.get("layers", 2)
        if not self.case.targets:
            ids, x = self.embed("")
            for i in range(layers):
                x = self.feed_forward(f"layer.{i}.", self.attention(f"layer.{i}.", "decoder", x, None, ids))
        else:
            ids, memory = self.embed("encoder.")
            for i in range(layers):
                p = f"encoder.layer.{i}."
                memory = self.feed_forward(p, self.attention(p, "encoder", memory, None, ids))
            target_ids, x = self.embed("decoder.")
            for i in range(layers):
                p = f"decoder.layer.{i}."
                x = self.attention(p, "decoder", x, None, target_ids)
                x = self.attention(p + "cross.", "cross", x, memory, ids)
                x = self.feed_forward(p, x)
        steps = {n for n in self.z if not n.startswith("parameters.") and n not in ("document.json", "notes")}
        if steps != self.seen:
            self.bad.append(f"steps that were not checked: {sorted(steps - self.seen)}")
        return len(self.seen), self.worst, self.bad


ONE = "a fluffy blue creature roamed the verdant forest"
TWO = [ONE, "man bites dog"]
CASES = [
    Case("one sentence, no mask", [ONE]),
    Case("causal + padding, two lengths", TWO, mask="causal,padding"),
    Case("the same in double", TWO, mask="causal,padding", backend="reference"),
    Case("two lengths, nothing masked", TWO, attend_padding=True),
    Case("cross-attention, N != M", ["I do not want to pet it"], ["je ne veux pas le caresser du tout"], mask="causal,padding"),
    Case("cross-attention, a batch of lengths", ["I do not want to pet it", "dog"], ["je", "le chien mord un homme"],
         mask="causal,padding,window:2"),
    Case("post-norm", TWO, norm="post", mask="padding"),
    Case("RMSNorm before each part", TWO, norm_kind="rms", mask="padding"),
    Case("RMSNorm after the sums", [ONE], norm="post", norm_kind="rms"),
    Case("no LayerNorm, no residual", [ONE], norm="none", residual="false", layers=1),
    Case("unprojected", [ONE], projected="false", heads=1, norm="none"),
    Case("no feed-forward, no biases", [ONE], feed_forward="false", bias="false", mask="causal"),
    Case("-1e9 and a fully masked row", ["a b c d", ""], mask="padding", mask_fill="-1e9"),
    Case("-inf and a fully masked row", ["a b c d", ""], mask="padding", mask_fill="-inf"),
    Case("scale and temperature", [ONE], scale="0.3", temperature=0.5, mask="window:2"),
    Case("unscaled, no positions", [ONE], scale="none", position="none", d_ff=20),
    Case("positions in binary", TWO, position="binary", mask="padding"),
    Case("relative positions, two lengths", TWO, position="relative", relative_clip=2, mask="padding"),
    Case("relative positions in double", TWO, position="relative", mask="causal,padding", backend="reference"),
    Case("relative positions, one head of width d", [ONE], position="relative", relative_clip=0, projected="false", heads=1, norm="none"),
    Case("relative positions, encoder and decoder", ["I do not want to pet it"], ["je ne veux pas le caresser du tout"],
         position="relative", relative_clip=3, mask="causal,padding"),
    Case("heads of full width, stacked", TWO, combiner="stack2d", mask="causal,padding"),
    Case("stacked heads, encoder and decoder, in double", ["I do not want to pet it"], ["je ne veux pas"], combiner="stack2d",
         stack_hidden=7, heads=5, mask="causal,padding", backend="reference"),
    Case("K = V", TWO, qkv="shared", mask="padding"),
    Case("Q = K = V, and K = V across", ["I do not want to pet it"], ["je ne veux pas"], qkv="one", mask="causal,padding"),
    Case("padding by an index behind the vocabulary", TWO, padding="row", mask="causal,padding"),
    Case("heads of odd size", TWO, d_model=39, heads=3, mask="padding,causal", backend="cpu"),
]


def trace(program, folder, case):
    out = os.path.join(folder, "trace.npz")
    done = subprocess.run([program, "trace", *case.arguments(), "--weights", "--out", out], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{case.name}: exit status {done.returncode}: {done.stderr.strip()}")
    with np.load(out) as file:
        return {name: file[name] for name in file.files}


def main():
    program = sys.argv[1]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            count, worst, bad = Check(case, trace(program, folder, case)).run()
            print(f"{'FAILED' if bad else 'ok':6} {case.name}: {count} arrays, largest difference {worst:.2g}")
            for line in bad:
                print("       " + line)
            failed |= bool(bad)
        first = trace(program, folder, Case("first", ["man bites dog"]))
        second = trace(program, folder, Case("second", ["dog bites man"]))
        same = [n for n in first if not n.startswith("parameters.") and n not in ("position", "position_unsqueezed", "places", "div_term", "angles", "document.json")
                and not n.endswith(("mask", "mask_unsqueezed", "mask_unsqueezed_once")) and first[n].shape == second[n].shape and np.array_equal(first[n], second[n])]
        print(f"{'FAILED' if same else 'ok':6} two texts give different arrays {same or ''}")
        failed |= bool(same)
        # The preset: e_i' = sum over j of softmax_j(e_j . e_i) e_j, from the embeddings alone.
        out = os.path.join(folder, "alone.npz")
        subprocess.run([program, "trace", "--text", ONE, "--preset", "lecture", "--backend", "reference", "--out", out], check=True)
        alone = np.load(out)
        e = alone["embedding"][0].astype(np.float64)
        away = np.abs(softmax(e @ e.T) @ e - alone["layer.0.concat"][0]).max()
        print(f"{'FAILED' if away > 1e-12 else 'ok':6} --preset lecture is softmax(e e^T) e: largest difference {away:.2g}")
        failed |= bool(away > 1e-12)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
