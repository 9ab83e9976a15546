#!/usr/bin/env python3
"""A training step of `headlight bench train` in eager PyTorch, timed in turns with Headlight.

usage: train_torch.py --headlight PROGRAM [--sizes 16x128x6x256x8x8192,32x32x2x64x4x1024] [--turns 5] [--seconds 4] [--threads N] [--json]

A size is BATCHxTOKENSxLAYERSxDxHEADSxVOCABULARY. Both train a causal decoder with normalisation first, projections with biases, a
feed-forward part of 4 d with GELU, sinusoidal positions and an output matrix tied to the embedding, in float32 on the same number of
threads: forward, backward, clipping by the global norm, AdamW. PyTorch uses its fused attention (scaled_dot_product_attention) and its
fused AdamW where it has one. Headlight also takes the step with products in bfloat16 where the processor has them. PyTorch computes for
`seconds`, then Headlight, both ways in turns, and so on. A turn's ratio is PyTorch's median over Headlight's; the ratio of a size and a
way is the median of its turns.
Exit status 77: PyTorch is missing.
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


class Block(torch.nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.mlp_norm = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)
        self.qkv, self.out = torch.nn.Linear(d, 3 * d), torch.nn.Linear(d, d)
        self.up, self.down = torch.nn.Linear(d, 4 * d), torch.nn.Linear(4 * d, d)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


class Decoder(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        _, tokens, layers, d, heads, vocabulary = size
        self.embedding = torch.nn.Embedding(vocabulary, d)
        torch.nn.init.normal_(self.embedding.weight, std=1 / math.sqrt(d))
        self.blocks = torch.nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(d)
        angle = torch.arange(tokens)[:, None] * torch.exp(-torch.arange(0, d, 2) * math.log(10000.0) / d)
        self.register_buffer("positions", torch.stack((angle.sin(), angle.cos()), -1).reshape(tokens, -1))

    def forward(self, ids):
        x = self.embedding(ids) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embedding.weight.T


class Training:
    def __init__(self, size):
        torch.manual_seed(0)
        self.size, self.model = size, Decoder(size)
        try:
            self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
        except RuntimeError:
            self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
        batch, tokens, *_, vocabulary = size
        self.rows = [torch.randint(vocabulary, (batch, tokens + 1)) for _ in range(4)]

    def step(self, turn):
        rows = self.rows[turn % len(self.rows)]
        self.optimiser.zero_grad(set_to_none=True)
        F.cross_entropy(self.model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten()).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()


def medians(work, seconds):
    """The median time of `work`, called for `seconds` and at least three times; the first call is not counted."""
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 4 or time.perf_counter() < end:
        begin = time.perf_counter()
        work(len(taken))
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken[1:])


def headlight_turn(a, size):
    command = [a.headlight, "bench", "train", "--json", "--backend", "cpu", "--seconds", str(a.seconds)]
    for name, value in zip(("batch", "tokens", "layers", "d", "heads", "vocab"), size):
        command += ["--" + name, str(value)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HEADLIGHT_THREADS": str(a.threads)}, check=False)
    if done.returncode != 0:
        sys.exit(f"train_torch: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(a, size):
    training, ways = Training(size), {}
    for _ in range(a.turns):
        theirs = medians(training.step, a.seconds)
        for own in headlight_turn(a, size):
            turn = {"torch_s": theirs, "headlight_s": own["median_s"], "ratio": theirs / own["median_s"],
                    "torch_flops_per_s": own["flops"] / theirs, "headlight_flops_per_s": own["flops"] / own["median_s"]}
            ways.setdefault(own["precision"], (own, []))[1].append(turn)
    rows = []
    for precision, (own, turns) in ways.items():
        row = {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}
        rows.append({"size": "x".join(map(str, size)), "device": own["device"], "products": precision,
                     "parameters": own["sizes"]["parameters"], **row, "ratios": sorted(turn["ratio"] for turn in turns)})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--sizes", default="16x128x6x256x8x8192,32x32x2x64x4x1024")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    rows = [row for size in a.sizes.split(",") for row in measured(a, tuple(int(n) for n in size.split("x")))]
    if a.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"PyTorch {torch.__version__} against {rows[0]['device']}")
    for row in rows:
        print(f"{row['size']}, {row['parameters']} parameters, products in {row['products']}: PyTorch {row['torch_s'] * 1e3:.1f} ms, Headlight "
              f"{row['headlight_s'] * 1e3:.1f} ms ({1 / row['headlight_s']:.1f} steps/s, {row['headlight_flops_per_s'] * 1e-9:.0f} GFLOP/s), "
              f"{row['ratio']:.2f}x (turns {', '.join(f'{r:.2f}' for r in row['ratios'])})")


if __name__ == "__main__":
    main()
