"""Every header compiles alone: it includes what it needs, also where exceptions are switched off."""
import os
import subprocess
import textwrap

from . import sources

FOLDERS = ("include", "src")
# Not for users: one compiler is enough, and not every day, for these include large libraries.
INTERNAL_FOLDERS = ("lab", "model", "tools", "tests")
INTERNAL_FLAGS = ["-I.", "-Itests", "-Imodel/include", "-Imodel", "-isystem", "/usr/include/eigen3"]
# Instantiates every queue, so that templates are looked into as well.
INSTANTIATIONS = "tests/codegen/probes.cpp"
# The warnings are those of cmake/PilferWarnings.cmake.
FLAGS = """-std=c++20 -fsyntax-only -Iinclude -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
           -Wno-missing-field-initializers""".split()


def check(root, variant):
    compiler, _, mode = (variant or "g++").partition(",")
    folders, flags, instantiations = FOLDERS, FLAGS, [INSTANTIATIONS]
    if compiler == "internal":
        compiler, folders, flags, instantiations = "g++", INTERNAL_FOLDERS, FLAGS + INTERNAL_FLAGS, []
    if mode == "no-exceptions":
        flags = [*flags, "-fno-exceptions"]
    findings = []
    paths = [path for folder in folders for path in sources.files(root, (".hpp",), folder)]
    paths += [path for path in instantiations if os.path.exists(os.path.join(root, path))]
    for path in paths:
        result = subprocess.run(
            [compiler, *flags, "-x", "c++", "-"],
            input=f'#include "{path}"\n',
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            details = textwrap.indent(result.stderr.rstrip(), "  ")
            findings.append(f"{path}:1: does not compile alone with {' '.join([compiler, mode]).strip()}\n{details}")
    return findings
