"""A real window on a virtual screen, driven by keyboard and mouse as a person would, for the tests of the whole program. There are no
guessed delays: keys wait until the window is idle, each step until its effect is on the disk. sys.argv[1] is the program."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

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

    def key_saved(self, keys, what, saved):
        """Presses the keys until what is saved shows it: those that come before a busy program has its first picture are lost."""
        for patience in (8, 8, PATIENCE):
            self.key(*keys)
            try:
                return self.wait_saved(what, saved, patience)
            except Failed as failure:
                lost = failure
        raise lost

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

    def command(self, words, what, check):
        """Runs what the command palette finds first for these words. Keys that come before it is open are lost: once more."""
        for patience in (8, 8, PATIENCE):
            self.key("ctrl+p")
            self.type(words)
            self.key("Return")
            try:
                return self.wait_saved(what, check, patience)
            except Failed as failure:
                lost = failure
            self.key("Escape")
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


def check(condition, what):
    if not condition:
        raise Failed(what)


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


def tell(stories):
    """Tells all stories, which mostly wait for their windows to become idle and to save: two at once. Ends the program if one fails."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        told = [pool.submit(alone, *several) for several in stories]
    failed = False
    for several, story in zip(stories, told):
        try:
            story.result()
        except Failed as failure:
            print("FAILED:", several[0].__name__, failure)
            failed = True
    if failed:
        sys.exit(1)
