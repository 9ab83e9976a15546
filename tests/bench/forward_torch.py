#!/usr/bin/env python3
"""The model of `headlight bench forward` in eager PyTorch, every map kept, timed in turns with Headlight.

usage: forward_torch.py --headlight PROGRAM [--tokens 32,128,512] [--layers 12 --d 768 --heads 12] [--turns 5] [--seconds 2]
                        [--threads N] [--aim 1.3] [--json]

Both compute a causal decoder with normalisation first, projections with biases and a feed-forward part of 4 d with ReLU, from token
ids to the last layer's vectors, in float32 on the same number of threads. Both keep the weights of all heads; Headlight also keeps
every other step, and its time includes making the sentence's tokens and the plan. PyTorch computes for `seconds`, then Headlight, and
so on in turns. A turn's ratio is PyTorch's median over Headlight's; the ratio of a size is the median of its turns. GFLOP/s are
counted from the sizes, the same for both; a share is of the large product that the same program reached in the same turn.
Exit status 77: PyTorch is missing. 1: a ratio is below --aim.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("skipped: this Python has no PyTorch", file=sys.stderr)
    sys.exit(77)

VOCABULARY = 128
CEILING = 1024  # rows, inner and columns of the large product


class Model:
    def __init__(self, a):
        g = torch.Generator().manual_seed(0)
        self.heads, self.d = a.heads, a.d
        drawn = lambda *shape: torch.randn(*shape, generator=g)
        linear = lambda inner, columns: (drawn(columns, inner) / math.sqrt(inner), 0.02 * drawn(columns))
        norm = lambda: (torch.ones(a.d), torch.zeros(a.d))
        self.embedding = drawn(VOCABULARY, a.d)
        self.layers = [
            {"norm": norm(), "q": linear(a.d, a.d), "k": linear(a.d, a.d), "v": linear(a.d, a.d), "o": linear(a.d, a.d),
             "second_norm": norm(), "up": linear(a.d, 4 * a.d), "down": linear(4 * a.d, a.d)}
            for _ in range(a.layers)
        ]

    def parts(self, length):
        """Positions and mask, which do not change with the words."""
        place = torch.arange(length, dtype=torch.float64)[:, None]
        angle = place * torch.exp(-torch.arange(0, self.d, 2, dtype=torch.float64) * math.log(10000.0) / self.d)
        positions = torch.stack((angle.sin(), angle.cos()), -1).reshape(length, -1).float()
        return positions, torch.ones(length, length).triu(1).bool()

    def forward(self, ids, positions, forbidden):
        """ids [L] -> vectors [1, L, d] and the maps, [1, h, L, L] a layer."""
        maps = []
        x = (self.embedding[ids] + positions)[None]
        apart = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        for layer in self.layers:
            y = F.layer_norm(x, (self.d,), *layer["norm"])
            q, k, v = (apart(F.linear(y, *layer[name])) for name in "qkv")
            scores = (q @ k.transpose(-1, -2)) * (1 / math.sqrt(self.d // self.heads))
            weights = torch.softmax(scores.masked_fill(forbidden, -math.inf), dim=-1)
            maps.append(weights)
            x = x + F.linear((weights @ v).transpose(1, 2).flatten(2), *layer["o"])
            y = F.layer_norm(x, (self.d,), *layer["second_norm"])
            x = x + F.linear(torch.relu(F.linear(y, *layer["up"])), *layer["down"])
        return x, maps


def medians(work, seconds):
    """The median time of `work`, called for `seconds` and at least three times; the first call is not counted."""
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 4 or time.perf_counter() < end:
        begin = time.perf_counter()
        work(len(taken))
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken[1:])


def torch_turn(model, a, tokens):
    """Median seconds of a run, and the rate of the large product in operations a second."""
    positions, forbidden = model.parts(tokens)
    sentences = [torch.randint(0, VOCABULARY, (tokens,), generator=torch.Generator().manual_seed(seed)) for seed in range(8)]
    kept = [None]  # the last run's result, as a trace is held until the next one is there

    def run(turn):
        kept[0] = model.forward(sentences[turn % len(sentences)], positions, forbidden)

    seconds = medians(run, a.seconds)
    left, right = torch.rand(CEILING, CEILING), torch.rand(CEILING, CEILING)
    return seconds, 2 * CEILING**3 / medians(lambda turn: left @ right, a.seconds / 4)


def headlight_turn(a, tokens):
    command = [a.headlight, "bench", "forward", "--json", "--backend", "cpu", "--seconds", str(a.seconds), "--tokens", str(tokens)]
    for name in ("layers", "d", "heads"):
        command += [f"--{name}", str(getattr(a, name))]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HEADLIGHT_THREADS": str(a.threads)})
    if done.returncode != 0:
        sys.exit(f"forward_torch: {done.stderr.strip()}")
    return json.loads(done.stdout)[0]


def measured(a, model, tokens):
    """One row a size."""
    turns = []
    for _ in range(a.turns):
        theirs, their_ceiling = torch_turn(model, a, tokens)
        own = headlight_turn(a, tokens)
        flops, ours = own["flops"], own["median_s"]
        turns.append({
            "torch_s": theirs, "headlight_s": ours, "ratio": theirs / ours,
            "torch_flops_per_s": flops / theirs, "headlight_flops_per_s": flops / ours,
            "torch_of_its_ceiling": flops / theirs / their_ceiling, "headlight_of_its_ceiling": own["achieved"]["of_matrix_ceiling"],
            "torch_ceiling_flops_per_s": their_ceiling, "headlight_ceiling_flops_per_s": own["ceilings"]["flops_per_s"],
        })
    row = {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}
    return {"tokens": tokens, "flops": flops, "device": own["device"], **row, "ratios": sorted(turn["ratio"] for turn in turns)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True, help="the program")
    parser.add_argument("--tokens", default="32,128,512")
    for name, size in (("layers", 12), ("d", 768), ("heads", 12), ("turns", 5)):
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=2.0, help="of each program in each turn")
    parser.add_argument("--aim", type=float, default=1.3)
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    sizes = [int(text) for text in a.tokens.split(",")]
    if min(a.layers, a.d, a.heads, a.turns, a.threads, *sizes) < 1 or a.d % a.heads or a.d % 2:
        parser.error("sizes are 1 or more, and d is an even multiple of the heads")
    torch.set_num_threads(a.threads)
    missed = False
    rows = []
    with torch.no_grad():
        model = Model(a)
        for tokens in sizes:
            row = measured(a, model, tokens)
            rows.append(row)
            missed = missed or row["ratio"] < a.aim
            if a.json:
                continue
            if len(rows) == 1:
                print(f"torch {torch.__version__} and {row['device']}; {a.layers} layers, d {a.d}, {a.heads} heads; medians of {a.turns} turns")
            print(f"{tokens:5d} tokens: PyTorch {row['torch_s'] * 1e3:7.1f} ms ({row['torch_flops_per_s'] * 1e-9:5.1f} GFLOP/s, "
                  f"{100 * row['torch_of_its_ceiling']:3.0f}% of its {row['torch_ceiling_flops_per_s'] * 1e-9:.0f}), "
                  f"Headlight {row['headlight_s'] * 1e3:7.1f} ms ({row['headlight_flops_per_s'] * 1e-9:5.1f} GFLOP/s, "
                  f"{100 * row['headlight_of_its_ceiling']:3.0f}% of its {row['headlight_ceiling_flops_per_s'] * 1e-9:.0f}): "
                  f"ratio {row['ratio']:.2f} ({row['ratios'][0]:.2f} .. {row['ratios'][-1]:.2f}), at least {a.aim} wanted"
                  f"{'' if row['ratio'] >= a.aim else ': MISSED'}", flush=True)
    if a.json:
        print(json.dumps(rows, indent=2))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
