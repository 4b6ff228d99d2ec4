#!/usr/bin/env python3
"""Damages a good report in many ways; check_report.py must find each: python3 damaged_report.py REPORT

The report itself must pass first. Exits with 1 if a damage is not found, with 77 without a browser.
"""

import pathlib
import re
import sys
import tempfile

from browser import Browser, BrowserError, find_browser
from check_report import SKIPPED, Check


def once(pattern, replacement):
    def damage(text):
        damaged, count = re.subn(pattern, lambda _: replacement, text, count=1, flags=re.S)
        if count != 1:
            raise SystemExit(f"nothing to damage: {pattern}")
        return damaged
    return damage


def without_marks(text):
    """Of the first chart all that it shows; the frame stays."""
    svg = re.search(r'<svg class="\w+"[^>]*data-marks=.*?</svg>', text, re.S)
    return text.replace(svg.group(0), re.sub(r'<g class="mark.*?</g>', "", svg.group(0), flags=re.S), 1)


def flat_marks(text):
    """Bars and the like are there, but have no size."""
    return text.replace("</style>", ".mark * { display: none; }</style>", 1)


# What is done to it, in which view it shows, and what must be said about it.
DAMAGES = [
    ("an address", once("</main>", '<a href="https://example.org/x">x</a></main>'), "text", "an address in the file"),
    ("not a number", once(r'<line class="grid" x1="[^"]*"', '<line class="grid" x1="nan"'), "text",
     "no number in a chart"),
    ("no charts", lambda text: re.sub(r'<div class="plot">.*?</div>', "", text, flags=re.S), "desktop", "drawings are seen"),
    ("a chart without marks", without_marks, "desktop", "nothing is drawn"),
    ("marks without size", flat_marks, "desktop", "nothing is drawn"),
    ("an exception", once(r"'use strict';", "'use strict'; nothing_of_that_name();"), "desktop", "console"),
    ("something fetched", once("</main>", '<img src="other.png" alt=""></main>'), "desktop", ""),
    ("labels on each other", once(r'</desc>', '</desc><text x="40" y="40">first</text><text x="42" y="42">second</text>'), "desktop",
     "texts overlap"),
    ("a label cut off", once(r'</desc>', '</desc><text x="840" y="40">far too long for this place at the edge</text>'), "desktop",
     "text is cut off"),
    ("no claims", lambda text: re.sub(r'<tr class="claim".*?</tr>', "", text, flags=re.S), "desktop", "no claims"),
    ("the same id twice", once("</main>", '<i id="claims"></i></main>'), "desktop", "ids occur twice"),
    ("no dark colours", lambda text: text.replace("prefers-color-scheme: dark", "prefers-color-scheme: none"), "dark", "background"),
    ("too wide for a phone", once("</main>", '<div style="width:700px">wide</div></main>'), "phone", "pixels wide"),
    ("tiny letters on a phone", lambda text: text.replace("</style>", ".plot text { font-size: 8px !important; }</style>", 1), "phone",
     "letters of"),
    ("charts that need scripts", lambda text: text.replace("</style>", "html:not(.js) .plot { display: none; }</style>", 1),
     "without_scripts", "drawings are seen"),
]


def found_in(report, browser, view):
    check = Check(report, 1, None)
    try:
        if view == "text":
            check.text()
        elif view == "dark":
            check.dark(browser, {"charts": []})
        else:
            getattr(check, view)(browser)
    except BrowserError as error:
        check.problems.append(str(error))
    return check.problems


def main():
    good = pathlib.Path(sys.argv[1])
    executable = find_browser()
    if executable is None:
        print("no Chromium here: skipped")
        return SKIPPED
    text = good.read_text(encoding="utf-8")
    missed = 0
    with tempfile.TemporaryDirectory() as folder, Browser(executable) as browser:
        for view in ("text", "desktop", "dark", "phone", "without_scripts"):
            for problem in found_in(good, browser, view):
                print(f"the good report, {view}: {problem}")
                missed += 1
        for name, damage, view, said in DAMAGES:
            report = pathlib.Path(folder) / "damaged.html"
            report.write_text(damage(text), encoding="utf-8")
            problems = found_in(report, browser, view)
            if any(said in problem for problem in problems):
                print(f"found: {name}")
            else:
                print(f"NOT FOUND: {name}; what was said: {problems[:3]}")
                missed += 1
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
