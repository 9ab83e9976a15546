#!/usr/bin/env python3
"""Trains a unigram model here and by sentencepiece on the same text, and compares the pieces and how likely they make the text.

usage: unigram_training.py HEADLIGHT FOLDER CORPUS [--vocab-size N]

FOLDER: one to write into. Required are 95 % of sentencepiece's pieces, and its log likelihood of the text (that of the best cuts) within
0.5 %. Exit status 77: sentencepiece or tokenizers is missing.
"""
import argparse
import json
import pathlib
import subprocess
import sys

try:
    import sentencepiece
    import tokenizers
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)

MOST_LINES = 6000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlight")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--vocab-size", type=int, default=8000)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    ours, theirs = options.folder / "ours", options.folder / "theirs"
    subprocess.run([options.headlight, "train-tokenizer", "unigram", "--corpus", str(options.corpus), "--vocab-size",
                    str(options.vocab_size), "--out", str(ours)], check=True)
    # Its three special pieces and our four.
    sentencepiece.SentencePieceTrainer.train(input=str(options.corpus), model_prefix=str(theirs), vocab_size=options.vocab_size - 1,
                                             model_type="unigram", minloglevel=2, max_sentence_length=1 << 20)
    model = sentencepiece.SentencePieceProcessor(model_file=f"{theirs}.model")
    wanted = {model.id_to_piece(i): model.get_score(i) for i in range(3, model.get_piece_size())}
    file = ours / "tokenizer.json"
    got = dict(json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"][4:])
    library = tokenizers.Tokenizer.from_file(str(file))
    lines = options.corpus.read_text(encoding="utf-8").split("\n")
    lines = lines[::max(1, len(lines) // MOST_LINES)]

    def likelihood(scores, cuts):
        least = min(scores.values()) - 10  # of what is unknown
        return sum(scores.get(piece, least) for cut in cuts for piece in cut)

    ours_sum = likelihood(got, [one.tokens for one in library.encode_batch(lines, add_special_tokens=False)])
    theirs_sum = likelihood(wanted, model.encode(lines, out_type=str))
    shared = len(got.keys() & wanted.keys()) / len(wanted)
    print(f"{options.corpus.name}, {options.vocab_size} pieces: {100 * shared:.2f} % of sentencepiece {sentencepiece.__version__}'s pieces, "
          f"log likelihood {ours_sum:.0f} against {theirs_sum:.0f} ({100 * (ours_sum / theirs_sum - 1):+.2f} %)")
    sys.exit(0 if shared >= 0.95 and abs(ours_sum / theirs_sum - 1) <= 0.005 else 1)


main()
