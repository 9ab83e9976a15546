"""Tests the commands tokenize and train-tokenizer: S14, the form of the JSON, exit codes, no partial files."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HEADLIGHT = sys.argv[1]
failures = []


def run(*args, stdin=b""):
    return subprocess.run([HEADLIGHT, *args], input=stdin, capture_output=True, timeout=120)


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def expect_refused(result, code, *words):
    err = result.stderr.decode()
    expect(result.returncode == code, f"exit {result.returncode}, expected {code}: {err!r}")
    expect(result.stdout == b"", f"stdout is not empty: {result.stdout!r}")
    for word in words:
        expect(word in err, f"{word!r} is not in {err!r}")
    if code == 1:
        expect(err.count("\n") == 1, f"not one line: {err!r}")


LECTURE = "hug\t10\npug\t5\npun\t12\nbun\t4\nhugs\t5\n"


def lecture(folder):
    corpus = folder / "lecture.tsv"
    corpus.write_text(LECTURE)
    for kind, size, pairs, scores in (
        ("bpe", 14, [["u", "g"], ["u", "n"], ["h", "ug"]], [20, 16, 15]),
        ("wordpiece", 14, [["##g", "##s"], ["h", "##u"], ["hu", "##gs"]], [1 / 20, 1 / 36, 1 / 15]),
    ):
        out, steps = folder / kind, folder / f"{kind}.json"
        done = run("train-tokenizer", kind, "--corpus", str(corpus), "--word-counts", "--vocab-size", str(size),
                   "--out", str(out), "--steps", str(steps))
        expect(done.returncode == 0, f"{kind}: {done.stderr!r}")
        recorded = json.loads(steps.read_text())["steps"]
        expect([s["pair"] for s in recorded] == pairs, f"{kind}: {[s['pair'] for s in recorded]}")
        expect([s["step"] for s in recorded] == [1, 2, 3], f"{kind}: step numbers")
        for step, score in zip(recorded, scores):
            expect(abs(step["score"] - score) < 1e-15, f"{kind}: score {step['score']}, expected {score}")
            expect(step["candidates"][0]["pair"] == step["pair"], f"{kind}: the chosen pair is the best candidate")
            order = [c["score"] for c in step["candidates"]]
            expect(order == sorted(order, reverse=True), f"{kind}: candidates are best first")
    vocabulary = json.loads((folder / "bpe/headlight-tokenizer.json").read_text())["vocabulary"]
    expect(vocabulary == ["[PAD]", "[UNK]", "[BOS]", "[EOS]"] + "b g h n p s u ug un hug".split(), str(vocabulary))
    more = run("train-tokenizer", "bpe", "--corpus", str(corpus), "--word-counts", "--vocab-size", "500", "--out", str(folder / "all"))
    expect(more.returncode == 0, "running out of pairs is a normal end")


def pairs():
    out = run("tokenize", "--tokenizer", "words", "--pair", "--json", "a dog", "cat")
    expect(out.returncode == 0, f"{out.stderr!r}")
    tokens = json.loads(out.stdout.decode())["tokens"]
    expect([t["piece"] for t in tokens] == ["[BOS]", "a", "dog", "[EOS]", "cat", "[EOS]"], str(tokens))
    expect([t["type"] for t in tokens] == [0, 0, 0, 0, 1, 1], str(tokens))
    expect([t["sentence"] for t in tokens] == [-1, 0, 0, -1, 1, -1], str(tokens))
    expect([(t["start"], t["end"]) for t in tokens] == [(0, 0), (0, 1), (2, 5), (5, 5), (0, 3), (3, 3)], str(tokens))
    single = run("tokenize", "--tokenizer", "words", "--special", "--ids", "a").stdout.decode().split()
    expect(single[0] == "2" and single[-1] == "3" and len(single) == 3, f"{single}")
    expect_refused(run("tokenize", "--pair", "a", "b", "c"), 2, "--pair")


def shapes():
    text = "né 👩‍🚀 \tx"
    raw = text.encode() + b"\xff\xe2\x82"
    for kind in ("characters", "words", "bpe", "wordpiece"):
        out = run("tokenize", "--tokenizer", kind, "--json", "-", stdin=raw)
        expect(out.returncode == 0, f"{kind}: {out.stderr!r}")
        data = json.loads(out.stdout.decode("utf-8"))  # strict: pieces are always UTF-8
        expect(list(data) == ["tokenizer", "tokens"] and data["tokenizer"] == kind, f"{kind}: {list(data)}")
        expect(all(list(t) == ["id", "piece", "start", "end"] for t in data["tokens"]), f"{kind}: token keys")
        ids = run("tokenize", "--tokenizer", kind, "--ids", "-", stdin=raw).stdout.decode()
        expect(ids == " ".join(str(t["id"]) for t in data["tokens"]) + "\n", f"{kind}: --ids {ids!r}")
        if kind in ("characters", "bpe"):
            joined = b"".join(raw[t["start"]:t["end"]] for t in data["tokens"])
            expect(joined == raw, f"{kind}: the ranges cover the input")
    two = run("tokenize", "--ids", "one text", "", "another").stdout.decode().split("\n")
    expect(len(two) == 4 and two[1] == "" and two[3] == "", f"a line a text: {two}")
    expect(b"\xc2\xb7fl" in run("tokenize", "a fluffy").stdout, "the table shows spaces as dots")


def refusals(folder):
    corpus = folder / "lecture.tsv"
    train = ["train-tokenizer", "bpe", "--corpus", str(corpus), "--out", str(folder / "no")]
    expect_refused(run("tokenize", "--tokenizer", "nonsense", "a"), 1, "nonsense", "bpe")
    expect_refused(run("tokenize"), 2)
    expect_refused(run("tokenize", "--json", "--ids", "a"), 2)
    expect_refused(run("tokenize", "--tokenizer", str(folder), "a"), 1, "headlight-tokenizer.json")
    expect_refused(run("train-tokenizer", "runes", "--corpus", str(corpus), "--vocab-size", "50", "--out", str(folder / "no")), 2, "runes", "wordpiece")
    expect_refused(run(*train, "--vocab-size", "0"), 2)
    expect_refused(run(*train, "--vocab-size", "many"), 2)
    expect_refused(run(*train, "--vocab-size", "99999999"), 2)
    expect_refused(run(*train, "--vocab-size", "100"), 2, "ask for at least 260")
    expect_refused(run(*train, "--vocab-size", "8", "--word-counts"), 2, "ask for at least 11")
    expect_refused(run(*train, "--vocab-size", "500", "--alphabet", "runes"), 2)
    missing = str(folder / "missing.txt")
    expect_refused(run("train-tokenizer", "bpe", "--corpus", missing, "--vocab-size", "500", "--out", str(folder / "no")), 1, missing)
    (folder / "empty.txt").write_bytes(b"")
    (folder / "blank.txt").write_bytes(b" \n\n")
    expect_refused(run("train-tokenizer", "words", "--corpus", str(folder / "empty.txt"), "--vocab-size", "500", "--out", str(folder / "no")), 1, "empty")
    expect_refused(run("train-tokenizer", "words", "--corpus", str(folder / "blank.txt"), "--vocab-size", "500", "--out", str(folder / "no")), 1, "no words")
    (folder / "bad.tsv").write_text("hug\t10\npug five\n")
    expect_refused(run("train-tokenizer", "bpe", "--corpus", str(folder / "bad.tsv"), "--word-counts", "--vocab-size", "50", "--out", str(folder / "no")),
                   1, "bad.tsv:2", "tab")
    expect_refused(run("train-tokenizer", "bpe", "--corpus", str(folder), "--vocab-size", "500", "--out", str(folder / "no")), 1, str(folder))
    expect_refused(run("train-tokenizer", "bpe", "--corpus", str(corpus), "--vocab-size", "500", "--out", str(corpus / "x")), 1, "not a folder")
    expect_refused(run("train-tokenizer", "bpe", "--corpus", str(corpus), "--vocab-size", "500", "--out", "/proc/headlight"), 1, "/proc")
    expect(not (folder / "no").exists(), "a refused training leaves nothing behind")
    if os.geteuid() != 0:
        locked = folder / "locked"
        locked.mkdir(mode=0o500)
        expect_refused(run(*train[:-1], str(locked / "x"), "--vocab-size", "500"), 1, str(locked))


def interrupted(folder):
    """Ctrl+C while a training runs: it dies by the signal, with a line if it could stop by itself, and leaves no file."""
    big = folder / "big.txt"
    # Some million different words, so that training takes far longer than the signal.
    with big.open("w") as file:
        for i in range(400_000):
            file.write(f"{(i * 2654435761) % 4294967296:032b}{i * 7919:x}q{i:x} ".translate(str.maketrans("01", "ab")))
    out = folder / "interrupted"
    process = subprocess.Popen([HEADLIGHT, "train-tokenizer", "bpe", "--corpus", str(big), "--vocab-size", "500000", "--out", str(out)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    expect(process.returncode == -signal.SIGINT, f"interrupted: exit {process.returncode}, {err!r}")
    expect(err == b"" or (err.decode().count("\n") == 1 and "stopped" in err.decode()), f"interrupted: {err!r}")
    expect(not (out / "headlight-tokenizer.json").exists(), "interrupted: a file was left")


def special_tokens(folder):
    """Of a published tokenizer: named by a text, read as text with --plain, shown by decode with --special."""
    words = ["[UNK]", "the", "cat", "[MASK]", "[", "MASK", "]"]
    published = {"truncation": {"max_length": 128}, "pre_tokenizer": {"type": "Whitespace"},
                 "added_tokens": [{"id": 3, "content": "[MASK]", "special": True, "lstrip": True}],
                 "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
                 "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {word: i for i, word in enumerate(words)}}}
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(published))
    given = ["--tokenizer", str(file)]
    done = run("tokenize", *given, "--json", "the [MASK]cat")
    note = f"headlight: {file}: the file cuts texts off after 128 tokens (truncation); here no text is cut off\n"
    expect(done.returncode == 0 and done.stderr.decode() == note, f"{done.stderr!r}")
    tokens = json.loads(done.stdout)["tokens"]
    expect(tokens == [{"id": 1, "piece": "the", "start": 0, "end": 3}, {"id": 3, "piece": "[MASK]", "start": 3, "end": 10, "added": True},
                      {"id": 2, "piece": "cat", "start": 10, "end": 13}], str(tokens))
    done = run("tokenize", *given, "--ids", "--plain", "the [MASK]cat")
    expect(done.stdout == b"1 4 5 6 2\n" and "special tokens are read as plain text" in done.stderr.decode(), f"--plain: {done}")
    expect(run("decode", *given, "1", "3", "2").stdout == b"the cat\n", "decode leaves a special token out")
    expect(run("decode", *given, "--special", "1", "3", "2").stdout == b"the [MASK] cat\n", "--special shows it")
    # A document has the field, and a saved one keeps it.
    small = ["--d-model", "8", "--heads", "1", "--layers", "1", "--text", "the [MASK]cat", "--shapes"]
    for plain, tokens in ((["--plain"], 5), ([], 3)):
        listed = run("trace", *given, *small, *plain)
        expect(f"tokens [batch, position] [1, {tokens}]" in listed.stdout.decode(), f"{plain}: {listed.stdout!r} {listed.stderr!r}")
    picture = folder / "weights.svg"
    expect(run("export", *given, *small[:-1], "--plain", "--what", "weights", "--out", str(picture)).returncode == 0, "export --plain")
    again = run("trace", "--session", str(picture), "--shapes")
    expect("tokens [batch, position] [1, 5]" in again.stdout.decode(), f"kept in the picture: {again.stdout!r} {again.stderr!r}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    lecture(folder)
    pairs()
    shapes()
    refusals(folder)
    special_tokens(folder)
    interrupted(folder)
print("failed:" if failures else "all passed", len(failures) or "")
sys.exit(1 if failures else 0)
