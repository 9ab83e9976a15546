"""The include order: docs/architecture.md lists every folder of engine/ and app/ by floor; a file may include only files of its own folder and
of lower floors; and no two folders of engine/ include each other, with all that is in them. A view, app/views/NAME, is one folder on three floors: its state, its pictures, and the rest; it includes no
other view, and nothing but tests includes it. The words of an operation, engine/operations/NAME_words.cpp, read traces and have a floor of their own. No two headers have the same name, those of the views apart; the commands, which every build has, include what only a build with a
window has between #ifdef HEADLIGHT_APP and #endif alone; and fewer than 30 sources include one operation."""
import collections
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [p for folder in ("engine", "app") for p in sorted((TOP / folder).rglob("*"))
           if p.suffix in (".h", ".cpp", ".cu", ".cuh") and not re.search(r"(^|_)test$", p.stem)]
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:engine|app)/[^"]+)"', re.MULTILINE)


def view_of(path):
    """The name of the view whose folder the file is in, or None."""
    found = re.match(r"app/views/([a-z_]+)/", path)
    return found.group(1) if found and found.group(1) != "base" else None


def room_of(path):
    path = pathlib.PurePosixPath(path)
    if str(path.parent) == "engine/operations" and path.stem.endswith("_words"):
        return "engine/operations/*_words"
    if not view_of(str(path)):
        return str(path.parent)
    if path.stem == "state":
        return "app/views/*/state"
    return "app/views/*/" + ("pictures" if re.search(r"^pictures$|_picture$", path.stem) else "view")


def listed_floors():
    """{room: floor} from the list of docs/architecture.md between "<!-- floors -->" and "<!-- end of floors -->"; the ground floor is 1."""
    text = (TOP / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = text.split("<!-- floors -->")[1].split("<!-- end of floors -->")[0]
    floors = {}
    for line in block.splitlines():
        found = re.match(r"^ +(\d+)  (.+)$", line)
        if not found:
            continue
        for room in found.group(2).split():
            assert room not in floors, f"docs/architecture.md: {room} stands on two floors"
            floors[room] = int(found.group(1))
    return floors


# The rooms that a build without the window has besides engine/.
WINDOWLESS = {"app/cli", "app/fields", "app/files", "app/session", "app/views/*/state"}


def without_window(text):
    """The lines of a source that are compiled without HEADLIGHT_APP."""
    kept, inside = [], []
    for line in text.splitlines():
        word = line.split(maxsplit=1) or [""]
        if word[0] in ("#if", "#ifdef", "#ifndef"):
            inside.append(line.strip() == "#ifdef HEADLIGHT_APP")
        elif word[0] == "#else" and inside:
            inside[-1] = False
        elif word[0] == "#endif" and inside:
            inside.pop()
        if not any(inside):
            kept.append(line)
    return "\n".join(kept)


# Sources of engine/ and app/ that are compiled again where an operation's header changes.
MOST_REACHED = 32


def reached_by_operations():
    """{header of an operation: how many sources include it, through whatever headers}. A header that declares no Kind is no
    operation: operation.h and define.h are what all of them are written with."""
    includes = {p.relative_to(TOP).as_posix(): INCLUDE.findall(p.read_text(encoding="utf-8")) for p in SOURCES}
    known = {}

    def all_of(name):
        if name not in known:
            known[name] = set()
            known[name] = set(includes.get(name, [])).union(*map(all_of, includes.get(name, [])))
        return known[name]

    counts = collections.Counter(header for name in includes if not name.endswith(".h") for header in all_of(name))
    operations = (p for p in SOURCES if room_of(p.relative_to(TOP).as_posix()) == "engine/operations" and p.suffix == ".h")
    return {name: counts[name] for p in operations if p.name != "operation.h" and re.search(r"kind_of<\w+>\(\)", p.read_text(encoding="utf-8"))
            for name in [p.relative_to(TOP).as_posix()]}


def folders_below():
    """{folder of engine/: the folders of engine/ that it includes, through whatever others}. Words of an operation explain: they
    count as insight."""
    below = collections.defaultdict(set)
    for path in SOURCES:
        name = path.relative_to(TOP).as_posix()
        here = "engine/insight" if room_of(name) == "engine/operations/*_words" else "/".join(name.split("/")[:2])
        if here.startswith("engine/"):
            below[here] |= {"/".join(i.split("/")[:2]) for i in INCLUDE.findall(path.read_text(encoding="utf-8"))} - {here}
    for through in list(below):
        for folder in below:
            if through in below[folder]:
                below[folder] |= below[through]
    return below


def main():
    floors = listed_floors()
    problems = []
    rooms = {room_of(p.relative_to(TOP).as_posix()) for p in SOURCES}
    problems += [f"the floors of docs/architecture.md lack {room}" for room in sorted(rooms - set(floors))]
    problems += [f"the floors of docs/architecture.md name {room}, which has no sources" for room in sorted(set(floors) - rooms)]
    edges = 0
    for path in SOURCES:
        name = path.relative_to(TOP).as_posix()
        here = room_of(name)
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            there = room_of(included)
            if view_of(included) and view_of(included) != view_of(name):
                problems.append(f"{name} includes {included}: a view is known by its line of app/views/list.inc alone")
            if there == here:
                continue
            edges += 1
            if floors.get(there, 0) >= floors.get(here, 0):
                problems.append(f"{name} (floor {floors.get(here)}) includes {included} (floor {floors.get(there)})")
    for path in (TOP / "app" / "cli").glob("*.*"):
        for included in INCLUDE.findall(without_window(path.read_text(encoding="utf-8"))):
            if included.startswith("app/") and room_of(included) not in WINDOWLESS:
                problems.append(f"{path.name} includes {included}, which a build without the window lacks, outside #ifdef HEADLIGHT_APP")
    below = folders_below()
    problems += [f"{a} and {b} include each other, perhaps through others" for a in sorted(below) for b in sorted(below[a])
                 if a < b and a in below.get(b, ())]
    headers = collections.defaultdict(list)
    for path in SOURCES:
        if path.suffix in (".h", ".cuh") and not view_of(path.relative_to(TOP).as_posix()):
            headers[path.name].append(path.relative_to(TOP).as_posix())
    problems += ["two headers of one name: " + ", ".join(places) for places in headers.values() if len(places) > 1]
    reached = reached_by_operations()
    problems += [f"{header} is included by {count} sources, {MOST_REACHED} at most: a change of one operation shall compile few files"
                 for header, count in reached.items() if count > MOST_REACHED]
    for problem in problems:
        print(problem)
    print(f"{len(SOURCES)} files in {len(rooms)} rooms, {edges} includes between rooms, {len(problems)} problems")
    assert edges > 100, "the includes were not found"
    assert len(reached) > 20, "the operations were not found"
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
