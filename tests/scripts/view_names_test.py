"""No source outside a view's folder, app/views/NAME, names the view, its line of app/views/list.inc apart: what other rooms want of a view it
declares (View::offers, View::toured, ...), and they find it by that.

A view's names are its folder, its id and what the names of its parts begin with. Many are ordinary words ("tokens", "index", "train"), which also
name keys of JSON, fields of a document, arrays and steps. So there are two rules, over string literals outside comments; texts for people, tr(...),
are left out.
1. Anywhere: a literal that is passed where a view is meant (kMeant: compared with or stored in `tab`, given to job_of(), show_way(), the views'
   registry, ...), a field's path there ("heads.picture"), the name of a part ("heads:cells"), and the functions and namespaces of a view.
2. In the rooms around the views (kFrame), which have no other reason to say such words: every literal that is a view's name, or begins with it and
   ':' or '.'. OTHER_WORDS lists the literals there that mean something else, each with its meaning, unless rule 1 finds
   them; a line that is no longer needed fails.
Lessons, tests, docs and words.tsv are data, which may name views, and so may what EXEMPT lists."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
VIEWS = TOP / "app" / "views"
kFrame = ("app/fields", "app/files", "app/gl", "app/inspector", "app/lessons", "app/session", "app/sheet", "app/text", "app/ui", "app/views/base",
          "app/window")

# Sources that may name views, and why.
EXEMPT = {
    "app/window/offscreen/tour_film.cpp": "a screenplay, as a lesson is: it says which view is shown when",
    "app/cli/asked_words.cpp": "a command's options are stored in fields, by path, as a session's file has them",
    "app/cli/context_picture.cpp": "the same",
    "app/cli/export.cpp": "the same",
    "app/cli/view_picture.cpp": "the same",
    "app/session/view_fields.cpp": "the objects of a saved session in which fields of all views lie, since one view once had them alone",
    "app/session/view_state.h": "the view that a new session opens",
}

# Literals of kFrame that are no view: file, word, meaning.
OTHER_WORDS = {
    ("app/files/figure_style.cpp", "tokens"): "a figure's choice",
    ("app/gl/cells.cpp", "values"): "a shader's array",
    ("app/inspector/inspector_subject.cpp", "tokens"): "a step of the trace",
    ("app/lessons/lesson.cpp", "why"): "a key of a lesson's file",
    ("app/lessons/places.cpp", "heads"): "a number of a lesson's text",
    ("app/lessons/places.cpp", "tokens"): "a number of a lesson's text",
    ("app/session/live_settings.cpp", "positions"): "what a training's second run lacks",
    ("app/session/view_state.cpp", "index"): "a place in a step",
    ("app/views/base/attention_choice.cpp", "scores"): "an array of the attention",
    ("app/window/commands/examples.cpp", "why"): "a key of an example",
    ("app/window/commands/picture_actions.cpp", "scores"): "an array of the attention",
    ("app/window/offscreen/bench_window.cpp", "heads"): "a lesson",
    ("app/window/shell/lesson_side.cpp", "why"): "an id of drawn words",
    ("app/window/shell/mask_popup.cpp", "masks"): "a field of the document",
    ("app/window/shell/pickers.cpp", "positions"): "a picker above the views",
    ("app/window/shell/popups.cpp", "heads"): "a field of the document",
    ("app/window/shell/popups.cpp", "positions:out"): "a part of the picker of positions",
}

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FOR_PEOPLE = re.compile(r'\btr(?:_later)?\(\s*(?:"(?:[^"\\\n]|\\.)*"\s*)+\)')
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
# What stands before or behind a literal that names a view.
kMeant = [re.compile(before + r'\s*"((?:[^"\\\n]|\\.)*)"') for before in (
    r'\btab\s*(?:=|==|!=)', r'\btab\(', r'\bshow_way\([^;"]*,', r'\bjob(?:_of<[^;"]*>)?\((?:[^;"]*,)?', r'\bbegin\(', r'\bviews::registry\(\)\.(?:find|get)\(',
    r'\b(?:set_at|value_at)\([^;"]*,', r'\.(?:has|view)\(')] + [re.compile(r'"((?:[^"\\\n]|\\.)*)"\s*(?:==|!=)\s*[\w.>()-]*\btab\b')]


def code_of(path):
    """The source without comments; lines stay where they are."""
    return COMMENT.sub(lambda m: m.group(1) or "\n" * m.group(0).count("\n"), path.read_text(encoding="utf-8"))


class Named:
    """What a view is called."""

    def __init__(self, folder):
        self.folder = folder.name
        declared = re.search(rf"const View& {folder.name}_view\(\) {{(.*)", (folder / "view.cpp").read_text(encoding="utf-8"), re.DOTALL)
        assert declared, f"{folder.name}: no declaration"
        names = {folder.name, re.search(r'\.id = "([^"]+)"', declared.group(1)).group(1)}
        names |= set(re.findall(r'\.named = "([^"]+)"', declared.group(1)))
        self.names = names
        spaces = set()
        for source in folder.iterdir():
            if source.suffix in (".h", ".cpp"):
                spaces |= set(re.findall(r"^namespace headlight::views::(\w+)", source.read_text(encoding="utf-8"), re.MULTILINE))
        self.code = re.compile(rf"\b{folder.name}_(?:view|state)\(" + "".join(rf"|\bviews::{space}::|\bnamespace views::{space}\b" for space in spaces))

    def is_named_by(self, word):
        return any(word == name or word.startswith((name + ":", name + ".")) for name in self.names)


def problems_of(name, code, views, used):
    own = re.match(r"app/views/([a-z_]+)/", name)
    own = own.group(1) if own else None
    in_frame = name.startswith(tuple(room + "/" for room in kFrame))
    shown = FOR_PEOPLE.sub(lambda m: "\n" * m.group(0).count("\n"), code)
    found = []

    def add(at, view, what):
        found.append(f"{name}:{shown.count(chr(10), 0, at) + 1} names the view {view.folder}: {what}")

    for view in views:
        if view.folder == own:
            continue
        for hit in view.code.finditer(shown):
            add(hit.start(), view, hit.group(0))
        for pattern in kMeant:
            for hit in pattern.finditer(shown):
                if view.is_named_by(hit.group(1)):
                    add(hit.start(1), view, f'"{hit.group(1)}"')
        for hit in LITERAL.finditer(shown):
            word = hit.group(1)
            part = any(re.match(re.escape(one) + ":[a-z]", word) for one in view.names)
            if not (in_frame and view.is_named_by(word)) and not part:
                continue
            if (name, word) in OTHER_WORDS:
                used.add((name, word))
                continue
            add(hit.start(), view, f'"{word}"')
    return sorted(set(found))


def main():
    views = [Named(folder) for folder in sorted(VIEWS.iterdir()) if folder.is_dir() and folder.name != "base"]
    sources = [p for folder in ("engine", "app") for p in sorted((TOP / folder).rglob("*"))
               if p.suffix in (".h", ".cpp", ".cu", ".cuh") and not re.search(r"(^|_)test$", p.stem)]
    problems, used, exempt = [], set(), set()
    for path in sources:
        name = path.relative_to(TOP).as_posix()
        of_file = problems_of(name, code_of(path), views, used)
        if name in EXEMPT:
            exempt.update({name} if of_file else {})
        else:
            problems += of_file
    problems += [f'{name} no longer says "{word}": take it out of OTHER_WORDS' for name, word in sorted(set(OTHER_WORDS) - used)]
    problems += [f"{name} names no view: take it out of EXEMPT" for name in sorted(set(EXEMPT) - exempt)]
    # The rules find what they are made for.
    tried = {
        "app/window/shell/a.cpp": 'shell.view().tab = "masks";',
        "app/views/why/a.cpp": 'view.tab = "heads";',
        "app/cli/a.cpp": 'set_at(session.view, "walk.step", step);',
        "app/figures/base/a.cpp": 'name_part(context, "heads:cells");',
        "app/views/context/a.cpp": 'job_of<LiveTrainer>(context, "train")',
        "app/inspector/a.cpp": 'if (id == "next") return;',
        "app/export/a.cpp": "const View& one = index_view();",
        "app/lessons/a.cpp": "views::masked::State state;",
    }
    for name, code in tried.items():
        assert len(problems_of(name, code, views, set())) == 1, f"not found: {code}"
    for code in ('json["tokens"] = 1;', 'tr("train")', 'index.job("step")'):
        assert not problems_of("app/export/a.cpp", code, views, set()), f"found in vain: {code}"
    for problem in problems:
        print(problem)
    print(f"{len(sources)} files, {len(views)} views, {len(problems)} problems")
    assert len(views) > 15, "the views were not found"
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
