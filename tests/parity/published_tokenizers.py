#!/usr/bin/env python3
"""Ids of published tokenizers as `headlight tokenize` cuts texts, against the packages tiktoken and tokenizers.

usage: published_tokenizers.py HEADLIGHT FOLDER

FOLDER: one to write into. The texts, the article of human rights in 531 languages and collections of Unicode's difficulties, and the
tokenizers' files come from HEADLIGHT_PARITY_DATA. Agreed in all of 14,435 texts with tiktoken 0.14.0 and tokenizers 0.23.3.
Exit status 77: a package or the data is missing.
"""
import base64
import os
import pathlib
import subprocess
import sys

try:
    import tiktoken
    import tokenizers
except ImportError:
    print("skipped: this Python has no tiktoken or no tokenizers", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("HEADLIGHT_PARITY_DATA"):
    print("skipped: HEADLIGHT_PARITY_DATA is not set", file=sys.stderr)
    sys.exit(77)

GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
CL100K = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
          r"""|\s+(?!\S)|\s+""")
headlight, folder = sys.argv[1], pathlib.Path(sys.argv[2])
data = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"])


def collected():
    lines = [line.split("\t")[-1] for line in (data / "udhr/article1.tsv").read_text(encoding="utf-8").split("\n")]
    for file in sorted((data / "text-stress").rglob("*.txt")):
        try:
            lines += file.read_bytes().decode("utf-8").split("\n")[:3000]
        except UnicodeDecodeError:
            continue  # what is no UTF-8 has no text in Python
    return [line for line in lines if line and "\r" not in line and "\0" not in line]


def ours(texts, name, plain):
    file = folder / "texts.txt"
    file.write_bytes("".join(text + "\n" for text in texts).encode())
    printed = subprocess.run([headlight, "tokenize", "--tokenizer", str(data / name), "--ids", "--text-file", str(file),
                              *(["--plain"] if plain else [])],
                             capture_output=True, text=True, check=True).stdout
    return [[int(word) for word in line.split()] for line in printed.split("\n")[:-1]]


def by_tiktoken(name, pattern):
    lines = (data / "tiktoken" / (name + ".tiktoken")).read_bytes().split(b"\n")
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines if line}
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: encoding.encode(text, disallowed_special=())


def by_tokenizers(tokenizer):
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def main():
    json = "tokenizer-json/{}.json"
    words = "bert-vocab/{}-vocab.txt"
    theirs = {"tiktoken/gpt2.tiktoken": by_tiktoken("gpt2", GPT2), "gpt2-bpe": by_tiktoken("gpt2", GPT2),
              "tiktoken/cl100k_base.tiktoken": by_tiktoken("cl100k_base", CL100K)}
    for name in ("bert-base-uncased", "roberta-base", "gpt2", "phi-3-mini"):
        theirs[json.format(name)] = by_tokenizers(tokenizers.Tokenizer.from_file(str(data / json.format(name))))
    for name in ("bert-base-cased", "bert-base-multilingual-cased"):
        file = words.format(name)
        theirs[file] = by_tokenizers(tokenizers.BertWordPieceTokenizer(str(data / file), lowercase=False))
    texts, failed = collected(), False
    for name, encode in theirs.items():
        got = ours(texts, name, "tiktoken" in name or name == "gpt2-bpe")  # tiktoken is asked to read special tokens as text
        assert len(got) == len(texts), (name, len(got), len(texts))
        other = [(text, ids, wanted) for text, ids in zip(texts, got) if ids != (wanted := encode(text))]
        print(f"{name}: {len(texts)} texts, {len(other)} different")
        for text, ids, wanted in other[:5]:
            print("  ", repr(text[:80]), ids[:12], wanted[:12])
        failed |= bool(other)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
