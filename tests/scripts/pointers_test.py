"""Every path of this repository that a page, a comment or a script names is there. pointers_test.py PROGRAM BUILD_FOLDER.

A path is a word that begins with a top folder, "engine/core/tensor.h". NAME and other capitals stand for any name, * too. What
follows :, # or a bracket is no part of it. Paths inside of string literals of tests may be made up."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = "app|assets|cmake|docs|engine|scripts|shaders|tests"
PATH = re.compile(r"(?<![\w/.$}-])((?:%s)/[\w./*{},+-]*\w[\w*}/]*|(?:%s)/)" % (TOPS, TOPS))
# Made when the program is built or tests are collected; not in the repository.
MADE = ("tests/gpu/results",)


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        print("this is no git checkout")
        sys.exit(77)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def comments(name, text):
    """What a reader is told: all of a page, of a source its comments."""
    if name.endswith(".md"):
        return text
    if re.search(r"\.(cpp|h|cu|glsl)$", name):
        return "\n".join(re.findall(r"//[^\n]*", text))
    if re.search(r"\.(py|cmake|sh|txt)$", name) or "." not in pathlib.Path(name).name:
        return "\n".join(re.findall(r"(?m)(?:^|\s)#[^\n]*", text)) + "\n".join(re.findall(r'"""(?:.|\n)*?"""', text))
    return ""


def variants(path):
    inner = re.search(r"\{([^{}]*)\}", path)
    if not inner:
        return [path]
    return [v for part in inner[1].split(",") for v in variants(path[:inner.start()] + part + path[inner.end():])]


def is_there(path, known):
    path = re.sub(r"[A-Z]{3,}", "*", path) if not (ROOT / path).exists() else path
    if (ROOT / path).exists() or path in known:
        return True
    return any(True for _ in ROOT.glob(path.rstrip("/"))) or any(True for _ in ROOT.glob(path.rstrip("/") + ".*"))


names = files()
missing, seen = [], 0
for name in names:
    if name.startswith(("tests/data/", "assets/corpus/")) or name.endswith("pointers_test.py"):
        continue
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        continue
    for path in PATH.findall(comments(name, text)):
        for one in variants(path):
            seen += 1
            if not one.startswith(MADE) and not is_there(one, names):
                missing.append(f"{name}: {one}")
assert seen > 50, seen
assert not missing, "\n".join(["named and not there:"] + missing)
print(f"{seen} paths are there")
