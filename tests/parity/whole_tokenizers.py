#!/usr/bin/env python3
"""Every published tokenizer against its own library: ids, pieces, offsets in characters and bytes, and decoded texts.

usage: whole_tokenizers.py HEADLIGHT FOLDER [--texts N] [--seed S] [--only NAME] [--packages FOLDER] [--fixture FILE]

FOLDER: one to write into. The texts are those of HEADLIGHT_PARITY_DATA (naughty strings, Unicode's tests, 531 languages, corpora) and
N random ones of all scripts, spaces, emoji, controls and names of added tokens. The tokenizers are its tokenizer.json (against
tokenizers), vocab.txt, vocab.json with merges.txt and encoder.json with vocab.bpe (against tokenizers), .tiktoken (against tiktoken) and
.model files (against sentencepiece), those of fetched models (--packages; a GGUF's against tokenizers made of its lists), and small ones
that have every stage. Offsets of a library that counts characters are compared with ours widened to whole characters. --fixture only writes
N random texts with the peers' ids, as tests/data/tokenizers/random.json has them. Exit status 77: a package or the data is missing.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import unicodedata

try:
    import sentencepiece
    import tiktoken
    import tokenizers
    import google.protobuf  # sentencepiece gives offsets with it
    from tiktoken.load import load_tiktoken_bpe
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("HEADLIGHT_PARITY_DATA"):
    print("skipped: HEADLIGHT_PARITY_DATA is not set", file=sys.stderr)
    sys.exit(77)

DATA = pathlib.Path(os.environ["HEADLIGHT_PARITY_DATA"])
RANGES = [(0x20, 0x7E), (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x17F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA),
          (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F),
          (0x2100, 0x214F), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFB00, 0xFDFF), (0xFF00, 0xFFEF),
          (0x00, 0x1F), (0x80, 0x9F), (0x1F300, 0x1FAFF), (0x1D400, 0x1D7FF), (0x20000, 0x200FF), (0xE0020, 0xE007F)]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u2003", "\u3000", "\u200b", "\u200d", "\ufeff", "\v", "\u0085", "\u2028"]
WORDS = ["the", "The", "don't", "I'LL", "we'Ve", "12345.67", "x1", "foo_bar", "a-b", "http://a.b/c?d=e", "naïve", "ﬁﬂ①", "İstanbul",
         "Straße", "ΌΔΥΣΣΕΥΣ", "👩‍👩‍👧", "🇩🇪", "👍🏽", "▁", "##x", "</w>", "Ġ", "<0x0A>", "\ufffd", "\x01", "\x7f", "{}[]();", "==>", "'s", "…"]


# The assigned characters of every block of 256, for scripts that no range above has.
BLOCKS = [block for block in ([chr(c) for c in range(first, first + 256) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
                              for first in range(0, 0x30000, 256)) if block]


def random_text(draw, names):
    parts = []
    for _ in range(draw.randrange(1, 12)):
        kind = draw.random()
        if kind < 0.25:
            low, high = draw.choice(RANGES)
            parts.append("".join(chr(draw.randint(low, high)) for _ in range(draw.randrange(1, 8))))
        elif kind < 0.35:
            block = draw.choice(BLOCKS)
            parts.append("".join(draw.choice(block) for _ in range(draw.randrange(1, 8))))
        elif kind < 0.65:
            parts.append(draw.choice(WORDS))
        elif kind < 0.95 or not names:
            parts.append(draw.choice(SPACES))
        else:
            parts.append(draw.choice(names))
    return "".join(parts)


def collected():
    lines = [line.split("\t")[-1] for line in (DATA / "udhr/article1.tsv").read_text(encoding="utf-8").split("\n")]
    lines += [line.split("\t")[-1] for line in (DATA / "udhr/articles.tsv").read_text(encoding="utf-8").split("\n")[:800]]
    for file in sorted((DATA / "text-stress").rglob("*.txt")):
        try:
            lines += file.read_bytes().decode("utf-8").split("\n")[:1500]
        except UnicodeDecodeError:
            continue  # what is no UTF-8 has no text in Python
    corpus = (DATA / "shakespeare").glob("*.txt")
    for file in corpus:
        lines += file.read_text(encoding="utf-8").split("\n\n")[:800]
    return [line for line in lines if line and "\0" not in line]


def run(headlight, *arguments, given=None):
    done = subprocess.run([headlight, *arguments], input=given, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


def ours(headlight, folder, tokenizer, texts):
    file = folder / "texts.jsonl"
    file.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    out = run(headlight, "tokenize", "--tokenizer", tokenizer, "--json", "--text-file", str(file)).decode()
    return [json.loads(line)["tokens"] for line in out.split("\n")[:-1]]


def decoded(headlight, tokenizer, ids):
    lines = "".join(" ".join(map(str, one)) + "\n" for one in ids).encode()
    out = run(headlight, "decode", "--tokenizer", tokenizer, "--json", "-", given=lines).decode()
    return [json.loads(line) for line in out.split("\n")[:-1]]


def in_characters(text, tokens):
    """Our byte offsets as characters, widened to whole ones."""
    data = text.encode()
    before = [0] * (len(data) + 1)  # characters that begin before a byte
    count = 0
    for i, byte in enumerate(data):
        before[i] = count
        count += (byte & 0xC0) != 0x80
    before[len(data)] = count

    def start(at):
        return before[at] - (at < len(data) and (data[at] & 0xC0) == 0x80)
    return [(start(token["start"]), before[token["end"]]) for token in tokens]


AT_ONCE = 5000  # texts, so that a library's objects for 100,000 of them are never all held


class Compared:
    def __init__(self, headlight, folder):
        self.headlight, self.folder, self.different = headlight, folder, 0
        self.counts = {}  # of the tokenizer in work: what was compared, and how often

    def compare(self, what, inputs, got, wanted):
        other = [(i, a, b) for i, a, b in zip(inputs, got, wanted, strict=True) if a != b]
        self.different += len(other)
        before = self.counts.get(what, (0, 0))
        self.counts[what] = (before[0] + len(inputs), before[1] + len(other))
        for one in other[:max(0, 3 - before[1])]:
            print("   ", what, *(repr(part)[:300] for part in one), sep="\n      ")

    def report(self):
        for what, (count, different) in self.counts.items():
            print(f"{what}: {count} compared, {different} different", flush=True)
        self.counts = {}

    def in_parts(self, compare, texts):
        for first in range(0, len(texts), AT_ONCE):
            compare(texts[first:first + AT_ONCE])
        self.report()

    def by_tokenizers(self, name, file, texts, theirs=None):
        try:
            theirs = theirs or tokenizers.Tokenizer.from_file(str(file))
        except Exception as problem:
            print(f"{name}: the library does not open it: {problem}")
            return
        theirs.no_truncation()
        theirs.no_padding()
        self.in_parts(lambda part: self.part_by_tokenizers(name, file, part, theirs), texts)

    def part_by_tokenizers(self, name, file, texts, theirs):
        kept, wanted = [], []
        for text in texts:
            try:
                wanted.append(theirs.encode(text, add_special_tokens=False))
                kept.append(text)
            except BaseException as problem:  # the library panics
                if "bad split" not in str(problem):
                    raise
        got = ours(self.headlight, self.folder, str(file), kept)
        self.compare(f"{name} ids", kept, [[one["id"] for one in tokens] for tokens in got], [one.ids for one in wanted])
        self.compare(f"{name} pieces", kept, [[one["piece"] for one in tokens] for tokens in got],
                     [[theirs.id_to_token(id) for id in one.ids] for one in wanted])
        self.compare(f"{name} offsets", kept, [in_characters(text, tokens) for text, tokens in zip(kept, got)],
                     [one.offsets for one in wanted])
        pairs = [(one.ids, text) for one in wanted if "\ufffd" not in (text := theirs.decode(one.ids))]
        self.compare(f"{name} decoded", [ids for ids, _ in pairs], decoded(self.headlight, str(file), [ids for ids, _ in pairs]),
                     [text for _, text in pairs])

    def by_tiktoken(self, file, pattern, texts):
        encoding = tiktoken.Encoding(file.stem, pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(str(file)), special_tokens={})
        self.in_parts(lambda part: self.part_by_tiktoken(file, part, encoding), texts)

    def part_by_tiktoken(self, file, texts, encoding):
        got = ours(self.headlight, self.folder, str(file), texts)
        self.compare(f"{file.name} ids", texts, [[one["id"] for one in tokens] for tokens in got],
                     [encoding.encode_ordinary(text) for text in texts])
        ids = [[one["id"] for one in tokens] for tokens in got]
        self.compare(f"{file.name} decoded", ids, decoded(self.headlight, str(file), ids), texts)

    def by_sentencepiece(self, name, file, texts):
        theirs = sentencepiece.SentencePieceProcessor(model_file=str(file))
        self.in_parts(lambda part: self.part_by_sentencepiece(name, file, part, theirs), texts)

    def part_by_sentencepiece(self, name, file, texts, theirs):
        got = ours(self.headlight, self.folder, str(file), texts)
        wanted = [theirs.encode(text, return_type="proto") for text in texts]
        self.compare(f"{name} ids", texts, [[one["id"] for one in tokens] for tokens in got],
                     [[piece.id for piece in one.pieces] for one in wanted])
        self.compare(f"{name} offsets", texts, [[(one["start"], one["end"]) for one in tokens] for tokens in got],
                     [[(piece.begin, piece.end) for piece in one.pieces] for one in wanted])
        ids = [[piece.id for piece in one.pieces] for one in wanted]
        pairs = [(one, text) for one in ids if "\ufffd" not in (text := theirs.decode(one))]
        self.compare(f"{name} decoded", [one for one, _ in pairs], decoded(self.headlight, str(file), [one for one, _ in pairs]),
                     [text for _, text in pairs])


def small(folder):
    """Tokenizers that have the stages which published files here lack."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    corpus = (DATA / "shakespeare").glob("*.txt")
    lines = [line for file in corpus for line in file.read_text(encoding="utf-8").split("\n")][:6000] + collected()[:3000]
    charsmap = json.loads((DATA / "tokenizer-json/t5-small.json").read_text(encoding="utf-8"))["normalizer"]
    precompiled = normalizers.Precompiled(__import__("base64").b64decode(charsmap["precompiled_charsmap"]))
    P, N, D = pre_tokenizers, normalizers, decoders
    chains = {
        "unigram_bytes": (models.Unigram, N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " "), N.Strip()]), P.Metaspace(), D.Metaspace()),
        "unigram_albert": (models.Unigram, N.Sequence([N.Replace("``", '"'), N.NFKD(), N.StripAccents(), N.Lowercase(), precompiled]),
                           P.Sequence([P.WhitespaceSplit(), P.Metaspace(prepend_scheme="first")]), D.Metaspace()),
        "wordpiece_scripts": (models.WordPiece, N.NFD(), P.Sequence([P.UnicodeScripts(), P.Punctuation("merged_with_previous")]), D.WordPiece()),
        "wordpiece_fixed": (models.WordPiece, N.Prepend("ab"), P.FixedLength(4), D.WordPiece(cleanup=False)),
        "bpe_digits": (models.BPE, N.NFC(), P.Sequence([P.Digits(True), P.CharDelimiterSplit("e"), P.ByteLevel()]), D.ByteLevel()),
        "bpe_bytes_first": (models.BPE, N.ByteLevel(), P.Split(Regex("Ġ?\\w+"), "merged_with_next"), D.ByteLevel()),
        "bpe_ctc": (models.BPE, N.NFKC(), P.Whitespace(), D.CTC()),
        "wordlevel": (models.WordLevel, N.BertNormalizer(), P.BertPreTokenizer(), None),
    }
    for name, (model, normalizer, splitter, decoder) in chains.items():
        path = folder / name / "tokenizer.json"
        if path.exists():
            yield name, path
            continue
        made = Tokenizer(model() if model in (models.Unigram, models.BPE) else model(unk_token="[UNK]"))
        made.normalizer, made.pre_tokenizer = normalizer, splitter
        if decoder is not None:
            made.decoder = decoder
        trainer = {models.Unigram: lambda: trainers.UnigramTrainer(vocab_size=9000, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False),
                   models.BPE: lambda: trainers.BpeTrainer(vocab_size=2000, show_progress=False, limit_alphabet=700),
                   models.WordPiece: lambda: trainers.WordPieceTrainer(vocab_size=3000, special_tokens=["[UNK]"], show_progress=False),
                   models.WordLevel: lambda: trainers.WordLevelTrainer(vocab_size=3000, special_tokens=["[UNK]"], show_progress=False)}[model]()
        made.train_from_iterator(lines, trainer)
        path.parent.mkdir(exist_ok=True)
        made.save(str(path))
        if name == "unigram_bytes":  # byte tokens for what is unknown
            plain = json.loads(path.read_text(encoding="utf-8"))
            plain["model"]["byte_fallback"] = True
            plain["model"]["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)]
            plain["decoder"] = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, plain["decoder"]]}
            path.write_text(json.dumps(plain, ensure_ascii=False), encoding="utf-8")
        yield name, path


