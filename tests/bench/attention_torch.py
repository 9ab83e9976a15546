#!/usr/bin/env python3
"""PyTorch's attention at the sizes of tests/gpu/gpu_bench.cpp: eager with its maps, and each of its fused kernels by name.

usage: attention_torch.py [--device cuda|cpu] [--json]

Rows in the form of `headlight bench --json`. Four sets of inputs are used in turn. Times are medians, by device events behind a gate
(device_clock.py); on a CPU by the steady clock.
Exit status 77: PyTorch is missing.
"""
import argparse
import json
import math
import sys
import time

try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:
    print("skipped: this Python has no PyTorch 2.3 or newer", file=sys.stderr)
    sys.exit(77)

from device_clock import Gate

HEADS, WIDTH, SETS, WARM_UP, RUNS = 12, 64, 4, 10, 60


def eager_maps(q, k, v):
    weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


def fused(backend):
    def run(q, k, v):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v)
    return run


def seconds_of(work, sets, device):
    taken = []
    gate = Gate() if device == "cuda" else None
    for turn in range(WARM_UP + RUNS):
        arrays = sets[turn % SETS]
        if device == "cuda":
            took = gate.timed(lambda: work(*arrays))
        else:
            start = time.perf_counter()
            work(*arrays)
            took = time.perf_counter() - start
        if turn >= WARM_UP:
            taken.append(took)
    return sorted(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--lengths", default="128,256,512,1024,2048,4096")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("attention_torch.py: PyTorch sees no GPU", file=sys.stderr)
        return 1
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    rows, missing = [], []
    lengths = [int(n) for n in options.lengths.split(",")]
    ways = [("eager:maps", eager_maps, [1024])]
    if options.device == "cuda":
        ways += [("efficient", fused(SDPBackend.EFFICIENT_ATTENTION), lengths), ("flash", fused(SDPBackend.FLASH_ATTENTION), lengths),
                 ("cudnn", fused(SDPBackend.CUDNN_ATTENTION), lengths)]
    else:
        ways += [("sdpa", F.scaled_dot_product_attention, lengths)]
    with torch.no_grad():
        for precision, kind, tf32 in (("float32", torch.float32, False), ("tf32", torch.float32, True), ("bf16", torch.bfloat16, False)):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            for variant, work, sizes in ways:
                for length in sizes:
                    torch.manual_seed(length)
                    sets = [[torch.randn(1, HEADS, length, WIDTH, device=options.device).to(kind) for _ in "qkv"] for _ in range(SETS)]
                    try:
                        taken = seconds_of(work, sets, options.device)
                    except RuntimeError as error:  # this way does not do this precision
                        missing.append(f"{variant} in {precision}: {str(error).splitlines()[0]}")
                        break
                    out = work(*sets[0])
                    made = out[0] if isinstance(out, tuple) else out
                    exact = eager_maps(*(x[:, :1].double() for x in sets[0]))[0]
                    apart = (made[:, :1].double() - exact)
                    at = lambda share: taken[round(share * (len(taken) - 1))]
                    row = {"what": "attention", "variant": f"PyTorch {torch.__version__}:{variant}", "mode": "per-call",
                                 "backend": "torch", "device": name, "precision": precision,
                                 "sizes": {"heads": HEADS, "length": length, "d": WIDTH}, "median_s": at(0.5), "p10_s": at(0.1),
                                 "p90_s": at(0.9), "p99_s": at(0.99), "runs": len(taken), "flops": 4.0 * HEADS * length * length * WIDTH,
                                 "bytes": 0.0, "error": {"mean_abs": apart.abs().mean().item(), "max_abs": apart.abs().max().item(),
                                                         "relative": (apart.norm() / exact.norm()).item()}}
                    rows.append(row)
                    if options.json:  # a line each, at once: who is stopped in the middle has printed what there was
                        print(("[\n" if len(rows) == 1 else ",") + json.dumps(row), flush=True)
    for line in dict.fromkeys(missing):
        print("not there: " + line, file=sys.stderr)
    if options.json:
        print("]" if rows else "[]")
    else:
        for row in rows:
            print(f"{row['variant']:36s} {row['precision']:8s} L={row['sizes']['length']:<5d} {row['median_s'] * 1e6:10.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
