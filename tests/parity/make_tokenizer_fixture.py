#!/usr/bin/env python3
"""Writes tests/data/tokenizers/published.json: the ids that the PyPI package `tokenizers` gives for our bundled BPE and
WordPiece vocabularies, for texts of many kinds. tests/unit/tokenizer_parity_test.cpp compares our ids with it.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3
    venv/bin/python tests/parity/make_tokenizer_fixture.py

Run it again whenever a bundled vocabulary changes.
"""
import json
import pathlib

import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = [
    "a fluffy blue creature roamed the verdant forest",
    "  leading and trailing  ",
    "I'll say it's done; they've gone, he'd stay, you're right, I'm here, don't!",
    "tabs\tand\n\nnew lines \n mixed\r\n",
    "x=3.14 + y_1 ** 2 != 'quoted' \"twice\" #tag @you",
    "naïve café, Größe, Ελλάδα, Привет, мир",
    "日本語のテキストと漢字、句読点。",
    "नमस्ते दुनिया مرحبا بالعالم",
    "👩‍🚀👨‍👩‍👧 🇩🇪 👍🏽 🏳️‍🌈",
    "e\u0301 E\u0301 \u1100\u1161\u11a8",
    "1234567890 ٣٤ ½ Ⅷ",
    "\u00a0no-break\u3000wide\u200bzero",
    "supercalifragilisticexpialidocious " * 4,
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "",
]


def ours(kind):
    return json.loads((ROOT / "assets/vocabularies" / kind / "headlight-tokenizer.json").read_text(encoding="utf-8"))


def bpe():
    data = ours("bpe")
    vocabulary = {piece: i for i, piece in enumerate(data["vocabulary"])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(pair) for pair in data["merges"]]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def wordpiece():
    data = ours("wordpiece")
    vocabulary = {piece: i for i, piece in enumerate(data["vocabulary"])}
    made = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    # As our "words" pre-tokenizer: each ideograph and each punctuation mark on its own, whitespace left out.
    ideographs = "[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]"
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(tokenizers.Regex(ideographs), "isolated"), pre_tokenizers.BertPreTokenizer()])
    return made


def main():
    result = {"package": "tokenizers", "version": tokenizers.__version__}
    for name, made in (("bpe", bpe()), ("wordpiece", wordpiece())):
        rows = []
        for text in TEXTS:
            rows.append({"text": text, "ids": made.encode(text).ids})
        result[name] = rows
    target = ROOT / "tests/data/tokenizers/published.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(target)


if __name__ == "__main__":
    main()
