"""Tests headlight export and the tour's film: reports, labels of several sentences, files that other programs accept, and that
nothing is left behind when it is stopped. export_cli_test.py PROGRAM BUILD_FOLDER."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def done(*arguments):
    run = call(*arguments)
    assert run.returncode == 0 and run.stderr == "", (arguments, run)
    return run.stdout


def refused(status, words, *arguments):
    run = call(*arguments)
    assert run.returncode == status and run.stdout == "" and run.stderr.count("\n") == 1, (arguments, run)
    assert words in run.stderr, (arguments, run.stderr)


small = ["--tokenizer", "words", "--layers", "1", "--heads", "2", "--d-model", "8"]

with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)

    # Several sentences: each row has its own sentence's tokens.
    done("export", *small, "--text", "man bites dog", "--text", "the dog", "--what", "weights", "--out", path("w.csv"))
    rows = list(csv.reader(open(path("w.csv"), encoding="utf-8")))
    head, body = rows[0], rows[1:]
    query = head.index("query")
    assert [row[query] for row in body if row[0] == "0"][:3] == ["man", "bites", "dog"], rows
    assert [row[query] for row in body if row[0] == "1"][:3] == ["the", "dog", "[PAD]"], rows
    assert abs(sum(float(x) for x in body[0][query + 1:]) - 1) < 1e-5

    # A report.
    done("export", *small, "--text", "man bites dog", "--what", "report", "--out", path("r.pdf"))
    assert open(path("r.pdf"), "rb").read(5) == b"%PDF-"
    # The same session gives the same bytes; under another name, the name differs.
    first = open(path("r.pdf"), "rb").read()
    done("export", *small, "--text", "man bites dog", "--what", "report", "--out", path("r.pdf"))
    assert open(path("r.pdf"), "rb").read() == first
    done("export", *small, "--text", "man bites dog", "--what", "report", "--out", path("another name.pdf"))
    assert open(path("another name.pdf"), "rb").read() != first
    for name in ("x.jpg", "x.JPEG", "x.webp", "x.tif", "x.bmp"):
        for asked in (("--what", "weights"), ("--what", "report"), ("--in", path("none.npz"))):
            refused(2, f"pictures are not written as .{name[2:].lower()}; use {path('x.png')}", "export", *small, *asked, "--out", path(name))
    refused(2, "a report is a PDF", "export", *small, "--what", "report", "--out", path("r.png"))

    # One word in several texts, as the Context view shows it.
    if "context-paths" in done("export", "--help"):
        mole = ["--model", "course", "--word", "mole", "--text", "American shrew mole", "--text", "One mole of carbon dioxide"]
        for kind in ["png", "svg", "pdf"]:
            done("export", *mole, "--what", "context", "--layer", "3", "--out", path("c." + kind))
            assert os.path.getsize(path("c." + kind)) > 1000
        for part in ["queries", "distances", "cosines", "distance-matrix", "cosine-matrix", "added"]:
            done("export", *mole, "--what", "context-" + part, "--layer", "2", "--out", path(part + ".svg"))
        done("export", *mole, "--probe", "lives", "--what", "context-probes", "--out", path("p.svg"))
        done("export", *mole, "--what", "context-paths", "--out", path("c.csv"))
        points = list(csv.reader(open(path("c.csv"), encoding="utf-8")))[1:]
        told = json.loads(done("context", *mole[:4], "--json", mole[5], mole[7]))
        assert len(told["texts"]) == 2 and len(told["texts"][0]["path"]) == 5, told["texts"]
        flat = [number for text in told["texts"] for point in text["path"] for number in point]
        shown = [float(row[-2 + i]) for row in points for i in range(2)]
        assert len(shown) == len(flat) and all(abs(a - b) < 1e-3 for a, b in zip(shown, flat)), (shown, flat)
        for text in told["texts"]:
            for layer in text["added"]:
                parts = sum(layer["by_source"]) + layer["bias"] + layer["rest"]
                assert abs(parts - layer["length"]) < 1e-6 * max(1, layer["length"]), layer
                heads = [sum(column) for column in zip(*[head["by_source"] for head in layer["heads"]])]
                assert all(abs(a - b) < 1e-9 for a, b in zip(heads, layer["by_source"])), layer
        refused(2, "there is no layer 5", "export", *mole, "--what", "context", "--layer", "5", "--out", path("x.png"))
        refused(2, "there is no sentence 2", "export", *mole, "--what", "context", "--sentence", "2", "--out", path("x.png"))
        refused(2, "at least two texts", "export", *mole[:6], "--what", "context", "--out", path("x.png"))
        refused(2, "text 2: the text has no word 'shrew'", "export", *mole[:2], "--word", "shrew", *mole[4:], "--what", "context",
                "--out", path("x.png"))
        refused(2, "a step is of no word", "export", *small, "--what", "weights", "--word", "mole", "--out", path("x.png"))
        assert not os.path.exists(path("x.png"))

    # Pictures of views, and their numbers: the ledger of one token, where there is a window.
    if "ledger" in done("export", "--help"):
        two = ["--text", "man bites dog", "--target", "le chien"]
        for kind in ["png", "svg", "pdf"]:
            done("export", *small, *two, "--what", "decoder.ledger", "--token", "1", "--out", path("l." + kind))
            assert os.path.getsize(path("l." + kind)) > 1000
        done("export", *small, *two, "--what", "decoder.ledger", "--token", "1", "--out", path("l.csv"))
        ledger = {row[0]: [float(x) for x in row[1:]] for row in list(csv.reader(open(path("l.csv"), encoding="utf-8")))[1:]}
        assert len(ledger) == 13 and all(len(row) == 8 for row in ledger.values()), ledger
        parts = [row for name, row in ledger.items() if name.startswith("+") and name not in ("+ position",)]
        for at in range(8):
            total = ledger["= E before"][at] + sum(row[at] for row in parts)
            assert abs(total - ledger["= E after"][at]) < 1e-5, (at, ledger)
            assert abs(ledger["token"][at] + ledger["+ position"][at] - ledger["= E before"][at]) < 1e-6
        done("export", *small, *two, "--what", "decoder.cross.weighted-values", "--out", path("g.npz"))
        for what in ["next-words", "lens", "looks", "what-follows", "nearest-words", "nearest-tokens", "differences", "one-hot"]:
            done("export", "--model", "course", "--text", "Ankara is the capital of", "--what", what, "--out", path(what + ".svg"))
        done("export", "--model", "course", "--text", "Ankara is the capital of", "--what", "next-words", "--out", path("n.csv"))
        listed = list(csv.reader(open(path("n.csv"), encoding="utf-8")))
        assert "Turkey" in str(listed), listed
        ankara = ["--model", "course", "--text", "Ankara is the capital of"]
        for what in ["thinking", "odds", "generated", "what-if-words", "what-if-map"]:
            done("export", *ankara, "--what", what, "--without", "layer.3.head.1", "--out", path(what + ".svg"))
            done("trace", "--session", path(what + ".svg"), "--shapes")
        done("export", *ankara, "--what", "what-if-map", "--out", path("m.csv"))
        # What the view Why this word asks about, as `why` has it, and the session in the file keeps it.
        induction = ["--model", "induction", "--text", "pa lar vu so mi ken pa lar vu"]
        done("export", *induction, "--what", "why", "--for", "pa", "--out", path("why.svg"))
        done("export", *induction, "--what", "why-difference", "--for", "so", "--over", "pa", "--out", path("d.svg"))
        other = "so lar vu pa mi ken so lar vu"
        patching = ("--what", "why-patching", "--patch", other, "--out")
        for file in ("patching.svg", "p.csv"):
            made = call("export", *induction, *patching, path(file))
            assert made.returncode == 0 and made.stderr == f"headlight: changed sentence: {other}\n", made
        again = call("export", "--session", path("patching.svg"), "--what", "why-patching", "--out", path("again.csv"))
        assert again.returncode == 0 and open(path("p.csv")).read() == open(path("again.csv")).read(), again
        for words, asked in (("does not have 'greece'", ("why", "--for", "greece")), ("compares no words", ("why", "--over", "pa")),
                             ("has no changed sentence", ("why-difference", "--patch", "so lar")),
                             ("is of no word", ("why-heads", "--for", "pa")), ("of a predicted word", ("weights", "--for", "pa")),
                             ("of a predicted word", ("lens", "--over", "pa")),
                             ("tokens", ("why-patching", "--over", "pa", "--patch", "so lar")),
                             ("after both sentences", ("why-patching", "--patch", induction[3]))):
            refused(2, words, "export", *induction, "--what", asked[0], *asked[1:], "--out", path("x.png"))
        matter = json.loads(done("heads", *ankara, "--matter", "--json"))
        changed = {(h["layer"], h["head"]): 100 * h["probability"] for h in matter["heads"]}
        drawn = [[float(x) for x in row[1:]] for row in list(csv.reader(open(path("m.csv"), encoding="utf-8")))[1:]]
        assert all(abs(drawn[layer][head] - points) < 1e-2 for (layer, head), points in changed.items()), (drawn, changed)
        with open(path("pinned.json"), "w", encoding="utf-8") as file:
            document = {"version": 1, "model": "course", "texts": ["Ankara is the capital of"]}
            json.dump({"headlight": 1, "document": document, "pinned": {**document, "without": ["layer.0.head.1"]}}, file)
        done("export", "--session", path("pinned.json"), "--what", "compare", "--out", path("compare.svg"))
        refused(1, "nothing to show", "export", *ankara, "--what", "compare", "--out", path("x.png"))
        # A training of a few steps, by the settings of a session.
        with open(path("training.json"), "w", encoding="utf-8") as file:
            train = {"task": "copy", "layers": 1, "width": 16, "heads": 2, "step": 20}
            json.dump({"headlight": 1, "document": {"version": 1, "texts": ["a"]}, "view": {"train": train}}, file)
        for what in ["train", "train-losses", "train-film", "train-heads", "train-answers"]:
            done("export", "--session", path("training.json"), "--what", what, "--out", path(what + ".svg"))
        refused(1, "nothing to show", "export", *small, "--text", "man", "--what", "lens", "--out", path("x.png"))
        refused(2, "there is no token 3", "export", *small, "--text", "man bites dog", "--what", "ledger", "--token", "3", "--out",
                path("l.png"))
        refused(2, "reads one sentence", "export", *small, "--text", "man", "--what", "decoder.ledger", "--out", path("x.png"))
        refused(2, "of one head", "export", *small, "--what", "ledger", "--head", "0,1", "--out", path("x.png"))
        refused(2, "with all its tokens", "export", *small, "--what", "weights", "--token", "0", "--out", path("x.png"))
        assert not os.path.exists(path("x.png"))

    # Pictures that other programs accept.
    done("export", *small, "--text", "<&> \"x\" 注意力", "--mask", "causal", "--what", "weights", "--out", path("w.svg"))
    if shutil.which("xmllint"):
        checked = subprocess.run(["xmllint", "--noout", "--nonet", path("w.svg")], capture_output=True, text=True)
        assert checked.returncode == 0 and not checked.stderr, checked
    svg = open(path("w.svg"), encoding="utf-8").read()
    assert "sans-serif" in svg and "monospace" in svg, "fonts have fallbacks"

    # A long text is one image inside the vector file, not a rectangle per cell.
    words = " ".join("w%d" % i for i in range(1100))
    began = time.monotonic()
    run = call("export", *small, "--text", words, "--what", "weights", "--out", path("long.svg"))
    assert run.returncode == 0 and run.stderr.count("\n") == 1, run.stderr
    assert "is shown" in run.stderr and run.stderr.endswith("; --tokens 0-39 shows these with every label\n"), run.stderr
    done("export", *small, "--text", words, "--what", "weights", "--tokens", "0-39", "--out", path("few.svg"))
    svg = open(path("long.svg"), encoding="utf-8").read()
    assert "<image" in svg and svg.count("<rect") < 100, svg.count("<rect")

    refused(2, "no kind of film", "tour", "--film", path("tour.mp4"))
    refused(2, "give --out", "tour")
    before = sorted(os.listdir(folder))

    # Stopped in the middle: nothing new, and no temporary file.
    for delay in (0.05, 0.3, 0.8):
        run = subprocess.Popen(
            [program, "export", "--text", words, "--layers", "6", "--what", "weights", "--head", "all", "--out", path("stopped.pdf")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(delay)
        run.send_signal(signal.SIGINT)
        run.communicate()
        left = [name for name in os.listdir(folder) if name not in before]
        assert left in ([], ["stopped.pdf"]), left
        if left:  # it was done before the signal came
            assert open(path("stopped.pdf"), "rb").read(5) == b"%PDF-"
            os.remove(path("stopped.pdf"))

    # A folder that cannot be written to, and unusual names.
    if os.geteuid() != 0:
        os.mkdir(path("closed"), 0o500)
        refused(1, "may not be written", "export", *small, "--text", "a b", "--what", "weights", "--out", path("closed/x.png"))
    # A folder that is there and takes no new file, whoever asks.
    if os.path.isdir("/proc/self"):
        refused(1, "the folder /proc may not be written", "export", *small, "--text", "a b", "--what", "weights", "--out",
                "/proc/x.png")
    refused(1, "does not exist", "export", *small, "--text", "a b", "--what", "weights", "--out", path("none/x.png"))
    odd = "注意力 'a' \"b\" $(x) .png"
    done("export", *small, "--text", "a b", "--what", "weights", "--out", path(odd))
    assert odd in os.listdir(folder)
