"""The pages hold together. Every link and picture of README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md and assets/**/README.md points at a
file that exists, and every #anchor at a heading, by GitHub's rule. Every source that a page names in backticks exists; pointers_test.py
checks whole paths. Every commit that CONTRIBUTING.md and docs/measured.md name is in the history, every measured table has one, README.md
keeps within 10,000 bytes, and docs/material.md has the rows S1 to S24. links_test.py; it needs no build."""
import pathlib
import re
import subprocess
import sys
import urllib.parse

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = [TOP / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((TOP / "docs").glob("*.md")) + sorted(
    (TOP / "assets").rglob("README.md"))
MOST_BYTES = 10_000  # of README.md: a newcomer reads it in a minute
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
# A source, perhaps with the last of its folders: docs/cuda.md names files below engine/backends/cuda.
SOURCE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:h|cpp|cu|cuh|py|inc|glsl)")


def without_blocks(text):
    """The page without fenced and indented blocks, so that '#' in a shell line is no heading and brackets in C++ are no link."""
    lines, fenced = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            line = ""
        lines.append("" if fenced or line.startswith("    ") else line)
    return "\n".join(lines)


def anchor_of(heading):
    """GitHub's rule: formatting goes, letters are made small, everything but letters, digits, '-', '_' and spaces goes, spaces become '-'."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors_of(page):
    found = {}
    for heading in re.findall(r"^#{1,6} +(.+?)\s*#*$", without_blocks(page.read_text(encoding="utf-8")), re.MULTILINE):
        name = anchor_of(heading)
        found[name] = found.get(name, -1) + 1
    return {name if i == 0 else f"{name}-{i}" for name, last in found.items() for i in range(last + 1)}


def problems_of_links(page):
    text = without_blocks(page.read_text(encoding="utf-8"))
    # A picture inside of a link's text is a link of its own.
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
    for target in dict.fromkeys(LINK.findall(CODE.sub("", text)) + pictures):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"links to {target}, which does not exist"
        elif TOP not in file.parents:
            yield f"links to {target}, which is outside of the repository"
        elif anchor and (file.suffix != ".md" or anchor not in anchors_of(file)):
            yield f"links to {target}, and {file.relative_to(TOP)} has no such heading"


def problems_of_sources(page, names):
    for code in CODE.findall(without_blocks(page.read_text(encoding="utf-8"))):
        for word in code.split():
            if SOURCE.fullmatch(word) and not re.search("[A-Z]{3,}", word) and not any(name.endswith("/" + word) for name in names):
                yield f"names `{word}`, and no file is called so"


COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7}\b")


def problems_of_measurements():
    """Each part of docs/measured.md that has a table says at which commit it was measured."""
    parts = re.split(r"^##+ ", (TOP / "docs" / "measured.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(parts) > 10, len(parts)
    for part in parts:
        if "\n|---" in part and not COMMIT.search(part):
            yield f"has a table without a commit under '{part.splitlines()[0]}'"


def problems_of_commits(page):
    """Without the history, as in an archive or a shallow clone, there is nothing to compare with."""
    commits = set(COMMIT.findall(page.read_text(encoding="utf-8")))
    assert len(commits) > 5, commits
    git = ["git", "-C", str(TOP)]
    try:
        whole = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return
    if whole.stdout.strip() != "false":
        return
    for commit in commits:
        if subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True, check=False).returncode != 0:
            yield f"names the commit {commit}, which is not in the history"


def check_rules():
    """The rules themselves, on small cases."""
    assert anchor_of("What was tried, and what it gave") == "what-was-tried-and-what-it-gave"
    assert anchor_of("A decoder like Llama's") == "a-decoder-like-llamas" and anchor_of("`headlight-tokenizer.json`") == "headlight-tokenizerjson"
    assert anchor_of("S1. Index first") == "s1-index-first"
    assert LINK.findall("see [a](b.md#c) and ![d](e.png), [[x]](y)") == ["b.md#c", "e.png", "y"]
    assert without_blocks("a\n```sh\n# b\n```\n    # c\nd").split("\n") == ["a", "", "", "", "", "d"]


def main():
    check_rules()
    names = ["/" + p.relative_to(TOP).as_posix() for folder in ("app", "engine", "scripts", "shaders", "tests") for p in (TOP / folder).rglob("*")]
    problems, links = [], 0
    for page in PAGES:
        links += len(LINK.findall(page.read_text(encoding="utf-8")))
        for problem in [*problems_of_links(page), *problems_of_sources(page, names)]:
            problems.append(f"{page.relative_to(TOP)} {problem}")
    for page in (TOP / "CONTRIBUTING.md", TOP / "docs" / "measured.md"):
        problems += [f"{page.relative_to(TOP)} {problem}" for problem in problems_of_commits(page)]
    problems += [f"docs/measured.md {problem}" for problem in problems_of_measurements()]
    size = (TOP / "README.md").stat().st_size
    if size > MOST_BYTES:
        problems.append(f"README.md has {size} bytes, {MOST_BYTES} at most")
    rows = re.findall(r"^### S(\d+)\. ", (TOP / "docs" / "material.md").read_text(encoding="utf-8"), re.MULTILINE)
    if rows != [str(i) for i in range(1, 25)]:
        problems.append(f"docs/material.md has the rows {rows}")
    print(*problems, f"{len(PAGES)} pages, {links} links, README.md {size} bytes, {len(problems)} problems", sep="\n")
    assert links > 100, "the links were not found"
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
