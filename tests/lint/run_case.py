#!/usr/bin/env python3
"""usage: run_case.py LINT CASE: runs one check over a small tree and compares its findings with the case's file `expect`.

CASE is .../CHECK/NAME. Each line of `expect` is part of one finding, and there are no others; an empty file means that the
check must be content. The tree is copied to a folder outside of the repository, with our settings of clang-format and -tidy.
"""
import os
import shutil
import subprocess
import sys
import tempfile


def main(lint, case):
    check = os.path.basename(os.path.dirname(case))
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(case, root, dirs_exist_ok=True)
        with open(os.path.join(root, "expect"), encoding="utf-8") as file:
            expected = [line.rstrip("\n") for line in file if line.strip()]
        os.remove(os.path.join(root, "expect"))
        for settings in (".clang-format", ".clang-tidy"):
            shutil.copy(os.path.join(os.path.dirname(os.path.dirname(lint)), settings), root)
        result = subprocess.run(
            [sys.executable, lint, "--root", root, check], capture_output=True, text=True, check=False
        )
    findings = [line for line in result.stdout.split("\n") if line and not line.startswith(" ")]  # the rest is detail
    problems = [f"not found: {part}" for part in expected if not any(part in line for line in findings)]
    problems += [f"unexpected: {line}" for line in findings if not any(part in line for part in expected)]
    if result.returncode != (1 if expected else 0):
        problems.append(f"exit status {result.returncode}\n{result.stderr}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
