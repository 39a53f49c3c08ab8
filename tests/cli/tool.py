"""What the tests of the program share: running it, and small data sets."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.abspath(sys.argv.pop(1))


def run(*arguments, **options):
    """The program, without the data folders of this machine."""
    environment = {k: v for k, v in os.environ.items() if k not in ("UASPL_DATA", "XDG_DATA_HOME")}
    environment["HOME"] = "/nonexistent"
    environment.update(options.pop("environment", {}))
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=environment, **options)


def write_clouds(path, rows, classes=2):
    """Clouds of points: something to learn, and something to get wrong."""
    draw = random.Random(rows)
    with open(path, "w") as file:
        file.write("label,a,b,c\n")
        for i in range(rows):
            k = i % classes
            file.write(f"{k},{draw.gauss(k, 1):.4f},{draw.gauss(-k, 1):.4f},{draw.gauss(0, 1):.4f}\n")


class ToolTest(unittest.TestCase):
    """A folder of its own for each test, and the checks of exit codes."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def succeed(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def fail_with(self, text, *arguments, code=1, **options):
        """One clear sentence on standard error, nothing on standard output."""
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr[:500]}")
        self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")
        if code == 1:
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr[:500])
            self.assertLess(len(result.stderr), 2000)
        return result
