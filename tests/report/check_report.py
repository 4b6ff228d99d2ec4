#!/usr/bin/env python3
"""Looks at a report of `pilfer lab` in a headless Chromium: python3 check_report.py REPORT [--charts N] [--shots FOLDER]

Fails (1) and says what is wrong unless every chart is there and shows something, with and without scripts, on a desktop and
on a phone, in light and in dark; labels of charts lie within them and not on each other; there is no complaint in the
console, nothing is asked of the network, and downloads hold what they should. Without a browser it is skipped (77).
"""

import argparse
import pathlib
import re
import sys

from browser import Browser, BrowserError, find_browser

DESKTOP = (1280, 900)
PHONE = (390, 844)
SKIPPED = 77

# What a reader could see of each chart, measured on the page.
SEEN = r"""
(() => {
  const visible = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
  const charts = [...document.querySelectorAll('figure.chart')].map((figure) => {
    const svgs = [...figure.querySelectorAll('.plot svg')].filter(visible);
    const problems = [];
    let marks = 0, smallest = 1e9;
    for (const svg of svgs) {
      const frame = svg.getBoundingClientRect();
      for (const mark of svg.querySelectorAll('.mark')) {
        const box = mark.getBoundingClientRect();
        if (box.width > 0.2 || box.height > 0.2) ++marks;
        if (box.right < frame.left - 2 || box.left > frame.right + 2 || box.bottom < frame.top - 2 || box.top > frame.bottom + 2)
          problems.push('a mark lies outside: ' + mark.dataset.series);
      }
      const boxes = [];
      for (const text of svg.querySelectorAll('text')) {
        const box = text.getBoundingClientRect();
        if (box.width === 0) continue;
        smallest = Math.min(smallest, parseFloat(getComputedStyle(text).fontSize) * frame.width / svg.viewBox.baseVal.width);
        if (box.left < frame.left - 1.5 || box.right > frame.right + 1.5 || box.top < frame.top - 3 || box.bottom > frame.bottom + 3)
          problems.push('text is cut off: ' + text.textContent);
        // Without the room above and below the letters.
        const slack = box.height * 0.22;
        for (const [other, words] of boxes)
          if (box.left < other.right - 1 && other.left < box.right - 1 && box.top + slack < other.bottom - slack && other.top + slack < box.bottom - slack)
            problems.push('texts overlap: ' + words + ' / ' + text.textContent);
        boxes.push([box, text.textContent]);
      }
    }
    const style = svgs.length ? getComputedStyle(svgs[0].querySelector('.bar, .box, .violin, .marker, .lone') ?? svgs[0]) : null;
    return {id: figure.id, empty: !!figure.querySelector('.empty'), shown: svgs.length, marks,
            promised: svgs.length ? Number(svgs[0].dataset.marks) : 0, problems: problems.slice(0, 5),
            colour: style ? style.fill + style.stroke : '', smallest};
  });
  const wide = [...document.querySelectorAll('main *')].filter((e) => !e.closest('.scroll, svg') &&
      e.getBoundingClientRect().right > WIDTH + 1).slice(0, 3).map((e) => e.tagName + '.' + e.className);
  return {charts, page: document.documentElement.scrollWidth, wide,
          background: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
          claims: document.querySelectorAll('#all-claims tr.claim').length, sections: document.querySelectorAll('section.experiment').length,
          contents: [...document.querySelectorAll('nav a')].filter((a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash),
          twice: [...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)};
})()
"""

