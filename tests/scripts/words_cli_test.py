"""Tests --words-together: weights between words by hand from those between pieces, for self-attention and translation, pictures
and arrays; and the page for browsers, whose own code must come to the same numbers. words_cli_test.py PROGRAM BUILD_FOLDER."""

import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

program = sys.argv[1]
root = pathlib.Path(__file__).resolve().parents[2]


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def done(*arguments):
    run = call(*arguments)
    assert run.returncode == 0 and run.stderr == "", (arguments, run)
    return run.stdout


def refused(words, *arguments):
    run = call(*arguments)
    assert run.returncode == 2 and run.stdout == "" and run.stderr.count("\n") == 1 and words in run.stderr, (arguments, run)


def matrix(path):
    """The names of rows and columns of a matrix's CSV, and its numbers."""
    rows = list(csv.reader(open(path, encoding="utf-8")))
    return [row[0] for row in rows[1:]], rows[0][1:], [[float(x) for x in row[1:]] for row in rows[1:]]


def groups_of(joins):
    groups = []
    for i, joined in enumerate(joins):
        if joined and groups:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def by_hand(weights, rows, columns):
    return [[sum(weights[i][j] for i in row for j in column) / len(row) for column in columns] for row in rows]


def equal(a, b, most=2e-6):
    return len(a) == len(b) and all(len(x) == len(y) and all(abs(p - q) <= most for p, q in zip(x, y)) for x, y in zip(a, b))


def page_data(path):
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', pathlib.Path(path).read_text(encoding="utf-8"), re.S)
    return json.loads(found.group(1).replace("\\u003c", "<"))


# The page's own function over the pieces' numbers.
JOIN = """
import {groupsOf, mapOfWords} from %s;
import {readFileSync} from 'node:fs';
const input = JSON.parse(readFileSync(0, 'utf8')), rows = input.weights.length, columns = input.weights[0].length;
const map = {rows, columns, values: Float32Array.from(input.weights.flat()), seen: Uint8Array.from(input.seen.flat())};
const words = mapOfWords(map, groupsOf(input.rows, true), groupsOf(input.columns, true));
process.stdout.write(JSON.stringify({values: Array.from(words.values), seen: Array.from(words.seen)}));
"""


