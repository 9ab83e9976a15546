"""Tests the commands as a shell uses them: output that is lost, arrays of other names, padding, Ctrl+C, documents in data files,
precision, --out -, and the words of wrong use. shell_cli_test.py PROGRAM BUILD_FOLDER."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

PROGRAM = sys.argv[1]


def call(*arguments, **more):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


def done(*arguments, **more):
    run = call(*arguments, **more)
    assert run.returncode == 0, (arguments, run)
    return run


def refused(status, *arguments, words=()):
    run = call(*arguments)
    assert run.returncode == status and run.stdout == "" and run.stderr.count("\n") == 1, (arguments, run)
    for word in words:
        assert word in run.stderr, (word, run.stderr)
    return run.stderr


def lost_output():
    """Each command says that its output was not written, and fails."""
    for command in ("trace --text a --shapes", "info", "info --json", "--help", "--version", "trace --help", "tokenize hello",
                    "bench keystroke --tokens 4 --layers 1 --d 8 --heads 1 --seconds 0.1 --json", "decode 70", "scores --text ab",
                    "scores --step 0 --text ab", "by-hand", "by-hand --preset search --json", "value-map --text ab",
                    "patches --patch 50", "recurrence --text ab", "embeddings --model course man", "params --preset gpt3",
                    "params --json", "context --model course --word mole mole mole", "generate --model course --text a --tokens 1",
                    "heads --model induction --matter --text pa --word lar", "bench long --tokens 64 --seconds 0.1"):
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
        assert run.returncode == 1 and "standard output could not be written" in run.stderr, (command, run)
        assert run.stderr.count("could not be written") == 1, run.stderr


def arrays(folder):
    """Names that are not known are refused; texts are named; a result never replaces its input; precision is said."""
    random = np.random.default_rng(0)
    small = lambda *shape: random.standard_normal(shape).astype("f4")
    given = {"q": small(4, 8), "k": small(4, 8), "v": small(4, 8)}
    mask = np.tril(np.ones((4, 4), bool))
    path, out = folder / "in.npz", folder / "out.npz"
    for name in ("attn_mask", "Mask", "masks"):
        np.savez(path, **given, **{name: mask})
        refused(1, "sdpa", "--in", path, "--out", out, words=[f"'{name}'", "nearest is 'mask'", "known are q, k, v, mask"])
    assert not out.exists()
    np.savez(path, **given, mask=mask, names=np.array(["a", "b"]))
    run = done("sdpa", "--in", path, "--out", out)
    assert "array 'names' holds text and is not read" in run.stderr, run.stderr
    weights = np.load(out)["weights"]
    assert weights[0, 1] == 0 and abs(weights.sum(axis=1) - 1).max() < 1e-6
    y = np.load(out)["y"]
    before = path.read_bytes()
    refused(2, "sdpa", "--in", path, "--out", folder / "." / "in.npz", words=["would replace"])
    assert path.read_bytes() == before
    done("sdpa", "--in", path, "--out", out, "--no-weights")
    assert np.load(out).files == ["y"] and abs(np.load(out)["y"] - y).max() < 1e-6  # other sums, since no weights are kept
    piped = subprocess.run([PROGRAM, "sdpa", "--in", str(path), "--out", "-"], capture_output=True, cwd=folder, timeout=60)
    assert piped.returncode == 0 and piped.stdout[:2] == b"PK" and not (folder / "-").exists(), piped

    np.savez(path, **dict(given, q=np.ones((4, 8), "i1")))
    assert done("sdpa", "--in", path, "--out", out).stderr == ""  # integers are widened
    doubles = {name: array.astype("f8") for name, array in given.items()}
    np.savez(path, **doubles)
    run = done("sdpa", "--in", path, "--out", out)
    assert "float64 (q, k, v) is rounded and computed in float32" in run.stderr, run.stderr
    run = done("sdpa", "--in", path, "--out", out, "--backend", "reference")
    assert run.stderr == "" and np.load(out)["y"].dtype == np.float64
    np.savez(path, **dict(doubles, q=np.full((4, 8), 1e300)))
    refused(1, "sdpa", "--in", path, "--out", out, words=["array 'q' holds 1e+300 at place 0", "beyond float32"])
    np.savez(path, **dict(given, q=np.full((4, 8), 3e38, "f4"), k=np.full((4, 8), 3e38, "f4")))
    refused(1, "sdpa", "--in", path, "--out", out, words=["too large to compute with"])

    layer = {"F": small(6, 4), "P": small(3, 4), "WQ": small(4, 4), "WK": small(4, 4), "WV": small(4, 4),
             "IC": np.array([[0, 1, 2]], "i4")}
    np.savez(path, **layer, ic=np.array([[0]]))
    refused(1, "isdpa", "--in", path, "--out", out, words=["array 'ic'", "nearest is 'IC'"])
    np.savez(path, **layer)
    words = refused(1, "isdpa", "--in", path, "--out", out, "--heads", "3")
    assert words.count("isdpa:") == 1, words
    # What is refused says why, and nothing of the precision that it is not computed in.
    for much in (1.0, 1e300):
        np.savez(path, **dict(layer, F=np.full((6, 4), much)))
        words = refused(2, "isdpa", "--in", path, "--out", out, "--pad-index", "9", words=["the padding index is 9", "F has rows 0 to 5"])
        assert "float32" not in words, words
    refused(1, "isdpa", "--in", path, "--out", out, words=["array 'F' holds 1e+300 at place 0", "beyond float32"])
    np.savez(path, **dict(layer, F=np.ones((6, 4))))
    assert "float64 (F) is rounded and computed in float32" in done("isdpa", "--in", path, "--out", out).stderr
    assert "--method TEXT=index" in done("isdpa", "--help").stdout
    assert "Both add 1e-5 to the variance" in done("trace", "--help").stdout


def padding(folder):
    """Padding is masked where a batch has it; where it takes part, that is said."""
    alone, batch = folder / "alone.npz", folder / "batch.npz"
    done("trace", "--text", "one", "--out", alone)
    run = done("trace", "--text", "one", "--text", "two three four", "--out", batch)
    assert run.stderr == ""
    one, two = np.load(alone), np.load(batch)
    last = [name for name in one.files if name.endswith("_residual")][-1]
    length = one[last].shape[1]
    assert two[last].shape[1] > length
    assert abs(one[last][0] - two[last][0, :length]).max() < 1e-5
    assert "notes" not in two.files and "layer.0.mask" in two.files
    for how in (["--attend-padding"], ["--mask", "none"]):
        run = done("trace", "--text", "one", "--text", "two three four", *how, "--out", batch)
        assert "padding takes part" in run.stderr and run.stderr.count("\n") == 1, run.stderr
        two = np.load(batch)
        assert "padding takes part" in str(two["notes"])
        assert abs(one[last][0] - two[last][0, :length]).max() > 0.1
    run = done("trace", "--text", "one", "--text", "two three four", "--mask", "causal", "--shapes")
    assert "layer.0.mask [batch, head, query, key] [2, 1," in run.stdout, run.stdout
    # A document that was saved says itself which masks it has.
    saved = folder / "saved.json"
    saved.write_text(json.dumps({"texts": ["one", "two three four"], "masks": []}))
    run = done("trace", "--session", saved, "--out", batch)
    assert "padding takes part" in run.stderr and (np.load(batch)[last] == two[last]).all()
    # Sentences of one length have no padding, and a trace of them has no mask.
    run = done("trace", "--text", "man bites dog", "--text", "dog bites man", "--tokenizer", "words", "--out", batch)
    assert run.stderr == "" and json.loads(np.load(batch)["document.json"].item()).get("masks", []) == []


def documents(folder):
    """What Headlight writes opens again; what cannot says so."""
    out = folder / "t.npz"
    done("trace", "--text", "Ünï 词", "--seed", "7", "--out", out)
    z = np.load(out)
    shapes = {name: z[name].shape for name in z.files}  # every member is an array
    assert shapes["document.json"] == () and json.loads(z["document.json"].item())["texts"] == ["Ünï 词"]
    wanted = done("trace", "--text", "Ünï 词", "--seed", "7", "--shapes").stdout
    assert done("trace", "--session", out, "--shapes").stdout == wanted
    npz, csv, plain, npy = (folder / name for name in ("w.npz", "d.csv", "p.csv", "w.npy"))
    base = ["export", "--what", "scores", "--head", "0", "--text", "Ünï 词", "--seed", "7", "--out"]
    done(*base, npz)
    z = np.load(npz)
    assert {name: z[name].shape for name in z.files}["labels.json"] == ()
    assert json.loads(z["labels.json"].item())
    done(*base, csv, "--with-document")
    done(*base, plain)
    done(*base, npy)
    for path in (npz, csv):
        assert done("trace", "--session", path, "--shapes").stdout == wanted, path
    first, rest = csv.read_text().split("\n", 1)
    assert first.startswith("# headlight-document:") and rest == plain.read_text()
    for path in (plain, npy):
        refused(1, "trace", "--session", path, "--shapes", words=["numbers alone", path.name])
    csv.write_text("# headlight-document:%%%\n1\n")
    refused(1, "trace", "--session", csv, "--shapes", words=["damaged"])


def steps_and_texts(folder):
    """--steps, --budget, --text-file and decode."""
    out = folder / "s.npz"
    done("trace", "--text", "man bites dog", "--steps", "weights,layer.1.q", "--out", out)
    names = [name for name in np.load(out).files if name != "document.json"]
    everything = folder / "all.npz"
    done("trace", "--text", "man bites dog", "--out", everything)
    whole = np.load(everything)
    layers = sum(name.endswith(".weights") for name in whole.files)
    assert sorted(names) == sorted([f"layer.{n}.weights" for n in range(layers)] + ["layer.1.q"]), names
    assert all((np.load(out)[name] == whole[name]).all() for name in names)
    refused(2, "trace", "--text", "a", "--steps", "wieghts", "--out", out, words=["wieghts", "--steps"])
    long = "word " * 300
    refused(1, "trace", "--text", long, "--budget", "1MB", "--out", out, words=["budget is", "1"])
    refused(1, "trace", "--text", "a", "--budget", "900TB", "--out", out, words=["more than the machine's memory"])
    refused(2, "trace", "--text", "a", "--budget", "much", "--out", out, words=["--budget"])
    done("trace", "--text", "a", "--budget", "512MiB", "--out", out)

    texts = folder / "texts.txt"
    texts.write_text("man bites dog\nthe dog\n")
    given = done("trace", "--text", "man bites dog", "--text", "the dog", "--shapes").stdout
    assert done("trace", "--text-file", texts, "--shapes").stdout == given
    assert done("trace", "--text-file", "-", "--shapes", input=texts.read_text()).stdout == given
    refused(2, "trace", "--text-file", texts, "--text", "a", "--shapes")
    done("export", "--what", "weights", "--sentence", "1", "--text-file", texts, "--head", "0", "--out", folder / "x.csv")
    ids = done("tokenize", "--ids", "--text-file", texts).stdout
    assert ids == done("tokenize", "--ids", "man bites dog", "the dog").stdout and ids.count("\n") == 2
    assert done("decode", "-", input=ids).stdout == texts.read_text()
    assert done("decode", *ids.split("\n")[0].split()).stdout == "man bites dog\n"
    assert json.loads(done("decode", "--json", *ids.split("\n")[0].split()).stdout) == "man bites dog"
    refused(1, "decode", "70", "999999", words=["'999999' is no id"])
    refused(2, "tokenize")


def whole_help():
    """Every command is listed with what it does, has a help, and each of its options says what it is."""
    listed = done("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
    commands = [line.split()[0] for line in listed.split("\n") if line.startswith("  ") and line[2] != " "]
    assert len(commands) >= 25 and {"scores", "by-hand", "value-map", "patches", "recurrence", "params"} <= set(commands), commands
    commands = [[name] for name in commands]
    benches = done("bench", "--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
    commands += [["bench", line.split()[0]] for line in benches.split("\n") if line.startswith("  ") and line[2] != " "]
    for command in commands:
        lines = done(*command, "--help").stdout.split("\n")
        assert lines[0].strip() and lines[1].startswith("Usage: headlight " + " ".join(command)), (command, lines[:2])
        for line, after in zip(lines, lines[1:]):
            if not line.startswith("  -"):
                continue
            said = line[30:].strip() if len(line) > 30 and line[29] == " " else after.strip()
            assert len(said) > 5, (command, line)


def streaming(folder):
    """A long text's tokens are printed in parts: the memory does not grow with them, and the JSON is one object. A text without
    lines is cut between its words."""
    outputs = []
    for number, (kind, between) in enumerate((("bpe", "\n"), ("characters", "\n"), ("words", " "), ("wordpiece", " "),
                                              ("characters", "  "))):
        text, out = folder / f"{number}.txt", folder / f"{number}.json"
        text.write_text(("the cat sat on the mat, and looked at the dog" + between) * 25_000)  # 1.1 MB
        with open(text) as stdin, open(out, "w") as stdout:
            child = subprocess.Popen([PROGRAM, "tokenize", "--json", "--tokenizer", kind, "-"], stdin=stdin, stdout=stdout)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        assert used.ru_maxrss < 110_000, f"{kind}: {used.ru_maxrss} kB"
        outputs.append((out, text.stat().st_size - (len(between) if kind in ("words", "wordpiece") else 0)))
    # Read only now: a child's figure begins at what its parent takes.
    for out, last in outputs:
        made = json.loads(out.read_text())
        assert list(made) == ["tokenizer", "tokens"] and made["tokens"][-1]["end"] == last
        assert all(a["end"] <= b["start"] for a, b in zip(made["tokens"], made["tokens"][1:]))


def interrupted(folder):
    """Ctrl+C: the program dies by the signal and leaves nothing half written, in early and in late phases."""
    (folder / "long.txt").write_text("the cat sat on the mat and looked at the dog\n" * 400_000)
    random = np.random.default_rng(1)
    np.savez(folder / "big.npz", **{name: random.standard_normal((1, 8, 6000, 64)).astype("f4") for name in "qkv"})
    before = sorted(os.listdir(folder))
    # Each takes more than twice as long as the signal waits, on a quick machine too: one that ends as the signal comes has its own status.
    slow = [
        ["sdpa", "--in", "big.npz", "--out", "y.npz", "--backend", "reference"],
        ["tokenize", "--json", "--tokenizer", "bpe", "--text-file", "long.txt"],
        ["bench", "isdpa", "--json"],
        ["export", "--what", "weights", "--view", "grid", "--head", "all", "--text", "word " * 600, "--layers", "12", "--heads", "16",
         "--d-model", "64", "--out", "grid.svg"],
        ["recurrence", "--kind", "lstm", "--units", "128", "--train", "5000", "--text", "word " * 60],
        ["train-embeddings", "--corpus", "long.txt", "--epochs", "50", "--out", "vectors"],
        ["value-map", "--layers", "1", "--d-model", "1024", "--heads", "16", "--json", "--text", "word " * 1000],
        ["scores", "--model", "stories", "--text", "word " * 8000],
        ["heads", "--model", "stories", "--matter", "--text", "word " * 250],
        ["patches", "--patch", "4", "--d-model", "1024", "--out", "y.npz"],
        ["bench", "long", "--json"],
    ]
    for arguments in slow:
        for sent in (signal.SIGINT, signal.SIGTERM):
            child = subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            if child.poll() is not None:
                continue  # done before the signal
            child.send_signal(sent)
            if child.returncode is not None:
                continue  # Python found that it had ended just before
            status = child.wait(timeout=30)  # not timed: a busy machine may not run it at once
            assert status == -sent, (arguments, status)
            # Nothing half written: no file, or, where the signal came at the very end, the whole one.
            left = sorted(set(os.listdir(folder)) - set(before))
            assert left in ([], ["grid.svg"], ["y.npz"], ["vectors"]), (arguments[:2], left)
            for name in left:
                if name == "vectors":
                    assert np.load(folder / name / "vectors.npz")["embedding"].ndim == 2
                    shutil.rmtree(folder / name)
                    continue
                if name.endswith(".svg"):
                    assert (folder / name).read_text().rstrip().endswith("</svg>"), name
                else:
                    np.load(folder / name)
                (folder / name).unlink()
    # A shell's loop around it ends.
    script = f'for i in 1 2 3; do "{PROGRAM}" bench isdpa --json >/dev/null 2>&1; echo "went on"; done'
    shell = subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(0.8)
    os.killpg(shell.pid, signal.SIGINT)
    said, _ = shell.communicate(timeout=30)
    assert shell.returncode in (-signal.SIGINT, 130) and "went on" not in said, (shell.returncode, said)


def seconds_in_all():
    """bench --seconds: ways that there is no time for are left out, and it says how many; the first one is measured."""
    for bench in (["isdpa"], ["sdpa"], ["train"], ["long"], ["forward"], ["generate"], ["isdpa", "--sweep", "words=100,200"]):
        run = done("bench", *bench, "--seconds", "0.02", "--json")
        rows = json.loads(run.stdout)
        rows = rows["rows"] if isinstance(rows, dict) else rows
        assert rows or "not measured within --seconds" in run.stderr, (bench, run.stderr)
        if bench[0] in ("isdpa", "long"):
            assert "not measured within --seconds" in run.stderr, (bench, run.stderr)
    small = ["bench", "isdpa", "--words", "8", "--length", "4", "--vocab", "8", "--d", "16", "--stage", "layer"]
    run = done(*small, "--seconds", "5", "--json")
    assert run.stderr == "" and len(json.loads(run.stdout)) >= 10, run.stderr


def folders_called_as_tokenizers(folder):
    """What is trained into a folder that is called as a bundled vocabulary is read from there."""
    (folder / "text.txt").write_text("man bites dog and dog bites man\n" * 20)
    done("train-embeddings", "--corpus", "text.txt", "--epochs", "1", "--d-model", "8", "--out", "words", cwd=folder)
    assert "bites" in done("embeddings", "--model", "words", "dog", cwd=folder).stdout
    model = folder / "bpe"
    shutil.copytree(pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "induction", model)
    wanted = done("generate", "--model", "induction", "--text", "pa lar vu pa", "--tokens", "2").stdout
    assert done("generate", "--model", "bpe", "--text", "pa lar vu pa", "--tokens", "2", cwd=folder).stdout == wanted


def progress_on_a_terminal(folder):
    """What takes seconds says so on a terminal, and clears it away at the end."""
    if not hasattr(os, "openpty"):
        return
    random = np.random.default_rng(2)
    np.savez(folder / "big.npz", **{name: random.standard_normal((1, 4, 2500, 64)).astype("f4") for name in "qkv"})
    for arguments in (["sdpa", "--in", "big.npz", "--out", "y.npz", "--backend", "reference"],
                      ["trace", "--text", "word " * 700, "--backend", "reference", "--steps", "tokens", "--out", "t.npz"]):
        ours, theirs = os.openpty()
        child = subprocess.Popen([PROGRAM, *arguments], cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL)
        os.close(theirs)
        said, begun = b"", time.monotonic()
        while b", 2 s" not in said and time.monotonic() - begun < 60:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                child.wait()
                break
            said += part
            if not part:
                break
        quick = child.poll() is not None
        child.kill()
        child.wait()
        os.close(ours)
        assert quick or b"computing, 1 s" in said, (arguments[0], said)


def words():
    """Wrong use names what is meant."""
    assert "there is no command 'foo'" in refused(2, "bench", "foo", words=["headlight bench: ", "known are isdpa, sdpa"])
    refused(2, "bench", "isdap", words=["the nearest is 'isdpa'"])
    refused(2, "bench", words=["a command is missing", "known are isdpa, sdpa"])
    help_text = " ".join(done("trace", "--help").stdout.split())
    assert "a figure, trace or CSV that carries its own" in help_text


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for test in (lost_output, words, whole_help, seconds_in_all):
            test()
        for test in (arrays, padding, documents, steps_and_texts, streaming, interrupted, folders_called_as_tokenizers,
                     progress_on_a_terminal):
            room = folder / test.__name__
            room.mkdir()
            test(room)
            print(test.__name__, "holds", flush=True)


main()
