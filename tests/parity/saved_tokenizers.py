#!/usr/bin/env python3
"""Trains every kind of tokenizer here, and compares what the library tokenizers makes of the tokenizer.json that is saved.

usage: saved_tokenizers.py HEADLIGHT [TEXTS [SEED]]

Compared are the ids of TEXTS random ones (4,000), mixed from letters, marks, conjuncts, syllables of Hangul, emoji, flags, controls and
line ends, and the texts of these ids. Exit status 1: a text differs; 77: tokenizers or HEADLIGHT_PARITY_DATA is missing.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import tokenizers
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("HEADLIGHT_PARITY_DATA"):
    print("HEADLIGHT_PARITY_DATA is not set", file=sys.stderr)
    sys.exit(77)

SCRIPTS = [(0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xEFF),
           (0x1000, 0x11FF), (0x1780, 0x17FF), (0x1B00, 0x1B7F), (0x2000, 0x206F), (0x2600, 0x27BF), (0x3040, 0x30FF), (0x4E00, 0x9FFF),
           (0xAC00, 0xD7A3), (0xFE00, 0xFE0F), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1FAFF), (0x1F3FB, 0x1F3FF), (0x110BD, 0x110CD),
           (0xE0020, 0xE007F), (0x1, 0x1F), (0x1, 0xD7FF), (0x10000, 0x1FFFF)]
JOINERS = ["\u200d", "\u094d", "\u09cd", "\u0d4d", "\u1039", "\u17d2", "\ufe0f", "\u0301", "\r\n", "\n", " "]
BATCH = 500


def random_texts(count, seed):
    choose = random.Random(seed)
    for _ in range(count):
        scripts = choose.sample(SCRIPTS, choose.randint(1, 4))
        yield "".join(chr(choose.randint(*choose.choice(scripts))) + (choose.choice(JOINERS) if choose.random() < 0.15 else "")
                      for _ in range(choose.randint(1, 25)))


def main():
    program = sys.argv[1]
    texts = list(random_texts(int(sys.argv[2]) if len(sys.argv) > 2 else 4000, int(sys.argv[3]) if len(sys.argv) > 3 else 1))
    corpus = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"]) / "udhr/articles.tsv"
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        for kind in ("characters", "words", "bpe", "wordpiece", "unigram"):
            folder = pathlib.Path(name) / kind
            subprocess.run([program, "train-tokenizer", kind, "--corpus", corpus, "--vocab-size", "3000", "--out", folder], check=True,
                           stdout=subprocess.DEVNULL)
            library = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            differ = []
            for first in range(0, len(texts), BATCH):
                batch = texts[first:first + BATCH]
                said = subprocess.run([program, "tokenize", "--json", "--tokenizer", folder, "--", *batch], check=True,
                                      capture_output=True, text=True).stdout.splitlines()
                for text, line in zip(batch, said, strict=True):
                    ours = [token["id"] for token in json.loads(line)["tokens"]]
                    if ours != library.encode(text, add_special_tokens=False).ids:
                        differ.append(text)
            print(f"{kind}: {len(differ)} of {len(texts)} texts differ from tokenizers {tokenizers.__version__}",
                  *(repr(text) for text in differ[:3]))
            worst = max(worst, len(differ))
    sys.exit(1 if worst else 0)


main()
