"""shellcheck over everything a shell runs."""
import os
import re
import subprocess

from . import sources


def is_shell(root, path):
    if path.endswith(".sh"):
        return True
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return re.match(rb"#!.*\b(sh|bash)\b", file.readline()) is not None


def check(root, _variant):
    paths = [path for path in sources.files(root) if is_shell(root, path)]
    if not paths:
        return []
    result = subprocess.run(
        ["shellcheck", "--external-sources", "--format=gcc", *paths], cwd=root, capture_output=True, text=True, check=False
    )
    findings = [line for line in result.stdout.split("\n") if line]
    if result.returncode != 0 and not findings:
        findings = [result.stderr.strip() or "shellcheck failed"]
    return findings
