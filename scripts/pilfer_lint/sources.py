"""Finding and reading source files."""
import concurrent.futures
import os
import re

# Never ours: what is built, and the bad examples that the lint's own tests hold.
SKIPPED = {".git", "build", "__pycache__", ".cache"}
BAD_EXAMPLES = os.path.join("tests", "lint", "cases")


def files(root, suffixes=None, under=""):
    """Paths relative to root, sorted, of files with one of the suffixes (all files if None) in the folder `under`."""
    found = []
    for folder, folders, names in os.walk(os.path.join(root, under)):
        relative = os.path.relpath(folder, root)
        if relative == BAD_EXAMPLES:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in names:
            if suffixes is None or name.endswith(tuple(suffixes)):
                found.append(os.path.normpath(os.path.join(relative, name)))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def in_parallel(work, items):
    """work(item) for each, as many at a time as there are processors; each is expected to wait for a process."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(work, items))


def without_comments(text):
    """C++ with comments and the contents of string literals blanked out; every character stays in its line and column."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)

    def blank(match):
        kept = match.group(0)
        if kept[0] == "'" and match.start() > 0 and text[match.start() - 1].isalnum():
            return kept  # a digit separator, not a character
        return re.sub(r"[^\n]", " ", kept)

    return pattern.sub(blank, text)
