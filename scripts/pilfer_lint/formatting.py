"""clang-format and clang-tidy over our files."""
import os
import re
import subprocess
import tempfile

from . import sources

SUFFIXES = (".hpp", ".cpp")
TIDY_FLAGS = "-std=c++20 -Iinclude -I. -Imodel -Imodel/include -Itests -Ibuild/dev/lab/generated -isystem /usr/include/eigen3".split()
# Headers are read through the sources that include them; the codegen probes include and instantiate every queue.
TIDY_FOLDERS = ("src", "research", "tests/codegen")
TIDY_ALL_FOLDERS = (*TIDY_FOLDERS, "lab", "model", "tools")
# Most of a file's time goes into headers that its neighbours read as well: so many files of a folder are read as one.
TIDY_UNIT = 8
# A file takes 5 seconds.
TIDY_RECENT = 6


def run(root, command):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def check_format(root, _variant):
    paths = sources.files(root, SUFFIXES)
    if not paths:
        return []
    result = run(root, ["clang-format-19", "--dry-run", *paths])
    # One line a place: "path:line:column: warning: code should be clang-formatted".
    places = re.findall(r"^(\S+?:\d+):\d+: warning: (code should be clang-formatted)", result.stderr, re.MULTILINE)
    findings = [f"{place}: {text}" for place, text in places]
    if result.returncode != 0 and not findings:
        findings = [result.stderr.strip() or "clang-format-19 failed"]
    return findings


def changed_last(root):
    """Files of the repository, the one that changed last first: uncommitted ones, then commit by commit."""
    status = run(root, ["git", "status", "--porcelain", "--untracked-files=all", "."])
    log = run(root, ["git", "log", "--format=", "--name-only", "-n", "200"])
    paths = [line[3:] for line in status.stdout.split("\n")] + log.stdout.split("\n")
    return list(dict.fromkeys(path for path in paths if path))


def recent(root, candidates):
    """The sources that changed last, or that include a header that did."""
    includes = {}
    for path in candidates:
        for name in re.findall(r'#include [<"]([^">]+)', sources.read(root, path)):
            includes.setdefault(name, path)
    chosen = []
    for path in [*changed_last(root), *candidates]:
        source = path if path in candidates else includes.get(path.removeprefix("include/"))
        if source and source not in chosen:
            chosen.append(source)
        if len(chosen) == TIDY_RECENT:
            break
    return chosen


def units(paths):
    """Lists of files of one folder, in order."""
    by_folder = {}
    for path in paths:
        by_folder.setdefault(os.path.dirname(path), []).append(path)
    return [files[i : i + TIDY_UNIT] for files in by_folder.values() for i in range(0, len(files), TIDY_UNIT)]


def tidy(root, paths):
    """Findings in files that are read as one, or, if they cannot be, one after the other."""
    prefix = os.path.join(root, "")
    with tempfile.NamedTemporaryFile("w", prefix="tidy-", suffix=".cpp", encoding="utf-8") as unit:
        for path in paths:
            unit.write(f'#include "{prefix}{path}"  // NOLINT(bugprone-suspicious-include)\n')
        unit.flush()
        config = os.path.join(root, ".clang-tidy")
        result = run(root, ["clang-tidy-19", "--quiet", f"--config-file={config}", unit.name, "--", *TIDY_FLAGS])
    findings = [
        re.sub(r"^\./", "", line.replace(prefix, ""))
        for line in result.stdout.split("\n")
        if re.match(r"\S+:\d+:\d+: (warning|error): ", line)
    ]
    if len(paths) > 1 and any("[clang-diagnostic-error" in finding for finding in findings):
        return [finding for path in paths for finding in tidy(root, [path])]
    if result.returncode != 0 and not findings:
        findings = [(result.stdout + result.stderr).strip() or "clang-tidy-19 failed"]
    return findings


def check_tidy(root, variant):
    folders = TIDY_ALL_FOLDERS if variant == "all" else TIDY_FOLDERS
    paths = [path for folder in folders for path in sources.files(root, (".cpp",), folder)]
    paths = [path for path in paths if "/tests/" not in path]  # GoogleTest's assertions are no checks to it
    if variant == "recent":
        paths = recent(root, paths)
    found = sources.in_parallel(lambda some: tidy(root, some), units(paths))
    return sorted({finding for findings in found for finding in findings})
