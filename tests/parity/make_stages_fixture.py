#!/usr/bin/env python3
"""Writes tests/data/tokenizers/stages.json: small tokenizers of every stage that tokenizer.json files have and Headlight reads, with
what the library `tokenizers` makes of some texts: ids, ids with special tokens as text (encode_special_tokens), and the ids' text without
and with special tokens.

usage: make_stages_fixture.py FILE        (needs tokenizers; made with 0.23.3)
"""
import json
import sys

import tokenizers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEXTS = ["", "the cat", "a <x>  cat<y> concat CAT.", "[MASK] the [MASK] cat[MASK]s", "The É 東京 cafe\u0301 ok", "don't  stop, it's 12345.67!",
         "  lead and trail  ", "tab\tnew\n\nline", "<x><x> <y>\u3000<y>a", "cat-cat cat_cat cat", "🙂 \u200d ½ ①Ⅷ ⓐ_x", "I'LL do not 'm n't (x) ?"]


def byte_pieces():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def token(content, **flags):
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": 0, "content": content, **plain, **flags}


def tokenizer(model, added=(), normalizer=None, pre=None, decoder=None, post=None):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added), "normalizer": normalizer,
            "pre_tokenizer": pre, "post_processor": post, "decoder": decoder, "model": model}


def bpe(vocab, merges=(), **options):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, **options,
            "vocab": {piece: i for i, piece in enumerate(vocab)}, "merges": [list(pair) for pair in merges]}


def sequence(key, *parts):
    return {"type": "Sequence", key: list(parts)}


WORDS = ["[UNK]", "the", "cat", "The", "CAT", "a", "concat", ".", ",", "<x>", "stop", "cafe", "ok", "x", "_", "don", "'", "t", "東", "京",
         "東京", "it", "s", "12345", "67", "-", "tab", "new", "line", "lead", "and", "trail", "I", "do", "not"]
WORD_LEVEL = {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {word: i for i, word in enumerate(WORDS)}}
PIECES = ["[UNK]", "[MASK]", "the", "cat", "con", "##cat", "##s", "caf", "##e", "##é", "É", "é", "e", "東", "京", "東京", "##京", ".", ",", "!",
          "?", "'", "don", "t", "stop", "it", "s", "a", "ok", "The", "CAT", "12345", "67", "i", "ll", "m", "n", "do", "not", "(", ")", "x"]
WORD_PIECE = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
              "vocab": {piece: i for i, piece in enumerate(PIECES)}}
