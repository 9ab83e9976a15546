"""A real browser without a window: Debian's chromium, driven by its own remote protocol over two pipes, so that nothing is needed but
Python. Every request that a page makes is written down."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds that an answer may take on a busy machine


def program():
    """Where chromium is; ends the test as skipped where there is none."""
    found = os.environ.get("HEADLIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        print("skipped: no browser: chromium is not installed (Debian package chromium)")
        sys.exit(77)
    return found


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()
        command = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--user-data-dir=" + self.folder.name, "about:blank"]

        def pipes():  # chromium reads from 3 and writes to 4
            os.dup2(to_read, 13)
            os.dup2(from_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        # Given as a file where they stand: the descriptors of this process keep their numbers in the child.
        self.process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder.name})
        os.close(to_read)
        os.close(from_write)
        self.pending, self.count, self.session = b"", 0, None
        self.requests, self.problems = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def message(self):
        deadline = time.monotonic() + PATIENCE
        os.set_blocking(self.answers, False)
        while b"\0" not in self.pending:
            try:
                more = os.read(self.answers, 1 << 20)
                if not more:
                    raise RuntimeError("the browser ended")
                self.pending += more
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"the browser gave no answer within {PATIENCE} s")
                time.sleep(0.005)
        one, self.pending = self.pending.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.count += 1
        sent = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            sent["sessionId"] = self.session
        os.write(self.to, json.dumps(sent).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.count:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.note(answer)

    def note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if method == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description") or parameters["exceptionDetails"]["text"])
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])

    def size(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """A page from file://, until it has been drawn."""
        self.requests, self.problems = [], []
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + PATIENCE
        while self.run("document.readyState") != "complete" or self.run("location.href") == "about:blank":
            assert time.monotonic() < deadline, "the page was never complete"
            time.sleep(0.02)

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    def key(self, key, code=None):
        names = {"ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27, "Tab": 9, "Enter": 13}
        text = key if len(key) == 1 else "\r" if key == "Enter" else ""
        number = names.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def touch(self, *points):
        """A finger that is put down at the first point and drawn over the others."""
        for i, (x, y) in enumerate(points):
            self.call("Input.dispatchTouchEvent", type="touchMove" if i else "touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def middle(self, selector, nth=0):
        """Where the middle of an element is, which is scrolled into view."""
        return self.run(f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{nth}]; e.scrollIntoView({{block: 'nearest'}}); "
                        "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")

    def press(self, selector, nth=0):
        self.click(*self.middle(selector, nth))

    def picture(self, path=None, whole=False):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
        if path:
            pathlib.Path(path).write_bytes(data)
        return data

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
