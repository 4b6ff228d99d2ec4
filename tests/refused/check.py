#!/usr/bin/env python3
"""usage: check.py COMPILER INCLUDE PROGRAM...: wrong calls do not compile, and the compiler says so in one sentence and few lines.

A case of a program is a comment `// refused: SENTENCE` and what follows up to the next one or to an empty line. Each case is compiled with
the other ones taken out: there must be one error, with that sentence, and at most 15 lines in all. Without any case the program
compiles. Most programs include <pilfer/pilfer.hpp> first, which users do and from which the way to each header is longest; it is compiled
once.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

MOST_LINES = 15
HEADER = "pilfer/pilfer.hpp"
CASE = re.compile(r"^\s*// refused: (.*)$")


class Compiler:
    def __init__(self, name, include, folder):
        self.folder = folder
        self.command = [name, "-std=c++20", "-O1", f"-I{include}"]
        compiled = os.path.join(folder, HEADER + ".gch")
        os.makedirs(os.path.dirname(compiled))
        subprocess.run([*self.command, "-x", "c++-header", os.path.join(include, HEADER), "-o", compiled], check=True,
                       capture_output=True)
        # g++ looks for it where it looks for the header, clang takes the name.
        self.with_header = ["-include-pch", compiled] if name.startswith("clang") else [f"-I{folder}"]

    def compile(self, name, text):
        """The status, what the compiler said, and how many lines that is for a user."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command, *rest = self.command
        is_compiled = re.search("#include <(.*)>", text)[1] == HEADER
        command = [command, *(self.with_header if is_compiled else []), *rest, "-c", path, "-o", path + ".o"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        # A header that is compiled already does not name the program that includes it.
        return result.returncode, result.stderr, len(result.stderr.splitlines()) + is_compiled


def cases_of(lines):
    """(sentence, first line, line behind the last) of each case, lines counted from 0."""
    found = []
    for i, line in enumerate(lines):
        if match := CASE.match(line):
            end = next(k for k in range(i + 1, len(lines) + 1) if k == len(lines) or not lines[k] or CASE.match(lines[k]))
            found.append((match[1], i + 1, end))
    return found


def problem_of(sentence, status, said, count):
    errors = [line for line in said.splitlines() if "error: " in line]
    if status == 0:
        return "it compiles"
    if not any(sentence in line for line in errors):
        return f"not said: {sentence}\n{said}"
    if len(errors) != 1:
        return f"{len(errors)} errors instead of one\n{said}"
    if count > MOST_LINES:
        return f"{count} lines, more than {MOST_LINES}\n{said}"
    return None


def check(compiler, path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    cases = cases_of(lines)
    if not cases:
        yield f"{path}: no case"

    def compile_only(wanted):
        kept = list(lines)
        for case in cases:
            if case != wanted:
                kept[case[1]:case[2]] = [""] * (case[2] - case[1])
        name = f"{os.path.basename(path)}.{wanted[1] if wanted else 0}.cpp"
        return compiler.compile(name, "\n".join(kept) + "\n")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = pool.map(compile_only, [None, *cases])
        status, said, _ = next(answers)
        if status != 0:
            yield f"{path}: does not compile without its cases\n{said}"
            return
        for (sentence, first, _), answer in zip(cases, answers):
            if problem := problem_of(sentence, *answer):
                yield f"{path}:{first + 1}: {problem}"


def main(name, include, *programs):
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(name, include, folder)
        problems = [problem for program in programs for problem in check(compiler, program)]
    for problem in problems:
        print(problem)
    return 1 if problems or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
