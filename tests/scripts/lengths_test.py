"""No file of engine/ and app/ has more than 600 lines, and no function more than 80, from the first line of its signature to its
closing brace. A function is a block in braces that follows a parameter list; a lambda inside a function is part of it."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
MOST_OF_A_FILE, MOST_OF_A_FUNCTION = 600, 80
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
# What may stand between a parameter list and the body: qualifiers, a return type, initialisers of members, a constraint.
AFTER_PARAMETERS = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|mutable|&&?)\s*)*(?:->[^;{}]*|:(?!:).*|requires\b.*)?$", re.DOTALL)
CAPTURES = re.compile(r"\[[^\[\]]*\]\s*(?:mutable\s*)?$")
CONTAINER = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b(?![^(]*\)\s*$)")


def blanked(text):
    """The text with comments, strings and directives as spaces; every line keeps its place."""
    def spaces(found):
        return re.sub(r"[^\n]", " ", found.group(0))
    return DIRECTIVE.sub(spaces, TOKEN.sub(spaces, text))


def functions(text):
    """(name, first line, number of lines) of the outermost functions, lines from 1."""
    code = blanked(text)
    found, stack, start = [], [], 0  # stack: (kind, where the statement that the brace belongs to began)
    inside = 0  # functions that are open
    initialiser = re.compile(r"(?:^|[\w>)]\s*)$")
    for at, c in enumerate(code):
        if c == "{":
            head = code[start:at]
            # A member that is initialised with braces, `: a_{1}, b_{2} {`, belongs to the head of its constructor.
            if not inside and AFTER_PARAMETERS.search(head) and ":" in head.rsplit(")", 1)[-1] and initialiser.search(head.rstrip()) \
                    and re.search(r"[\w>]$", head.rstrip()) and not re.search(r"\b(?:const|override|noexcept|final)$", head.rstrip()):
                stack.append(("member", start))
                continue
            is_function = not inside and not (CONTAINER.search(head) and not AFTER_PARAMETERS.search(head)) and \
                bool(AFTER_PARAMETERS.search(head) or CAPTURES.search(head))
            stack.append(("function" if is_function else "block", start))
            inside += is_function
            start = at + 1
        elif c == "}":
            kind, began = stack.pop()
            if kind == "member":
                continue
            if kind == "function":
                inside -= 1
                head = code[began:at]
                began += len(head) - len(head.lstrip())
                names = [n for n in re.findall(r"([\w~:]+)\s*\(", head.split("{")[0]) if n not in ("__launch_bounds__", "requires")]
                first = code.count("\n", 0, began) + 1
                found.append((names[0] if names else "a lambda", first, code.count("\n", 0, at) + 2 - first))
            start = at + 1
        elif c == ";" and not inside:
            start = at + 1
    assert not stack, "braces do not match"
    return found


def selftest():
    """The counting itself, on a small text."""
    text = "\n".join(["namespace a {", "// {", "struct S {", '  S() : x_{1}, y_("{") {', "    f();", "  }", "  int x_{1};", "};",
                      "constexpr int kList[] = {1, 2};", "template <class T>", "int f(int a,", "      T b) {", "  if (a) {",
                      "    return '{';", "  }", "  return g([&] { return 1; });", "}", "const auto kF = [](int x) {", "  return x;", "};", "}"])
    assert functions(text) == [("S", 4, 3), ("f", 10, 8), ("a lambda", 18, 3)], functions(text)


def main():
    selftest()
    problems, files, count, longest = [], 0, 0, 0
    for folder in ("engine", "app"):
        for path in sorted((TOP / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".cuh"):
                continue
            files += 1
            name, text = path.relative_to(TOP).as_posix(), path.read_text(encoding="utf-8")
            lines = text.count("\n")
            if lines > MOST_OF_A_FILE:
                problems.append(f"{name} has {lines} lines")
            try:
                found = functions(text)
            except (AssertionError, IndexError):
                problems.append(f"{name}: its braces cannot be matched")
                continue
            for function, first, length in found:
                count += 1
                longest = max(longest, length)
                if length > MOST_OF_A_FUNCTION:
                    problems.append(f"{name}:{first}: {function} has {length} lines")
    for problem in problems:
        print(problem)
    print(f"{files} files, {count} functions, the longest of {longest} lines, {len(problems)} problems")
    assert count > 3000, "the functions were not found"
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
