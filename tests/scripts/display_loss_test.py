"""The display server ends before the window does, or at the same moment: the session is saved, the process ends in order, and nothing it
says is of a corrupted heap. display_loss_test.py PROGRAM BUILD_FOLDER; HEADLIGHT_REPEAT=50 tries each way as often; ./test
tries each once, ./test --all three times."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
repeat = int(os.environ.get("HEADLIGHT_REPEAT", "1"))
if not shutil.which("Xvfb"):
    print("Xvfb is not here")
    sys.exit(77)


class Run:
    """A window on a display of its own."""

    def __init__(self, folder):
        read, write = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            display = answer.readline().strip()
        assert display, "Xvfb did not start"
        self.session = os.path.join(folder, "session.json")
        environment = dict(os.environ, DISPLAY=":" + display, HEADLIGHT_CONFIG_DIR=os.path.join(folder, "configuration"),
                           LC_ALL="C.UTF-8", LIBGL_ALWAYS_SOFTWARE="1")
        environment.pop("WAYLAND_DISPLAY", None)
        self.program = subprocess.Popen([program, "--session", self.session], env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def end(self):
        try:
            out, words = self.program.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.program.kill()
            raise AssertionError("the program did not end")
        finally:
            self.server.kill()
            self.server.wait()
        return self.program.returncode, words

    def wait_window(self):
        """Until it has saved what it opened with, or is known to be up: it opens, computes and idles."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.program.poll() is None:
            if os.path.exists(self.session):
                return
            time.sleep(0.02)
        raise AssertionError(f"the window did not open: {self.program.poll()}")


def fits(status, words, lost_status):
    assert status in (0, lost_status), (status, words)
    for bad in ("corrupted", "Sanitizer", "terminate called", "free()", "XIO"):
        assert bad not in words, (status, words)
    assert words in ("", "headlight: the display has gone; the session was saved\n", "headlight: the display has gone\n"), words


def display_goes(turn):
    """The display goes while the window is open: an error, and what was open is kept."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        run.wait_window()
        os.remove(run.session)
        run.server.send_signal(signal.SIGKILL if turn % 2 else signal.SIGTERM)
        status, words = run.end()
        fits(status, words, 1)
        assert status == 1 and "display has gone" in words, (status, words)
        left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
        assert not left, left


def both_go(delay):
    """Both end at once, or the display `delay` seconds after the program (before it, if negative). Returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        run.wait_window()
        first, second = (run.program, run.server) if delay >= 0 else (run.server, run.program)
        first.send_signal(signal.SIGTERM)
        time.sleep(abs(delay))
        second.send_signal(signal.SIGKILL if second is run.server else signal.SIGTERM)
        status, words = run.end()
        fits(status, words, 1)
        json.load(open(run.session, encoding="utf-8"))
        return status


# A run mostly waits for its window to open and to save: three go on at once.
counts = {}
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    gone, both = [], []
    for turn in range(repeat):
        gone += [pool.submit(display_goes, way) for way in ((0, 1) if repeat == 1 else (turn,))]
        both += [pool.submit(both_go, delay) for delay in (0, 0.0005, 0.002, 0.005, 0.01, 0.03, -0.002, -0.01)]
    for one in gone:
        one.result()
    for one in both:
        counts[one.result()] = counts.get(one.result(), 0) + 1
print(f"ended in order; exit statuses where both ended at once: {counts}")
