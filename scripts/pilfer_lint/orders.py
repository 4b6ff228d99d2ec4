"""Concurrency comments: name the edge, not the order.

In include/pilfer/queue, include/pilfer/detail and research/ticket.hpp:
  - a memory order is named only inside a struct called *_orders (a function may take one from its caller);
  - such a struct's edges are each used with both halves, .rel and .acq, its other orders at least once;
  - the header opens with State, Invariants, Edges and Sources, and the Edges are exactly those of the struct, or inherited;
    a line "Continued  other.hpp" in it names a header of the same folder whose uses count, too;
  - a line that uses Orders::relaxed carries a comment saying what orders it: there, on a line of its own above, or, in a
    statement of several lines, at its end.
In all of include/, src/ and research/: std::atomic is named only in ext/sync.hpp.
"""
import re

from . import sources

STRUCT = re.compile(r"\bstruct\s+(\w+_orders)\b\s*(?::\s*(?:public\s+)?([\w:]+))?\s*\{")
MEMBER = re.compile(r"\bstatic\s+constexpr\s+([\w:]+)\s+(\w+)\s*(?:\{|=)")
EDGE_LINE = re.compile(r"^//   (\w+(?:, \w+)*)(?:\s|$)")
HEADINGS = ("State", "Invariants", "Edges", "Sources")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def closing_brace(text, opening):
    depth = 0
    for position in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text)


def opening_block(text):
    """The comment lines at the top of the file."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line.rstrip())
    return lines


def documented_edges(block):
    """The names in the Edges section: {name: line number}."""
    names = {}
    inside = False
    for number, line in enumerate(block, 1):
        heading = re.match(r"^// (\w+)", line)
        if heading:
            inside = heading.group(1) == "Edges"
        elif inside:
            match = EDGE_LINE.match(line)
            if match:
                names.update({name: number for name in match.group(1).split(", ")})
    return names


def continuation(root, path, block):
    """The code of the headers that the opening comment of this one names as its continuation."""
    names = [match.group(1) for line in block for match in [re.match(r"^// Continued\s+(\w+\.hpp)$", line)] if match]
    return "".join(sources.without_comments(sources.read(root, f"{path.rsplit('/', 1)[0]}/{name}")) for name in names)


def inherited_names(root, base, seen=()):
    """The names that an orders struct has from its base, which may stand in another header."""
    for path in sources.files(root, (".hpp",), "include") if base and base not in seen else []:
        code = sources.without_comments(sources.read(root, path))
        for match in STRUCT.finditer(code):
            if match.group(1) == base.split("::")[-1]:
                end = closing_brace(code, match.end() - 1)
                own = {member.group(2) for member in MEMBER.finditer(code, match.end(), end)}
                return own | inherited_names(root, match.group(2), (*seen, base))
    return set()


def check_structs(root, path, text, code):
    """Findings about the orders structs of one header, and the spans of text they cover."""
    findings, spans, declared, inherited = [], [], {}, set()
    for match in STRUCT.finditer(code):
        end = closing_brace(code, match.end() - 1)
        spans.append((match.start(), end))
        inherited |= inherited_names(root, match.group(2))
        for member in MEMBER.finditer(code, match.end(), end):
            kind, name = member.groups()
            declared[name] = (kind.split("::")[-1] == "edge", line_of(code, member.start()), match.group(1))
    if not spans:
        return findings, spans

    block = opening_block(text)
    for heading in HEADINGS:
        if not any(re.match(rf"^// {heading}\b", line) for line in block):
            findings.append(f"{path}:1: the opening comment lacks its section {heading}")
    documented = documented_edges(block)
    outside = "".join(code[a:b] for a, b in zip([0] + [end for _, end in spans], [start for start, _ in spans] + [len(code)]))
    outside += continuation(root, path, block)
    for name, (is_edge, number, struct) in declared.items():
        if name == "relaxed":
            continue
        where = f"{path}:{number}:"
        if name not in documented:
            findings.append(f"{where} {struct}::{name} is not in the Edges of the opening comment")
        uses = [f"{name}.rel", f"{name}.acq"] if is_edge else [name]
        for use in uses:
            if not re.search(rf"\bOrders::{re.escape(use)}\b", outside):
                findings.append(f"{where} {struct}::{name} is declared, but Orders::{use} is used nowhere in this header or its continuation")
    for name, number in documented.items():
        if name not in declared and name not in inherited:
            findings.append(f"{path}:{number}: the Edges name '{name}', which no orders struct declares")
    return findings, spans


def check_sites(path, text, code, spans):
    findings = []
    for match in re.finditer(r"\bmemory_order(?:_|::)\w+", code):
        if not any(start <= match.start() <= end for start, end in spans):
            findings.append(
                f"{path}:{line_of(code, match.start())}: naked {match.group(0)}: name an edge of the orders struct instead"
            )
    lines, code_lines = text.split("\n"), code.split("\n")
    for number, line in enumerate(code_lines):
        if re.search(r"\bOrders::relaxed\b", line) and not says_something(comments_of(lines, code_lines, number)):
            findings.append(f"{path}:{number + 1}: a relaxed access does not say what orders it")
    return findings


def says_something(comments):
    return any(re.search(r"//.*[A-Za-z]{3}", comment) for comment in comments)


def comments_of(lines, code_lines, number):
    """Where the comment of a line may stand: on it, on a line of its own above, or at the end of a wrapped statement."""
    comments = [lines[number][len(code_lines[number].rstrip()):]]
    if number > 0 and lines[number - 1].lstrip().startswith("//"):
        comments.append(lines[number - 1])
    end = number
    while end + 1 < len(lines) and not code_lines[end].rstrip().endswith((";", "{", "}", ":")):
        end += 1
        comments.append(lines[end][len(code_lines[end].rstrip()):])
    return comments


def check(root, _variant):
    findings = []
    for path in sources.files(root, (".hpp", ".cpp"), "include") + sources.files(root, (".hpp", ".cpp"), "src") + sources.files(root, (".hpp", ".cpp"), "research"):
        text = sources.read(root, path)
        code = sources.without_comments(text)
        if path != "include/pilfer/ext/sync.hpp":
            for match in re.finditer(r"\bstd::atomic\w*|#\s*include\s*<atomic>", code):
                findings.append(f"{path}:{line_of(code, match.start())}: only ext/sync.hpp names {match.group(0)}")
        if path.startswith(("include/pilfer/queue/", "include/pilfer/detail/", "research/ticket.hpp")):
            found, spans = check_structs(root, path, text, code)
            findings += found + check_sites(path, text, code, spans)
    return findings
