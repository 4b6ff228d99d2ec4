#!/usr/bin/env python3
"""Checks the machine code of the probes.

usage: check.py OBJECT CHECK...
       table EXPECTED   the atomic instructions of each probe equal the row of the table EXPECTED
       pairs            native_X and plain_X (std::atomic) are the same instructions
       calls            nothing calls libatomic

OBJECT is probes.cpp compiled with -ffunction-sections. A failed check prints the function, what was expected and found,
and the disassembly.
"""
import re
import subprocess
import sys

KINDS = ("fence", "cas", "add", "xchg", "mfence")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(.*)$")
SECTION = re.compile(r"^Disassembly of section (.+):$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_X86_64_\w+\s+(\S+?)(?:[+-]0x[0-9a-f]+)?$")
STACK_OPERAND = re.compile(r"-?(?:0x[0-9a-f]+)?\(%[re]sp\)")
MEMORY_OPERAND = re.compile(r"\(|%[fg]s:")


class Function:
    def __init__(self, name, cold):
        self.name = name
        self.cold = cold  # written as [[gnu::cold]]: a slow path, out of line
        self.instructions = []
        self.references = []

    def text(self):
        return f"<{self.name}>:\n" + "\n".join(f"    {line}" for line in self.instructions)


def disassemble(path):
    """{symbol: Function}; what g++ split off as symbol.cold is part of the symbol."""
    output = subprocess.run(
        ["objdump", "-d", "-r", "--no-show-raw-insn", path], capture_output=True, text=True, check=True
    ).stdout
    functions = {}
    current = None
    cold = False
    for line in output.split("\n"):
        if match := SECTION.match(line):
            cold = match.group(1).startswith(".text.unlikely")
        elif match := FUNCTION.match(line):
            name = re.sub(r"\.cold(\.\d+)?$", "", match.group(1))
            current = functions.setdefault(name, Function(name, cold))
            current.cold = current.cold and cold  # a part that the compiler split off does not make a function cold
        elif match := RELOCATION.match(line):
            current.references.append(match.group(1))
        elif match := INSTRUCTION.match(line):
            current.instructions.append(match.group(1).strip())
    return functions


def kind_of(instruction):
    """Which of KINDS an instruction is, or None."""
    name, _, operands = instruction.partition(" ")
    if name == "mfence":
        return "mfence"
    locked = name == "lock"
    if locked:
        name, _, operands = operands.strip().partition(" ")
    elif not (name.startswith("xchg") and MEMORY_OPERAND.search(operands)):
        return None
    if name.startswith("cmpxchg"):
        return "cas"
    if STACK_OPERAND.search(operands):
        return "fence"
    return "xchg" if name.startswith("xchg") else "add"


def reachable(functions, start):
    """The functions whose code an operation may run: those on its fast path, and its slow paths with what only they call."""
    fast, slow = {start.name: start}, {}
    stack = [start]
    while stack:
        function = stack.pop()
        in_slow_path = function.name in slow
        for name in function.references:
            called = functions.get(name)
            if called is None or name in fast or name in slow:
                continue
            (slow if in_slow_path or called.cold else fast)[name] = called
            stack.append(called)
    # What a slow path called first may be on the fast path too: the fast path is what is reached without a cold function.
    for name in [name for name in slow if not slow[name].cold and any(name in f.references for f in fast.values())]:
        fast[name] = slow.pop(name)
    return list(fast.values()), list(slow.values())


def count(functions):
    found = dict.fromkeys(KINDS, 0)
    for function in functions:
        for instruction in function.instructions:
            kind = kind_of(instruction)
            if kind:
                found[kind] += 1
    return found


def read_table(path):
    """{probe: counts}, in the order of the file."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.partition("#")[0].split()
            if fields and not re.match(r"\[\w+\]$", fields[0]):
                if len(fields) != 1 + len(KINDS) or fields[0] in rows:
                    sys.exit(f"{path}:{number}: not a row: {line.strip()}")
                rows[fields[0]] = dict(zip(KINDS, map(int, fields[1:])))
    if not rows:
        sys.exit(f"{path}: there is no row")
    return rows


def show(counts):
    return "  ".join(f"{kind} {counts[kind]}" for kind in KINDS)


def check_row(functions, row, expected):
    """Prints what is wrong with one row; true if nothing is."""
    probe = row.removesuffix(">slow")
    if probe not in functions:
        print(f"{row}: no such function in the object file")
        return False
    fast, slow = reachable(functions, functions[probe])
    code = fast if row == probe else slow
    found = count(code)
    if found == expected:
        return True
    print(f"{row}\n  expected  {show(expected)}\n  found     {show(found)}")
    for function in code:
        print(function.text())
    return False


def check_table(functions, table_path):
    failures = 0
    for row, expected in read_table(table_path).items():
        probe, arrow, slow = row.partition(">")
        for name in (probe, probe + "_wide"):
            if name == probe or name in functions:
                failures += not check_row(functions, name + arrow + slow, expected)
    return failures


def normalized(function):
    """The instructions without addresses and padding."""
    lines = [re.sub(r"\b[0-9a-f]+ <[^+>]*(\+0x[0-9a-f]+)?>", r"\1", line) for line in function.instructions]
    lines = [re.sub(r"\s+", " ", line) for line in lines]
    while lines and re.match(r"(nop|xchg %ax,%ax|data16|cs nop)", lines[-1]):
        lines.pop()
    return lines


def check_pairs(functions):
    failures = 0
    pairs = [name for name in functions if name.startswith("native_")]
    if len(pairs) < 20:
        print(f"only {len(pairs)} pairs found: the probes are not what this check expects")
        failures += 1
    for name in pairs:
        partner = "plain_" + name.removeprefix("native_")
        if partner not in functions or normalized(functions[name]) != normalized(functions[partner]):
            failures += 1
            print(f"{name} differs from {partner}:\n{functions[name].text()}")
            print(functions[partner].text() if partner in functions else "  (missing)")
    return failures


def check_calls(functions):
    failures = 0
    for function in functions.values():
        for name in function.references:
            if name.startswith("__atomic_"):
                failures += 1
                print(f"{function.name} calls {name} of libatomic\n{function.text()}")
    return failures


def main(arguments):
    checks = []
    words = iter(arguments[1:])
    for word in words:
        if word == "table" and (table := next(words, None)):
            checks.append(lambda functions, table=table: check_table(functions, table))
        elif word in ("pairs", "calls"):
            checks.append(check_pairs if word == "pairs" else check_calls)
        else:
            checks = []
            break
    if not checks:
        print(__doc__, file=sys.stderr)
        return 2
    functions = disassemble(arguments[0])
    return 1 if sum(check(functions) for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
