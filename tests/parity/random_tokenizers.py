#!/usr/bin/env python3
"""Random tokenizers against the libraries that made them: tokenizer.json of random stages, and SentencePiece models of random options.

usage: random_tokenizers.py HEADLIGHT FOLDER [--first SEED] [--count N] [--texts N] [--kind tokenizers|sentencepiece]

FOLDER: one to write into. Each seed makes one tokenizer, trained on a few hundred lines, and random texts of all scripts, spaces, emoji
and the names of its added tokens. Compared are ids, offsets in characters, type ids of single texts and pairs, and the texts of these ids
and of random ones. What differs is printed with the stages. Exit status 77: a package or the data is missing.
"""
import argparse
import base64
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import whole_tokenizers as whole  # exits with 77 where a package is missing
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders as D, models as M, normalizers as N, pre_tokenizers as P, processors, trainers as T

CHARSMAP = base64.b64decode(json.loads((whole.DATA / "tokenizer-json/t5-small.json").read_text(encoding="utf-8"))["normalizer"]["precompiled_charsmap"])
BEHAVIORS = ["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]
PATTERNS = [r"\s+", r"\p{L}+", r"[^\s]+", r"\p{N}{1,3}", r"(?i:'s|'t)|\p{L}+|\s+", r"[aeiou]", r"\w+|[^\w\s]+", r"\b", r" ?\p{L}+", r"\d",
            r"(?<=a)b|x", r"\p{Lu}", r"[\r\n]+", r"(?=\p{Lu})", r"[^\p{L}]", r"\p{Han}|\p{Hiragana}+", r"^.", r".$", r"(\w)\1", r"\p{M}+",
            r"[[:punct:]]+", r"\h+", r"\R", r"[一-龥]", r"[\u0600-\u06FF]+", r"[a-z&&[^aeiou]]+", r"\A\w", r"\p{Emoji}", r"(?m)^\s*\w",
            r"\S+\z", r"(?x) a b", r"(?<!\w)\w{2}", r"a|ab", r"\p{^L}", r"\P{L}", r"\p{Greek}", r"\p{Latin}+", r".", r"\O", r"[^a]",
            r"(?>a+)a?", r"\p{Alpha}+", r"[[:alpha:]]", r"[[:space:]]+", r"[[:word:]]+", r"\p{L}{1,2}+", r"[\p{L}&&[^\p{Han}]]+", r"[^\S\n]"]
SPECIALS = ["<unk>", "<s>", "</s>", "<pad>"]
ADDED = ["<mask>", "<|end|>", "[SEP]", "the", " ab", "é", "É", "▁x", "\n", "  ", "Ġ", "foo bar", "ａ", "<s>", "東京", "e\u0301", "a", "İ", "THE",
         "##ing", "x\u0301"]


def normalizer(draw):
    return draw.choice([
        N.NFC, N.NFD, N.NFKC, N.NFKD, N.Lowercase, N.Lowercase, N.StripAccents, N.Nmt, N.ByteLevel, lambda: N.Precompiled(CHARSMAP),
        lambda: N.BertNormalizer(draw.random() < .5, draw.random() < .5, draw.choice([None, True, False]), draw.random() < .5),
        lambda: N.Replace(draw.choice(["a", "  ", " ", "the", "é", "\n", "ab", "."]), draw.choice(["", "▁", "xyz", " ", "é", "aa"])),
        lambda: N.Replace(Regex(draw.choice(PATTERNS)), draw.choice(["", "▁", "xyz", " ", "é", "\\1", "$1"])),
        lambda: N.Prepend(draw.choice(["▁", "ab", " ", "é"])), lambda: N.Strip(draw.random() < .5, draw.random() < .5),
        lambda: N.Sequence([normalizer(draw), normalizer(draw)]), lambda: N.Sequence([])])()


def splitter(draw):
    return draw.choice([
        P.Whitespace, P.WhitespaceSplit, P.BertPreTokenizer, P.Metaspace, lambda: P.ByteLevel(draw.random() < .5, use_regex=draw.random() < .5),
        lambda: P.Punctuation(draw.choice(BEHAVIORS)), lambda: P.Digits(draw.random() < .5), lambda: P.FixedLength(draw.randrange(1, 9)),
        lambda: P.Metaspace(draw.choice(["▁", "▁", "_", "é"]), draw.choice(["always", "first", "never"]), draw.random() < .6),
        lambda: P.Split(Regex(draw.choice(PATTERNS)), draw.choice(BEHAVIORS), invert=draw.random() < .3),
        lambda: P.Split(Regex(draw.choice(PATTERNS)), draw.choice(BEHAVIORS), invert=draw.random() < .3),
        lambda: P.Split(draw.choice(["a", " ", ".", "the", "é", "\n"]), draw.choice(BEHAVIORS), invert=draw.random() < .3),
        lambda: P.CharDelimiterSplit(draw.choice(["a", " ", "é", "\n", "."])), lambda: P.Sequence([splitter(draw), splitter(draw)])])()


def decoder(draw):
    return draw.choice([
        D.ByteLevel, D.ByteFallback, D.Fuse, D.Metaspace, lambda: D.WordPiece(draw.choice(["##", "", "a", "é"]), draw.random() < .5),
        lambda: D.Metaspace(draw.choice(["▁", "_", "é"]), draw.choice(["always", "first", "never"])),
        lambda: D.BPEDecoder(draw.choice(["</w>", "a", "é"])), lambda: D.Strip(draw.choice([" ", "▁", "a"]), draw.randrange(3), draw.randrange(3)),
        lambda: D.CTC(draw.choice(["<pad>", "a"]), draw.choice(["|", " ", "▁"]), draw.random() < .5),
        lambda: D.Replace(draw.choice(["▁", "a", "the", "Ġ"]), draw.choice([" ", "", "xy"])),
        lambda: D.Replace(Regex(draw.choice(["▁", "a+", "[aeiou]", r"\s", "^.", "Ġ"])), draw.choice([" ", "", "xy"])),
        lambda: D.Sequence([decoder(draw) for _ in range(draw.randrange(4))]),
        lambda: D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])])()


