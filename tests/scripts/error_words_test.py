"""assets/errors.tsv is complete: every sentence of an Error that the window can show has a line with every language, and every line
is made by some source.

An error's sentence is made of pieces: "d_model " + std::to_string(n) + " cannot be divided among " + ... This test reads the sources,
finds the calls that make errors and writes each sentence as the table does, "d_model {} cannot be divided among {} heads". Choices
(a ? b : c) give several sentences, a name stands for the value it was set to, a parameter of a function that makes errors for the
arguments of its callers, and a function of the same file that makes words gives lines of its own."""
import errno
import itertools
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["engine", "app"]
MAKERS = {"invalid": (0, 1, 2), "usage_error": (0, 1, 2), "not_found": (0, 1, 2)}
ASSIGNED = ("what", "mend", "message", "message_")  # of an Error; what the window says when it opens

# Sentences that the window never shows, by file, and why.
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
    "engine/core/status.h": "makes no sentence",
}
# Functions whose results are numbers and names, not words of a language.
NAMES = {"to_string", "byte_words", "amount", "in_words", "number", "shape_words", "display_byte", "byte_token", "byte_piece"}

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*(?:\\\n[^\n]*)*)
      | R"\((?P<raw>.*?)\)"
      | "(?P<text>(?:[^"\\\n]|\\.)*)"
      | (?P<char>'(?:[^'\\\n]|\\.)+')
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>\d(?:[\w.']|(?<=[eEpP])[+-])*)
      | (?P<sign>::|->|==|!=|<=|>=|&&|\|\||\+=|\+\+|--|.)""",
    re.S | re.X)
ESCAPES = {"n": "\n", "t": "\t", "0": "\0"}


class Text(str):
    """A string literal; its type distinguishes it from names and signs."""


def unescape(text):
    raw = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), raw.decode("utf-8", "replace"))


def tokens_of(source):
    out = []
    for m in TOKEN.finditer(source):
        if m["skip"] is not None:
            continue
        if m["raw"] is not None or m["text"] is not None:
            text = m["raw"] if m["raw"] is not None else unescape(m["text"])
            if out and isinstance(out[-1], Text):
                out[-1] = Text(out[-1] + text)
            else:
                out.append(Text(text))
        else:
            out.append(m[0])
    return out


def is_sign(token, *signs):
    return not isinstance(token, Text) and token in signs


def is_word(token):
    return not isinstance(token, Text) and re.fullmatch(r"[A-Za-z_]\w*", token) is not None


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if is_sign(tokens[i], "(", "[", "{"):
            depth += 1
        elif is_sign(tokens[i], ")", "]", "}"):
            depth -= 1
            if depth == 0:
                return i
    return len(tokens)


def split(tokens, *signs):
    """Splits at the signs outside brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        if is_sign(token, "(", "[", "{"):
            depth += 1
        elif is_sign(token, ")", "]", "}"):
            depth -= 1
        if depth == 0 and is_sign(token, *signs):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def arguments(tokens, at):
    """The lists of tokens between the commas of the brackets that open at `at`."""
    inside = tokens[at + 1:closing(tokens, at)]
    return split(inside, ",") if inside else []


class File:
    def __init__(self, path):
        self.name = path.relative_to(ROOT).as_posix()
        self.tokens = tokens_of(path.read_text(encoding="utf-8"))
        self.functions = {}  # name -> [(parameters, first, last, makes words)]
        self.find_functions()

    def find_functions(self):
        t = self.tokens
        for i in range(len(t) - 1):
            if not is_sign(t[i + 1] if i + 1 < len(t) else "", "("):
                continue
            name = t[i]
            if is_sign(name, "]"):  # const auto name = [...](parameters) {
                begin = i
                while begin > 0 and not is_sign(t[begin], "["):
                    begin -= 1
                if begin < 2 or not is_sign(t[begin - 1], "=") or not is_word(t[begin - 2]):
                    continue
                name = t[begin - 2]
            elif not is_word(name) or name in ("if", "for", "while", "switch", "catch", "return", "sizeof"):
                continue
            end = closing(t, i + 1)
            body = end + 1
            while body < len(t) and is_sign(t[body], "const", "noexcept", "override", "mutable"):
                body += 1
            if body < len(t) and is_sign(t[body], "->"):
                while body < len(t) and not is_sign(t[body], "{", ";"):
                    body += 1
            if body >= len(t) or not is_sign(t[body], "{"):
                continue
            parameters = []
            for piece in arguments(t, i + 1):
                words = [w for w in split(piece, "=")[0] if is_word(w)]
                parameters.append(words[-1] if words else "")
            makes_words = i > 0 and any(is_sign(w, "string") for w in t[max(0, i - 3):i])
            self.functions.setdefault(name, []).append((parameters, body, closing(t, body), makes_words))

    def parameter(self, name, at):
        """(function, index) if `name` at the place `at` is a parameter of the function around it."""
        best = None
        for function, all_of in self.functions.items():
            for parameters, first, last, _ in all_of:
                if first < at < last and name in parameters and (best is None or first > best[2]):
                    best = (function, parameters.index(name), first)
        return best and best[:2]

    def set_to(self, name, at):
        """The value that `name` was last set to before `at`, with its place, if it can be read; and whether += extends it."""
        t, found, grows = self.tokens, None, False
        for i in range(len(t) - 1):
            if t[i] != name or isinstance(t[i], Text):
                continue
            grows = grows or is_sign(t[i + 1], "+=")
            if i > 0 and is_sign(t[i - 1], ".", "->"):
                continue
            after = i + 1
            if is_sign(t[after], "[") and is_sign(t[after + 1], "]"):
                after += 2
            if i < at and is_sign(t[after], "=") and not is_sign(t[i - 1], "["):
                end, depth = after + 1, 0
                while end < len(t) and not (depth == 0 and is_sign(t[end], ";", ",", ")")):
                    depth += is_sign(t[end], "(", "[", "{") - is_sign(t[end], ")", "]", "}")
                    end += 1
                found = (t[after + 1:end], after + 1)
        return found, grows


class Reader:
    """Gathers the sentences of all files: template -> the files that make it."""

    def __init__(self):
        self.files, self.sentences, self.flows, self.words = [], {}, set(), set()

    def add(self, templates, file):
        for template in templates:
            is_name = template.startswith(("--", "HEADLIGHT_")) or " " not in template  # an option, a step, a kind
            if re.search(r"[A-Za-z]{2}", template) and not is_name:
                self.sentences.setdefault(template, set()).add(file.name)

    def value(self, tokens, at, file, depth=0):
        """The templates that the expression `tokens`, which stands at `at` in the file, can become."""
        while tokens and is_sign(tokens[0], "(") and closing(tokens, 0) == len(tokens) - 1:
            tokens, at = tokens[1:-1], at + 1
        if not tokens or depth > 8:
            return {""} if not tokens else {"{}"}
        question = next((i for i, _ in self.outside(tokens, "?")), None)
        if question is not None:
            colon = self.matching_colon(tokens, question)
            return (self.value(tokens[question + 1:colon], at + question + 1, file, depth + 1)
                    | self.value(tokens[colon + 1:], at + colon + 1, file, depth + 1))
        if len(parts := split(tokens, "+")) > 1:
            places = itertools.accumulate([at] + [len(p) + 1 for p in parts[:-1]])
            options = [self.value(p, place, file, depth + 1) for p, place in zip(parts, places)]
            return {re.sub(r"(\{\})+", "{}", "".join(choice)) for choice in itertools.product(*options)}
        first = tokens[0]
        if len(tokens) == 1 and isinstance(first, Text):
            assert "{}" not in first, f"{file.name}: a sentence may not say {{}} itself: {first}"
            return {str(first)}
        if is_sign(first, "{") and len(tokens) == 2:
            return {""}
        bare = tokens[2:] if is_sign(first, "std") else tokens
        at += len(tokens) - len(bare)
        if len(bare) > 1 and bare[0] in ("string", "move", "string_view") and closing(bare, 1) == len(bare) - 1:
            return self.value(bare[2:-1], at + 2, file, depth + 1)
        if len(bare) == 1 and is_word(bare[0]):
            return self.of_name(bare[0], at, file, depth)
        if len(bare) > 1 and is_word(bare[0]) and is_sign(bare[1], "(") and closing(bare, 1) == len(bare) - 1:
            self.of_function(bare[0], file)
        return {"{}"}

    def of_name(self, name, at, file, depth):
        if flow := file.parameter(name, at):
            self.flows.add((file, *flow))
            return {"{}"}
        found, grows = file.set_to(name, at)
        out = self.value(*found, file, depth + 1) if found else set()
        if grows:
            out = {re.sub(r"(\{\})+$", "{}", option + "{}") for option in out}
        filled = {option for option in out if "{}" in option}
        self.add(filled, file)  # lines of their own, spoken where they fill a place
        return out - filled | {"{}"} if filled or not out else out

    def of_function(self, name, file):
        if name in NAMES or (file, name) in self.words:
            return
        self.words.add((file, name))
        for _, first, last, makes_words in file.functions.get(name, []):
            if not makes_words:
                continue
            for i in range(first, last):
                if not is_sign(file.tokens[i], "return"):
                    continue
                end = i + 1
                while end < last and not is_sign(file.tokens[end], ";"):
                    end = closing(file.tokens, end) + 1 if is_sign(file.tokens[end], "(", "{", "[") else end + 1
                self.add(self.value(file.tokens[i + 1:end], i + 1, file), file)

    @staticmethod
    def outside(tokens, sign):
        depth = 0
        for i, token in enumerate(tokens):
            if is_sign(token, "(", "[", "{"):
                depth += 1
            elif is_sign(token, ")", "]", "}"):
                depth -= 1
            elif depth == 0 and is_sign(token, sign):
                yield i, token

    @staticmethod
    def matching_colon(tokens, question):
        depth, nested = 0, 0
        for i in range(question + 1, len(tokens)):
            if is_sign(tokens[i], "(", "[", "{"):
                depth += 1
            elif is_sign(tokens[i], ")", "]", "}"):
                depth -= 1
            elif depth == 0 and is_sign(tokens[i], "?"):
                nested += 1
            elif depth == 0 and is_sign(tokens[i], ":"):
                if nested == 0:
                    return i
                nested -= 1
        raise AssertionError("a choice without its second half")

    def argument(self, file, opening, which):
        place = opening + 1
        for index, tokens in enumerate(arguments(file.tokens, opening)):
            if index == which:
                self.add(self.value(tokens, place, file), file)
            place += len(tokens) + 1

    def read(self, file):
        t = file.tokens
        for i in range(len(t) - 1):
            if isinstance(t[i], Text):
                continue
            if t[i] in MAKERS and is_sign(t[i + 1], "("):
                for which in MAKERS[t[i]]:
                    self.argument(file, i + 1, which)
            elif t[i] == "{":
                parts = arguments(t, i)
                made = is_sign(t[i - 1], "Error") or (is_sign(t[i - 2], "Error") and is_word(t[i - 1]))
                if len(parts) > 1 and (made or any(is_sign(w, "ErrorKind") for w in parts[0])):
                    for which in (1, 2, 3):
                        self.argument(file, i, which)
            elif t[i] in ASSIGNED and is_sign(t[i + 1], "="):
                end = i + 2
                while not is_sign(t[end], ";"):
                    end += 1
                self.add(self.value(t[i + 2:end], i + 2, file), file)
            elif t[i] == "snprintf" and is_sign(t[i + 2], "last_error"):  # of a device, in the CUDA module
                for token in t[i:closing(t, i + 1)]:
                    if isinstance(token, Text):
                        self.add({re.sub(r"%\w", "{}", token)}, file)

    def follow(self, read):
        """The arguments that callers in the same folder give to functions that make errors; `read` lists those already followed."""
        for file, function, index in sorted(self.flows - read, key=lambda flow: (flow[0].name, *flow[1:])):
            read.add((file, function, index))
            for other in self.files:
                if pathlib.PurePath(other.name).parent != pathlib.PurePath(file.name).parent:
                    continue
                if other is not file and function in other.functions:
                    continue  # its own function of this name
                for i in range(len(other.tokens) - 1):
                    if isinstance(other.tokens[i], Text) or other.tokens[i] != function or not is_sign(other.tokens[i + 1], "("):
                        continue
                    end = closing(other.tokens, i + 1) + 1
                    if end >= len(other.tokens) or not is_sign(other.tokens[end], "{", "const"):  # else its definition
                        self.argument(other, i + 1, index)
        return read


def sentences_of_sources():
    reader, literals = Reader(), set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".cu"):
                continue
            file = File(path)
            literals |= {str(token) for token in file.tokens if isinstance(token, Text)}
            if any(file.name.startswith(name) for name in OUTSIDE):
                continue
            reader.files.append(file)
            reader.read(file)
    followed = set()
    while len(followed) != len(reader.flows):
        followed = reader.follow(followed)
    return reader.sentences, literals


def main():
    made, literals = sentences_of_sources()
    if "--list" in sys.argv:
        for sentence, files in sorted(made.items(), key=lambda item: (sorted(item[1]), item[0])):
            print(sentence, *sorted(files), sep="\t")
        return
    lines = (ROOT / "assets/errors.tsv").read_text(encoding="utf-8").splitlines()
    languages = lines[0].split("\t")
    rows = [line.split("\t") for line in lines[1:] if line]
    problems, known = [], set()
    systems = {os.strerror(number) for number in errno.errorcode}  # what the system says fills places of sentences
    for row in rows:
        if len(row) != len(languages) or not all(row):
            problems.append(f"a column is missing: {row[0]}")
        if row[0] in known:
            problems.append(f"twice: {row[0]}")
        known.add(row[0])
        if row[0] in row[1:]:
            problems.append(f"not translated: {row[0]}")
        places = row[0].count("{}")
        for other in row[1:]:
            if len(re.findall(r"\{\d?\}", other)) != places or any(int(n) >= places for n in re.findall(r"\{(\d)\}", other)):
                problems.append(f"other places: {row[0]} | {other}")
        if row[0] not in made and row[0] not in literals | systems:
            problems.append(f"no source says: {row[0]}")
    interface = {line.split("\t")[0] for line in (ROOT / "assets/interface.tsv").read_text(encoding="utf-8").splitlines()[1:]}
    problems += [f"in interface.tsv too: {english}" for english in sorted(known & interface)]
    problems += [f"no line in assets/errors.tsv for: {sentence} ({', '.join(sorted(files))})"
                 for sentence, files in sorted(made.items()) if sentence not in known | interface]
    for name, why in OUTSIDE.items():
        if not (ROOT / name).exists():
            problems.append(f"an exception that is no file any more: {name} ({why})")
    assert len(made) > 200, f"only {len(made)} sentences were found: the sources are not read rightly"
    print(*problems, sep="\n")
    print(f"{len(made)} sentences of the sources, {len(known)} lines")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
