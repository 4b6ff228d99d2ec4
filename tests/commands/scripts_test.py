#!/usr/bin/env python3
"""scripts/once and scripts/test_tools.py, on a small project of their own."""
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts")


class project(unittest.TestCase):
    """A folder with copies of the scripts, and a few files."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.mkdir(self.path("scripts"))
        for name in ("once", "test_tools.py"):
            shutil.copy(os.path.join(SCRIPTS, name), self.path("scripts"))
        self.write("src/a.cpp", "int a;\n")
        self.write("src/deep/b.hpp", "int b;\n")

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))

    def call(self, script, *words):
        return subprocess.run([sys.executable, self.path("scripts/" + script), *words],
                              cwd=self.root, capture_output=True, text=True, check=False)


class once(project):
    def run_once(self, *inputs, command=("sh", "-c", "echo ran >> log")):
        return self.call("once", self.path("build/passed/check"), *inputs, "--", *command)

    def runs(self):
        if not os.path.exists(self.path("log")):
            return 0
        with open(self.path("log"), encoding="utf-8") as file:
            return len(file.readlines())

    def test_does_not_repeat_what_passed(self):
        self.assertEqual(self.run_once("src").returncode, 0)
        again = self.run_once("src")
        self.assertEqual((again.returncode, self.runs()), (0, 1))
        self.assertIn("passed before", again.stdout)

    def test_runs_again_when_a_file_changes_appears_or_goes(self):
        for change in (lambda: self.write("src/a.cpp", "int c;\n"), lambda: self.write("src/new.cpp", ""),
                       lambda: os.remove(self.path("src/new.cpp"))):
            self.run_once("src")
            before = self.runs()
            change()
            self.run_once("src")
            self.assertEqual(self.runs(), before + 1)

    def test_a_pattern_leaves_other_files_out(self):
        self.run_once("src/**/*.hpp")
        self.write("src/a.cpp", "int c;\n")
        self.run_once("src/**/*.hpp")
        self.assertEqual(self.runs(), 1)
        self.write("src/deep/b.hpp", "int c;\n")
        self.run_once("src/**/*.hpp")
        self.assertEqual(self.runs(), 2)

    def test_another_command_is_another_check(self):
        self.run_once("src")
        self.run_once("src", command=("sh", "-c", "echo ran >> log; true"))
        self.assertEqual(self.runs(), 2)

    def test_a_failure_is_passed_on_and_not_remembered(self):
        fails = ("sh", "-c", "echo ran >> log; exit 3")
        self.assertEqual([self.run_once("src", command=fails).returncode for _ in range(2)], [3, 3])
        self.assertEqual(self.runs(), 2)

    def test_an_input_that_is_not_there_is_an_error(self):
        result = self.run_once("sources")
        self.assertEqual((result.returncode, self.runs()), (1, 0))
        self.assertIn("there is nothing at sources", result.stderr)


class fingerprint(project):
    def of(self, *words):
        return self.call("test_tools.py", "fingerprint", *words).stdout

    def test_depends_on_words_and_sources_but_not_on_what_is_built(self):
        first = self.of("default")
        self.write("build/dev/x", "built")
        self.assertEqual(self.of("default"), first)
        self.assertNotEqual(self.of("full"), first)
        self.write("src/a.cpp", "int c;\n")
        self.assertNotEqual(self.of("default"), first)


class ctest(project):
    """With three tests: one passes, one fails, one is skipped."""

    def setUp(self):
        super().setUp()
        self.write("build/CTestTestfile.cmake", """\
            add_test(good "sh" "-c" "echo all is well")
            add_test(bad "sh" "-c" "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; done; exit 1")
            add_test(absent "sh" "-c" "echo nothing to do; exit 77")
            set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)
            """)

    def run_ctest(self):
        said = subprocess.run(["ctest", "--test-dir", self.path("build"), "-F"], capture_output=True, text=True, check=False)
        self.write("build/logs/ctest.log", said.stdout)
        return said.stdout

    def closing(self, limit):
        self.run_ctest()
        return self.call("test_tools.py", "closing", "build", str(limit)).stdout

    def test_counts_what_matches(self):
        counts = [self.call("test_tools.py", "count", "build", *regex).stdout for regex in ((), ("^b",), ("nothing",))]
        self.assertEqual(counts, ["3\n", "1\n", "0\n"])

    def test_a_pattern_that_is_none_is_an_error(self):
        result = self.call("test_tools.py", "count", "build", "*(")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("*(", result.stderr)

    def test_what_failed_is_shown_last(self):
        text = self.closing(20)
        self.assertNotIn("all is well", text)
        self.assertNotIn("longer than", text)
        self.assertIn("--- bad: Failed", text)
        self.assertIn("20 lines before these", text)
        self.assertNotIn("line 20\n", text)
        self.assertTrue(text.endswith("line 100\ntests: 1 passed, 1 failed (bad), 1 skipped\n"), text)

    def test_what_failed_before_an_interruption_runs_again(self):
        self.assertEqual(self.call("test_tools.py", "resume", "build").stdout, "0\n")
        self.run_ctest()
        self.write("build/Testing/Temporary/CTestCheckpoint.txt", "1\n2\n")  # as if it had been interrupted in the third
        self.assertEqual(self.call("test_tools.py", "resume", "build").stdout, "1\n")
        again = self.run_ctest()
        self.assertNotIn(": good", again)
        self.assertIn(": bad", again)
        self.assertIn(": absent", again)

    def test_what_took_long_is_named(self):
        self.assertIn("longer than -1 s: good", self.closing(-1))


if __name__ == "__main__":
    unittest.main()
