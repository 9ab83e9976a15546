#!/usr/bin/env python3
"""Random texts with added tokens at odd places, cut by `headlight tokenize` and by the packages tokenizers and tiktoken.

usage: added_tokens.py HEADLIGHT FOLDER [--texts N] [--seed S]

FOLDER: one to write into. The texts put special and added tokens beside letters, spaces of all kinds, other scripts, halves of
themselves and each other. The tokenizers are those of HEADLIGHT_PARITY_DATA and variants of them with every combination of the flags
lstrip, rstrip, single_word, normalized and special. Compared are ids, ids with special tokens as text (encode_special_tokens against
--plain), and the texts that decoding gives with and without special tokens. With tokenizers 0.23.3 and tiktoken 0.14.0 and 400 texts
each there are no differences. Exit status 77: a package or the data is missing.
"""
import argparse
import base64
import itertools
import json
import os
import pathlib
import random
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

DATA = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"])
BREAKS = ["\n", "\r\n", " \n"]
SPACES = [" ", "  ", "    ", "\t", "\v", "\u0085", "\u00a0", "\u2003", "\u3000", "\u200b", ""]
WORDS = ["a", "cat", "The", "concat", "cats", "x1", "_", "é", "e\u0301", "ß", "東京", "ア", "नमस्ते", "مرحبا", "👩‍👩‍👧", "🇩🇪", "don't", "I'LL",
         "12345.67", "!?", "...", "'s", "\u0301", "İ", "K", "\u200d", "ⓐ", "foo_bar", "▁", "##x", "</w>", "Ġ", "<0x0A>", "\ufffd", "\u0001"]
GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
CL100K = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
          r"""|\s+(?!\S)|\s+""")


def text_of(draw, names, breaks=False):
    parts = []
    for _ in range(draw.randrange(1, 9)):
        kind = draw.random()
        name = draw.choice(names)
        if kind < 0.4:
            parts.append(name)
        elif kind < 0.5:  # a part of one, in another case
            begin = draw.randrange(len(name) + 1)
            part = name[begin:draw.randrange(begin, len(name) + 1)]
            parts.append(draw.choice([part, part.upper(), part.lower()]))
        elif kind < 0.75:
            parts.append(draw.choice(SPACES + BREAKS if breaks else SPACES))
        else:
            parts.append(draw.choice(WORDS))
    return "".join(parts)