def by_page(folder, weights, seen, rows, columns):
    module = os.path.join(folder, "numbers.mjs")
    shutil.copy(root / "assets/page/numbers.js", module)
    script = os.path.join(folder, "join.mjs")
    pathlib.Path(script).write_text(JOIN % json.dumps("./numbers.mjs"), encoding="utf-8")
    run = subprocess.run(["node", script], input=json.dumps({"weights": weights, "seen": seen, "rows": rows, "columns": columns}),
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    words = json.loads(run.stdout)
    wide = len(groups_of(columns))
    return [words["values"][i:i + wide] for i in range(0, len(words["values"]), wide)]


with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)

    # The first sentence in the bundled model: forest looks at verdant, which has two pieces.
    forest = ["--model", "stories", "--layer", "0", "--head", "0"]
    done("export", *forest, "--what", "weights", "--out", path("pieces.csv"))
    done("export", *forest, "--what", "weights", "--words-together", "--out", path("words.csv"))
    done("export", *forest, "--out", path("view.html"))
    pieces, _, weights = matrix(path("pieces.csv"))
    names, columns, words = matrix(path("words.csv"))
    text = page_data(path("view.html"))["runs"][0]["texts"][0]
    joins = text["joins"]
    assert len(joins) == len(pieces) and sum(joins) > 0, (joins, pieces)
    assert "verdant" in names and names == columns == text["words"], (names, columns, text["words"])
    assert equal(words, by_hand(weights, groups_of(joins), groups_of(joins)))
    assert all(abs(sum(row) - 1) < 1e-5 for row in words), words
    at, to = names.index("forest"), names.index("verdant")
    assert words[at][to] > max(weights[-1][i] for i in groups_of(joins)[to]) - 1e-6
    if shutil.which("node"):
        causal = [[1 if j <= i else 0 for j in range(len(pieces))] for i in range(len(pieces))]
        assert equal(words, by_page(folder, weights, causal, joins, joins))

    # A translation: both axes have their own words; rows are named by what they write, or by what they have read.
    both = ["--model", "english-french", "--text", "The elephant is drinking.", "--target", "L'éléphant boit."]
    done("export", *both, "--what", "encoder.rollout", "--words-together", "--out", path("encoder.csv"))
    rows, columns, shares = matrix(path("encoder.csv"))
    assert rows == columns and all(abs(sum(row) - 1) < 1e-5 for row in shares), shares
    done("export", *both, "--what", "decoder.cross.weights", "--layer", "0", "--head", "1", "--words-together", "--out", path("c.csv"))
    rows, columns, cross = matrix(path("c.csv"))
    assert "éléphant" in rows and columns[:4] == ["The", "elephant", "is", "drinking"], (rows, columns)
    assert all(abs(sum(row) - 1) < 1e-5 for row in cross), cross

    done("export", *both, "--what", "decoder.cross.weights", "--layer", "0", "--head", "1", "--out", path("pieces.csv"))
    rows, _, _ = matrix(path("pieces.csv"))
    assert rows[0] == "L" and "[BOS]" not in rows, rows

    # Every picture of weights, and data of all heads.
    for view in ["heatmap", "dots", "arcs", "grid"]:
        done("export", "--model", "stories", "--what", "weights", "--view", view, "--words-together", "--out", path(view + ".svg"))
        drawn = pathlib.Path(path(view + ".svg")).read_text(encoding="utf-8")
        assert "verdant" in drawn or view == "grid", view
        assert view == "grid" or "sum of its pieces" in drawn or view == "arcs", view
    for head in ["mean", "max", "all"]:
        done("export", "--model", "stories", "--what", "weights", "--layer", "0", "--head", head, "--words-together", "--out",
             path("all.npy"))
    for what in ["looks", "generated", "report"]:
        done("export", "--model", "stories", "--what", what, "--words-together", "--out",
             path(what + (".pdf" if what == "report" else ".svg")))

    # What it is not for.
    small = ["--tokenizer", "bpe", "--layers", "1", "--heads", "2", "--d-model", "8"]
    refused("holds none", "export", *small, "--what", "scores", "--words-together", "--out", path("x.svg"))
    refused("words of its own", "export", *small, "--text", "a verdant wood", "--text", "man", "--what", "weights",
            "--words-together", "--out", path("x.csv"))
    done("export", *small, "--text", "a verdant wood", "--text", "man", "--sentence", "1", "--what", "weights", "--words-together",
         "--out", path("x.csv"))
    refused("no weights between words", "export", "--model", "stories", "--what", "ledger", "--words-together", "--out", path("y.svg"))
    refused("no weights between words", "export", "--what", "parameters.layer.0.wq", "--words-together", "--out", path("y.svg"))
    # Of characters whitespace makes words.
    done("export", *small[2:], "--tokenizer", "characters", "--text", "a mole dug.", "--what", "weights", "--head", "0",
         "--words-together", "--out", path("x.csv"))
    assert matrix(path("x.csv"))[0] == ["a", "mole", "dug."], matrix(path("x.csv"))[0]

    # Arrays of one's own: their labels' marks tell.
    weights = [[1, 0, 0, 0], [.5, .5, 0, 0], [.25, .25, .5, 0], [.125, .375, .25, .25]]
    head = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }".ljust(117) + b"\n"
    pathlib.Path(path("w.npy")).write_bytes(head + b"".join(struct.pack("<f", x) for row in weights for x in row))
    pathlib.Path(path("marked.txt")).write_text("a\nĠverd\nant\nĠwood\n", encoding="utf-8")
    pathlib.Path(path("plain.txt")).write_text("a\nverdant\nold\nwood\n", encoding="utf-8")
    done("export", "--in", path("w.npy"), "--labels", path("marked.txt"), "--words-together", "--out", path("w.csv"))
    rows, columns, words = matrix(path("w.csv"))
    assert rows == columns == ["a", "verdant", "wood"] and words == [[1, 0, 0], [.375, .625, 0], [.125, .625, .25]], (rows, columns, words)
    done("export", "--in", path("w.npy"), "--labels", path("marked.txt"), "--words-together", "--view", "arcs", "--out", path("w.svg"))
    refused("no label says", "export", "--in", path("w.npy"), "--labels", path("plain.txt"), "--words-together", "--out", path("x.svg"))

    # A page begins with words.
    done("export", *forest, "--words-together", "--out", path("words.html"))
    assert page_data(path("words.html"))["start"]["words"] is True
    assert "words" not in page_data(path("view.html"))["start"]

print("ok")
