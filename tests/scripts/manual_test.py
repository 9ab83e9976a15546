"""Everything that docs/manual.md names in the chapters of the views, *in italics*, is said by the program: as a text of its own, or as words within
one. The manual's examples of a sentence, and of what the program then says of it, are listed here."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = {"unhappiness", "creature looks at fluffy and blue", "creature", "forest", "verdant", "ant", "heads 6 to 8 share key head 2"}
# A choice and its value, of which the program says each.
TOGETHER = {"row = word: written": ["row = word", "written"]}
NAMES = {"walkthrough": "a preset", "fill-in": "a model", "[MASK]": "a token", "smollm2": "a model"}


def texts():
    """The interface's English texts, in small letters."""
    tables = [TOP / "assets" / "interface.tsv", *sorted((TOP / "app" / "views").glob("*/words.tsv"))]
    lines = [line for table in tables for line in table.read_text(encoding="utf-8").splitlines()]
    return {line.split("\t")[0].lower() for line in lines if line and not line.startswith("#")}


def main():
    manual = (TOP / "docs" / "manual.md").read_text(encoding="utf-8")
    chapters = re.split(r"\n### ", manual.split("\n## The views")[1].split("\n## Models")[0])[1:]
    said = texts()
    problems, count = [], 0
    for chapter in chapters:
        view, body = chapter.split("\n", 1)
        if view.lower() not in said:
            problems.append(f"there is no view {view}")
        for term in sorted({re.sub(r"\s+", " ", one) for one in re.findall(r"(?<![*\\])\*([^*\n]+(?:\n[^*\n]+)?)\*(?!\*)", body)} - EXAMPLES - set(NAMES)):
            for words in TOGETHER.get(term, [term]):
                count += 1
                inside = re.compile(r"(?<!\w)" + re.escape(words.lower()) + r"(?!\w)")
                if words.lower() not in said and not any(inside.search(text) for text in said):
                    problems.append(f"{view}: the program does not say '{words}'")
    for problem in problems:
        print(problem)
    print(f"{len(chapters)} views, {count} names, {len(problems)} problems")
    assert len(chapters) > 15 and count > 50, "the manual's chapters were not found"
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
