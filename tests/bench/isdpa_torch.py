#!/usr/bin/env python3
"""The notebook's attention layer in PyTorch, beside Headlight's: an own re-statement of its steps, without gradients.

usage: isdpa_torch.py [--headlight PROGRAM] [--device cpu|cuda] [--words 500 --length 32 --vocab 64 --d 512] [--json]

Rows in the form of `headlight bench isdpa --json`: each variant is named with PyTorch's version and how it ran (eager, compiled,
captured: a CUDA graph replayed). With --headlight the program's own rows are measured on the same device in the same run, a part
after each round of PyTorch, and the ratios are printed. Times are medians; on a GPU device events, on a CPU the steady clock.
Exit status 77: PyTorch is missing.
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

SETS = 4  # sets of inputs that rotate
CHECKED = 16  # words whose results are checked against float64


def inputs(seed, a, device):
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
    return [t.to(device) for t in (f, p, *weights, ids)]


def pooled(qk, v, d):
    """softmax(QK^T / sqrt(d)), its mean over the queries, and the values it weighs: [W, d]."""
    score = torch.softmax(qk / math.sqrt(d), dim=-1).mean(dim=1)
    return (score.unsqueeze(-1) * v).sum(dim=1)


def written(f, p, wq, wk, wv, ids):
    x = f[ids] + p
    q, k, v = x @ wq, x @ wk, x @ wv
    return pooled(q @ k.transpose(1, 2), v, f.shape[1])


def tables(f, p, wq, wk, wv):
    meta_q, meta_k, meta_v = f @ wq, f @ wk, f @ wv
    pos_q, pos_k, pos_v = p @ wq, p @ wk, p @ wv
    return meta_q @ meta_k.T, meta_q @ pos_k.T, pos_q @ meta_k.T, pos_q @ pos_k.T, meta_v, pos_v


def from_tables(mm, mp, pm, pp, meta_v, pos_v, ids):
    qk = mm[ids[:, :, None], ids[:, None, :]] + mp[ids] + pm[:, ids].transpose(0, 1) + pp
    return pooled(qk, meta_v[ids] + pos_v, meta_v.shape[1])


def indexed(f, p, wq, wk, wv, ids):
    return from_tables(*tables(f, p, wq, wk, wv), ids)


def one_projection(f, p, wq, wk, wv, ids):
    """One product for Q, K and V, pooled before the value product (the same by linearity)."""
    x = f[ids] + p
    q, k = (x @ torch.cat((wq, wk), 1)).chunk(2, dim=-1)
    score = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(f.shape[1]), dim=-1).mean(dim=1)
    return (score.unsqueeze(1) @ x).squeeze(1) @ wv


def attention_kernel(f, p, wq, wk, wv, ids):
    """PyTorch's own attention, then the mean over the queries."""
    x = f[ids] + p
    q, k, v = (x @ torch.cat((wq, wk, wv), 1)).chunk(3, dim=-1)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v).mean(dim=1)


def counts(a):
    """Operations of the layer as written, index first, index first with kept tables; and bytes in and out."""
    w, l, n, d = a.words, a.length, a.vocab, a.d
    m = n + l
    as_written = 6 * w * l * d * d + 2 * w * l * l * d
    look_up = 8 * w * l * l + 4 * w * l * d
    rebuilt = 6 * m * d * d + 2 * m * m * d + look_up
    return as_written, rebuilt, look_up, 4 * (m * d + 3 * d * d + w * l + w * d)


class Contender:
    def __init__(self, variant, mode, function, sets, flops, device):
        self.variant, self.mode, self.function, self.sets, self.flops = variant, mode, function, sets, flops
        self.cuda = device == "cuda"
        self.samples = []

    def once(self, turn):
        """Seconds of one call."""
        arguments = self.sets[turn % len(self.sets)]
        if self.cuda:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            self.function(*arguments)
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e-3
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
    device, version = a.device, torch.__version__
    sets = [inputs(1 + i, a, device) for i in range(SETS)]
    kept = [[*tables(*sets[0][:5]), s[5]] for s in sets]
    as_written, rebuilt, look_up, size = counts(a)
    plain = [
        ("layer:written", "per-call", written, sets, as_written),
        ("layer:attention-kernel", "per-call", attention_kernel, sets, as_written),
        ("layer:pooled", "per-call", one_projection, sets, 4 * a.words * a.length * a.d * a.d + 2 * a.words * a.length**2 * a.d),
        ("layer:index", "per-call", indexed, sets, rebuilt),
        ("layer:index", "cached", from_tables, kept, look_up),
    ]
    made = []
    for name, mode, function, rotating, flops in plain:
        made.append(Contender(f"{name} (torch {version} eager)", mode, function, rotating, flops, device))
        if not a.no_compile:
            try:
                fast = torch.compile(function)
                fast(*rotating[0])
                made.append(Contender(f"{name} (torch {version} compiled)", mode, fast, rotating, flops, device))
            except Exception as error:  # noqa: BLE001: without a compiler the other rows still count
                first = (str(error).strip() or type(error).__name__).splitlines()[0]
                print(f"torch.compile is left out: {first}", file=sys.stderr)
                a.no_compile = True
        if device == "cuda":
            made.append(Contender(f"{name} (torch {version} captured)", mode, captured(function, rotating), rotating, flops, device))
    # float64 on the first words, as written; the cached rows use the first set's tables.
    for one in made:
        arguments = [t.double() if t.is_floating_point() else t[:CHECKED] for t in sets[0]]
        truth = written(*arguments)
        difference = (one.function(*one.sets[0])[:CHECKED].double() - truth).abs()
        one.error = {
            "mean_abs": difference.mean().item(),
            "max_abs": difference.max().item(),
            "relative": (difference.square().sum() / truth.square().sum()).sqrt().item(),
        }
        one.bytes = size
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
        "precision": "float32",
        "sizes": {"words": a.words, "length": a.length, "vocab": a.vocab, "d": a.d, "heads": 1},
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
    for name in ("words", "length", "vocab", "d"):
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


def table(rows):
    print(f"torch {torch.__version__} on {rows[0]['device']}, {rows[0]['sizes']}, medians")
    best = {r["mode"]: r["median_s"] for r in rows if r["variant"] == "layer:index"}
    for row in rows:
        against = best.get(row["mode"])
        ratio = f"{row['median_s'] / against:8.2f}x" if against else ""
        print(
            f"{row['variant']:<44} {row['mode']:<9} {row['median_s'] * 1e3:10.3f} ms  {row['p10_s'] * 1e3:9.3f} ..{row['p90_s'] * 1e3:9.3f}"
            f"  {row['runs']:5d} runs  error {row['error']['mean_abs']:.1e} {ratio}"
        )
    if best:
        print("ratio: time over that of Headlight's layer:index in the same mode")


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", help="the program to measure in the same run")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    for name, size in (("words", 500), ("length", 32), ("vocab", 64), ("d", 512)):
        parser.add_argument(f"--{name}", type=positive, default=size)
    parser.add_argument("--threads", type=positive, default=len(os.sched_getaffinity(0)), help="of the CPU")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--parts", type=positive, default=3, help="PyTorch and Headlight take turns this often")
    parser.add_argument("--no-compile", action="store_true", help="leave out torch.compile")
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    if a.device == "cuda" and not torch.cuda.is_available():
        parser.error("this PyTorch finds no GPU: give --device cpu")
    torch.set_num_threads(a.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = measured(a)
    if a.json:
        print(json.dumps(rows, indent=2))
    else:
        table(rows)


if __name__ == "__main__":
    main()
