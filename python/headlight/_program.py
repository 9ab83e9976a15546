"""Finds and calls the program `headlight`."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Sequence


class HeadlightError(RuntimeError):
    """What the program refused, in its own words."""


class ProgramNotFound(HeadlightError):
    """There is no program `headlight`; the message says how to get it."""


def program() -> str:
    """The path of the program: HEADLIGHT_PROGRAM, else on the PATH, else beside this package or this Python.

    Raises ProgramNotFound.
    """
    named = os.environ.get("HEADLIGHT_PROGRAM")
    if named:
        if os.access(named, os.X_OK) and os.path.isfile(named):
            return named
        raise ProgramNotFound(f"HEADLIGHT_PROGRAM is {named!r}, which is no program; name the file bin/headlight, or unset it")
    found = shutil.which("headlight")
    if found:
        return found
    here = pathlib.Path(__file__).resolve()
    beside = [here.parents[2] / "build/release/bin/headlight",  # a clone in which ./run has built it
              pathlib.Path(sys.prefix) / "bin/headlight",
              *(parent / "bin/headlight" for parent in here.parents[:6])]  # prefix/lib/python3/dist-packages
    for path in beside:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise ProgramNotFound("the program headlight was not found, and it draws the pictures; run ./run once in a clone of Headlight, or install its "
                          "Debian package, and put it on the PATH or name it in HEADLIGHT_PROGRAM")


def call(arguments: Sequence[str]) -> str:
    """What the program prints. Raises HeadlightError with the program's own sentence."""
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise HeadlightError(lines[-1] if lines else f"headlight {arguments[0]} ended with {done.returncode}")
    return done.stdout


def start(arguments: Sequence[str], wait: float = 1.5) -> None:
    """Starts the program and leaves it running. Raises HeadlightError where it ends with an error within `wait` seconds."""
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8") as said:
        running = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                   start_new_session=True)
        try:
            status = running.wait(wait)
        except subprocess.TimeoutExpired:
            return
        said.seek(0)
        lines = said.read().strip().splitlines()
    if status != 0:
        raise HeadlightError(lines[-1] if lines else f"headlight {arguments[0]} ended with {status}")
