"""clang-format and clang-tidy over our files."""
import os
import re
import subprocess

from . import sources

SUFFIXES = (".hpp", ".cpp")
TIDY_FLAGS = "-std=c++20 -Iinclude -I. -Ibuild/dev/lab/generated -isystem /usr/include/eigen3".split()


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


def check_tidy(root, variant):
    # Headers are read through the sources that include them; the codegen probes include and instantiate every queue.
    folders = ("src", "tests/codegen") + (("lab", "tools") if variant == "all" else ())
    paths = [path for folder in folders for path in sources.files(root, (".cpp",), folder)]
    if not paths:
        return []
    result = run(root, ["clang-tidy-19", "--quiet", *paths, "--", *TIDY_FLAGS])
    prefix = os.path.join(root, "")
    findings = [
        line.replace(prefix, "")
        for line in result.stdout.split("\n")
        if re.match(r"\S+:\d+:\d+: (warning|error): ", line)
    ]
    if result.returncode != 0 and not findings:
        findings = [(result.stdout + result.stderr).strip() or "clang-tidy-19 failed"]
    return sorted(set(findings))