LETTERS = [chr(c) for c in range(0x21, 0x7F)]
BYTES = bpe(byte_pieces() + ["th", "the", "Ġthe", "ca", "cat", "Ġc", "Ġcat", "don", "12", "123", "ĠĠ"],
            [("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("ca", "t"), ("Ġ", "c"), ("1", "2"), ("12", "3"), ("Ġ", "Ġ")])
FALLBACK = bpe([f"<0x{byte:02X}>" for byte in range(256)] + ["<unk>", "▁", *LETTERS, "th", "the", "▁the", "▁▁"],
               [("t", "h"), ("th", "e"), ("▁", "the"), ("▁", "▁")], unk_token="<unk>", fuse_unk=True, byte_fallback=True)
X, Y = token("<x>", lstrip=True), token("<y>", rstrip=True)
MASK = token("[MASK]")
WHITESPACE = {"type": "Whitespace"}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTE_LETTERS = {**BYTE_LEVEL, "use_regex": False}
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
BERT_PRE = {"type": "BertPreTokenizer"}
LOWER = {"type": "Lowercase"}


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def word_piece_decoder(cleanup):
    return {"type": "WordPiece", "prefix": "##", "cleanup": cleanup}


def metaspace(scheme, cuts=True):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cuts}


LLAMA2_DECODER = sequence("decoders", {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
                          {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0})
LLAMA2_NORMALIZER = sequence("normalizers", {"type": "Prepend", "prepend": "▁"},
                             {"type": "Replace", "pattern": {"String": " "}, "content": "▁"})


def all_tokenizers():
    yield "word level", tokenizer(WORD_LEVEL, [], pre=WHITESPACE)
    for flag in ("single_word", "lstrip", "rstrip", "normalized"):
        for special in (True, False):
            added = [token(content, special=special, **{flag: True}) for content in ("<x>", "cat", "[MASK]", "Éa")]
            yield f"{flag}, special {special}", tokenizer(WORD_LEVEL, added, normalizer=LOWER, pre=WHITESPACE)
    yield "overlapping", tokenizer(WORD_LEVEL, [token("<x>", rstrip=True), token("  ", special=False, normalized=True), token(" "),
                                                token("<x><x>"), token("<x> <y>")], pre={"type": "WhitespaceSplit"})
    for name, options in [("bert", {}), ("bert without Chinese", {"handle_chinese_chars": False}), ("bert cased", {"lowercase": False}),
                          ("bert with accents", {"strip_accents": False}), ("bert not cleaned", {"clean_text": False})]:
        yield name, tokenizer(WORD_PIECE, [MASK, X], normalizer={**BERT, **options}, pre=BERT_PRE,
                              decoder=word_piece_decoder(name != "bert cased"))
    yield "nfd, lowercase, strip accents", tokenizer(
        WORD_PIECE, [MASK], normalizer=sequence("normalizers", {"type": "NFD"}, LOWER, {"type": "StripAccents"}), pre=BERT_PRE,
        decoder=word_piece_decoder(True))
    yield "bert normalizer alone", tokenizer(WORD_PIECE, [], normalizer=BERT, pre={"type": "WhitespaceSplit"})
    yield "strip and replace", tokenizer(
        WORD_LEVEL, [Y], pre=WHITESPACE,
        normalizer=sequence("normalizers", {"type": "Strip", "strip_left": True, "strip_right": False},
                            {"type": "Replace", "pattern": {"Regex": r"c[a-z]t|\d+"}, "content": "the"}))
    yield "byte level", tokenizer(BYTES, [X, Y, token("[MASK]", normalized=True)], pre=BYTE_LEVEL, decoder=BYTE_LEVEL, post=BYTE_LEVEL)
    yield "byte level with a space", tokenizer(BYTES, [X, Y], pre={**BYTE_LEVEL, "add_prefix_space": True}, decoder=BYTE_LEVEL)
    yield "byte level uncut", tokenizer(BYTES, [token("    "), token("  ", special=False, normalized=True)], pre=BYTE_LETTERS,
                                        decoder=BYTE_LEVEL)
    for name, pattern in (("llama3", LLAMA3), ("qwen2", QWEN2), ("gpt4o", GPT4O)):
        model = {**BYTES, "ignore_merges": name == "llama3"}
        yield name, tokenizer(model, [X], normalizer={"type": "NFC"} if name == "qwen2" else None,
                              pre=sequence("pretokenizers", split(pattern), BYTE_LETTERS), decoder=BYTE_LEVEL)
    yield "starcoder", tokenizer(BYTES, [Y], pre=sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, BYTE_LEVEL),
                                 decoder=BYTE_LEVEL)
    for scheme in ("always", "first", "never"):
        for cuts in (True, False):
            yield f"metaspace {scheme} {cuts}", tokenizer(FALLBACK, [X, token("</s>", rstrip=True, special=False)],
                                                          pre=metaspace(scheme, cuts), decoder=metaspace(scheme))
    yield "llama 2", tokenizer(FALLBACK, [X, Y], normalizer=LLAMA2_NORMALIZER, decoder=LLAMA2_DECODER)
    for fuse in (True, False):
        yield f"characters, fused {fuse}", tokenizer(
            bpe(["<unk>", *LETTERS, "th", "the"], [("t", "h"), ("th", "e")], unk_token="<unk>", fuse_unk=fuse), [Y], pre=WHITESPACE)
    yield "end of word", tokenizer(
        bpe([*byte_pieces(), *(piece + "</w>" for piece in byte_pieces()), "th", "the</w>"], [("t", "h"), ("th", "e</w>")],
            end_of_word_suffix="</w>"), [X], normalizer=LOWER, pre=BYTE_LEVEL, decoder=BYTE_LEVEL)
    yield "end of word, letters", tokenizer(
        bpe(["<unk>", *LETTERS, *(letter + "</w>" for letter in LETTERS), "th", "the</w>"], [("t", "h"), ("th", "e</w>")],
            unk_token="<unk>", end_of_word_suffix="</w>"), [X], pre={"type": "WhitespaceSplit"},
        decoder={"type": "BPEDecoder", "suffix": "</w>"})
    yield "inside of word", tokenizer(
        bpe(["<unk>", *LETTERS, *("##" + letter for letter in LETTERS), "th", "the"], [("t", "##h"), ("th", "##e")], unk_token="<unk>",
            continuing_subword_prefix="##"), [X], pre=WHITESPACE, decoder=word_piece_decoder(False))
    behaviors = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
    pieces = ["[UNK]", "cat", "-cat", "cat-", "-", "cat_cat", "a", "ca", "t", "--"]
    model = {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {piece: i for i, piece in enumerate(pieces)}}
    for behavior in behaviors:
        yield f"punctuation {behavior}", tokenizer(model, pre={"type": "Punctuation", "behavior": behavior})
        for invert in (False, True):
            yield f"split {behavior} {invert}", tokenizer(model, pre=split(r"[-\s]", behavior, invert))
    yield "delimiter", tokenizer(model, pre=sequence("pretokenizers", {"type": "CharDelimiterSplit", "delimiter": " "},
                                                     {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": False}))
    yield "digits", tokenizer(WORD_LEVEL, pre=sequence("pretokenizers", WHITESPACE, {"type": "Digits", "individual_digits": False}))


def main():
    out = {"made_with": f"tokenizers {tokenizers.__version__}", "tokenizers": []}
    for name, made in all_tokenizers():
        theirs, plain = tokenizers.Tokenizer.from_str(json.dumps(made)), tokenizers.Tokenizer.from_str(json.dumps(made))
        plain.encode_special_tokens = True
        cases = []
        for text in TEXTS:
            ids = theirs.encode(text, add_special_tokens=False).ids
            case = {"text": text, "ids": ids, "plain": plain.encode(text, add_special_tokens=False).ids}
            without, special = theirs.decode(ids), theirs.decode(ids, skip_special_tokens=False)
            if "\ufffd" not in special:  # half a character, of which Headlight keeps the bytes
                case |= {"decoded": without, "special": special}
            cases.append(case)
        out["tokenizers"].append({"name": name, "tokenizer": made, "cases": cases})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write('{"made_with": ' + json.dumps(out["made_with"]) + ', "tokenizers": [\n')
        file.write(",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in out["tokenizers"]) + "\n]}\n")


if __name__ == "__main__":
    main()
