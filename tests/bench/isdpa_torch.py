#!/usr/bin/env python3
"""The notebook's attention layer in PyTorch, to compare with Headlight's: our own version of its steps, without gradients.

usage: isdpa_torch.py [--headlight PROGRAM] [--device cpu|cuda] [--precision f32|tf32|bf16]
                      [--words 500 --length 32 --vocab 64 --d 512 --heads 1] [--json]

Rows in the form of `headlight bench isdpa --json`: each variant is named with PyTorch's version and how it ran (eager, compiled,
captured: a CUDA graph replayed; on a GPU also "eager, device alone"). With --headlight the program's own rows are measured in the same
run, on the same device and in the same precision, a part after each part of PyTorch's; the ratios are printed beside the goals. Times
are medians: on a CPU by the steady clock, on a GPU by device events behind a gate, which makes the device wait until the host has
queued everything, so that no row includes the host's launch time. Rows "eager" are measured without the gate, as eager PyTorch normally
runs: its device waits for the host, and its time includes that; "eager, device alone" is the same behind the gate. In bf16 PyTorch
keeps F, P and the weights in bf16. Exit status 77: PyTorch is missing.
"""
import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time

try:
    import torch
except ImportError:
    print("skipped: this Python has no PyTorch", file=sys.stderr)
    sys.exit(77)

from device_clock import Gate

SETS = 4  # sets of inputs that rotate
SIZES = ("words", "length", "vocab", "d", "heads")
PRECISIONS = {"f32": "float32", "tf32": "tf32", "bf16": "bf16"}
CHECKED = 16  # words whose results are checked against float64


def inputs(seed, a, device, kind=torch.float32):
    """F [n, d] with a padding row of zeros, P [l, d] sinusoidal, three weights [d, d], indices [W, l]: the notebook's."""
    g = torch.Generator().manual_seed(seed)
    f = torch.randn(a.vocab, a.d, generator=g)
    f[0] = 0
    place = torch.arange(a.length, dtype=torch.float64)[:, None]
    even = torch.arange(0, a.d, 2, dtype=torch.float64)
    angle = place * torch.exp(-even * math.log(10000.0) / a.d)
    p = torch.stack((angle.sin(), angle.cos()), -1).reshape(a.length, -1)[:, : a.d].float()
    bound = 1 / math.sqrt(a.d)
    weights = [(torch.rand(a.d, a.d, generator=g) * 2 - 1) * bound for _ in range(3)]
    ids = torch.randint(0, a.vocab, (a.words, a.length), generator=g)
    return [t.to(device, kind) for t in (f, p, *weights)] + [ids.to(device)]