def run(headlight, *arguments, given=None):
    done = subprocess.run([headlight, *arguments], input=given, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


def ours(headlight, folder, tokenizer, texts, *options):
    """The ids of each text. One with a newline is read from standard input, for the others a line of one file is a text."""
    ids = []
    simple = [text for text in texts if "\n" not in text and "\r" not in text and text]
    file = folder / "texts.txt"
    file.write_bytes("".join(text + "\n" for text in simple).encode())
    lines = iter(run(headlight, "tokenize", "--tokenizer", tokenizer, "--ids", "--text-file", str(file), *options).decode().split("\n"))
    for text in texts:
        if "\n" in text or "\r" in text or not text:
            line = run(headlight, "tokenize", "--tokenizer", tokenizer, "--ids", *options, "-", given=text.encode()).decode()
        else:
            line = next(lines)
        ids.append([int(word) for word in line.split()])
    return ids


def decoded(headlight, tokenizer, ids, *options):
    lines = "".join(" ".join(map(str, one)) + "\n" for one in ids).encode()
    out = run(headlight, "decode", "--tokenizer", tokenizer, "--json", *options, "-", given=lines).decode()
    return [json.loads(line) for line in out.split("\n")[:-1]]


def is_whole(text):
    """Half a character is a replacement sign, of which each program writes its own number."""
    return "\ufffd" not in text


class Compared:
    def __init__(self):
        self.different = self.panics = 0

    def compare(self, what, inputs, got, wanted):
        assert len(got) == len(wanted) == len(inputs), (what, len(got), len(wanted))
        other = [(i, a, b) for i, a, b in zip(inputs, got, wanted) if a != b]
        self.different += len(other)
        print(f"{what}: {len(inputs)} compared, {len(other)} different")
        for one in other[:4]:
            print("   ", *(repr(part)[:150] for part in one), sep="\n      ")

    def is_read(self, theirs, text):
        """False: the library panics, where a token took all the whitespace that the next one is made of."""
        try:
            theirs.encode(text)
            return True
        except BaseException as problem:
            if "bad split" not in str(problem):
                raise
            self.panics += 1
            return False

    def by_tokenizers(self, headlight, folder, name, file, texts):
        theirs = tokenizers.Tokenizer.from_file(str(file))
        theirs.no_truncation()
        theirs.no_padding()
        texts = [text for text in texts if self.is_read(theirs, text)]
        wanted = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
        self.compare(f"{name} ids", texts, ours(headlight, folder, str(file), texts), wanted)
        for special in (False, True):
            pairs = [(ids, text) for ids in wanted
                     if is_whole(text := theirs.decode(ids, skip_special_tokens=not special))]
            got = decoded(headlight, str(file), [ids for ids, _ in pairs], *(["--special"] if special else []))
            self.compare(f"{name} decode{' --special' if special else ''}", [ids for ids, _ in pairs], got,
                         [text for _, text in pairs])
        theirs.encode_special_tokens = True
        self.compare(f"{name} ids --plain", texts, ours(headlight, folder, str(file), texts, "--plain"),
                     [theirs.encode(text, add_special_tokens=False).ids for text in texts])


def variants(folder):
    """Tokenizers with tokens of every combination of flags."""
    bases = {"bert": DATA / "tokenizer-json/bert-base-uncased.json", "gpt2": DATA / "user-cases/added_plain.json",
             "qwen2": DATA / "user-cases/qwen2_style.json", "llama2": DATA / "user-cases/llama2_metaspace_first.json"}
    flags = ["single_word", "lstrip", "rstrip", "normalized", "special"]
    contents = ["<x>", "cat", "  ", "    ", "Éa", "<x><y>", "a b", "[T]", " z", "_w", "東"]
    draw = random.Random(7)
    for base, file in bases.items():
        plain = json.loads(file.read_text(encoding="utf-8"))
        for number, values in enumerate(itertools.product([False, True], repeat=len(flags))):
            if number % 4 != len(base) % 4:  # eight combinations each, others for each base
                continue
            made = json.loads(json.dumps(plain))
            known = {token["content"] for token in made["added_tokens"]}
            for content in draw.sample([one for one in contents if one not in known], 6):
                chosen = dict(zip(flags, values))
                flipped = draw.choice(flags)
                chosen[flipped] = not chosen[flipped]
                made["added_tokens"].append({"id": 900000 + len(made["added_tokens"]), "content": content, **chosen})
            path = folder / f"{base}-{number}" / "tokenizer.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
            yield f"{base} flags {number}", path


def neox(folder):
    """GPT-2 with the runs of spaces that GPT-NeoX has as added tokens, normalised by NFC."""
    made = json.loads((DATA / "tokenizer-json/gpt2.json").read_text(encoding="utf-8"))
    made["normalizer"] = {"type": "NFC"}
    for count in range(24, 1, -1):
        made["added_tokens"].append({"id": 0, "content": " " * count, "single_word": False, "lstrip": False, "rstrip": False,
                                     "normalized": True, "special": False})
    path = folder / "neox" / "tokenizer.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    return path


def by_tiktoken(name, pattern, specials):
    lines = (DATA / "tiktoken" / (name + ".tiktoken")).read_bytes().split(b"\n")
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines if line}
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlight")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    draw = random.Random(options.seed)
    compared = Compared()
    files = [(path.stem, path) for path in sorted((DATA / "user-cases").glob("*.json")) if path.stem != "expected-ids"]
    files += [(name, DATA / f"tokenizer-json/{name}.json") for name in ("bert-base-uncased", "roberta-base", "gpt2", "phi-3-mini")]
    files += [("neox", neox(options.folder)), *variants(options.folder)]
    for name, file in files:
        names = [token["content"] for token in json.loads(file.read_text(encoding="utf-8"))["added_tokens"]]
        texts = [text_of(draw, names + ["[MASK]", "<s>", "<|im_start|>", "    "], i % 50 == 0) for i in range(options.texts)]
        compared.by_tokenizers(options.headlight, options.folder, name, file, texts)
    for name, pattern, specials in [
            ("gpt2", GPT2, {"<|endoftext|>": 50256}),
            ("cl100k_base", CL100K, {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259,
                                     "<|fim_suffix|>": 100260, "<|endofprompt|>": 100276})]:
        encoding, file = by_tiktoken(name, pattern, specials), str(DATA / "tiktoken" / (name + ".tiktoken"))
        texts = [text_of(draw, list(specials), i % 50 == 0) for i in range(options.texts)]
        compared.compare(f"{name}.tiktoken ids", texts, ours(options.headlight, options.folder, file, texts),
                         [encoding.encode(text, allowed_special="all") for text in texts])
        compared.compare(f"{name}.tiktoken ids --plain", texts, ours(options.headlight, options.folder, file, texts, "--plain"),
                         [encoding.encode(text, disallowed_special=()) for text in texts])
    print(f"{compared.different} different; {compared.panics} texts that the library cannot read")
    sys.exit(1 if compared.different else 0)


if __name__ == "__main__":
    main()