# What scripts add. Downloads are caught where they would be saved.
WORKING = r"""
(async () => {
  const problems = [];
  const must = (what, good) => { if (!good) problems.push(what); };
  const saved = [];
  const real = URL.createObjectURL;
  URL.createObjectURL = (blob) => { saved.push(blob); return real.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () {};
  document.querySelector('#download').click();
  must('results.json is no report', JSON.parse(await saved[0].text()).rows.length >= 0);
  const csv = document.querySelector('button.csv');
  if (csv) { csv.click(); must('CSV without lines', (await saved[1].text()).trim().split('\n').length > 1); }
  const mark = [...document.querySelectorAll('.mark')].find((m) => m.getBoundingClientRect().width > 0);
  if (mark) {
    mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 50, clientY: 50}));
    const tip = document.querySelector('#tip');
    must('no tooltip', !tip.hidden && /[0-9]/.test(tip.textContent));
  }
  const tile = [...document.querySelectorAll('.tile')].find((t) => Number(t.querySelector('.count').textContent) > 0);
  if (tile) {
    const shown = () => document.querySelectorAll('#all-claims tr.claim:not([hidden])').length;
    const before = shown();
    tile.click();
    must('the filter shows ' + shown(), shown() === Number(tile.querySelector('.count').textContent));
    tile.click();
    must('the filter stays', shown() === before);
  }
  const item = document.querySelector('.legend li[data-i]');
  if (item) {
    const drawn = () => [...item.closest('figure').querySelectorAll('.plot svg .mark')].filter((m) => m.getBoundingClientRect().height > 0).length;
    const before = drawn();
    item.click();
    must('a series cannot be hidden', drawn() < before);
    item.click();
  }
  const work = document.querySelector('details.work');
  if (work) {
    const select = [...document.querySelectorAll('#questions select')].find((s) => [...s.options].some((o) => o.value === work.dataset.workload));
    select.value = work.dataset.workload;
    select.dispatchEvent(new Event('change', {bubbles: true}));
    must('no advice', document.querySelector('#advice .pick')?.textContent.length > 0);
    must('nothing is highlighted', document.querySelectorAll('.work.chosen').length === 1);
    select.value = '';
    select.dispatchEvent(new Event('change', {bubbles: true}));
  }
  const before = getComputedStyle(document.body).backgroundColor;
  document.querySelector('#theme').click();
  must('light and dark cannot be switched', getComputedStyle(document.body).backgroundColor !== before);
  document.querySelector('#theme').click();
  try { localStorage.removeItem('pilfer-theme'); } catch {}
  delete document.documentElement.dataset.theme;
  return problems;
})()
"""


