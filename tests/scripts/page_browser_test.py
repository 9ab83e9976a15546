"""Tests exported pages in a real browser: pixels, mouse, fingers, keys, sizes, looks, print. page_browser_test.py PROGRAM BUILD_FOLDER.
With HEADLIGHT_PAGE_PICTURES=FOLDER it also writes pictures, for looking."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser, program as browser_program

program = sys.argv[1]
browser_program()
pictures = os.environ.get("HEADLIGHT_PAGE_PICTURES")


def done(*arguments):
    run = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "", (arguments, run)


def data_of(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', pathlib.Path(path).read_text(encoding="utf-8"), re.S)[1])


def look(browser, name):
    if pictures:
        browser.picture(pathlib.Path(pictures) / (name + ".png"))


def text(browser, selector):
    return browser.run(f"document.querySelector({json.dumps(selector)}).textContent")


def until(check):
    """Waits for what the browser does in its own time, such as telling the page of another colour scheme."""
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.02)


def count(browser, selector):
    return browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def cell_places(browser, nth=0):
    """Middles of the cells of a map on the screen: [row][column] -> (x, y), from the rings' own arithmetic."""
    box = browser.run(f"""(() => {{ const m = document.querySelectorAll('.matrix')[{nth}], c = m.querySelector('canvas').getBoundingClientRect(),
        n = m.querySelectorAll('.label').length; return [c.x, c.y, c.width, c.height]; }})()""")
    return box


def place(box, rows, columns, row, column):
    return box[0] + box[2] * (column + 0.5) / columns, box[1] + box[3] * (row + 0.5) / rows


