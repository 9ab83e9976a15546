#!/usr/bin/env python3
"""A published model's run with every map kept, and one more token of it, timed in turns with transformers and llama.cpp.

usage: published_torch.py --headlight PROGRAM --model NAME|FOLDER --folder FOLDER [--tokens 12,64,128,512] [--turns 3] [--seconds 3]
                          [--threads N] [--token 64]

transformers loads the model from --folder (a GGUF is dequantised), computes in float32 with eager attention and
output_attentions=True, and is timed twice: with the scores of the next token at every place, and the layers alone. Headlight's time
goes from an edit of the sentence to the trace, which has no such scores: of the first word with every map kept (`bench forward`), which computes
every row, and of the middle and the last word (`bench keystroke`; maps above 64 MiB are computed when somebody looks). --token N: one more token of a text of N
tokens, `bench generate` against llama.cpp on the same GGUF, where this Python has llama_cpp. A turn's ratio is the peer's median over
Headlight's; the ratio of a size is the median of its turns. Exit status 77: transformers is missing.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

try:
    import torch
    import transformers
except ImportError:
    print("skipped: this Python has no transformers", file=sys.stderr)
    sys.exit(77)
from forward_torch import medians


def load(folder):
    kind = {"dtype": torch.float32, "attn_implementation": "eager"}
    if files := sorted(pathlib.Path(folder).glob("*.gguf")):
        return transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=files[0].name, **kind).eval()
    return transformers.AutoModel.from_pretrained(folder, **kind).eval()


def headlight(a, bench, tokens):
    command = [a.headlight, "bench", bench, "--json", "--backend", "cpu", "--seconds", str(a.seconds), "--tokens", str(tokens), "--model", a.model]
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**{k: v for k, v in os.environ.items() if k != "DISPLAY"}, "HEADLIGHT_THREADS": str(a.threads)})
    if done.returncode != 0:
        sys.exit(f"published_torch: {done.stderr.strip()}")
    return json.loads(done.stdout)


def forward_row(a, model, tokens):
    layers = getattr(model, "model", model)  # without the head, where there is one
    sentences = [torch.randint(0, model.config.vocab_size, (1, tokens), generator=torch.Generator().manual_seed(seed)) for seed in range(8)]
    kept = [None]  # the last run's result, as a trace is held until the next one is there

    def run(of, **more):
        def once(turn):
            kept[0] = of(sentences[turn % len(sentences)], output_attentions=True, **more)
        return medians(once, a.seconds)

    turns = []
    for _ in range(a.turns):
        cache = {"use_cache": False} if layers is not model else {}
        whole, alone = run(model, **cache), run(layers, **cache)
        own = headlight(a, "forward", tokens)[0]
        edits = {row["variant"]: row["median_s"] for row in headlight(a, "keystroke", tokens) if row["mode"] == "publish"}
        turns.append((whole, alone, own["median_s"], own["achieved"]["of_matrix_ceiling"], own["ceilings"]["flops_per_s"],
                      edits["middle word"], edits["last word"]))
    middle = [statistics.median(column) for column in zip(*turns)]
    ratios = sorted(turn[0] / turn[2] for turn in turns)
    print(f"{tokens:5d} tokens: transformers {middle[0] * 1e3:7.1f} ms, its layers alone {middle[1] * 1e3:7.1f} ms, Headlight "
          f"{middle[2] * 1e3:7.1f} ms ({100 * middle[3]:3.0f}% of {middle[4] * 1e-9:.0f} GFLOP/s): ratio {statistics.median(ratios):.2f} "
          f"({ratios[0]:.2f} .. {ratios[-1]:.2f}), layers alone {statistics.median(t[1] / t[2] for t in turns):.2f}", flush=True)
    for name, at in (("middle", 5), ("last", 6)):
        ratios = sorted(turn[0] / turn[at] for turn in turns)
        print(f"{'':14s}{name} word: Headlight {middle[at] * 1e3:7.1f} ms: ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} .. {ratios[-1]:.2f})",
              flush=True)


def token_row(a, folder):
    try:
        import llama_cpp
    except ImportError:
        llama_cpp = None
    file = str(sorted(pathlib.Path(folder).glob("*.gguf"))[0])
    peer = llama_cpp and llama_cpp.Llama(file, n_ctx=a.token + 512, n_threads=a.threads, n_threads_batch=a.threads, verbose=False)
    turns = []
    for _ in range(a.turns):
        theirs = float("nan")
        if peer:
            peer.reset()
            peer.eval([1 + i for i in range(a.token - 1)])
            taken = []
            for i in range(64):
                begin = time.perf_counter()
                peer.eval([200 + i])
                taken.append(time.perf_counter() - begin)
            theirs = statistics.median(taken)
        turns.append((theirs, headlight(a, "generate", a.token)[0]["median_s"]))
    theirs, ours = (statistics.median(column) for column in zip(*turns))
    by = f"llama.cpp ({llama_cpp.__version__}) {theirs * 1e3:.2f} ms, {1 / theirs:.0f} a second; " if peer else ""
    print(f"one more token at {a.token}: {by}Headlight {ours * 1e3:.2f} ms, {1 / ours:.0f} a second", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True, help="the program")
    parser.add_argument("--model", required=True, help="as Headlight names it")
    parser.add_argument("--folder", required=True, help="where its files are")
    parser.add_argument("--tokens", default="12,64,128,512")
    parser.add_argument("--token", type=int, default=0)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each program in each turn")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, {a.threads} threads; medians of {a.turns} turns", flush=True)
    if a.token:
        token_row(a, a.folder)
    with torch.no_grad():
        model = load(a.folder) if a.tokens else None
        for text in filter(None, a.tokens.split(",")):
            forward_row(a, model, int(text))


if __name__ == "__main__":
    main()
