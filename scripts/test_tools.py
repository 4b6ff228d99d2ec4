#!/usr/bin/env python3
"""What ./test asks of ctest and of the sources.

usage: scripts/test_tools.py count BUILD [REGEX]      how many tests there are, or match
       scripts/test_tools.py targets TREE REGEX       what ninja must build for the matching tests of a build tree
       scripts/test_tools.py fingerprint WORD...      a hash of the words and of every source file
       scripts/test_tools.py resume BUILD             after an interrupted run: how many tests need not be run again; those
                                                      that failed do
       scripts/test_tools.py closing BUILD LIMIT      reads ctest's output: tests that took longer than LIMIT seconds,
                                                      the output of each failed test, and how many passed
"""
import hashlib
import json
import os
import re
import subprocess
import sys

# What ctest prints of a test that has ended.
ENDED = re.compile(r"^ *\d+/\d+ Test +#(?P<number>\d+): (?P<name>\S+) \.* *(?P<verdict>\S.*?) +(?P<seconds>[\d.]+) sec")
SKIPPED = {".git", "build", "lab-results", "__pycache__"}
LINES_SHOWN = 80


def tests(build, regex):
    command = ["ctest", "--test-dir", build, "--show-only=json-v1"] + (["--tests-regex", regex] if regex else [])
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    problem = (answer.stdout + answer.stderr).partition("{")[0].strip()
    if answer.returncode != 0 or problem:
        sys.exit(f"./test: ctest does not accept the pattern '{regex}':\n{problem}")
    return json.loads(answer.stdout)["tests"]


def commands(tree):
    """Every test's command, from CMake's files: ctest tells none of a program that is not there yet."""
    found = {}
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name != "CMakeFiles"]
        if "CTestTestfile.cmake" in names:
            with open(os.path.join(folder, "CTestTestfile.cmake"), encoding="utf-8") as file:
                for name, words in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", file.read(), re.MULTILINE):
                    found[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
    return found


def targets(tree, regex):
    """Every file of the tree that a matching test's command names and ninja knows how to make."""
    known = subprocess.run(["ninja", "-C", tree, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    known = {line.rsplit(":", 1)[0] for line in known.split("\n")}
    prefix = os.path.realpath(tree) + os.sep
    words_of = commands(tree)
    wanted = set()
    for test in tests(tree, regex):
        words = words_of[test["name"]]
        wanted |= {word[len(prefix):] for word in words if word.startswith(prefix)} & known
        if ".package." in test["name"]:
            wanted.add("all")
    return sorted(wanted)


def fingerprint(words):
    digest = hashlib.sha256("\0".join(words).encode())
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                digest.update(path.encode())
                with open(path, "rb") as file:
                    digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def resume(build):
    """ctest's checkpoint has the number of each test that has ended, well or not."""
    checkpoint = os.path.join(build, "Testing", "Temporary", "CTestCheckpoint.txt")
    log = os.path.join(build, "logs", "ctest.log")
    if not os.path.exists(checkpoint) or not os.path.exists(log):
        return 0
    with open(log, encoding="utf-8", errors="replace") as file:
        ended = [match for match in map(ENDED.match, file) if match]
    bad = {test["number"] for test in ended if test["verdict"] != "Passed" and "Skipped" not in test["verdict"]}
    with open(checkpoint, encoding="ascii") as file:
        good = sorted(set(file.read().split()) - bad, key=int)
    with open(checkpoint, "w", encoding="ascii") as file:
        file.write("".join(number + "\n" for number in good))
    return len(good)


def closing(build, limit):
    """What ctest printed has a line per test; the log that it keeps has a section, whose output stands between two lines."""
    section = re.compile(
        r"^\d+/\d+ Testing: (?P<name>\S+)\n.*?\nOutput:\n-+\n(?P<output>.*?)<end of output>\n", re.MULTILINE | re.DOTALL)
    log = os.path.join(build, "Testing", "Temporary", "LastTest.log")
    with open(log, encoding="utf-8", errors="replace") as file:
        outputs = {test["name"]: test["output"].rstrip("\n").split("\n") for test in section.finditer(file.read())}
    with open(os.path.join(build, "logs", "ctest.log"), encoding="utf-8", errors="replace") as file:
        found = [match for match in map(ENDED.match, file) if match]
    for test in sorted(found, key=lambda test: -float(test["seconds"])):
        if float(test["seconds"]) > limit:
            print(f"longer than {limit:g} s: {test['name']}, {float(test['seconds']):.1f} s")
    passed = [test for test in found if test["verdict"] == "Passed"]
    skipped = [test for test in found if "Skipped" in test["verdict"]]
    failed = [test for test in found if test not in passed and test not in skipped]
    for test in failed:
        lines = outputs.get(test["name"], ["no output"])
        left_out = len(lines) - LINES_SHOWN
        print(f"\n--- {test['name']}: {test['verdict'].strip('* ')} after {float(test['seconds']):.1f} s"
              + (f"; {left_out} lines before these are in {log}" if left_out > 0 else ""))
        print("\n".join(lines[-LINES_SHOWN:]))
    names = " (" + ", ".join(test["name"] for test in failed) + ")" if failed else ""
    print(f"tests: {len(passed)} passed, {len(failed)} failed{names}, {len(skipped)} skipped")


def main(words):
    if words[:1] == ["count"] and len(words) in (2, 3):
        print(len(tests(words[1], "".join(words[2:]))))
    elif words[:1] == ["targets"] and len(words) == 3:
        print("\n".join(targets(words[1], words[2])))
    elif words[:1] == ["fingerprint"]:
        print(fingerprint(words[1:]))
    elif words[:1] == ["resume"] and len(words) == 2:
        print(resume(words[1]))
    elif words[:1] == ["closing"] and len(words) == 3:
        closing(words[1], float(words[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
