"""Documentation that cannot rot: what it points at exists, what it quotes is what is compiled.

  - a relative link's file exists, and so does its #section;
  - `a/path` in the text exists, if it looks like one of ours;
  - after a line `<!-- from: FILE -->` comes a fenced block whose lines stand in FILE, one after the other;
  - docs/adr/README.md lists every decision record;
  - no file of any kind names a folder of somebody's machine.
"""
import glob
import os
import re
import textwrap

from . import sources

LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"`([^`\n]+)`")
QUOTE = re.compile(r"^\s*<!--\s*from:\s*(\S+)\s*-->\s*$")
FENCE = re.compile(r"^\s*(```+|~~~+)")
PATH = re.compile(r"^[\w.*+-]+(?:/[\w.*+-]+)*/?$")
FILE_SUFFIXES = (".hpp", ".cpp", ".md", ".py", ".cmake", ".json", ".sh", ".txt")
# Where a path in the text may start: the root, beside the page, and where an #include starts.
BASES = ("", "include", "include/pilfer")
# Split, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w./~-])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "home/[a-z]\\w*"]) + r")(?:/|\b(?!\w))")


def split_fences(text):
    """(number, line, inside a fenced block) for each line."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if match and (fence is None or match.group(1).startswith(fence)):
            fence = match.group(1) if fence is None else None
            yield number, line, True
        else:
            yield number, line, fence is not None


def slugs(text):
    """The section names a link may use, as GitHub makes them."""
    found = {}
    names = set()
    for _, line, fenced in split_fences(text):
        match = None if fenced else re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if match:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            count = found.get(slug, 0)
            found[slug] = count + 1
            names.add(slug if count == 0 else f"{slug}-{count}")
    return names


def check_link(root, page, target):
    if re.match(r"^[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, section = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(root, file)):
        return f"the link's target '{target}' does not exist"
    if section and file.endswith(".md") and section not in slugs(sources.read(root, file)):
        return f"the link's target '{target}' has no such section"
    return None


def looks_like_path(root, text):
    """Ours to check: it starts with a folder of this repository, or has a slash and the name of a file."""
    if not PATH.match(text) or "/" not in text or "NNNN" in text or text.startswith("build/"):
        return False
    first = text.split("/")[0]
    return os.path.isdir(os.path.join(root, first)) or text.endswith(FILE_SUFFIXES)


def path_exists(root, page, text):
    for base in (*BASES, os.path.dirname(page)):
        if glob.glob(os.path.join(root, base, text)):
            return True
    return False


def check_quote(root, lines, start, file):
    """The fenced block that begins at line `start` (0-based) must stand in `file`."""
    if not os.path.exists(os.path.join(root, file)):
        return f"quoted file '{file}' does not exist"
    if start >= len(lines) or not FENCE.match(lines[start]):
        return f"no fenced block follows the mark of '{file}'"
    end = start + 1
    while end < len(lines) and not FENCE.match(lines[end]):
        end += 1
    quote = textwrap.dedent("\n".join(lines[start + 1:end])).strip("\n").split("\n")
    source = sources.read(root, file).split("\n")
    for first in range(len(source) - len(quote) + 1):
        if textwrap.dedent("\n".join(source[first:first + len(quote)])).split("\n") == quote:
            return None
    return f"the quoted lines do not stand in '{file}'"


def check_page(root, page):
    findings = []
    text = sources.read(root, page)
    lines = text.split("\n")
    for number, line, fenced in split_fences(text):
        where = f"{page}:{number}:"
        quote = QUOTE.match(line)
        if quote and not fenced:
            problem = check_quote(root, lines, number, quote.group(1))
            findings += [f"{where} {problem}"] if problem else []
        if fenced:
            continue
        for target in LINK.findall(CODE.sub("", line)):
            problem = check_link(root, page, target)
            findings += [f"{where} {problem}"] if problem else []
        for code in CODE.findall(line):
            path = re.sub(r":\d+$", "", code)
            if looks_like_path(root, path) and not path_exists(root, page, path):
                findings.append(f"{where} `{code}` does not exist")
    return findings


def check_records(root):
    index = os.path.join("docs", "adr", "README.md")
    records = [path for path in sources.files(root, (".md",), os.path.join("docs", "adr")) if path != index]
    listed = sources.read(root, index) if os.path.exists(os.path.join(root, index)) else ""
    return [f"{path}:1: not in {index}" for path in records if f"({os.path.basename(path)})" not in listed]


def check(root, _variant):
    findings = check_records(root)
    for page in sources.files(root, (".md",)):
        findings += check_page(root, page)
    for path in sources.files(root):
        try:
            text = sources.read(root, path)
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if MACHINE_PATH.search(line):
                findings.append(f"{path}:{number}: names a folder of one machine: {line.strip()}")
    return findings