def processor(draw, tokenizer, names):
    def named():
        name = draw.choice(names)
        return name, tokenizer.token_to_id(name)

    def typed(name):
        return name + (f":{draw.randrange(3)}" if draw.random() < .5 else "")

    def parts(sentences):
        made = []
        for sentence in sentences:
            made += [typed(draw.choice(names)) for _ in range(draw.randrange(3))] + [typed("$" + sentence)]
        return made + [typed(draw.choice(names)) for _ in range(draw.randrange(3))]

    def template():
        return processors.TemplateProcessing(single=parts("A"), pair=parts(draw.choice(["AB", "AB", "BA"])),
                                             special_tokens=[(name, tokenizer.token_to_id(name)) for name in set(names)])
    return draw.choice([template, template, lambda: processors.BertProcessing(named(), named()),
                        lambda: processors.RobertaProcessing(named(), named(), draw.random() < .5, draw.random() < .5),
                        lambda: processors.ByteLevel(trim_offsets=draw.random() < .5),
                        lambda: processors.Sequence([processors.ByteLevel(trim_offsets=draw.random() < .5), template()])])()


def with_bytes(draw, tokenizer, kind):
    """The same with tokens for bytes."""
    plain = json.loads(tokenizer.to_str())
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    if kind == "unigram":
        plain["model"]["byte_fallback"] = True
        plain["model"]["vocab"] += [[name, -20 - i / 7] for i, name in enumerate(names)]
    else:
        for name in names:
            plain["model"]["vocab"].setdefault(name, max(plain["model"]["vocab"].values()) + 1)
    return Tokenizer.from_str(json.dumps(plain))


