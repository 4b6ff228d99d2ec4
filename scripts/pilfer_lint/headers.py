"""Every header compiles alone: it includes what it needs, also where exceptions are switched off."""
import os
import subprocess
import textwrap

from . import sources

FOLDERS = ("include", "src", "research")
# Not for users: one compiler is enough, and not every day, for these include large libraries.
INTERNAL_FOLDERS = ("lab", "model", "tools", "tests")
INTERNAL_FLAGS = ["-I.", "-Itests", "-Imodel/include", "-Imodel", "-isystem", "/usr/include/eigen3"]
# Peers that lab/setup-peers installs: without them, the lab does without these headers.
OPTIONAL = ("concurrentqueue/", "simdjson")
# Instantiates every queue, so that templates are looked into as well.
INSTANTIATIONS = "tests/codegen/probes.cpp"
# The warnings are those of cmake/PilferWarnings.cmake.
FLAGS = """-std=c++20 -fsyntax-only -Iinclude -I. -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
           -Wno-missing-field-initializers""".split()
# Headers of users are clean under more than that; clang has no -Wuseless-cast.
USER_FLAGS = {"g++": ["-Wnon-virtual-dtor", "-Wuseless-cast"], "clang++": ["-Wnon-virtual-dtor"]}


# Parts of FOLDERS, so that no part takes long: the name of a variant, and the folders of its headers.
PARTS = {
    "users": ("include/pilfer",),
    "algorithms": ("include/pilfer/algorithm",),
    "awaiting": ("include/pilfer/coro", "include/pilfer/io"),
    "queues": ("include/pilfer/ext", "include/pilfer/queue", "include/pilfer/victim"),
    "detail": ("include/pilfer/detail",),
    "src": ("src", "research"),
}


def compile_alone(root, compiler, mode, flags, path):
    if path.startswith("include/"):
        flags = [*flags, *USER_FLAGS[compiler.split("-")[0]]]
    result = subprocess.run(
        [compiler, *flags, "-x", "c++", "-"],
        input=f'#include "{path}"\n',
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode == 0 or any(f"fatal error: {name}" in result.stderr for name in OPTIONAL):
        return []
    details = textwrap.indent(result.stderr.rstrip(), "  ")
    return [f"{path}:1: does not compile alone with {' '.join([compiler, mode]).strip()}\n{details}"]


def belongs(path, part):
    """Whether the longest of all parts' folders above the path is one of this part's."""
    folders = [folder for name in PARTS for folder in PARTS[name] if path.startswith(folder + "/")]
    return bool(folders) and max(folders, key=len) in PARTS[part]


def check(root, variant):
    compiler, *modes = (variant or "g++").split(",")
    folders, flags, instantiations = FOLDERS, FLAGS, [INSTANTIATIONS]
    if compiler == "internal":
        compiler, folders, flags, instantiations = "g++", INTERNAL_FOLDERS, FLAGS + INTERNAL_FLAGS, []
    paths = [path for folder in folders for path in sources.files(root, (".hpp",), folder)]
    mode = ""
    for word in modes:
        if word == "no-exceptions":
            mode = word
            flags = [*flags, "-fno-exceptions"]
        elif word in PARTS:
            paths = [path for path in paths if belongs(path, word)]
            instantiations = instantiations if word == "queues" else []
        else:
            return [f"headers: unknown variant '{word}'"]
    paths += [path for path in instantiations if os.path.exists(os.path.join(root, path))]
    found = sources.in_parallel(lambda path: compile_alone(root, compiler, mode, flags, path), paths)
    return [finding for findings in found for finding in findings]