class Ways:
    """The layer by several methods, all pooled over the queries, with `heads` heads."""

    def __init__(self, heads):
        self.heads = heads

    def apart(self, x):
        """[..., l, d] -> [..., h, l, d / h]"""
        return x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def score(self, qk, d):
        """softmax(QK^T / sqrt(d_k)) of [W, h, l, l] and its mean over the queries: [W, h, l]"""
        return torch.softmax(qk / math.sqrt(d // self.heads), dim=-1).mean(dim=2)

    def weigh(self, score, v):
        """[W, d]: each head's columns of V [W, l, d], weighed by its score"""
        return (score.unsqueeze(2) @ self.apart(v)).flatten(1)

    def weigh_first(self, score, x, wv):
        """The same from X, by linearity: X [W, l, d] is pooled, then projected, head by head."""
        pooled = score @ x
        if self.heads == 1:
            return pooled.squeeze(1) @ wv
        per_head = wv.unflatten(-1, (self.heads, -1)).transpose(0, 1)
        return (pooled.transpose(0, 1) @ per_head).transpose(0, 1).flatten(1)

    def written(self, f, p, wq, wk, wv, ids):
        x = f[ids] + p
        q, k, v = x @ wq, x @ wk, x @ wv
        return self.weigh(self.score(self.apart(q) @ self.apart(k).transpose(-1, -2), f.shape[1]), v)

    def tables(self, f, p, wq, wk, wv):
        meta_q, meta_k, meta_v = self.apart(f @ wq), self.apart(f @ wk), f @ wv
        pos_q, pos_k, pos_v = self.apart(p @ wq), self.apart(p @ wk), p @ wv
        to = lambda k: k.transpose(-1, -2)
        return meta_q @ to(meta_k), meta_q @ to(pos_k), pos_q @ to(meta_k), pos_q @ to(pos_k), meta_v, pos_v

    def from_tables(self, mm, mp, pm, pp, meta_v, pos_v, ids):
        # Tables [h, ...] as the notebook's, one per head.
        qk = mm[:, ids[:, :, None], ids[:, None, :]] + mp[:, ids] + pm[:, :, ids].transpose(1, 2) + pp.unsqueeze(1)
        return self.weigh(self.score(qk.transpose(0, 1), meta_v.shape[1]), meta_v[ids] + pos_v)

    def indexed(self, f, p, wq, wk, wv, ids):
        return self.from_tables(*self.tables(f, p, wq, wk, wv), ids)

    def pooled(self, f, p, wq, wk, wv, ids):
        """One product for Q and K, pooled before the value product (the same by linearity)."""
        x = f[ids] + p
        q, k = (x @ torch.cat((wq, wk), 1)).chunk(2, dim=-1)
        return self.weigh_first(self.score(self.apart(q) @ self.apart(k).transpose(-1, -2), f.shape[1]), x, wv)

    def attention_kernel(self, f, p, wq, wk, wv, ids):
        """PyTorch's own attention, then the mean over the queries."""
        x = f[ids] + p
        q, k, v = (self.apart(t) for t in (x @ torch.cat((wq, wk, wv), 1)).chunk(3, dim=-1))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v).mean(dim=2).flatten(1)

    def folded(self, f, p, wq, wk, wv, ids):
        """Q K^T = (X WQ WK^T) X^T, a single head; pooled before the value product."""
        return self.from_fold(f, p, wq @ wk.T, wv, ids)

    def from_fold(self, f, p, fold, wv, ids):
        x = f[ids] + p
        return self.weigh_first(self.score((x @ fold @ x.transpose(1, 2)).unsqueeze(1), f.shape[1]), x, wv)

    def every_pair(self, f, p, wq, wk, wv):
        """Q and K of every symbol at every position, [n l, d]."""
        x = (f[:, None] + p).flatten(0, 1)
        return (f, p, *(x @ torch.cat((wq, wk), 1)).chunk(2, dim=-1), wv)

    def from_pairs(self, f, p, q, k, wv, ids):
        row = ids * p.shape[0] + torch.arange(p.shape[0], device=ids.device)
        score = self.score(self.apart(q[row]) @ self.apart(k[row]).transpose(-1, -2), f.shape[1])
        return self.weigh_first(score, f[ids] + p, wv)

    def distinct(self, f, p, wq, wk, wv, ids):
        """Each distinct row projected once: n l of them."""
        return self.from_pairs(*self.every_pair(f, p, wq, wk, wv), ids)

    def every_folded_pair(self, f, p, wq, wk, wv):
        x = (f[:, None] + p).flatten(0, 1)
        return f, p, x @ (wq @ wk.T), wv

    def from_folded_pairs(self, f, p, left, wv, ids):
        row = ids * p.shape[0] + torch.arange(p.shape[0], device=ids.device)
        x = f[ids] + p
        return self.weigh_first(self.score((left[row] @ x.transpose(1, 2)).unsqueeze(1), f.shape[1]), x, wv)

    def distinct_folded(self, f, p, wq, wk, wv, ids):
        return self.from_folded_pairs(*self.every_folded_pair(f, p, wq, wk, wv), ids)


def counts(a):
    """Operations of each method, per call and with everything kept that can be kept; and bytes in and out."""
    w, l, n, d, h = a.words, a.length, a.vocab, a.d, a.heads
    m = n + l
    look_up = 8 * h * w * l * l + 4 * w * l * d
    scores, pool = 2 * w * l * l * d, 2 * h * w * l * d + 2 * w * d * d
    return {
        "written": 6 * w * l * d * d + scores,
        "pooled": 4 * w * l * d * d + scores + pool,
        "fold": 2 * d**3,
        "folded": 2 * w * l * d * d + scores + pool,
        "pairs": 2 * n * l * d * d,
        "from_pairs": scores + pool,
        "tables": 6 * m * d * d + 2 * m * m * d,
        "look_up": look_up,
        "bytes": 4 * (m * d + 3 * d * d + w * l + w * d),
    }


class Contender:
    gate = None

    def __init__(self, variant, mode, function, sets, flops, device, exact, gated=True):
        self.gated = gated
        self.variant, self.mode, self.function, self.sets, self.flops = variant, mode, function, sets, flops
        self.cuda = device == "cuda"
        self.samples = []
        self.exact = exact

    def once(self, turn):
        """Seconds of one call."""
        arguments = self.sets[turn % len(self.sets)]
        if self.cuda:
            Contender.gate = Contender.gate or Gate()
            return Contender.gate.timed(lambda: self.function(*arguments), self.gated)
        begin = time.perf_counter()
        self.function(*arguments)
        return time.perf_counter() - begin


def captured(function, sets):
    """A CUDA graph a set of inputs; called with a set's number of arguments it replays that graph."""
    graphs = {}
    for one in sets:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                function(*one)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = function(*one)
        graphs[id(one[-1])] = (graph, result)

    def replay(*arguments):
        graph, result = graphs[id(arguments[-1])]
        graph.replay()
        return result

    return replay


def contenders(a):
    device, version, ways, count = a.device, torch.__version__, Ways(a.heads), counts(a)
    kind = torch.bfloat16 if a.precision == "bf16" else torch.float32
    sets = [inputs(1 + i, a, device, kind) for i in range(SETS)]

    def kept(make):
        """The same weights in every call, other words; everything that depends on the weights alone is cached."""
        of_weights = make(*sets[0][:5])
        return [[*of_weights, s[5]] for s in sets]

    fixed = [[*sets[0][:5], s[5]] for s in sets]
    plain = [
        ("layer:written", "per-call", ways.written, sets, count["written"]),
        ("layer:attention-kernel", "per-call", ways.attention_kernel, sets, count["written"]),
        ("layer:pooled", "per-call", ways.pooled, sets, count["pooled"]),
        ("layer:index", "per-call", ways.indexed, sets, count["tables"] + count["look_up"]),
        ("layer:pooled", "cached", ways.pooled, fixed, count["pooled"]),
        ("layer:index", "cached", ways.from_tables, kept(ways.tables), count["look_up"]),
    ]
    if a.heads == 1:
        plain += [
            ("layer:folded", "per-call", ways.folded, sets, count["fold"] + count["folded"]),
            ("layer:folded", "cached", ways.from_fold, kept(lambda f, p, wq, wk, wv: (f, p, wq @ wk.T, wv)), count["folded"]),
        ]
    if a.vocab <= a.words:  # else most pairs of symbol and position do not occur
        plain += [
            ("layer:distinct", "per-call", ways.distinct, sets, 2 * count["pairs"] + count["from_pairs"]),
            ("layer:distinct", "cached", ways.from_pairs, kept(ways.every_pair), count["from_pairs"]),
        ]
        if a.heads == 1:
            plain += [
                ("layer:distinct-folded", "per-call", ways.distinct_folded, sets, count["fold"] + count["pairs"] + count["from_pairs"]),
                ("layer:distinct-folded", "cached", ways.from_folded_pairs, kept(ways.every_folded_pair), count["from_pairs"]),
            ]
    # The layer as written, in float64, on the first words, from the numbers before rounding; cached rows use the first set's weights.
    exact = [t.double() if t.is_floating_point() else t[:CHECKED] for t in inputs(1, a, device)]
    truth = ways.written(*exact)
    made = []
    for name, mode, function, rotating, flops in plain:
        made.append(Contender(f"{name} (torch {version} eager)", mode, function, rotating, flops, device, truth, gated=False))
        if device == "cuda":
            alone = f"{name} (torch {version} eager, device alone)"
            made.append(Contender(alone, mode, function, rotating, flops, device, truth))
        if not a.no_compile:
            try:
                fast = torch.compile(function)
                fast(*rotating[0])
                made.append(Contender(f"{name} (torch {version} compiled)", mode, fast, rotating, flops, device, truth))
            except Exception as error:  # noqa: BLE001: without a compiler the other rows still count
                first = (str(error).strip() or type(error).__name__).splitlines()[0]
                print(f"torch.compile is left out: {first}", file=sys.stderr)
                a.no_compile = True
        if device == "cuda":
            replay = captured(function, rotating)
            made.append(Contender(f"{name} (torch {version} captured)", mode, replay, rotating, flops, device, truth))
    for one in made:
        difference = (one.function(*one.sets[0])[:CHECKED].double() - one.exact).abs()
        one.error = {
            "mean_abs": difference.mean().item(),
            "max_abs": difference.max().item(),
            "relative": (difference.square().sum() / one.exact.square().sum()).sqrt().item(),
        }
        one.bytes = count["bytes"]
    return made


def quantile(samples, share):
    ordered = sorted(samples)
    at = share * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def device_label(device):
    if device == "cuda":
        return torch.cuda.get_device_name()
    return f"CPU, {torch.get_num_threads()} threads, {platform.machine()}"


def row_of(one, a):
    return {
        "what": "isdpa",
        "variant": one.variant,
        "mode": one.mode,
        "backend": "torch",
        "device": device_label(a.device),
        "precision": PRECISIONS[a.precision],
        "sizes": {name: getattr(a, name) for name in SIZES},
        "median_s": quantile(one.samples, 0.5),
        "p10_s": quantile(one.samples, 0.1),
        "p90_s": quantile(one.samples, 0.9),
        "p99_s": quantile(one.samples, 0.99),
        "runs": len(one.samples),
        "flops": one.flops,
        "bytes": one.bytes,
        "error": one.error,
    }


def headlight_rows(a, seconds):
    command = [a.headlight, "bench", "isdpa", "--stage", "layer", "--json", "--backend", a.device, "--seconds", str(seconds)]
    command += ["--precision", a.precision]
    for name in SIZES:
        command += [f"--{name}", str(getattr(a, name))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"isdpa_torch: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(a):
    with torch.no_grad():
        made = contenders(a)
        for one in made:  # warm-up, not counted
            for turn in range(3):
                one.once(turn)
        own = {}
        for part in range(a.parts):
            end = time.perf_counter() + a.seconds / a.parts
            turn = 0
            while turn < 3 or time.perf_counter() < end:
                for one in made:
                    one.samples.append(one.once(turn))
                turn += 1
            if a.headlight:
                for row in headlight_rows(a, a.seconds / a.parts):
                    own.setdefault((row["variant"], row["mode"], row["precision"]), []).append(row)
    rows = [row_of(one, a) for one in made]
    for parts in own.values():  # the part whose median is in the middle stands for the run
        parts.sort(key=lambda row: row["median_s"])
        rows.append(parts[len(parts) // 2])
    return rows


def at_notebooks_sizes(a):
    return (a.words, a.length, a.vocab, a.d, a.heads) == (500, 32, 64, 512, 1)


def targets(rows, a):
    """The goals and the results: (what, reached, wanted, whether it was reached)."""
    def median(start, mode, torch_way=None):
        found = [
            r["median_s"]
            for r in rows
            if r["mode"] == mode and (r["variant"] == start if torch_way is None else r["variant"].startswith(start + " ") and r["variant"].endswith(f" {torch_way})"))
        ]
        return found[0] if found else None

    lines = []
    for mode, limit in (("per-call", 0), ("cached", 1)):
        own = median("layer:index", mode)
        if own is None:
            continue
        if at_notebooks_sizes(a):
            on_gpu = {"f32": (22e-6, 9e-6), "tf32": (15e-6, 6e-6), "bf16": (15e-6, 6e-6)}[a.precision]
            wanted = on_gpu[limit] if a.device == "cuda" else (2.5e-3, 0.7e-3)[limit]
            lines.append((f"layer:index {mode}, us", own * 1e6, f"at most {wanted * 1e6:.1f}", own <= wanted))
        for way, times in (("eager", 20), ("alone", None), ("captured", 4), ("compiled", None)):
            other = median("layer:index", mode, way)
            if other is None:
                continue
            aims = times if mode == "per-call" and a.device == "cuda" and at_notebooks_sizes(a) else None
            wanted = f"at least {aims}" if aims else "reported"
            lines.append((f"{mode}: the notebook's ISDPA, {'eager (device alone)' if way == 'alone' else way} PyTorch, times ours", other / own, wanted, not aims or other / own >= aims))
        rivals = [
            r for r in rows
            if r["mode"] == mode and r["backend"] != "torch" and r["variant"] != "layer:index" and not r["variant"].endswith("-unpooled")
        ]
        if rivals:
            best = min(rivals, key=lambda r: r["median_s"])
            lines.append((f"{mode}: our fastest way without an index ({best['variant'][6:]}), times ours", best["median_s"] / own, "reported", True))
        theirs = [r for r in rows if r["mode"] == mode and r["backend"] == "torch" and not r["variant"].startswith("layer:index ")]
        if theirs:
            best = min(theirs, key=lambda r: r["median_s"])
            lines.append((f"{mode}: PyTorch's fastest way without an index ({best['variant'][6:]}), times ours", best["median_s"] / own, "reported", True))
    return lines


def table(rows, a):
    print(f"torch {torch.__version__} on {rows[0]['device']}, {rows[0]['precision']}, {rows[0]['sizes']}, medians")
    best = {r["mode"]: r["median_s"] for r in rows if r["variant"] == "layer:index"}
    for row in rows:
        against = best.get(row["mode"])
        ratio = f"{row['median_s'] / against:8.2f}x" if against else ""
        us = [row[key] * 1e6 for key in ("median_s", "p10_s", "p90_s")]
        error = f"{row['error']['mean_abs']:.1e}" if row["error"] else "none"
        print(f"{row['variant']:<52} {row['mode']:<9} {us[0]:11.1f} us  {us[1]:10.1f} ..{us[2]:10.1f}  {row['runs']:5d} runs  error {error} {ratio}")
    if best:
        print("ratio: time over that of Headlight's layer:index in the same mode")
    for what, reached, wanted, holds in targets(rows, a):
        print(f"{what}: {reached:.2f} ({wanted}{'' if holds else ': MISSED'})")


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", help="the program to measure in the same run")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    for name, size in (("words", 500), ("length", 32), ("vocab", 64), ("d", 512), ("heads", 1)):
        parser.add_argument(f"--{name}", type=positive, default=size)
    parser.add_argument("--precision", choices=tuple(PRECISIONS), default="f32", help="of products; tf32 and bf16 on a GPU")
    parser.add_argument("--threads", type=positive, default=len(os.sched_getaffinity(0)), help="of the CPU")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--parts", type=positive, default=3, help="PyTorch and Headlight take turns this often")
    parser.add_argument("--no-compile", action="store_true", help="leave out torch.compile")
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    if a.device == "cuda" and not torch.cuda.is_available():
        parser.error("this PyTorch finds no GPU: give --device cpu")
    if a.device == "cpu" and a.precision != "f32":
        parser.error("on a CPU give --precision f32")
    if a.d % a.heads != 0:
        parser.error(f"{a.heads} heads cannot divide d = {a.d}")
    torch.set_num_threads(a.threads)
    torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    rows = measured(a)
    if a.json:
        print(json.dumps(rows, indent=2))
    else:
        table(rows, a)


if __name__ == "__main__":
    main()
