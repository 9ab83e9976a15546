"""Drives a real window on a virtual screen by keyboard and mouse, as a person would, and checks the session the program saves and
the files it exports. There are no guessed delays: keys wait until the window is idle, each step until its effect is on the disk."""
import concurrent.futures
import ctypes
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HEADLIGHT = str(pathlib.Path(sys.argv[1]).resolve())
PATIENCE = 40  # seconds that a step may take on a busy machine

for tool in ("Xvfb", "xdotool"):
    if not shutil.which(tool):
        print(f"skipped: {tool} is not installed (Debian packages xvfb, xdotool)")
        sys.exit(77)


class Failed(Exception):
    pass


def wait_for(what, check, patience=PATIENCE):
    deadline = time.monotonic() + patience
    last = None
    while time.monotonic() < deadline:
        last = check()
        if last:
            return last
        time.sleep(0.05)
    raise Failed(f"waited {patience} s for: {what}")


class Screen:
    def __init__(self):
        for _ in range(5):  # two servers that start at once may pick one number; then one of them ends
            self.start()
            for _ in range(40):
                if self.server.poll() is not None:
                    break
                if subprocess.run(["xdotool", "getmouselocation"], env=self.environment, capture_output=True).returncode == 0:
                    return
                time.sleep(0.1)
            self.close()
        raise Failed("no virtual screen could be started")

    def start(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:  # to the end of the line: Xvfb writes number and newline apart
            number = answer.readline().strip()
        if not number:
            raise Failed("Xvfb did not start")
        self.environment = dict(os.environ, DISPLAY=":" + number)

    def do(self, *arguments):
        result = subprocess.run(["xdotool", *arguments], env=self.environment, capture_output=True, timeout=60)
        return result.stdout.decode()

    def close(self):
        self.server.terminate()
        self.server.wait(20)


class Window:
    """The program on one session file. One that is not there begins as the sandbox, whose tokenizer and masks may be changed;
    first_visit: as the program itself begins."""

    def __init__(self, screen, session, configuration, first_visit=False):
        self.screen, self.session = screen, session
        if not first_visit and not session.exists():
            session.write_text("{}")
        environment = dict(screen.environment, HEADLIGHT_CONFIG_DIR=str(configuration))
        environment.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([HEADLIGHT, "--session", str(session)], env=environment, cwd=session.parent,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def found():
            if self.process.poll() is not None:
                err = self.process.stderr.read().decode()
                if "this build has no window" in err or "OpenGL" in err:
                    print("skipped:", err.strip())
                    sys.exit(77)
                raise Failed(f"the program ended by itself, status {self.process.returncode}: {err}")
            return screen.do("search", "--onlyvisible", "--name", "Headlight").split()

        self.id = wait_for("the window", found)[0]

    def settle(self):
        """Waits until the window has handled its events: its thread was found sleeping several times in a row."""
        quiet = 0
        deadline = time.monotonic() + PATIENCE
        while quiet < 5 and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.04)
            state = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            quiet = quiet + 1 if state == "S" else 0

    def key(self, *keys):
        for key in keys:
            self.screen.do("key", "--delay", "30", key)
            self.settle()

    def type(self, text):
        self.screen.do("type", "--delay", "25", text)
        self.settle()

    def title(self):
        return self.screen.do("getwindowname", self.id).strip()

    def opened(self):
        """Waits until the window draws and listens."""
        wait_for("a title that names the file", lambda: self.session.name in self.title())
        self.settle()

    def saved(self):
        """The file that the program has written, or None; never a partial one."""
        try:
            found = json.loads(self.session.read_text())
            return found if "view" in found else None
        except FileNotFoundError:
            return None

    def write(self, text):
        """Replaces the sentence, in the field that has the focus. Keys that come before a busy program takes them are lost: once more."""
        for patience in (8, 8, PATIENCE):
            self.key("ctrl+a")
            self.type(text)
            try:
                return self.wait_saved(f"the sentence {text}", lambda s: s["document"]["texts"] == [text], patience)
            except Failed as failure:
                lost = failure
        raise lost

    def begin_lesson(self):
        """The first lesson of the menu. A key that comes before the menu is open is lost: the menu is closed and opened again."""
        for patience in (8, 8, PATIENCE):
            self.key("ctrl+shift+l", "Down", "Return")
            try:
                return self.wait_saved("a lesson", lambda s: s["view"].get("lesson"), patience)
            except Failed as failure:
                lost = failure
            self.key("Escape")
        raise lost

    def wait_saved(self, what, check, patience=PATIENCE):
        def ready():
            saved = self.saved()
            return saved if saved and check(saved) else None
        try:
            return wait_for(what, ready, patience)
        except Failed as failure:
            raise Failed(f"{failure}; saved is {self.saved()}") from None

    def wait_end(self):
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("the program did not end") from None


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


def check(condition, what):
    if not condition:
        raise Failed(what)


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
        window.key("alt+Left")
        saved = window.wait_saved("one head to the left of the saved one", lambda s: s["view"]["head"] == 1)
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
        for x, y in ((479, 730), (467, 726), (492, 735), (479, 715), (479, 745)):  # its place depends on fonts
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
                def lit():  # the sun, amber, in the upper left corner above the rail: 16 pixels high at scale 1
                    width, height, body = picture_of(screen, window, folder / "twice.ppm")
                    rows = [y for y in range(min(height, 60)) if any(
                        body[(y * width + x) * 3] > 220 and 120 < body[(y * width + x) * 3 + 1] < 200 and
                        body[(y * width + x) * 3 + 2] < 120 for x in range(0, 100))]
                    return len(rows)
                wait_for("a larger window", lambda: 19 < lit() < 28)
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


def alone(*stories):
    """Stories that share files, one after another on a screen of their own."""
    screen = Screen()
    try:
        with tempfile.TemporaryDirectory() as name:
            left = ()
            for story in stories:
                left = story(screen, pathlib.Path(name), *left) or ()
    finally:
        screen.close()


# A story mostly waits for its window to become idle and to save, which takes up to a second each time: two go on at once.
STORIES = [(the_main_job, reopened), (first_visit,), (a_lesson,), (mouse,), (a_film,), (painting,), (another_scale,), (resized,)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    told = [pool.submit(alone, *stories) for stories in STORIES]
failed = False
for stories, story in zip(STORIES, told):
    try:
        story.result()
    except Failed as failure:
        print("FAILED:", stories[0].__name__, failure)
        failed = True
if failed:
    sys.exit(1)
print("the window did as it was told")
