"""Tests the options of figures and the pictures of arrays of one's own. figure_cli_test.py PROGRAM BUILD_FOLDER."""

import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

program = sys.argv[1]


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def done(*arguments):
    run = call(*arguments)
    assert run.returncode == 0 and run.stderr == "" and run.stdout == "", (arguments, run)


def refused(words, *arguments):
    run = call(*arguments)
    assert run.returncode == 2 and run.stdout == "" and run.stderr.count("\n") == 1, (arguments, run)
    assert words in run.stderr, (arguments, run.stderr)


def png(path):
    """Pixels across and down, and pixels a metre."""
    data = open(path, "rb").read()
    at = data.index(b"pHYs") + 4
    return struct.unpack(">II", data[16:24]), struct.unpack(">II", data[at:at + 8])


def svg(path):
    """Width and height as they are written, and the view box."""
    text = open(path, encoding="utf-8").read()
    found = re.search(r'width="([^"]*)" height="([^"]*)" viewBox="0 0 ([0-9.]*) ([0-9.]*)"', text)
    return found[1], found[2], float(found[3]), float(found[4])


def pdf(path):
    """The page in points."""
    found = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", open(path, "rb").read())
    return float(found[1]), float(found[2])


def npy(shape, numbers):
    head = ("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%df" % len(numbers), *numbers)


small = ["--tokenizer", "words", "--layers", "1", "--heads", "2", "--d-model", "8", "--text", "the mole dug a hole"]
mm = 96 / 25.4

if "decoder" not in call("export", "--help").stdout or "libraries" in call("export", *small, "--what", "weights", "--out", "/dev/null.png").stderr:
    sys.exit(0)  # a build without figures

