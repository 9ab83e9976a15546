"""Tests pages that `headlight export --out view.html` writes, without a browser. page_test.py PROGRAM BUILD_FOLDER."""

import base64
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zipfile

program = sys.argv[1]
root = pathlib.Path(__file__).resolve().parents[2]


def call(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def done(*arguments):
    run = call(*arguments)
    assert run.returncode == 0 and run.stdout == "", (arguments, run)


def refused(words, status, *arguments):
    run = call(*arguments)
    assert run.returncode == status and run.stdout == "" and run.stderr.count("\n") == 1 and words in run.stderr, (arguments, run)


def data_of(path):
    page = pathlib.Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def seen_of(mask, rows, columns):
    bits = None if mask in ("all", "causal") else base64.b64decode(mask)
    return [mask == "all" or (c <= r if mask == "causal" else bits[(r * columns + c) // 8] >> ((r * columns + c) % 8) & 1)
            for r in range(rows) for c in range(columns)]


def maps_of(site):
    """[layer][head] of a page's kind of attention: a list of numbers, None where a cell is masked."""
    raw, at, maps = base64.b64decode(site["data"]), 0, []
    for layer in range(site["layers"]):
        maps.append([])
        for head in range(site["heads"]):
            which = layer * site["heads"] + head
            seen = seen_of(site["masks"][site["mask_of"][which] if "mask_of" in site else 0], site["rows"], site["columns"])
            size, form = {"float16": (2, "<e"), "float32": (4, "<f"), "bytes": (1, "B")}[site["kind"]]
            cells = []
            for one in seen:
                value = struct.unpack_from(form, raw, at)[0] if one else None
                cells.append(value / 255 * site["largest"][which] if one and site["kind"] == "bytes" else value)
                at += size if one else 0
            maps[-1].append(cells)
    assert at == len(raw)
    return maps


def npy(descr, shape, body):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple(shape))).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body


def floats(shape, numbers):
    return npy("<f4", shape, struct.pack("<%df" % len(numbers), *numbers))


def strings(texts):
    width = max(map(len, texts))
    return npy("<U%d" % width, [len(texts)], b"".join(text.encode("utf-32-le").ljust(4 * width, b"\0") for text in texts))


def archive(path, **members):
    with zipfile.ZipFile(path, "w") as file:
        for name, body in members.items():
            file.writestr(name + ".npy", body)


# The page's own code says nothing that the program does not translate, and the program translates nothing that it does not say.
said = set()
for module in (root / "assets" / "page").glob("*.js"):
    text = module.read_text(encoding="utf-8")
    said |= {found.replace("\\'", "'") for found in re.findall(r"\btr\('((?:[^'\\]|\\.)*)'\)", text)}
    if module.name == "keys.js":
        said |= set(re.findall(r"\['[^']*', '([^']*)'\]", text))
    assert "innerHTML" not in text and "document.write" not in text and "eval(" not in text, module
listed = re.findall(r'tr_later\(\s*"([^"]*)"\)', (root / "app/export/page/page_words.cpp").read_text(encoding="utf-8"))
assert sorted(listed) == sorted(said), set(listed) ^ said

small = ["--tokenizer", "words", "--layers", "2", "--heads", "2", "--d-model", "8"]
with tempfile.TemporaryDirectory() as folder:
    path = lambda name: str(pathlib.Path(folder) / name)
    if "no pages" in call("export", *small, "--text", "a", "--out", path("a.html")).stderr:
        sys.exit(0)  # a build without figures

    # The numbers of the page are the weights, as closely as it says; masked cells are not among them.
    document = [*small, "--mask", "causal", "--text", "the mole dug a hole"]
    done("export", *document, "--what", "weights", "--layer", "1", "--out", path("w.npy"))
    raw = pathlib.Path(path("w.npy")).read_bytes()
    weights = struct.unpack("<50f", raw[-200:])
    for kind, facts in [("float16", "float16"), ("bytes", "8 bits")]:
        done("export", *document, "--page-numbers", kind, "--out", path("a.html"))
        data = data_of(path("a.html"))
        site = data["runs"][0]["sites"][0]
        assert site["kind"] == kind and site["masks"] == ["causal"] and data["runs"][0]["origin"] == "random", site
        fact = next(fact for fact in site["facts"] if facts in fact)
        most = float(re.search(r"within (\S+)", fact)[1])
        assert 0 < most < 0.003, fact
        worst = 0
        for head in range(2):
            for i, kept in enumerate(maps_of(site)[1][head]):
                assert (kept is None) == (i % 5 > i // 5)
                if kept is not None:
                    worst = max(worst, abs(kept - weights[25 * head + i]))
        assert worst <= most * 1.05, (worst, fact)

    # The page opens again: the same document gives the same numbers.
    done("export", "--session", path("a.html"), "--what", "weights", "--layer", "1", "--out", path("again.npy"))
    assert pathlib.Path(path("again.npy")).read_bytes() == raw

    # Markup in a text stays text. Nothing is loaded from elsewhere, and no other script than the page's own may run.
    nasty = "</script><script>alert(1)</script> \"q\" 'q' & <b>\u202egnirts\u2066 <!-- \u00e9"
    done("export", *small[2:], "--text", nasty, "--tokenizer", "characters", "--out", path("n.html"))
    page = pathlib.Path(path("n.html")).read_text(encoding="utf-8")
    assert page.count("<script") == 3 and page.count("</script>") == 3 and "<!--" not in page and "<b>" not in page, page.count("<script")
    assert "default-src 'none'" in page and not re.search(r'(src|href)="|url\(|@import|https?://', page.replace("http://www.w3.org/2000/svg", ""))
    shown = data_of(path("n.html"))["runs"][0]
    assert shown["title"] == nasty.replace("\u202e", "U+202E").replace("\u2066", "U+2066") and not any("\u202e" in piece for piece in shown["texts"][0]["pieces"]), shown["texts"]

    # Two texts are two runs; what is shown first is chosen.
    done("export", *small, "--text", "the mole", "--text", "a hole in the ground", "--sentence", "1", "--layer", "1", "--head", "1", "--view", "dots",
         "--theme", "light", "--out", path("two.html"))
    data = data_of(path("two.html"))
    assert [len(run["texts"][0]["pieces"]) for run in data["runs"]] == [2, 5]
    assert {key: data["start"][key] for key in ("run", "layer", "head", "picture", "look")} == {
        "run": 1, "layer": 1, "head": 1, "picture": "dots", "look": "light"}, data["start"]

    # A translation's three kinds of attention, in Chinese; a trained model says what follows and has roles that were measured.
    done("export", "--model", "english-french", "--text", "The dog runs.", "--target", "Le chien court.", "--language", "zh", "--out", path("ef.html"))
    data = data_of(path("ef.html"))
    sites = data["runs"][0]["sites"]
    assert [(site["rows_of"], site["columns_of"]) for site in sites] == [(0, 0), (1, 1), (1, 0)] and sites[2]["name"] == "交叉注意力"
    # Rows of cross-attention are named by the words that they write; the last one by the model's own guess.
    assert [site["writes"] for site in sites] == [False, False, True] and sites[2]["guess"], sites
    assert data["start"]["written"] is True
    assert '<html lang="zh">' in pathlib.Path(path("ef.html")).read_text(encoding="utf-8") and data["words"]["layer"] == "层"
    done("export", "--model", "stories", "--text", "Once upon a time there was a mole", "--out", path("s.html"))
    run = data_of(path("s.html"))["runs"][0]
    assert run["origin"] == "trained" and len(run["next"]["best"]) == 12 and run["sites"][0]["roles"], run
    assert run["lens"]["rows"] == run["sites"][0]["layers"] + 1 and run["lens"]["positions"] == run["sites"][0]["rows"]

    # Sizes: the page without its numbers, and 48 heads of 64 tokens.
    done("export", *small, "--text", "a", "--out", path("least.html"))
    assert pathlib.Path(path("least.html")).stat().st_size < 300_000
    done("export", "--tokenizer", "words", "--layers", "6", "--heads", "8", "--d-model", "64", "--text", " ".join(["mole"] * 64), "--out", path("big.html"))
    site = data_of(path("big.html"))["runs"][0]["sites"][0]
    assert (site["layers"] * site["heads"], site["rows"]) == (48, 64) and pathlib.Path(path("big.html")).stat().st_size < 1_000_000

    # Arrays of any origin: queries and keys of different tokens, in which nothing is markup either.
    rows, columns = ["<i>x</i>", "\"y\"", "a\0b"], ["\u202ec", " d", "&amp;", "'e'"]
    cells = [0.25] * 8 + [0.5, 0.5, 0, 0]
    archive(path("x.npz"), cross=floats([2, 1, 1, 3, 4], cells * 2), tokens=strings(rows), source_tokens=strings(columns))
    done("export", "--in", path("x.npz"), "--out", path("x.html"))
    run = data_of(path("x.html"))["runs"][0]
    site = run["sites"][0]
    assert (site["layers"], site["heads"], site["rows"], site["columns"], site["sums"]) == (2, 1, 3, 4, True) and site["masks"] == ["all"]
    assert maps_of(site) == [[cells], [cells]] and run["texts"][0]["pieces"] == ["<i>x</i>", '"y"', "a0x00b"], run["texts"]
    assert run["texts"][1]["pieces"][:2] == ["U+202Ec", "·d"], run["texts"]
    assert "<i>" not in pathlib.Path(path("x.html")).read_text(encoding="utf-8")
    # The same labels in an SVG.
    pathlib.Path(path("rows.txt")).write_text("".join(one.replace("\0", "") + "\n" for one in rows), encoding="utf-8")
    pathlib.Path(path("columns.txt")).write_text("".join(one + "\n" for one in columns), encoding="utf-8")
    done("export", "--in", path("x.npz"), "--array", "cross", "--layer", "1", "--labels", path("rows.txt"), "--labels", path("columns.txt"), "--out", path("x.svg"))
    svg = pathlib.Path(path("x.svg")).read_text(encoding="utf-8")
    assert "&lt;i&gt;x&lt;/i&gt;" in svg and "&amp;amp;" in svg and "<i>" not in svg and "\0" not in svg
    xml.dom.minidom.parseString(svg)
    # Tokens that lie about their number.
    archive(path("l.npz"), weights=floats([2, 2], [1, 0, 0, 1]), tokens=npy("<U4", [10**12], b"a\0\0\0"))
    refused("the text in this file is damaged", 1, "export", "--in", path("l.npz"), "--out", path("t.html"))
    refused("carries no Headlight document", 1, "export", "--session", path("x.html"), "--what", "weights", "--out", path("y.npy"))
    # Zeros above the diagonal of every map count as masked, and the page says so; numbers that are no weights keep their range.
    archive(path("c.npz"), weights=floats([2, 2], [1, 0, 0.5, 0.5]), tokens=strings(["The", "\u0120cat"]))
    done("export", "--in", path("c.npz"), "--out", path("c.html"))
    run = data_of(path("c.html"))["runs"][0]
    assert run["sites"][0]["masks"] == ["causal"] and any("diagonal" in fact for fact in run["facts"]) and run["texts"][0]["pieces"] == ["The", "·cat"]
    archive(path("s.npz"), scores=floats([2, 2], [1e6, -3, float("nan"), 2]))
    written = call("export", "--in", path("s.npz"), "--out", path("s.html"))
    assert written.returncode == 0 and "array 'scores' holds 1 NaN among 4 numbers, the first at [row 1, column 0]" in written.stderr, written
    refused("mend the numbers, or leave out --strict", 1, "export", "--in", path("s.npz"), "--strict", "--out", path("t.html"))
    site = data_of(path("s.html"))["runs"][0]["sites"][0]
    assert (site["kind"], site["sums"], site["is_signed"], site["range"]) == ("float32", False, True, [-1e6, 1e6]), site
    kept = maps_of(site)[0][0]
    assert kept[:2] == [1e6, -3] and kept[2] != kept[2]
    assert site["facts"][1:] == ["1 of 4 cells is not a number"], site["facts"]
    archive(path("many.npz"), weights=floats([2, 60, 60], [float("nan") if i // 60 == 10 else 0.01 for i in range(7200)]))
    call("export", "--in", path("many.npz"), "--out", path("many.html"))
    assert "60 of 7,200 cells are not a number" in data_of(path("many.html"))["runs"][0]["sites"][0]["facts"]
    overflow = [f"layer.1.{name}=1e30 0/0 1e30" for name in ("wq", "wk")]
    broken = ["--text", "abc", "--tokenizer", "characters", "--layers", "2", "--heads", "1", "--d-model", "2", "--mask", "causal",
              *sum((["--matrix", one] for one in overflow), [])]
    written = call("export", *broken, "--out", path("b.html"))
    assert written.returncode == 0 and "step 'layer.1.weights' holds 9 NaN among 9 numbers" in written.stderr, written
    assert "6 of 18 cells are not a number" in data_of(path("b.html"))["runs"][0]["sites"][0]["facts"], "masked cells do not count"
    refused("leave out --strict", 1, "export", *broken, "--strict", "--out", path("b.html"))

    # A lesson as a handout: each step's text with its numbers, its picture, its question; the answers stand at the end.
    for lesson, language, words in [("masks", "en", "Answers"), ("bpe-and-wordpiece", "zh", "答案")]:
        steps = json.loads((root / "assets/lessons" / (lesson + ".json")).read_text(encoding="utf-8"))["steps"]
        done("export", "--lesson", lesson, "--language", language, "--out", path("l.html"))
        page = pathlib.Path(path("l.html")).read_text(encoding="utf-8")
        asked = sum("question" in step for step in steps)
        assert page.count("<section>") == len(steps) and page.count("<svg") == len(steps) and page.count('<div class="question">') == asked, page[:500]
        solved = sum("exercise" in step for step in steps)
        assert solved == page.count('<div class="exercise">') == 1, "every lesson ends with an exercise"
        assert page.count("<h3>") == asked + solved and words in page.split('class="answers"')[1] and page.count('class="live"') >= 5
        text = re.sub(r"<style>.*?</style>|<svg.*?</svg>|<[^>]*>", "", page, flags=re.S)
        assert "{" not in text and "}" not in text and "**" not in text and "<script" not in page, text
        named = re.findall(r' id="([^"]*)"', page)
        assert len(named) == len(set(named)) and set(re.findall(r"url\(#([^)]*)\)", page)) <= set(named), named
    done("export", "--lesson", "masks", "--out", path("l.pdf"))
    pdf = pathlib.Path(path("l.pdf")).read_bytes()
    assert pdf.startswith(b"%PDF-") and int(re.search(rb"/Count (\d+)", pdf)[1]) >= 3, pdf[:200]
    done("export", "--lesson", "masks", "--out", path("m.pdf"))
    assert pathlib.Path(path("m.pdf")).read_bytes() == pdf, "the same lesson gives the same pages"
    refused("no lesson 'nobody'", 1, "export", "--lesson", "nobody", "--out", path("t.html"))
    refused("this is for a page", 2, "export", "--lesson", "masks", "--out", path("t.png"))

    # Refusals say what is wrong before anything is written.
    archive(path("t.npz"), weights=floats([3, 2], [1, 0] * 3), tokens=strings(["a", "b", "c", "d"]))
    refused("there are 4 tokens for its rows", 2, "export", "--in", path("t.npz"), "--out", path("t.html"))
    refused("there is no layer 2", 2, "export", *small, "--text", "a", "--layer", "2", "--out", path("t.html"))
    refused("no language 'xx'", 1, "export", *small, "--text", "a", "--language", "xx", "--out", path("t.html"))
    refused("this is for a page", 2, "export", *small, "--text", "a", "--what", "weights", "--language", "zh", "--out", path("t.png"))
    refused("a page shows the weights of all heads", 2, "export", *small, "--text", "a", "--what", "q", "--out", path("t.html"))
    refused("this is a choice of pictures", 2, "export", *small, "--text", "a", "--width", "84mm", "--out", path("t.html"))
    refused("the sentence is empty", 2, "export", *small, "--text", "", "--out", path("t.html"))
    assert not pathlib.Path(path("t.html")).exists()