def sentence_models(folder):
    """SentencePiece's own trainings: BPE with byte tokens and pieces of the user, characters, and models without some rules."""
    texts = folder / "sentences.txt"
    texts.write_text("\n".join(collected()[:4000]), encoding="utf-8")
    kinds = {
        "sp_bpe_bytes": dict(model_type="bpe", byte_fallback=True, user_defined_symbols=["<sep>", "ab", "\n", "東京"], vocab_size=3500, character_coverage=0.98),
        "sp_bpe_identity": dict(model_type="bpe", normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False, vocab_size=3500, character_coverage=0.98),
        "sp_unigram_user": dict(model_type="unigram", user_defined_symbols=["<sep>", " the", "ab"], control_symbols=["<ctl>"], vocab_size=4000, character_coverage=0.98),
        "sp_unigram_bytes": dict(model_type="unigram", byte_fallback=True, normalization_rule_name="nmt_nfkc_cf", vocab_size=4000, character_coverage=0.98),
        "sp_unigram_suffix": dict(model_type="unigram", treat_whitespace_as_suffix=True, vocab_size=4000, character_coverage=0.98),
        "sp_char": dict(model_type="char", vocab_size=4000),
        "sp_word": dict(model_type="word", vocab_size=4000),
    }
    for name, options in kinds.items():
        if not (folder / (name + ".model")).exists():
            sentencepiece.SentencePieceTrainer.train(input=str(texts), model_prefix=str(folder / name), minloglevel=2,
                                                     hard_vocab_limit=False, **options)
        yield name, folder / (name + ".model")


GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
CL100K = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
          r"""|\s+(?!\S)|\s+""")
O200K = "|".join([
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""\p{N}{1,3}""", r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""", r"""\s*[\r\n]+""", r"""\s+(?!\S)""", r"""\s+"""])


def of_vocabularies():
    """Vocabularies that are no tokenizer.json, with the tokenizers that the library makes of them."""
    from tokenizers import BertWordPieceTokenizer
    for path in sorted((DATA / "bert-vocab").glob("*.txt")):
        if path.stem != "SOURCE":  # BERT's own names stand for themselves in a text
            bert = BertWordPieceTokenizer(str(path), lowercase="uncased" in path.stem)
            yield path.stem, path, bert._tokenizer
    gpt2 = tokenizers.Tokenizer.from_file(str(DATA / "tokenizer-json/gpt2.json"))
    yield "gpt2-bpe", DATA / "gpt2-bpe", gpt2


def of_packages(folder):
    """The tokenizers of fetched models: a tokenizer.json, or the lists of a GGUF."""
    for path in sorted(folder.rglob("tokenizer.json")):
        yield path.parent.name, path, tokenizers.Tokenizer.from_file(str(path))
    for path in sorted(folder.rglob("*.gguf")):
        try:
            import gguf
        except ImportError:
            print(f"{path.name} is left out: this Python has no gguf")
            continue
        fields = gguf.GGUFReader(path).fields
        tokens, types, merges, pre = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges", "pre"))
        if pre != "smollm":
            print(f"{path.name} is left out: its pre-tokenizer {pre} has no stages here")
            continue
        model = tokenizers.models.BPE({token: i for i, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges])
        made = tokenizers.Tokenizer(model)
        made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([tokenizers.pre_tokenizers.Digits(individual_digits=True),
                                                                 tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)])
        made.decoder = tokenizers.decoders.ByteLevel()
        made.add_special_tokens([token for token, kind in zip(tokens, types, strict=True) if kind == 3])
        yield path.parent.name, path, made