def luminance(colour):
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Check:
    def __init__(self, report, least_charts, shots):
        self.report = report
        self.least_charts = least_charts
        self.shots = shots
        self.problems = []

    def must(self, good, problem):
        if not good:
            self.problems.append(problem)

    def text(self):
        text = self.report.read_text(encoding="utf-8")
        for found in re.findall(r"https?://[^\s\"'<]{0,60}", text)[:5]:
            self.problems.append(f"an address in the file: {found}")
        svgs = re.findall(r"<svg[^>]*data-marks=.*?</svg>", text, re.S)
        for svg in svgs:
            without_text = re.sub(r">[^<]*<", "><", re.sub(r'data-(series|at)="[^"]*"|aria-label="[^"]*"', "", svg))
            bad = re.search(r'="[^"]*\b(nan|inf|infinity|undefined|null)\b[^"]*"', without_text, re.I)
            self.must(not bad, f"no number in a chart: {bad and bad.group(0)[:60]}")
        self.must(svgs, "no chart in the file")
        self.must("<style>" in text and 'type="application/json"' in text, "style or data is missing")

    def seen(self, browser, where, width):
        found = browser.evaluate(SEEN.replace("WIDTH", str(width)))
        charts = found["charts"]
        full = [chart for chart in charts if not chart["empty"]]
        self.must(full, f"{where}: no chart shows anything")
        self.must(len(full) >= self.least_charts, f"{where}: {len(full)} charts, {self.least_charts} wanted")
        for chart in full:
            name = f"{where}: {chart['id']}"
            self.must(chart["shown"] == 1, f"{name}: {chart['shown']} drawings are seen in place of one")
            self.must(chart["marks"] > 0, f"{name}: nothing is drawn")
            self.must(chart["marks"] == chart["promised"], f"{name}: {chart['marks']} marks of {chart['promised']} are seen")
            self.must(chart["smallest"] >= 9, f"{name}: letters of {chart['smallest']:.1f} pixels")
            self.problems += [f"{name}: {problem}" for problem in chart["problems"]]
        # Not innerWidth: a phone zooms out of a page that is too wide.
        self.must(found["page"] <= width + 1, f"{where}: the page is {found['page']} pixels wide, not {width}: {found['wide']}")
        self.must(not found["contents"], f"{where}: contents lead nowhere: {found['contents']}")
        self.must(not found["twice"], f"{where}: ids occur twice: {found['twice'][:5]}")
        self.must(found["claims"] > 0, f"{where}: no claims")
        self.must(found["sections"] > 0, f"{where}: no experiments")
        return found

    def open(self, browser, where, *, size, scheme="light", scripts=True, mobile=False):
        browser.resize(*size, mobile=mobile)
        browser.prefer(scheme)
        browser.allow_scripts(scripts)
        browser.open(self.report.resolve().as_uri())
        found = self.seen(browser, where, size[0])
        self.problems += [f"{where}: console: {text}" for text in browser.complaints()]
        own = self.report.resolve().as_uri()
        self.problems += [f"{where}: asked for {url[:80]}" for url in browser.requests() if url != own]
        light = luminance(found["background"]) > 0.5
        self.must(light == (scheme == "light"), f"{where}: the background is {found['background']}")
        self.must(abs(luminance(found["background"]) - luminance(found["ink"])) > 0.5, f"{where}: text cannot be read")
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            browser.screenshot(self.shots / f"{where.replace(' ', '-')}.png", height=12000)
        return found

    def desktop(self, browser):
        light = self.open(browser, "desktop light", size=DESKTOP)
        self.problems += [f"script: {problem}" for problem in browser.evaluate(WORKING)]
        self.problems += [f"script: console: {text}" for text in browser.complaints()]
        return light

    def dark(self, browser, light):
        dark = self.open(browser, "desktop dark", size=DESKTOP, scheme="dark")
        same = [a["id"] for a, b in zip(light["charts"], dark["charts"]) if a["shown"] and a["colour"] == b["colour"]]
        self.must(not same, f"these have the same colours in light and in dark: {same[:5]}")

    def phone(self, browser):
        self.open(browser, "phone light", size=PHONE, mobile=True)
        self.open(browser, "phone dark", size=PHONE, scheme="dark", mobile=True)

    def without_scripts(self, browser):
        self.open(browser, "without scripts", size=DESKTOP, scripts=False)
        still = browser.evaluate("document.documentElement.classList.contains('js')")
        self.must(not still, "scripts ran although they were off")
        self.open(browser, "phone without scripts", size=PHONE, scripts=False, mobile=True)

    def run(self, executable):
        self.text()
        with Browser(executable) as browser:
            light = self.desktop(browser)
            self.dark(browser, light)
            self.phone(browser)
            self.without_scripts(browser)
        return light


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("report", type=pathlib.Path)
    arguments.add_argument("--charts", type=int, default=1, help="at least so many")
    arguments.add_argument("--shots", type=pathlib.Path, help="folder for pictures of the page")
    given = arguments.parse_args()
    executable = find_browser()
    if executable is None:
        print("no Chromium here: skipped")
        return SKIPPED
    check = Check(given.report, given.charts, given.shots)
    try:
        seen = check.run(executable)
    except (BrowserError, OSError) as error:
        check.problems.append(str(error))
    for problem in dict.fromkeys(check.problems):
        print(problem)
    if check.problems:
        print(f"{given.report}: {len(set(check.problems))} problems")
        return 1
    print(f"{given.report}: {len(seen['charts'])} charts, {seen['claims']} claims, {seen['sections']} experiments: all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
