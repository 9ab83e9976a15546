"""Runs the lines of README.md, docs/commands.md and docs/material.md as they are printed: every line that begins with "$ ", in order, in a
temporary folder a document, which holds the repository's assets and its picture. Where a document prints what a line says, the line must
say that; "…" stands for any lines. Lines that are left out or cut short are listed below with the reason. docs/commands.md must have a
heading for every command, name every picture of a view, and name no option that no command has. readme_test.py PROGRAM BUILD_FOLDER."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import numpy  # noqa: F401  the documents' own lines use it
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 250  # of one line at most
DOCUMENTS = {"README.md": 3, "docs/commands.md": 50, "docs/material.md": 40}  # and how many lines each runs at least

# Begins so -> why it does not run here.
LEFT_OUT = {
    "headlight open": "opens a window and waits for its end",
    "xvfb-run -a headlight tour": "draws every view or a film for minutes, and needs a display: scripts.window_test draws them",
}
# Trains for minutes: it is stopped by Ctrl+C once it has begun, and docs/commands.md says that this saves.
INTERRUPTED = "headlight train --config"


class Line:
    def __init__(self, document, number, command):
        self.place, self.command, self.said = f"{document}:{number}", command, []


def lines_of(document):
    """The commands, each with what the document prints below it. A command goes on behind a backslash and within quotation marks."""
    found, open_one = [], False
    for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").split("\n"), 1):
        if not line.startswith("    "):
            open_one = False
            continue
        text = line[4:]
        if text.startswith("$ "):
            found.append(Line(document, number, text[2:]))
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
    where = f"{line.place}: {line.command}"
    assert done.returncode == 0, f"{where}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if line.said:
        assert same(line.said, done.stdout.split("\n")), f"{where}\nprints\n{done.stdout[-4000:]}\nand not\n" + "\n".join(line.said)


def run_document(document, left_out):
    """Runs a document's lines in a folder of its own, and returns how many ran."""
    lines = lines_of(document)
    ran = 0
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
        for line in lines:
            begun = time.monotonic()
            reason = next((why for start, why in LEFT_OUT.items() if line.command.startswith(start)), None)
            if reason:
                left_out.append(f"{line.command}: {reason}")
                continue
            if line.command.startswith(INTERRUPTED):
                interrupted(line.command, folder, environment)
            else:
                run(line, folder, environment)
            ran += 1
            if time.monotonic() - begun > 5:
                print(f"{time.monotonic() - begun:.0f} s: {line.command}", flush=True)
    print(f"{document}: {ran} of {len(lines)} lines run", flush=True)
    return ran


def help_of(*command):
    return subprocess.run([PROGRAM, *command, "--help"], check=True, capture_output=True, text=True, timeout=SECONDS).stdout


def check_names():
    """docs/commands.md has every command, and the options that it names are options of some command."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    commands = re.findall(r"^  ([a-z][a-z-]+)  +", help_of().split("Subcommands:")[1], re.MULTILINE)
    benches = re.findall(r"^  ([a-z][a-z-]+)  +", help_of("bench").split("Subcommands:")[1], re.MULTILINE)
    assert len(commands) > 20 and len(benches) > 5, (commands, benches)
    missing = [name for name in commands if f"\n## {name}\n" not in page] + [name for name in benches if f"| `{name}` |" not in page]
    assert not missing, f"docs/commands.md lacks {missing}"
    pictures = re.search(r"of one token: (.*?); parameters", help_of("export"))[1].split(", ")
    assert len(pictures) > 50, pictures
    unnamed = [name for name in pictures if f"`{name}`" not in page]
    assert not unnamed, f"docs/commands.md names no picture {unnamed}"
    texts = [help_of()] + [help_of(name) for name in commands] + [help_of("bench", name) for name in benches]
    known = {option for text in texts for option in re.findall(r"--[a-z][a-z-]*", text)}
    unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) - known
    assert not unknown, f"docs/commands.md names options that no command has: {sorted(unknown)}"


def main():
    check_same()
    check_names()
    left_out = []
    for document, least in DOCUMENTS.items():
        ran = run_document(document, left_out)
        assert ran >= least, f"{document}: {ran} lines run, and there were {least} at least"
    for start in LEFT_OUT:
        assert any(one.startswith(start) for one in left_out), f"no line begins so any more: {start}"
    print("left out:", *left_out, sep="\n")


main()