def random_tokenizer(draw, lines):
    kind = draw.choice(["bpe", "bpe", "wordpiece", "unigram", "unigram", "words"])
    size = draw.choice([400, 1000, 3000])
    common = dict(show_progress=False, special_tokens=SPECIALS)
    if kind == "bpe":
        affixes = draw.choice([{}] * 5 + [{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}])
        model = M.BPE(unk_token=draw.choice([None, "<unk>", "<unk>"]), fuse_unk=draw.random() < .5,
                      byte_fallback=not affixes and draw.random() < .4, ignore_merges=draw.random() < .3, **affixes)
        trainer = T.BpeTrainer(vocab_size=size, limit_alphabet=draw.choice([60, 400]),
                               initial_alphabet=P.ByteLevel.alphabet() if draw.random() < .3 else [], **common, **affixes)
    elif kind == "wordpiece":
        prefix = draw.choice(["##", "##", "é", "@@"])
        model = M.WordPiece(unk_token="<unk>", max_input_chars_per_word=draw.choice([3, 10, 100]), continuing_subword_prefix=prefix)
        trainer = T.WordPieceTrainer(vocab_size=size, continuing_subword_prefix=prefix, limit_alphabet=draw.choice([60, 400]), **common)
    elif kind == "unigram":
        model, trainer = M.Unigram(), T.UnigramTrainer(vocab_size=size + 5000, unk_token="<unk>", max_piece_length=draw.choice([4, 16]), **common)
    else:
        model, trainer = M.WordLevel(unk_token="<unk>"), T.WordLevelTrainer(vocab_size=size, **common)
    made = Tokenizer(model)
    if draw.random() < .75:
        made.normalizer = N.Sequence([normalizer(draw) for _ in range(draw.randrange(1, 4))])
    if draw.random() < .9:
        made.pre_tokenizer = P.Sequence([splitter(draw) for _ in range(draw.randrange(1, 4))]) if draw.random() < .5 else splitter(draw)
    made.train_from_iterator(lines, trainer)
    if kind in ("bpe", "unigram") and draw.random() < .4:
        made = with_bytes(draw, made, kind)
    names = [name for name in SPECIALS if made.token_to_id(name) is not None]
    for _ in range(draw.randrange(6)):
        token = AddedToken(draw.choice(ADDED), lstrip=draw.random() < .3, rstrip=draw.random() < .3, single_word=draw.random() < .3,
                           normalized=draw.random() < .5)
        (made.add_special_tokens if draw.random() < .4 else made.add_tokens)([token])
        if made.token_to_id(token.content) is not None:
            names.append(token.content)
    if draw.random() < .8:
        made.decoder = decoder(draw)
    if draw.random() < .7:
        made.post_processor = processor(draw, made, names)
    return made, names


def attempt(call, inputs):
    """What the library gives for each input that it does not refuse, and these inputs."""
    kept, made = [], []
    for one in inputs:
        try:
            made.append(call(one))
            kept.append(one)
        except BaseException:  # it panics for some texts
            pass
    return kept, made


def compare_tokenizer(compared, draw, file, texts):
    theirs = Tokenizer.from_file(str(file))

    def run(pairs, special):
        inputs = list(zip(texts[::2], texts[1::2])) if pairs else texts
        kept, wanted = attempt(lambda one: theirs.encode(*(one if pairs else [one]), add_special_tokens=special), inputs)
        jsonl = compared.folder / "texts.jsonl"
        jsonl.write_text("".join(json.dumps(text) + "\n" for one in kept for text in (one if pairs else [one])), encoding="utf-8")
        options = ["--pair"] if pairs else ["--special"] if special else []
        out = whole.run(compared.headlight, "tokenize", "--tokenizer", str(file), "--json", *options, "--text-file", str(jsonl)).decode()
        got = [json.loads(line)["tokens"] for line in out.split("\n")[:-1]]
        compared.compare("ids", kept, [[token["id"] for token in one] for one in got], [one.ids for one in wanted])
        if special:
            compared.compare("type ids", kept, [[token["type"] for token in one] for one in got], [one.type_ids for one in wanted])
        if not pairs:
            ours = [[place for place, token in zip(whole.in_characters(text, one), one) if token.get("sentence") != -1]
                    for text, one in zip(kept, got)]
            compared.compare("offsets", kept, ours, [[place for place, sentence in zip(one.offsets, one.sequence_ids)
                                                      if sentence is not None or not special] for one in wanted])
        return wanted

    run(False, False)
    run(False, True)
    ids = [one.ids for one in run(True, True) if one.ids]
    ids += [[draw.randrange(theirs.get_vocab_size()) for _ in range(draw.randrange(1, 12))] for _ in range(200)]
    for special in (False, True):
        kept, wanted = attempt(lambda one: theirs.decode(one, skip_special_tokens=not special), ids)
        pairs = [(one, text) for one, text in zip(kept, wanted) if "\ufffd" not in text]
        lines = "".join(" ".join(map(str, one)) + "\n" for one, _ in pairs).encode()
        out = whole.run(compared.headlight, "decode", "--tokenizer", str(file), "--json", *(["--special"] if special else []), "-", given=lines)
        compared.compare("decoded", [one for one, _ in pairs], [json.loads(line) for line in out.decode().split("\n")[:-1]],
                         [text for _, text in pairs])


