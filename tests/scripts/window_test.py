"""Drives a real window on a virtual screen by keyboard and mouse, as a person would, and checks the session the program saves and
the files it exports."""
import ctypes
import json
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from real_window import HEADLIGHT, Failed, Window, check, tell, wait_for


def png_text(path):
    """The iTXt chunks of a PNG by keyword; checks every chunk's CRC."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise Failed(f"{path.name} is no PNG")
    texts, at, size = {}, 8, None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise Failed(f"{path.name}: wrong CRC of {kind}")
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"iTXt":
            keyword, rest = body.split(b"\0", 1)
            packed, text = rest[0], rest[2:].split(b"\0", 2)[2]
            texts[keyword.decode()] = (zlib.decompress(text) if packed else text).decode()
        at += 12 + length
    return size, texts


def the_main_job(screen, folder):
    """Type, switch tokenizer, mask, head, export, undo, save, reopen."""
    configuration = folder / "configuration"
    session = folder / "work.json"
    window = Window(screen, session, configuration)
    try:
        window.opened()
        saved = window.write("man bites dog")
        tokenizer = saved["document"]["tokenizer"]

        window.key("ctrl+t")
        saved = window.wait_saved("another tokenizer", lambda s: s["document"]["tokenizer"] != tokenizer)
        second = saved["document"]["tokenizer"]

        had_causal = "causal" in json.dumps(saved["document"]["masks"])
        check(not had_causal, f"a fresh document has no causal mask, but: {saved['document']['masks']}")
        window.key("ctrl+m")
        window.wait_saved("the causal mask", lambda s: "causal" in json.dumps(s["document"]["masks"]))

        window.key("alt+Right", "alt+Right", "alt+Down")
        saved = window.wait_saved("layer 1, head 2", lambda s: s["view"]["head"] == 2 and s["view"]["layer"] == 1)
        check(saved["document"]["texts"] == ["man bites dog"], "the sentence stayed")

        # A view by keyboard, and back.
        window.key("ctrl+Next")
        window.wait_saved("the Masks view", lambda s: s["view"]["tab"] == "masks")
        window.key("ctrl+Prior")
        window.wait_saved("the Heads view", lambda s: s["view"]["tab"] == "heads")

        exported = folder / "shown.png"
        window.key("ctrl+e")
        window.key("ctrl+a")
        window.type(str(exported))
        window.key("Return")
        wait_for("the exported picture", exported.exists)
        size, texts = png_text(exported)
        check(size[0] > 200 and size[1] > 200, f"the picture is {size}")
        carried = " ".join(texts.values())
        check("man bites dog" in carried and second in carried, f"the picture carries its document, but: {list(texts)}")

        window.key("ctrl+z")
        saved = window.wait_saved("undo takes the mask away", lambda s: "causal" not in json.dumps(s["document"]["masks"]))
        check(saved["document"]["tokenizer"] == second, "undo went one step back, not two")
        window.key("ctrl+z")
        window.wait_saved("undo brings the tokenizer back", lambda s: s["document"]["tokenizer"] == tokenizer)
        window.key("ctrl+y", "ctrl+y")
        window.wait_saved("redo", lambda s: "causal" in json.dumps(s["document"]["masks"]) and s["document"]["tokenizer"] == second)

        copy = folder / "copy.json"
        window.key("ctrl+shift+s")
        window.key("ctrl+a")
        window.type(str(copy))
        window.key("Return")
        wait_for("the saved copy", copy.exists)
        written = json.loads(copy.read_text())
        check(written["document"]["texts"] == ["man bites dog"] and written["document"]["tokenizer"] == second,
              f"the copy holds the document, but: {written['document']}")
        check("causal" in json.dumps(written["document"]["masks"]) and written["view"]["head"] == 2, f"... and the view, but: {written}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, f"Ctrl+Q ends well, but: {window.process.returncode}")
    finally:
        window.process.kill()
    return copy, written


def reopened(screen, folder, copy, written):
    """The saved session opens as it was left; SIGTERM saves it and ends the program cleanly."""
    window = Window(screen, copy, folder / "configuration")
    try:
        wait_for("the title names the file", lambda: "copy.json" in window.title())
        saved = window.key_saved(["alt+Left"], "one head to the left of the saved one", lambda s: s["view"]["head"] == 1)
        check(saved["document"] == written["document"], "reopening changes nothing in the document")
        window.type(" again")
        window.wait_saved("typing goes on at the end", lambda s: s["document"]["texts"] == ["man bites dog again"])
        window.type("!")
        window.process.send_signal(signal.SIGTERM)
        check(window.wait_end() == 0, f"SIGTERM saves and quits, but: {window.process.returncode}")
        check(json.loads(copy.read_text())["document"]["texts"][0].startswith("man bites dog again"), "nothing was lost")
    finally:
        window.process.kill()


def first_visit(screen, folder):
    """Someone who opens nothing sees a trained model read the first sentence; what it was not trained with can be changed all the same."""
    window = Window(screen, folder / "first.json", folder / "configuration5", first_visit=True)
    try:
        saved = window.wait_saved("a session from the start", lambda s: s["document"]["texts"])
        check(saved["document"]["model"] == "stories", f"the first model is stories, but: {saved['document']}")
        check(saved["document"]["texts"] == ["a fluffy blue creature roamed the verdant forest"], f"{saved['document']['texts']}")
        saved = window.write("the old man told a story")
        check("causal" in json.dumps(saved["document"]["masks"]), f"it reads from the left: {saved['document']['masks']}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def mouse(screen, folder):
    """Hovering and clicking: a cell is pinned by a click, a thumbnail chooses its head."""
    session = folder / "mouse.json"
    window = Window(screen, session, folder / "configuration2")
    try:
        window.opened()
        # The place of the large heatmap depends on fonts, so the test clicks at several places until a cell is pinned.
        pinned = None
        for x, y in ((560, 460), (600, 500), (640, 420), (700, 540), (520, 380)):
            screen.do("mousemove", str(x), str(y), "click", "1")
            try:
                pinned = wait_for("a pinned cell", lambda: (lambda s: s and s["view"]["pinned_row"] >= 0 and s)(window.saved()), 6)
                break
            except Failed:
                continue
        check(pinned, f"a click pins a cell, but: {window.saved()['view']}")
        chosen = None
        for x, y in ((200, 420), (160, 380), (240, 460)):
            screen.do("mousemove", str(x), str(y), "click", "1")
            try:
                chosen = wait_for("a chosen head", lambda: (lambda s: s and s["view"]["head"] + s["view"]["layer"] > 0 and s)(window.saved()), 6)
                break
            except Failed:
                continue
        check(chosen, f"a click on a thumbnail chooses its head, but: {window.saved()['view']}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def a_lesson(screen, folder):
    """A lesson from its menu to its end and back to the user's own work, by keyboard alone."""
    session = folder / "lesson.json"
    window = Window(screen, session, folder / "configuration3")
    try:
        window.opened()
        window.write("my own words")
        saved = window.begin_lesson()
        first = saved["view"]["lesson"]
        check(saved["view"]["lesson_step"] == 0 and saved["document"]["texts"] != ["my own words"], f"its first step is on: {saved['view']}")
        window.key("space", "space")
        saved = window.wait_saved("Space goes on", lambda s: s["view"]["lesson_step"] == 2)
        shown = saved["document"]
        window.key("shift+space")
        window.wait_saved("Shift+Space goes back", lambda s: s["view"]["lesson_step"] == 1)
        # Free play, and back by going on.
        window.key("ctrl+l")
        window.type(" indeed")
        window.wait_saved("free play", lambda s: s["document"]["texts"][0].endswith(" indeed") and s["view"]["lesson"] == first)
        window.key("shift+F6", "space")  # from the sentence to the lesson's column
        saved = window.wait_saved("the next step", lambda s: s["view"]["lesson_step"] == 2)
        check(saved["document"]["texts"] == shown["texts"], f"the step brings its own sentence: {saved['document']['texts']}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()
    # The lesson goes on where it was left.
    window = Window(screen, session, folder / "configuration3")
    try:
        window.wait_saved("the lesson again", lambda s: s["view"]["lesson"] == first and s["view"]["lesson_step"] == 2)
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def painting(screen, folder):
    """A drag over the Masks view's picture paints a rectangle of the painted layer; one undo removes it."""
    session = folder / "painting.json"
    session.write_text(json.dumps({"headlight": 1, "document": {"version": 1, "texts": ["a fluffy blue creature roamed the forest"]},
                                   "view": {"tab": "masks"}}))
    window = Window(screen, session, folder / "configuration3")
    try:
        window.settle()
        painted = None
        for x, y in ((540, 470), (560, 500), (520, 440)):
            screen.do("mousemove", str(x), str(y), "mousedown", "1")
            for step in (10, 30, 50, 70):  # as a hand moves
                screen.do("mousemove", str(x + step), str(y + step))
            window.settle()
            check("custom" not in json.dumps(window.saved()["document"].get("masks", [])), "nothing is painted before the release")
            screen.do("mouseup", "1")
            try:
                painted = wait_for("a painted mask", lambda: (lambda s: s and s["document"].get("custom_mask") and s)(window.saved()), 8)
                break
            except Failed:
                continue
        check(painted, f"a drag paints, but: {window.saved()['document']}")
        check("custom" in painted["document"]["masks"], f"the painted layer is on, but: {painted['document']['masks']}")
        rows = [row for row in painted["document"]["custom_mask"] if "0" in row]
        check(len(rows) > 1 and len(set(rows)) == 1 and 1 < rows[0].count("0") < len(rows[0]) and "01" not in rows[0].strip("1").strip("0"),
              f"it is one rectangle, but: {painted['document']['custom_mask']}")
        window.key("ctrl+z")
        saved = window.wait_saved("one undo takes the stroke back", lambda s: s["document"]["custom_mask"] is None)
        check("custom" not in saved["document"]["masks"], f"... and its layer, but: {saved['document']['masks']}")
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def a_film(screen, folder):
    """The walk-through's film from its button to a complete GIF that contains its document."""
    session = folder / "film.json"
    session.write_text(json.dumps({"headlight": 1, "document": {"version": 1, "texts": ["man bites dog"]}, "view": {"tab": "walk"}}))
    window = Window(screen, session, folder / "configuration4")
    film = folder / "walk.gif"
    try:
        window.settle()
        for x, y in ((616, 694), (616, 730), (604, 726), (629, 735), (616, 715), (616, 745)):  # its place depends on fonts
            screen.do("mousemove", str(x), str(y), "click", "1")
            window.settle()
            window.key("ctrl+a")
            window.type(str(film))
            window.key("Return")
            try:
                wait_for("the film", film.exists, 10)
                break
            except Failed:
                window.key("Escape")
        wait_for("the film", film.exists, 1)
        data = film.read_bytes()  # written whole or not at all
        check(data[:6] == b"GIF89a" and data[-1:] == b";", f"a whole GIF, but: {data[:6]} ... {data[-1:]}")
        pictures = data.count(b"\x21\xf9\x04")
        check(pictures > 10, f"a picture a step, but: {pictures}")
        opened = subprocess.run([HEADLIGHT, "trace", "--session", str(film), "--shapes"], env=screen.environment, capture_output=True)
        check(opened.returncode == 0 and b"layer.0.weights" in opened.stdout, f"it carries its document, but: {opened.stderr.decode()}")
        window.key("Escape")  # on a busy machine the film came only after the next place was tried, whose dialog is open
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
    finally:
        window.process.kill()


def picture_of(screen, window, path):
    """The window's pixels as (width, height, RGB bytes), or None without ImageMagick."""
    if not shutil.which("import"):
        return None
    subprocess.run(["import", "-window", window.id, "-depth", "8", f"ppm:{path}"], env=screen.environment, capture_output=True, timeout=60, check=True)
    kind, width, height, _ = path.read_bytes().split(None, 4)[:4]
    check(kind == b"P6", "a picture of the window")
    body = path.read_bytes()[-int(width) * int(height) * 3:]
    return int(width), int(height), body


def resized(screen, folder):
    """Another size of the window: all of it is painted, the controls work, and the size is remembered."""
    session = folder / "resized.json"
    configuration = folder / "configuration5"
    window = Window(screen, session, configuration)
    try:
        window.opened()
        for width, height in ((700, 500), (1100, 760), (900, 640)):
            screen.do("windowsize", "--sync", window.id, str(width), str(height))
            window.settle()

            def painted():
                seen = picture_of(screen, window, folder / "seen.ppm")
                if seen is None:
                    return True
                rows = [seen[2][y * width * 3:(y + 1) * width * 3] for y in range(height)] if seen[:2] == (width, height) else []
                # The status bar is at the new lower edge, and something is drawn at the new right edge.
                return rows and len({rows[height - 16][i:i + 3] for i in range(0, width * 3, 3)}) > 2 and \
                    len({row[(width - 60) * 3 + i:(width - 60) * 3 + i + 3] for row in rows for i in range(0, 120, 3)}) > 2
            wait_for(f"a window painted at {width} x {height}", painted)
        window.key("ctrl+l", "ctrl+a")
        window.type("still here")
        window.wait_saved("typing", lambda s: s["document"]["texts"] == ["still here"])
        window.key("ctrl+q")
        check(window.wait_end() == 0, "Ctrl+Q ends well")
        saved = json.loads((configuration / "config.json").read_text())
        check((saved["width"], saved["height"]) == (900, 640), f"the size is remembered, but: {saved}")
    finally:
        window.process.kill()


def set_display_scale(screen, dots_per_inch):
    """What a desktop tells every program about its screen, in the X resources of the root window."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(screen.environment["DISPLAY"].encode()))
    check(display, "the display opens")
    text = f"Xft.dpi:\t{dots_per_inch}\n".encode()
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
    x11.XChangeProperty(display, root, ctypes.c_ulong(23), ctypes.c_ulong(31), 8, 0, text, len(text))  # RESOURCE_MANAGER, STRING
    x11.XCloseDisplay(display)


def another_scale(screen, folder):
    """A screen of twice the density: everything larger of itself, as far as so small a window leaves the views their room; and
    the person's own size on top of it. GLFW 3.3 reads the density once, when the program starts: a change while it runs (or a
    second screen of another density) does not reach a program on X11, so that one is tested in process."""
    session = folder / "scaled.json"
    configuration = folder / "configuration6"
    set_display_scale(screen, 192)
    try:
        window = Window(screen, session, configuration, first_visit=True)
        try:
            window.wait_saved("the first session", lambda s: s["document"]["texts"] and s["view"]["ui_scale"] == 0)
            window.settle()
            twice = picture_of(screen, window, folder / "twice.ppm")
            if twice:
                def lit():  # the bar at the left edge that marks the shown view in the rail, amber: 28 pixels high at scale 1
                    width, height, body = picture_of(screen, window, folder / "twice.ppm")
                    rows = [y for y in range(height) if any(
                        body[(y * width + x) * 3] > 220 and 120 < body[(y * width + x) * 3 + 1] < 200 and
                        body[(y * width + x) * 3 + 2] < 120 for x in range(0, 4))]
                    return len(rows)
                wait_for("a larger window", lambda: 33 < lit() < 50)
            window.key("ctrl+minus")
            window.wait_saved("a size of one's own, from the screen's", lambda s: 1 < s["view"]["ui_scale"] < 2)
            window.key("ctrl+0")
            window.wait_saved("as the display says", lambda s: s["view"]["ui_scale"] == 0)
            window.key("ctrl+l", "ctrl+a")
            window.type("large")
            window.wait_saved("typing", lambda s: s["document"]["texts"] == ["large"])
            window.key("ctrl+q")
            check(window.wait_end() == 0, "Ctrl+Q ends well")
        finally:
            window.process.kill()
    finally:
        set_display_scale(screen, 96)


tell([(the_main_job, reopened), (first_visit,), (a_lesson,), (mouse,), (a_film,), (painting,), (another_scale,), (resized,)])
print("the window did as it was told")