def clean(browser, path):
    assert browser.problems == [], browser.problems
    assert browser.requests == [pathlib.Path(path).resolve().as_uri()], browser.requests


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    path = lambda name: str(pathlib.Path(folder) / name)
    sentence = "Once upon a time there was a little mole"
    done("export", "--model", "stories", "--text", sentence, "--layer", "1", "--head", "2", "--out", path("page.html"))
    data = data_of(path("page.html"))
    run, site = data["runs"][0], data["runs"][0]["sites"][0]
    pieces, n = run["texts"][0]["pieces"], site["rows"]

    # It opens from file:// and asks nobody for anything; everything is there.
    browser.size(1600, 1000)
    browser.prefer("light")
    browser.open(path("page.html"))
    clean(browser, path("page.html"))
    assert count(browser, "#heads button") == site["layers"] * site["heads"] and count(browser, "#chips button.chip") == n
    assert count(browser, "#next li") == 12 and count(browser, "#lens tbody tr") == site["layers"] + 1
    assert text(browser, "#at-layer") == "1" and text(browser, "#at-head") == "2"
    look(browser, "page-light")

    # Pixels: each cell has the colour that the map gives its weight, in the large map and in a small one; masked cells have another
    # ground than zero. The numbers are read by the page; that they are the weights, page_test.py checks without a browser.
    worst = browser.run("""(() => {
      const module = document.querySelector('script[type=module]').textContent;
      const data = JSON.parse(document.getElementById('data').textContent), raw = data.runs[0].sites[0];
      const bytes = Uint8Array.from(atob(raw.data), (c) => c.charCodeAt(0)), view = new DataView(bytes.buffer);
      const half = (b) => { const e = b >> 10 & 31, f = b & 1023; return e ? 2 ** (e - 25) * (1024 + f) : f * 2 ** -24; };
      const colour = (t) => { const p = Math.min(1, t) * 255, i = Math.min(Math.floor(p), 254), at = (k) => [0, 2, 4].map((j) => parseInt(data.colors.substr(6 * k + j, 2), 16));
        const a = at(i), b = at(i + 1); return a.map((x, j) => x + (b[j] - x) * (p - i)); };
      const per = raw.rows * (raw.rows + 1) / 2;
      const compare = (canvas, layer, head) => {
        const pen = canvas.getContext('2d'), w = canvas.width / raw.columns, h = canvas.height / raw.rows;
        let at = (layer * raw.heads + head) * per, worst = 0, masked = 1e9;
        for (let r = 0; r < raw.rows; ++r) for (let c = 0; c < raw.columns; ++c) {
          const p = pen.getImageData(Math.floor(c * w + Math.max(1, 0.12 * w)), Math.floor(r * h + Math.max(1, 0.14 * h)), 1, 1).data;
          if (c > r) { const zero = colour(0); masked = Math.min(masked, Math.hypot(...[0, 1, 2].map((j) => p[j] - zero[j]))); continue; }
          const want = colour(half(view.getUint16(2 * at++, true)));
          worst = Math.max(worst, ...[0, 1, 2].map((j) => Math.abs(p[j] - want[j])));
        }
        return [worst, masked];
      };
      const small = document.querySelectorAll('#heads .layer[data-layer="2"] canvas')[3];
      return {large: compare(document.querySelector('.matrix canvas'), 1, 2), small: compare(small, 2, 3), module: module.length};
    })()""")
    assert worst["large"][0] <= 1 and worst["large"][1] > 60, worst
    assert worst["small"][0] <= 1 and worst["small"][1] > 60, worst

    # The mouse: pointing says who looks at whom with which number, and lights row, column, both labels and both chips.
    box = cell_places(browser)
    table = browser.run("[...document.querySelectorAll('#table tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))")
    for row, column in [(5, 2), (7, 0), (3, 3)]:
        browser.move(*place(box, n, n, row, column))
        finding = text(browser, "#finding")
        assert table[row][column] in finding and pieces[row] in finding and (row == column or pieces[column] in finding), (finding, table[row][column])
        lit = browser.run("[...document.querySelectorAll('.matrix .label.lit')].map((label) => label.textContent)")
        assert len(lit) == 2 and all(one.startswith(pieces[k]) for one, k in zip(lit, (column, row))), lit
        chips = browser.run("[...document.querySelectorAll('#chips .chip.lit')].map((chip) => Number(chip.dataset.index))")
        assert chips == sorted({row, column}), chips
        ring = browser.run("(() => { const r = document.querySelector('.ring.cell').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        assert all(abs(a - b) < 3 for a, b in zip(ring, place(box, n, n, row, column))), (ring, row, column)
    browser.move(*place(box, n, n, 1, 4))
    assert "masked" in text(browser, "#finding") and browser.run("document.getElementById('also').hidden")
    # A click pins the cell, a second one lets it go.
    browser.click(*place(box, n, n, 6, 3))
    pinned = text(browser, "#finding")
    browser.move(*place(box, n, n, 4, 1))
    assert text(browser, "#finding") == pinned
    browser.click(*place(box, n, n, 6, 3))
    browser.move(*place(box, n, n, 4, 1))
    assert text(browser, "#finding") != pinned
    # A chip, another head that does so, a candidate for the next word.
    browser.press("#chips button.chip", 5)
    assert text(browser, "#finding").startswith(pieces[5])
    wanted = text(browser, "#also li .what")
    browser.press("#also li button")
    assert wanted == f"layer {text(browser, '#at-layer')}, head {text(browser, '#at-head')}"
    browser.press("#next li button", 3)
    assert text(browser, "#chips .chip.next bdi") == run["next"]["best"][3][0]
    browser.press('#heads .layer[data-layer="0"] button', 1)
    assert (text(browser, "#at-layer"), text(browser, "#at-head")) == ("0", "1")

    # Keys: arrows change layer and head; in the map they move the cell; letters change the picture.
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowRight"]:
        browser.key(key)
    assert (text(browser, "#at-layer"), text(browser, "#at-head")) == ("1", "2")
    browser.run("document.querySelector('.matrix').focus()")
    before = browser.run("[...document.querySelectorAll('#chips .chip.lit')].map((chip) => Number(chip.dataset.index))")
    browser.key("ArrowDown")
    browser.key("ArrowLeft")
    assert text(browser, "#at-layer") == "1" and browser.run("[...document.querySelectorAll('#chips .chip.lit')].map((c) => Number(c.dataset.index))") != before
    browser.key("Escape")
    for key, shown in [("d", "#picture"), ("a", "#arcs"), ("t", "#table"), ("m", "#picture")]:
        browser.key(key)
        assert browser.run(f"(() => {{ const e = document.querySelector('{shown}'); return !e.hidden && !e.classList.contains('unseen'); }})()"), key
        look(browser, {"d": "dots", "a": "arcs", "t": "table", "m": "map"}[key])
    browser.key("?")
    assert browser.run("document.getElementById('keys').open")
    browser.key("Escape")
    # For a screen reader: the table is there behind the picture, all that can be pressed has a name.
    assert browser.run("[...document.querySelectorAll('button')].every((b) => b.textContent.trim() || b.getAttribute('aria-label'))")
    assert browser.run("document.querySelector('#finding').getAttribute('aria-live')") == "polite"

    # Looks: the window's own colours, light, dark and for a projector.
    ground = lambda: browser.run("getComputedStyle(document.body).backgroundColor")
    rgb = lambda name: "rgb(%d, %d, %d)" % tuple(int(data["themes"][name]["background"][i:i + 2], 16) for i in (0, 2, 4))
    until(lambda: ground() == rgb("light"))
    browser.prefer("dark")
    until(lambda: ground() == rgb("dark"))
    look(browser, "page-dark")
    browser.key("p")
    until(lambda: ground() == rgb("contrast"))
    assert browser.run("getComputedStyle(document.documentElement).fontSize") == "25.6px"
    look(browser, "projector-dark")
    browser.key("Escape")
    browser.key("l")
    until(lambda: ground() == rgb("light"))
    assert browser.run("document.getElementById('look').value") == "light"
    # Print: light, without the controls, and the look is back afterwards.
    browser.key("l")
    until(lambda: ground() == rgb("dark"))
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20000
    until(lambda: ground() == rgb("dark"))
    if pictures:
        (pathlib.Path(pictures) / "print.pdf").write_bytes(pdf)

    # Sizes: nothing is wider than the screen, and all labels are shown.
    browser.prefer("light")
    for width, height, touch in [(1600, 1000, False), (1280, 720, False), (1024, 768, False), (820, 1180, True), (390, 844, True), (320, 568, True)]:
        browser.size(width, height, 2 if touch else 1, touch)
        browser.open(path("page.html"))
        wide = browser.run("document.documentElement.scrollWidth")
        assert wide <= width, (width, wide)
        assert browser.run("[...document.querySelectorAll('.matrix .label')].every((label) => !label.hidden)"), width
        clean(browser, path("page.html"))
        if width == 390:
            # A finger that is drawn over the map moves the ring; the bar stays at the thumb.
            box = cell_places(browser)
            browser.touch(place(box, n, n, 2, 1), place(box, n, n, 5, 1), place(box, n, n, 5, 3))
            assert text(browser, "#finding") == f"{pieces[5]} looks at {pieces[3]}" and text(browser, "#large").startswith("."), text(browser, "#finding")
            bar = browser.run("document.getElementById('pictures').getBoundingClientRect().bottom")
            assert abs(bar - height) < 1, bar
            browser.press("#more")
            assert browser.run("getComputedStyle(document.getElementById('settings')).display") == "flex"
            look(browser, "phone-light")

    # Words of several pieces: their weights are added up, rows still sum to 1.
    browser.size(1600, 1000)
    done("export", "--model", "stories", "--text", "the rhododendrons flourished unbelievably", "--out", path("words.html"))
    joins = data_of(path("words.html"))["runs"][0]["texts"][0]["joins"]
    assert sum(joins) >= 3, joins
    browser.open(path("words.html"))
    browser.key("w")
    assert count(browser, "#chips button.chip") == len(joins) - sum(joins)
    sums = browser.run("[...document.querySelectorAll('#table tbody tr')].map((r) => [...r.cells].slice(1).reduce((s, c) => s + (parseFloat(c.textContent) || 0), 0))")
    assert all(abs(one - 1) < 0.01 for one in sums), sums

    # Several texts stand beside each other and share the lit cell. A translation has chips of both sentences.
    done("export", "--model", "stories", "--text", "the mole was afraid", "--text", "the mole was happy", "--out", path("two.html"))
    browser.open(path("two.html"))
    browser.key("b")
    assert count(browser, ".matrix") == 2
    browser.move(*place(cell_places(browser, 1), 4, 4, 3, 1))
    assert browser.run("[...document.querySelectorAll('.matrix')].map((m) => m.querySelectorAll('.label.lit').length)") == [2, 2]
    look(browser, "beside")
    clean(browser, path("two.html"))
    done("export", "--model", "english-french", "--text", "The dog runs fast.", "--target", "Le chien court.", "--language", "zh", "--out", path("ef.html"))
    browser.open(path("ef.html"))
    browser.press("#sites button", 2)
    french, english = (data_of(path("ef.html"))["runs"][0]["texts"][i]["pieces"] for i in (1, 0))
    assert count(browser, "#chips .sentence") == 2 and "注意力" in text(browser, "#finding")
    assert browser.run("[...document.querySelectorAll('#table thead th')].length") == len(english) and count(browser, "#table tbody tr") == len(french)
    look(browser, "cross-chinese")
    names = "[...document.querySelectorAll('#table tbody th')].map((one) => one.textContent)"
    guess = data_of(path("ef.html"))["runs"][0]["sites"][2]["guess"]
    assert browser.run(names) == french[1:] + [guess], "a row is named by the word that it writes"
    browser.press("#rows button", 1)
    assert browser.run(names) == french, "or by the word read, where that is chosen"
    assert "读到" in text(browser, "#legend"), "and the legend says so"

    # In a notebook's width the chips have the whole line, so that both sentences can be seen.
    browser.size(1000, 780)
    browser.open(path("ef.html"))
    edges = browser.run("['chips', 'settings'].map((id) => document.getElementById(id).getBoundingClientRect().right)")
    assert abs(edges[0] - edges[1]) < 1 and browser.run("document.documentElement.scrollWidth") <= 1000, edges
    browser.size(1600, 1000)

    # Markup in a text is text: nothing of it runs.
    done("export", "--tokenizer", "words", "--layers", "1", "--heads", "1", "--d-model", "8", "--out", path("nasty.html"), "--text",
         "</script><script>window.hacked = 1</script> <img src=x onerror=window.hacked=1> \"q\" 'q' &amp; \u202egnirts")
    browser.open(path("nasty.html"))
    assert browser.run("window.hacked === undefined && document.images.length === 0 && document.scripts.length === 3")
    clean(browser, path("nasty.html"))
    # In a frame that a notebook shows it has no rights but its own script.
    frame = pathlib.Path(path("page.html")).read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    pathlib.Path(path("frame.html")).write_text(f'<!doctype html><body style="margin:0"><iframe sandbox="allow-scripts" width="1000" height="700" srcdoc="{frame}"></iframe>', encoding="utf-8")
    browser.open(path("frame.html"))
    assert browser.problems == [], browser.problems
    look(browser, "frame")
