"""What a person types arrives byte for byte: the texts of tests/data/texts/nasty.json go through the program as arguments, in a file and
on standard input; files with a byte order mark, in UTF-16 and with Windows' line ends. texts_cli_test.py PROGRAM BUILD_FOLDER."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

program = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = b"\xef\xbb\xbf"


def run(*arguments, stdin=b""):
    return subprocess.run([program, *arguments], input=stdin, capture_output=True)


def out(*arguments, stdin=b""):
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 0, (arguments[:6], done.stderr)
    return done.stdout


def refused(status, *arguments, stdin=b""):
    done = run(*arguments, stdin=stdin)
    assert done.returncode == status and done.stdout == b"" and done.stderr.count(b"\n") == 1, (arguments[:6], done)
    return done.stderr.decode(errors="replace")


items = json.loads((ROOT / "tests/data/texts/nasty.json").read_text())
texts = [bytes.fromhex(item["hex"]) if isinstance(item, dict) else item.encode() for item in items]
assert len(texts) >= 200
# A line of a file holds no line end, and the mark before its first line is skipped.
in_lines = [text for text in texts if b"\n" not in text and not text.endswith(b"\r")]
assert not in_lines[0].startswith(MARK) and len(in_lines) >= 200
file = b"".join(text + b"\n" for text in in_lines)

# tokenize: the ranges of the tokens cover each text, and decode gives it back. Behind --, "-" is a text, too.
arguments = texts
assert b"-" in arguments
lines = out("tokenize", "--json", "--", *arguments).splitlines()
assert len(lines) == len(arguments)
for text, line in zip(arguments, lines):
    tokens = json.loads(line)["tokens"]
    assert b"".join(text[t["start"]:t["end"]] for t in tokens) == text, text
ids = out("tokenize", "--ids", "--", *arguments)

of_lines = b"".join(line + b"\n" for text, line in zip(arguments, ids.splitlines()) if text in in_lines)
assert out("tokenize", "--ids", "-", "a", "--", "-", stdin=b"a") == out("tokenize", "--ids", "a", "a", "--", "-")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "texts.txt")
    pathlib.Path(path).write_bytes(file)
    assert out("tokenize", "--ids", "--text-file", path) == of_lines
    assert out("tokenize", "--ids", "--text-file", "-", stdin=file) == of_lines
    assert out("tokenize", "--ids", "--text-file", "-", stdin=MARK + file.replace(b"\n", b"\r\n")) == of_lines
    assert out("decode", "-", stdin=of_lines) == file
for text, line in list(zip(arguments, ids.splitlines()))[::9]:
    if not text.startswith(MARK) and not text.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert out("tokenize", "--ids", "-", stdin=text) == line + b"\n", text
assert out("tokenize", "--ids", "[red, green, blue]").count(b"\n") == 1
assert out("decode", out("tokenize", "--ids", "[red, green, blue]").strip()) == b"[red, green, blue]\n"
first = out("tokenize", "--ids", "man bites dog").split()
assert out("decode", b"[" + b", ".join(first) + b"]") == b"man bites dog\n", "a list as Python prints it"


def documents(*arguments, stdin=b""):
    """The texts and targets of the document in a trace."""
    small = ("--layers", "1", "--heads", "1", "--d-model", "8", "--steps", "tokens")
    made = out("trace", *small, "--out", "-", *arguments, stdin=stdin)
    with zipfile.ZipFile(io.BytesIO(made)) as members:
        raw = members.read("document.json.npy")
    header = 10 + int.from_bytes(raw[8:10], "little")
    document = json.loads(raw[header:])
    return [[bytes.fromhex(t["hex"]) if isinstance(t, dict) else t.encode() for t in document.get(name, [])]
            for name in ("texts", "targets")]


short = [text for text in texts if 0 < len(text) < 200]  # a sentence is not empty
assert documents(*[part for text in short for part in ("--text", text)])[0] == short
assert documents(*[b"--text=" + text for text in short])[0] == short
few = short[::5]
both = [part for text in few for part in ("--text", text)] + [part for text in few for part in ("--target", text)]
assert documents(*both) == [few, few]
short_lines = [text for text in in_lines if 0 < len(text) < 200]
assert documents("--text-file", "-", stdin=b"\n".join(short_lines))[0] == short_lines

# Commands that print their texts again, in JSON: bytes that are no UTF-8 are U+FFFD there.
model = ("--model", "induction-one-layer")
few = [b"the " + text for text in short_lines[::6] if text.isascii()]
made = json.loads(out("context", *model, "--json", "--word", "the", "--", *few))
assert [t["text"] for t in made["texts"]] == [text.decode() for text in few]
caption = "[red, green] '--' %% @f {} ++ \"x\" -y"
words = json.loads(out("patches", "--json", "--caption", caption))["caption"]["words"]
assert [w["word"] if isinstance(w, dict) else w for w in words] == caption.split(), words
few = short_lines[::6]
generate = ("generate", "--model", "stories", "--tokens", "1", "--json")
for made in (out(*generate, *[part for text in few for part in ("--text", text)]),
             out(*generate, "--texts", "-", stdin=b"\n".join(few))):
    assert [one["text"] for one in json.loads(made)] == [text.decode(errors="replace") for text in few]

# What looks like an option is one; the error says how to give it as a text.
words = refused(2, "tokenize", "-x")
assert "stands behind --" in words, words
assert "behind --" in out("tokenize", "--help").decode().lower()

with tempfile.TemporaryDirectory() as folder:
    def write(name, data):
        path = pathlib.Path(folder) / name
        path.write_bytes(data)
        return str(path)

    # The mark is no part of a label, a corpus, a case or a document, and Windows' line ends are line ends.
    plain = out("tokenize", "--ids", "--text-file", write("plain.txt", b"the cat\na red fox ran\n\nend\n"))
    marked = write("marked.txt", MARK + b"the cat\r\na red fox ran\r\n\r\nend\r\n")
    assert out("tokenize", "--ids", "--text-file", marked) == plain
    assert out("tokenize", "--json", "-", stdin=MARK + b"a") == out("tokenize", "--json", "a")
    pieces = []
    for name, data in (("one", b"hug\t10\npug\t5\n"), ("two", MARK + b"hug\t10\r\npug\t5\r\n")):
        made = os.path.join(folder, name)
        out("train-tokenizer", "bpe", "--word-counts", "--vocab-size", "12", "--corpus", write(name + ".tsv", data), "--out", made)
        pieces.append(json.loads(pathlib.Path(made, "headlight-tokenizer.json").read_text())["vocabulary"])
    assert pieces[0] == pieces[1], pieces
    case = json.dumps({"q": [[1, 0]], "k": [[1, 0]], "v": [[1, 2]]}).encode()
    assert out("by-hand", "--json", "--in", write("case.json", MARK + case)) == out("by-hand", "--json", "--in", "-", stdin=case)
    scored = [out("evaluate", *model, "--corpus", write("corpus.txt", mark + b"1 2 3 1 2 3\n")) for mark in (b"", MARK)]
    assert scored[0] == scored[1], scored

    weights = os.path.join(folder, "w.npy")
    out("export", "--text", "hug pug", "--tokenizer", "words", "--what", "weights", "--head", "0", "--out", weights)
    drawn = []
    for name, data in (("plain", "né\nb\n".encode()), ("marked", MARK + "né\r\nb\r\n".encode())):
        picture = os.path.join(folder, name + ".svg")
        out("export", "--in", weights, "--labels", write("labels.txt", data), "--out", picture)
        drawn.append(pathlib.Path(picture).read_text())
    assert drawn[0] == drawn[1] and ">né<" in drawn[0], drawn[1][:2000]

    # UTF-16 is said, with the line that converts it.
    wide = "a\nb\nc\n"
    for coding, name in (("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"), ("utf-16", "UTF-16")):
        path = write("wide.txt", wide.encode(coding))
        for arguments in (("tokenize", "--text-file", path), ("trace", "--shapes", "--text-file", path), ("by-hand", "--in", path),
                          ("generate", "--model", "stories", "--texts", path), ("evaluate", *model, "--corpus", path),
                          ("train-tokenizer", "bpe", "--vocab-size", "300", "--out", folder + "/no", "--corpus", path),
                          ("tokenize", "--tokenizer", path, "a"), ("export", "--in", weights, "--labels", path, "--out", folder + "/x.svg"), ("trace", "--shapes", "--session", path)):
            words = refused(1, *arguments)
            assert "this text is UTF-16" in words and f"iconv -f {name} -t UTF-8 '{path}'" in words, (arguments, words)
        again = subprocess.run(f"iconv -f {name} -t UTF-8 '{path}'", shell=True, capture_output=True).stdout
        assert again.decode() == wide, again
    assert "standard input: this text is UTF-16" in refused(1, "tokenize", "-", stdin=wide.encode("utf-16"))

cases = pathlib.Path(os.environ.get("HEADLIGHT_PARITY_DATA", "/none")) / "user-cases"
if cases.exists():
    assert out("tokenize", "--ids", "--text-file", str(cases / "text_bom_crlf.txt")) == plain
    assert "this text is UTF-16" in refused(1, "tokenize", "--text-file", str(cases / "lab_utf16.txt"))
