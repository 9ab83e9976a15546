#!/usr/bin/env python3
"""Ids of tokenizers in GGUF files as `headlight tokenize` cuts texts, against the packages tokenizers and sentencepiece.

usage: gguf_tokenizers.py HEADLIGHT FOLDER [MODEL.gguf ...]

FOLDER: one to write into. Byte-level BPE: GPT-2's vocabulary from HEADLIGHT_PARITY_DATA under every named pre-tokenizer, and the
tokenizers of the given files. SentencePiece: a BPE that is trained here, with and without a space before the text, and with repeated
letters, whose merges tie. All of 10,804 texts agreed with tokenizers 0.23.3 and sentencepiece 0.2.3 (gguf 0.19.0), for the named
pre-tokenizers, SmolLM2-135M-Instruct and both trained vocabularies. Exit status 77: something is missing.
"""
import json
import os
import pathlib
import subprocess
import sys

try:
    import gguf
    import sentencepiece
    import tokenizers
    from tokenizers import Regex, decoders, models, pre_tokenizers
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("HEADLIGHT_PARITY_DATA"):
    print("skipped: HEADLIGHT_PARITY_DATA is not set", file=sys.stderr)
    sys.exit(77)

headlight, folder = sys.argv[1], pathlib.Path(sys.argv[2])
data = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"])
folder.mkdir(parents=True, exist_ok=True)
CL100K = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{DIGITS}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


LAST = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
NAMED = {
    "gpt-2": [GPT2],
    "smollm": [pre_tokenizers.Digits(individual_digits=True), GPT2],
    "llama-bpe": [split(CL100K.replace("DIGITS", "1,3")), LAST],
    "qwen2": [split(CL100K.replace("{DIGITS}", "")), LAST],
    "default": [split(r"[\p{P}\$\+<=>\^~\|]+"),
                split(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"), split(r"\p{N}+"),
                split("[0-9][0-9][0-9]"), LAST],
}


def collected():
    lines = [line.split("\t")[-1] for line in (data / "udhr/article1.tsv").read_text(encoding="utf-8").split("\n")]
    for file in sorted((data / "text-stress").rglob("*.txt")):
        try:
            lines += file.read_bytes().decode("utf-8").split("\n")[:1500]
        except UnicodeDecodeError:
            continue
    lines += ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a  b   c    d\t\te", "1 12 123 1234 12345", "'s 'S don't DON'T", "x=-1;$5+^~|<>"]
    return [line for line in lines if line and "\r" not in line and "\0" not in line]


def ours(file, lines):
    done = subprocess.run([headlight, "tokenize", "--tokenizer", str(file), "--ids", "--text-file", "-"],
                          input="\n".join(lines) + "\n", text=True, capture_output=True, check=True)
    return [[int(word) for word in line.split()] for line in done.stdout.split("\n")[:len(lines)]]


def compare(name, file, lines, theirs):
    rows = zip(lines, ours(file, lines), map(theirs, lines), strict=True)
    differing = [(line, mine, other) for line, mine, other in rows if mine != other]
    print(f"{name}: {len(lines) - len(differing)} of {len(lines)} texts agree")
    for line, mine, other in differing[:5]:
        print(f"  {line!r}\n    ours   {mine}\n    theirs {other}")
    return len(differing)


def write(file, model, tokens, types, pre=None, merges=None, scores=None, prefix=None):
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if pre is not None:
        writer.add_tokenizer_pre(pre)
    if merges is not None:
        writer.add_token_merges(merges)
    if scores is not None:
        writer.add_token_scores(scores)
    if prefix is not None:
        writer.add_add_space_prefix(prefix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def byte_level(tokens, types, merges, pre):
    vocabulary = {token: i for i, token in enumerate(tokens)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    made = tokenizers.Tokenizer(models.BPE(vocabulary, pairs, ignore_merges=pre == "llama-bpe"))
    made.pre_tokenizer = pre_tokenizers.Sequence(NAMED[pre])
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([token for token, kind in zip(tokens, types, strict=True) if kind == 3])
    made.add_tokens([token for token, kind in zip(tokens, types, strict=True) if kind == 4])
    return lambda text: made.encode(text, add_special_tokens=False).ids


def main():
    lines = collected()
    wrong = 0
    gpt2 = json.loads((data / "tokenizer-json/gpt2.json").read_text(encoding="utf-8"))
    tokens = [token for token, _ in sorted(gpt2["model"]["vocab"].items(), key=lambda item: item[1])]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in gpt2["model"]["merges"]]
    types = [3 if token == "<|endoftext|>" else 1 for token in tokens]
    for pre in NAMED:
        file = folder / f"{pre}.gguf"
        write(file, "gpt2", tokens, types, pre, merges)
        wrong += compare(pre, file, lines, byte_level(tokens, types, merges, pre))
    for path in sys.argv[3:]:
        fields = gguf.GGUFReader(path).fields
        own = {key: fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges", "pre")}
        theirs = byte_level(own["tokens"], own["token_type"], own["merges"], own["pre"])
        wrong += compare(path, path, [*lines, "a<|im_start|>b <|im_end|>"], theirs)
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(lines + ["aaa aaaa aaaaa aaaaaa", "----- -------", "...... ....", "    x        y"] * 50), encoding="utf-8")
    for prefix in (True, False):
        name = folder / f"sentences-{prefix}"
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus), model_prefix=str(name), vocab_size=3000, model_type="bpe", byte_fallback=True, character_coverage=0.98,
            add_dummy_prefix=prefix, normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
        model = sentencepiece.SentencePieceProcessor(model_file=f"{name}.model")
        count = range(model.get_piece_size())
        types = [2 if model.is_unknown(i) else 3 if model.is_control(i) else 6 if model.is_byte(i) else 1 for i in count]
        write(f"{name}.gguf", "llama", [model.id_to_piece(i) for i in count], types, "default",
              scores=[model.get_score(i) for i in count], prefix=prefix)
        # A control token in a text is one for us, and letters for sentencepiece.
        plain = [line for line in lines if "<s>" not in line and "</s>" not in line and "<unk>" not in line]
        wrong += compare(f"sentencepiece, prefix {prefix}", f"{name}.gguf", plain, model.encode)
    sys.exit(1 if wrong else 0)


main()
