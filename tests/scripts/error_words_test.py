"""assets/errors.tsv is complete: every text that the engine says to a person (engine/core/status.h: Message) and that the window
can show has a line with every language, and every line is said by some source. `--list` prints the texts and their sources."""
import errno
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Texts that the window never shows, by file, and why.
OUTSIDE = {
    "app/cli/": "the command line stays English",
    "app/main.cpp": "the command line stays English",
    "app/window/offscreen/tour.cpp": "headlight tour, a command",
    "app/window/offscreen/tour_film.cpp": "headlight tour, a command",
    "app/window/offscreen/bench_window.cpp": "headlight bench, a command",
    "app/window/offscreen/pictures.cpp": "headlight export, a command",
    "app/window/screen/graphics.cpp": "said before there is a window, on standard error",
    "app/gl/": "said before there is a window, or to whoever edits the shaders",
    "engine/bench/sdpa.cpp": "headlight bench sdpa, a command",
    "engine/bench/generation.cpp": "headlight bench generate, a command",
    "engine/bench/sandbox.cpp": "headlight bench keystroke and forward, commands",
}

STRING = r'"(?:[^"\\\n]|\\.)*"'
SKIPPED = re.compile(rf"""//[^\n]*|/\*.*?\*/|({STRING}|'(?:[^'\\\n]|\\.)+')""", re.S)
# What stands before the text of a message. In the CUDA module, whose texts cross a C boundary, it is say(.
BEFORE = (r"(?:\b(?:invalid|usage_error|not_found)\(|\bfailure\([\w:.>()-]+,|\.(?:at|mend)\(|\bMessage(?:\s+\w+)?\(|\bsay\("
          r"|\bPhrase<\d>\s+\w+\s*=|\bRegistry<\w+>\s+\w+\()")
SAID = re.compile(rf"{BEFORE}\s*({STRING}(?:\s*{STRING})*)\s*[,;)]")
ESCAPES = {"n": "\n", "t": "\t", "0": "\0"}


def text_of(literals):
    """The text of one or more string literals that follow each other."""
    inner = "".join(one[1:-1] for one in re.findall(STRING, literals))
    raw = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), inner.encode())
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), raw.decode("utf-8", "replace"))


def is_name(text):
    """An option, a step, a kind, or signs alone: nothing to translate."""
    return text.startswith(("--", "HEADLIGHT_")) or " " not in text or not re.search(r"[A-Za-z]{2}", text)


def texts_of_sources():
    """{text: the files that say it}, and all literals of the sources."""
    said, literals = {}, set()
    for path in sorted([*(ROOT / "engine").rglob("*"), *(ROOT / "app").rglob("*")]):
        if path.suffix not in (".cpp", ".h", ".cu"):
            continue
        name = path.relative_to(ROOT).as_posix()
        source = SKIPPED.sub(lambda m: m[1] or " ", path.read_text(encoding="utf-8"))
        literals |= {text_of(m[0]) for m in re.finditer(rf"{STRING}(?:\s*{STRING})*", source)}
        if any(name.startswith(outside) for outside in OUTSIDE):
            continue
        for m in SAID.finditer(source):
            if m[0].startswith("say(") and path.suffix != ".cu":
                continue
            text = text_of(m[1])
            if not is_name(text):
                said.setdefault(text, set()).add(name)
    return said, literals


def places(text):
    """The numbers of the values that the places of a text take, sorted."""
    found = re.findall(r"\{(\d?)\}", text.replace("{{", "").replace("}}", ""))
    return sorted(int(number) if number else i for i, number in enumerate(found))


def main():
    said, literals = texts_of_sources()
    if "--list" in sys.argv:
        for text, files in sorted(said.items(), key=lambda item: (sorted(item[1]), item[0])):
            print(text, *sorted(files), sep="\t")
        return
    lines = (ROOT / "assets/errors.tsv").read_text(encoding="utf-8").splitlines()
    languages = lines[0].split("\t")
    tables = [ROOT / "assets/interface.tsv", *ROOT.glob("app/views/*/words.tsv")]
    interface = {line.split("\t")[0] for table in tables for line in table.read_text(encoding="utf-8").splitlines()[1:]}
    systems = {os.strerror(number) for number in errno.errorcode}  # what the system says fills places of texts
    problems, known = [], set()
    for row in (line.split("\t") for line in lines[1:] if line):
        text = row[0]
        if len(row) != len(languages) or not all(row):
            problems.append(f"a language is missing: {text}")
        if text in known:
            problems.append(f"twice: {text}")
        if text in interface:
            problems.append(f"in interface.tsv too: {text}")
        known.add(text)
        for other in row[1:]:
            if other == text:
                problems.append(f"not translated: {text}")
            if places(other) != places(text):
                problems.append(f"other places: {text} | {other}")
        if text not in literals | systems:
            problems.append(f"no source says: {text}")
    for text, files in sorted(said.items()):
        if text not in known | interface:
            problems.append(f"no line in assets/errors.tsv for: {text} ({', '.join(sorted(files))})")
    for name, why in OUTSIDE.items():
        if not (ROOT / name).exists():
            problems.append(f"an exception that is no file any more: {name} ({why})")
    assert len(said) > 600, f"only {len(said)} texts were found: the sources are not read rightly"
    print(*problems, sep="\n")
    print(f"{len(said)} texts of the sources, {len(known)} lines")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