def random_options(draw, folder):
    options = dict(model_type=draw.choice(["unigram", "unigram", "bpe", "bpe", "char", "word"]), vocab_size=draw.choice([1500, 4000]),
                   hard_vocab_limit=False, character_coverage=draw.choice([0.98, 0.98, 0.9995]), minloglevel=2, num_threads=1,
                   normalization_rule_name=draw.choice(["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]))
    for name in ("byte_fallback", "split_by_number", "split_by_unicode_script", "split_by_whitespace", "split_digits", "add_dummy_prefix",
                 "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "remove_extra_whitespaces"):
        if draw.random() < .4:
            options[name] = draw.random() < .5
    if draw.random() < .5:
        users = ["<sep>", "ab", "\n", "東京", " the", "the", "  ", "é", "12", "▁x", "\t", "ab c", "ﬁ", "A", "aa", "a", "aab"]
        options["user_defined_symbols"] = draw.sample(users, draw.randrange(1, 6))
    if draw.random() < .4:
        options["control_symbols"] = draw.sample(["<ctl>", "[X]", "it"], draw.randrange(1, 3))
    if draw.random() < .3:
        options["unk_surface"] = draw.choice([" ?? ", "", "<u>"])
    if draw.random() < .3:
        options.update(unk_id=draw.choice([0, 3]), bos_id=draw.choice([-1, 1]), eos_id=2, pad_id=draw.choice([-1, 4]))
    for name, rules in (("denormalization_rule_tsv", "61\t41\n74 68\t54 48\n62 62\t\n"), ("normalization_rule_tsv", "61\t62\n74 68 65\t78\n2e\t\n")):
        if draw.random() < .2:
            options[name] = str(folder / name)
            (folder / name).write_text(rules, encoding="utf-8")
    return options


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlight")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--texts", type=int, default=700)
    parser.add_argument("--kind", choices=["tokenizers", "sentencepiece"], default="tokenizers")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    compared = whole.Compared(options.headlight, options.folder)
    fixed, differing, made = whole.collected(), 0, 0
    for seed in range(options.first, options.first + options.count):
        draw = random.Random(seed)
        lines = draw.sample(fixed, 500) + [whole.random_text(draw, []) for _ in range(200)]
        try:
            if options.kind == "tokenizers":
                theirs, names = random_tokenizer(draw, lines)
                file = options.folder / f"tokenizers{seed}" / "tokenizer.json"
                file.parent.mkdir(exist_ok=True)
                theirs.save(str(file))
            else:
                chosen = random_options(draw, options.folder)
                names = ["<ctl>", "[X]", "<s>", "</s>", *chosen.get("user_defined_symbols", [])]
                file = options.folder / f"sentencepiece{seed}.model"
                (options.folder / "lines.txt").write_text("\n".join(lines), encoding="utf-8")
                sentencepiece.SentencePieceTrainer.train(input=str(options.folder / "lines.txt"), model_prefix=str(file.with_suffix("")), **chosen)
        except BaseException:
            continue  # stages or options that the library does not train with
        texts = [whole.random_text(draw, names) for _ in range(options.texts)] + draw.sample(fixed, 100) + ["", " ", "\n", "a", " a", "a "]
        before, made = compared.different, made + 1
        try:
            if options.kind == "tokenizers":
                compare_tokenizer(compared, draw, file, texts)
            else:
                compared.part_by_sentencepiece(file.name, file, texts, sentencepiece.SentencePieceProcessor(model_file=str(file)))
        except RuntimeError as problem:
            print(problem)
            compared.different += 1
        if compared.different > before:
            differing += 1
            stages = json.loads(file.read_text(encoding="utf-8")) if options.kind == "tokenizers" else chosen
            shown = {key: value for key, value in stages.items() if key not in ("model", "version", "truncation", "padding")}
            print(f"seed {seed}:", json.dumps(shown, ensure_ascii=False)[:2000])
        compared.report()
    print(f"{made} random tokenizers, {differing} with differences")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
