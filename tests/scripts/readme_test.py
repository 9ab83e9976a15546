"""Runs the lines of the README as they are printed: every line that begins with "$ ", in order, in a temporary folder that holds
the repository's assets and its picture. Where the README prints what a line says, it must say that; "…" stands for any lines.
What is left out or cut short is listed below with its reason. readme_test.py PROGRAM BUILD_FOLDER."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import numpy  # noqa: F401  the README's own lines use it
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 250  # of one line at most

# Begins so -> why it does not run here.
LEFT_OUT = {
    "headlight open": "opens a window and waits for its end",
    "xvfb-run -a headlight tour": "draws every view or a film for minutes, and needs a display: scripts.window_test draws them",
}
# Trains for minutes: it is stopped by Ctrl+C once it has begun, and the README says that this saves.
INTERRUPTED = "headlight train --config"


class Line:
    def __init__(self, number, command):
        self.number, self.command, self.said = number, command, []


def lines_of(readme):
    """The commands, each with what the README prints below it. A command goes on behind a backslash and within quotation marks."""
    found, open_one = [], False
    for number, line in enumerate(readme.split("\n"), 1):
        if not line.startswith("    "):
            open_one = False
            continue
        text = line[4:]
        if text.startswith("$ "):
            found.append(Line(number, text[2:]))
            open_one = True
        elif open_one and not found[-1].said and unfinished(found[-1].command):
            found[-1].command += "\n" + text
        elif open_one:
            found[-1].said.append(text)
    return found


def unfinished(command):
    return command.endswith("\\") or command.count("'") % 2 == 1


def same(wanted, said):
    """Whether `said` is what is wanted, line by line and without regard to spaces; "…" is any number of lines."""
    plain = lambda lines: [" ".join(line.split()) for line in lines if line.strip()]
    parts, rest = [[]], plain(said)
    for line in plain(wanted):
        if line == "…":
            parts.append([])
        else:
            parts[-1].append(line)
    for index, part in enumerate(parts):
        first, last = index == 0, index == len(parts) - 1
        if not part:
            continue
        if last and not first:
            places = [len(rest) - len(part)]  # the end
        elif first:
            places = [0]
        else:
            places = range(len(rest) - len(part) + 1)
        at = next((place for place in places if place >= 0 and rest[place:place + len(part)] == part), None)
        if at is None:
            return False
        rest = rest[at + len(part):]
        if last and rest:
            return False
    return True


def check_same():
    """The comparison itself, on small cases."""
    assert same(["a  b"], ["a\tb"]) and not same(["a"], ["a", "b"]) and not same(["a"], ["b"])
    assert same(["a", "…", "c"], ["a", "b", "c"]) and not same(["a", "…", "c"], ["a", "c", "b"])
    assert same(["…", "b", "…"], ["a", "b", "c"]) and not same(["…", "d", "…"], ["a", "b", "c"])


def interrupted(command, folder, environment):
    child = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    assert "parameters" in child.stderr.readline()
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=SECONDS)
    assert child.returncode == -signal.SIGINT and "and saved" in said, (command, child.returncode, said)
    assert (folder / command.split("--out ")[1] / "model.safetensors").exists(), command


def run(line, folder, environment):
    done = subprocess.run(["bash", "-c", "set -o pipefail\n" + line.command], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=SECONDS, stdin=subprocess.DEVNULL)
    where = f"README.md:{line.number}: {line.command}"
    assert done.returncode == 0, f"{where}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if line.said:
        assert same(line.said, done.stdout.split("\n")), f"{where}\nprints\n{done.stdout[-4000:]}\nand not\n" + "\n".join(line.said)


def main():
    check_same()
    lines = lines_of((ROOT / "README.md").read_text())
    assert len(lines) > 50, len(lines)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "here"
        programs = pathlib.Path(name) / "bin"
        folder.mkdir()
        programs.mkdir()
        (programs / "headlight").symlink_to(PROGRAM)
        (programs / "python3").symlink_to(sys.executable)
        (folder / "assets").symlink_to(ROOT / "assets")
        (folder / "docs").mkdir()
        shutil.copy(ROOT / "docs" / "window.png", folder / "docs")
        environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", XDG_CONFIG_HOME=f"{name}/config",
                           XDG_DATA_HOME=f"{name}/data")
        left_out = []
        for line in lines:
            begun = time.monotonic()
            reason = next((why for start, why in LEFT_OUT.items() if line.command.startswith(start)), None)
            if reason:
                left_out.append(f"{line.command}: {reason}")
            elif line.command.startswith(INTERRUPTED):
                interrupted(line.command, folder, environment)
            else:
                run(line, folder, environment)
            if time.monotonic() - begun > 5:
                print(f"{time.monotonic() - begun:.0f} s: {line.command}", flush=True)
        for start in LEFT_OUT:
            assert any(one.startswith(start) for one in left_out), f"no line begins so any more: {start}"
        print(f"{len(lines) - len(left_out)} of {len(lines)} lines run; left out:", *left_out, sep="\n")


main()