def write_fixture(file, texts):
    """Texts and their ids, by the path of each tokenizer in the data."""
    ids = {}
    for path in ("tokenizer-json/gpt2.json", "tokenizer-json/bert-base-uncased.json", "tokenizer-json/t5-small.json",
                 "tokenizer-json/phi-3-mini.json", "user-cases/llama3_style.json", "user-cases/gpt4o_style.json"):
        theirs = tokenizers.Tokenizer.from_file(str(DATA / path))
        theirs.no_truncation()
        theirs.no_padding()
        ids[path] = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
    ranks = load_tiktoken_bpe(str(DATA / "tiktoken/cl100k_base.tiktoken"))
    cl100k = tiktoken.Encoding("cl100k", pat_str=CL100K, mergeable_ranks=ranks, special_tokens={})
    ids["tiktoken/cl100k_base.tiktoken"] = [cl100k.encode_ordinary(text) for text in texts]
    for path in ("sentencepiece/t5_base_spiece.model", "sentencepiece/test_model.model"):
        ids[path] = sentencepiece.SentencePieceProcessor(model_file=str(DATA / path)).encode(texts)
    versions = {"tokenizers": tokenizers.__version__, "tiktoken": tiktoken.__version__, "sentencepiece": sentencepiece.__version__}
    lines = [f'"versions": {json.dumps(versions)}', '"texts": [\n' + ",\n".join(map(json.dumps, texts)) + "\n]"]
    lines += [f'"{path}": {json.dumps(rows, separators=(",", ":"))}' for path, rows in ids.items()]
    file.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlight")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--packages", type=pathlib.Path, help="a folder of fetched models")
    parser.add_argument("--fixture", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    draw = random.Random(options.seed)
    if options.fixture:
        return write_fixture(options.fixture, [random_text(draw, []) for _ in range(options.texts)])
    compared = Compared(options.headlight, options.folder)
    fixed = collected()
    random_texts = [random_text(draw, []) for _ in range(options.texts)]
    files = [(path.stem, path) for folder in ("tokenizer-json", "user-cases") for path in sorted((DATA / folder).glob("*.json"))
             if path.stem != "expected-ids" and "tokenizer_config" not in path.stem]
    for path in sorted((DATA / "tiny-models").glob("*/tokenizer.json")):  # without the files beside them, which the library does not read
        alone = options.folder / path.parent.name / "tokenizer.json"
        alone.parent.mkdir(exist_ok=True)
        alone.write_bytes(path.read_bytes())
        files.append((path.parent.name, alone))
    for name, file in files + list(small(options.folder)):
        if options.only not in name:
            continue
        names = [token["content"] for token in json.loads(file.read_text(encoding="utf-8"))["added_tokens"]]
        named = [random_text(draw, names) for _ in range(options.texts // 4)]
        compared.by_tokenizers(name, file, fixed + random_texts + named)
    more = list(of_vocabularies()) + (list(of_packages(options.packages)) if options.packages else [])
    for name, file, theirs in more:
        if options.only in name:
            names = [token.content for token in theirs.get_added_tokens_decoder().values()]
            compared.by_tokenizers(name, file, fixed + random_texts + [random_text(draw, names) for _ in range(options.texts // 4)], theirs)
    for name, pattern in (("gpt2", GPT2), ("cl100k_base", CL100K)):
        if options.only in name:
            compared.by_tiktoken(DATA / f"tiktoken/{name}.tiktoken", pattern, fixed + random_texts)
    if options.only in "o200k":  # its pattern, with the ranks of another
        other = options.folder / "o200k.tiktoken"
        other.write_bytes((DATA / "tiktoken/cl100k_base.tiktoken").read_bytes())
        compared.by_tiktoken(other, O200K, fixed + random_texts)
    models = [(path.stem, path) for path in sorted((DATA / "sentencepiece").glob("*.model"))]
    for name, file in models + list(sentence_models(options.folder)):
        if options.only in name:
            compared.by_sentencepiece(name, file, fixed + random_texts + ["<sep>a ab<sep>  the x", "<ctl> <unk> <s>"])
    print(f"{compared.different} different; tokenizers {tokenizers.__version__}, tiktoken {tiktoken.__version__}, sentencepiece "
          f"{sentencepiece.__version__}")
    sys.exit(1 if compared.different else 0)


if __name__ == "__main__":
    main()