with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    weights = ["export", *small, "--what", "weights"]

    # Exact widths, in every unit and kind. A millimetre is 96 / 25.4 points of the screen and 72 / 25.4 of print.
    for width, inches in [("84mm", 84 / 25.4), ("238pt", 238 / 72), ("3.25in", 3.25)]:
        for view in ["heatmap", "dots", "arcs", "grid"]:
            more = ["--view", view, "--width", width, "--font-size", "7pt"]
            for kind in ["png", "svg", "pdf"]:
                done(*weights, *more, "--dpi", "300", "--out", path("w." + kind))
            (wide, _), metre = png(path("w.png"))
            assert wide == round(inches * 300) and metre == (11811, 11811), (width, view, wide, metre)
            said, _, box, high = svg(path("w.svg"))
            assert said == width and abs(box - inches * 96) < 1e-3, (width, view, said, box)
            page = pdf(path("w.pdf"))
            assert abs(page[0] - inches * 72) < 1e-3 and abs(page[1] - high * 0.75) < 1e-2, (width, view, page)
    # px are a PNG's pixels, whatever it says of their size; elsewhere 1/96 inch.
    for dpi in [[], ["--dpi", "192"], ["--dpi", "300"]]:
        drawn = call(*weights, "--width", "601px", *dpi, "--out", path("w.png"))
        # Two inches of print hold no long label whole.
        assert drawn.returncode == 0 and (drawn.stderr == "" or "a wider picture shows them whole" in drawn.stderr), (dpi, drawn)
        assert png(path("w.png"))[0][0] == 601, (dpi, png(path("w.png")))
    done(*weights, "--width", "600px", "--out", path("w.pdf"))
    assert abs(pdf(path("w.pdf"))[0] - 450) < 1e-3, pdf(path("w.pdf"))
    # Both sides; and a picture of a view, which is scaled.
    done(*weights, "--width", "90mm", "--height", "70mm", "--out", path("w.svg"))
    assert svg(path("w.svg"))[:2] == ("90mm", "70mm"), svg(path("w.svg"))
    done("export", *small, "--what", "ledger", "--width", "120mm", "--title", "off", "--out", path("l.svg"))
    assert svg(path("l.svg"))[0] == "120mm", svg(path("l.svg"))
    # A number alone is the most, as it always was: the picture is as wide as it needs.
    done(*weights, "--width", "600", "--out", path("w.svg"))
    said, _, box, _ = svg(path("w.svg"))
    assert float(said) == box <= 600, (said, box)

    # Parts, colours, tokens.
    def words(*more):
        done(*weights, "--theme", "light", *more, "--out", path("w.svg"))
        return re.findall(r"<text[^>]*>([^<]*)</text>", open(path("w.svg"), encoding="utf-8").read())

    assert "layer 0, head 0 · weights" in words() and "random weights, seed 0" in words() and "query (attends)" in words()
    assert "layer 0, head 0 · weights" not in words("--title", "off") and "One head" in words("--title", "One head")
    assert "random weights, seed 0" not in words("--note", "off") and "query (attends)" not in words("--axes", "off")
    assert "weight, fixed 0..1, viridis" not in words("--caption", "off")
    numbers = [word for word in words() if re.fullmatch(r"1?\.\d\d", word)]
    assert len(numbers) == 25 and not [word for word in words("--numbers", "off") if re.fullmatch(r"1?\.\d\d", word)]
    assert [word for word in words("--cell", "7mm", "--numbers", "on") if re.fullmatch(r"1?\.\d\d", word)] == numbers
    turned = [word for word in words("--transpose") if re.fullmatch(r"1?\.\d\d", word)]
    assert turned == [numbers[5 * (i % 5) + i // 5] for i in range(25)], (numbers, turned)
    chosen = [word for word in words("--tokens", "0,2-3/4") if re.fullmatch(r"1?\.\d\d", word)]
    assert chosen == [numbers[4], numbers[14], numbers[19]], (chosen, numbers)
    assert "≥ 0.01" in words("--limits", "0,0.01")
    done(*weights, "--background", "transparent", "--out", path("w.svg"))
    assert not re.search(r'<rect width="[0-9.]*" height="[0-9.]*" fill', open(path("w.svg"), encoding="utf-8").read())
    done(*weights, "--background", "white", "--out", path("w.svg"))
    assert re.search(r'<rect width="[0-9.]*" height="[0-9.]*" fill="#ffffff"/>', open(path("w.svg"), encoding="utf-8").read())

    # Arrays of one's own.
    with zipfile.ZipFile(path("own.npz"), "w") as z:
        z.writestr("weights.npy", npy([2, 3, 3], [1, 0, 0, .5, .5, 0, .2, .3, .5] * 2))
        z.writestr("other.npy", npy([2, 3], [-1, 2, -3, 4, -5, 6]))
    open(path("three.txt"), "w").write("the\nold\nmole\n")
    open(path("two.txt"), "w").write("up\ndown\n")
    own = ["export", "--in", path("own.npz")]
    for view in ["heatmap", "dots", "arcs", "grid"]:
        done(*own, "--labels", path("three.txt"), "--view", view, "--width", "80mm", "--out", path("own.svg"))
        assert svg(path("own.svg"))[0] == "80mm" and ("mole" in open(path("own.svg")).read()) == (view != "grid"), view
    done(*own, "--array", "other", "--labels", path("two.txt"), "--labels", path("three.txt"), "--out", path("own.svg"))
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", open(path("own.svg"), encoding="utf-8").read())
    assert {"up", "down", "mole", "-5.00", "6.00"} <= set(shown), shown
    open(path("own.npy"), "wb").write(npy([2, 2], [1, 2, 3, 4]))
    done("export", "--in", path("own.npy"), "--out", path("own.png"))
    done("export", *small, "--what", "parameters.layer.0.wq", "--width", "60mm", "--out", path("p.svg"))
    assert "layer.0.wq" in open(path("p.svg")).read() and svg(path("p.svg"))[0] == "60mm"
    done("export", *small, "--what", "parameters.layer.0.wq", "--out", path("p.csv"))
    assert len(open(path("p.csv")).read().splitlines()) == 9

    # What is refused, with what there is instead.
    before = sorted(os.listdir(folder))
    out = ["--out", path("x.png")]
    for wrong, said in [(["--width", "84cm"], "no length"), (["--width", "1mm"], "out of range"), (["--width", "100"], "out of range"),
                        (["--cell", "5"], "needs a unit"), (["--cell", "5mm", "--width", "84mm"], "follows from"),
                        (["--font", "No Such Font"], "no font"), (["--font-size", "1pt"], "no size of type"),
                        (["--limits", "3,1"], "no pair"), (["--centre", "x"], "no number"),
                        (["--limits", "0,1", "--centre", "2"], "not between"), (["--tokens", "0-"], "names no tokens"),
                        (["--tokens", "9"], "no row 9"), (["--background", "pink"], "no background"),
                        (["--background", "white", "--theme", "dark"], "cannot be read on white"),
                        (["--title", "off", "--numbers", "maybe"], "neither on nor off"),
                        (["--limits", "0,1", "--range", "own"], "of their own"),
                        (["--view", "dots", "--centre", "1"], "of colours"), (["--view", "arcs", "--cell", "5mm"], "no cells")]:
        refused(said, *weights, *wrong, *out)
    refused("choice of pictures", *weights, "--title", "off", "--out", path("x.csv"))
    refused("its own form", "export", *small, "--what", "ledger", "--transpose", *out)
    refused("form of its own", "export", *small, "--what", "report", "--width", "84mm", "--out", path("x.pdf"))
    refused("--what STEP, or --in", "export", *out)
    refused("give --in", *weights, "--array", "a", *out)
    refused("2 labels and 3 rows", *own, "--labels", path("two.txt"), *out)
    refused("no head 2", *own, "--head", "2", *out)
    refused("scores of any sign", *own, "--array", "other", "--view", "arcs", *out)
    assert sorted(os.listdir(folder)) == before, os.listdir(folder)

    # The five figures of the docs: the script still makes them, at their widths and with the same words.
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "figures")
    made = subprocess.run([os.path.join(docs, "five-figures"), path("five"), program], capture_output=True, text=True)
    assert made.returncode == 0 and made.stderr == "", made
    words_in = lambda name: sorted(re.findall(r"<text[^>]*>([^<]*)</text>", open(name, encoding="utf-8").read()))
    names = sorted(name for name in os.listdir(docs) if name.endswith(".svg"))
    assert names == sorted(os.listdir(path("five"))) and len(names) == 5, names
    for name in names:
        new, old = os.path.join(path("five"), name), os.path.join(docs, name)
        assert svg(new)[0] == svg(old)[0] and words_in(new) == words_in(old), name
    assert [svg(os.path.join(docs, name))[0] for name in names] == ["84mm", "84mm", "84mm", "174mm", "60mm"]
