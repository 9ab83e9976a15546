"""Puts source files together into batches, each compiled as one: unity_batches.py SOURCE_FOLDER BATCH_FOLDER FILE ...

A header that ten files include is then read once and a template that ten files use is made once. All includes stand first.
Where a name that one file keeps to itself (in an unnamed namespace, or static) means something else in another file of the
batch, a macro around the file gives it another name. Files do not share a batch where that cannot be done: where the name is a
member (a.name) or belongs to a class or namespace (Other::name) in the file itself. Prints what is to be compiled instead of the
given files, separated by semicolons: batches, and files left alone.
"""

import pathlib
import re
import sys

MOST_FILES, MOST_BYTES = 40, 160000
NAMED = re.compile(r"^(?:static |inline |constexpr |const |thread_local )*(?:struct|class|enum class|enum) (\w+)")
ALIAS = re.compile(r"^(?:using (\w+) =|namespace (\w+) =)")
DECLARED = re.compile(r"(\w+)\s*(?:\(|=|\{|;|\[)")
SPACE = re.compile(r"^(?:inline )?namespace (?:\w+::)*(\w+) \{", re.M)
NOT_CODE = re.compile(r"""//.*|'(?:[^'\\\n]|\\.)'|R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*\"""")
MEMBER = re.compile(r"(?:\.|->)\s*\w+")
QUALIFIED = re.compile(r"(\w+)::(?=(\w+))")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)")


def without_arguments(line):
    """The line without what templates are given: std::function<int()> f(int) declares f."""
    while (shorter := re.sub(r"<[^<>]*>", "", line)) != line:
        line = shorter
    return line


def own_names(text):
    """The names in unnamed namespaces and of static functions; clang-format has put each declaration at the start of a line."""
    names, aliases = set(), set()
    inside = False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif match := TEST.match(line):
            names.add(f"{match[1]}_{match[2]}_Test")
        elif (match := ALIAS.match(line)) or line.startswith("using "):
            aliases.add(line)
        elif inside and (match := re.match(r"\} (?:const )?(\w+)(?: = .*)?;", line)):
            names.add(match[1])
        elif (inside or line.startswith("static ")) and line and line[0] not in " \t}/#":
            match = NAMED.match(line) or DECLARED.search(without_arguments(line))
            names.update({match[1]} if match else (), re.findall(r"(\w+) = ", line))
    # Macros of the test library are nobody's own.
    return {name for name in names - KEYWORDS if not re.fullmatch(r"[A-Z_]{4,}", name)}, aliases


KEYWORDS = set("alignas auto bool char const constexpr double float int long short signed static static_assert template "
               "unsigned using void".split())


def included(top, text):
    return [top / name for name in re.findall(r'^#include "([^"]+)"', text, re.M) if (top / name).is_file()]


def header_types(top, header, known={}):
    """The types that a header and those that it includes declare, as (namespace's last part, name)."""
    if header not in known:
        known[header] = set()
        text = header.read_text(encoding="utf-8")
        types = {match[1] for line in text.splitlines() if (match := NAMED.match(line))}
        known[header] = {(space, name) for space in SPACE.findall(text) for name in types}
        for path in re.findall(r"^(?:inline )?namespace ([\w:]+) \{", text, re.M):
            parts = path.split("::")
            known[header] |= set(zip(parts, parts[1:]))
        for other in included(top, text):
            known[header] |= header_types(top, other)
    return known[header]


class Source:
    def __init__(self, top, path):
        self.path = pathlib.Path(path).relative_to(top)
        text = (top / self.path).read_text(encoding="utf-8")
        self.size = len(text)
        self.names, self.aliases = own_names(text)
        code = NOT_CODE.sub(" ", text)
        self.members = set(re.findall(r"(?:\.|->)\s*(\w+)", code))
        code = MEMBER.sub(" ", code)
        self.spaces = set(SPACE.findall(code))
        # Behind which classes and namespaces a name stands, and the names that stand by themselves.
        self.qualified = {}
        for owner, name in QUALIFIED.findall(code):
            self.qualified.setdefault(name, set()).add(owner)
        self.words = set(re.findall(r"(?<!::)\b\w+", code))
        self.includes = re.findall(r"^#include .*$", text, re.M)
        # Types that it may use without a name: what a function returns, what a member is.
        self.read = set().union(*(header_types(top, header) for header in included(top, text)))
        aliased = {match[1] or match[2]: line for line in self.aliases if (match := ALIAS.match(line))}
        self.aliased = aliased
        # What reaches beyond its own namespace stays alone, what compiles a library of templates, and what reads headers whose order
        # matters (glad comes before GLFW).
        self.alone = bool(re.search(r"^#\s*(define|undef|include <(CLI|nlohmann|GLFW|glad)/)|^extern|^int main\(", text, re.M))
        # Only files that open the same namespaces share a batch.
        self.opened = set(re.findall(r"^using namespace [^;]+", text, re.M))

    def clashes(self, other):
        """Own names of this file that mean something else in the other."""
        own = {name for name in self.names if name in other.words or any((space, name) in other.read for space in self.spaces)}
        return own | {name for name in self.names if self.spaces & other.qualified.get(name, set())}

    def renames(self, names):
        """Whether a macro can give these own names of the file others: where they stand for nothing else in it."""
        return not any(name in self.members or name in self.qualified or name.endswith("_Test") or name in self.aliased for name in names)

    def fits(self, other):
        if self.opened != other.opened:
            return False
        for one, two in ((self, other), (other, self)):
            if not one.renames(one.clashes(two)):
                return False
            if any(name in two.words and two.aliased.get(name) != line for name, line in one.aliased.items()):
                return False
        return True


def batches_of(sources):
    batches = []
    for source in sources:
        for batch in batches if not source.alone else []:
            if (len(batch) < MOST_FILES and not batch[0].alone
                    and sum(other.size for other in batch) + source.size <= MOST_BYTES and all(map(source.fits, batch))):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def text_of(batch):
    lines = dict.fromkeys(line for source in batch for line in source.includes)
    text = "".join(line + "\n" for line in lines)
    for number, source in enumerate(batch):
        names = sorted(set().union(*(source.clashes(other) for other in batch if other is not source)))
        text += "".join(f"#define {name} {name}_{number}\n" for name in names)
        text += f'#include "{source.path}"\n'
        text += "".join(f"#undef {name}\n" for name in names)
    return text


def main():
    top, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    compiled = []
    for batch in batches_of([Source(top, path) for path in sorted(sys.argv[3:])]):
        if len(batch) == 1:
            compiled.append(str(top / batch[0].path))
            continue
        path = folder / ("_".join(batch[0].path.with_suffix("").parts) + "_and_more.cpp")
        text = text_of(batch)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        compiled.append(str(path))
    print(";".join(compiled), end="")


main()
