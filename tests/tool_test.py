"""The real program: output, exit codes, files, signals. Usage: tool_test.py PROGRAM"""
import csv
import io
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = sys.argv.pop(1)


def run(*arguments, **options):
    environment = {k: v for k, v in os.environ.items() if k != "UASPL_DATA"}
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=300,
                          env=environment, **options)


def write_clouds(path, rows, classes=2):
    """Clouds of points: something to learn, and something to get wrong."""
    draw = random.Random(rows)
    with open(path, "w") as file:
        file.write("label,a,b,c\n")
        for i in range(rows):
            k = i % classes
            file.write(f"{k},{draw.gauss(k, 1):.4f},{draw.gauss(-k, 1):.4f},{draw.gauss(0, 1):.4f}\n")


def without_seconds(text):
    return [row[:-1] for row in csv.reader(io.StringIO(text))]


class Tool(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        write_clouds(self.folder / "alpha.csv", 60)
        (self.folder / "uci").mkdir()
        write_clouds(self.folder / "uci" / "beta.csv", 90, 3)

    def bench(self, *arguments):
        return run("bench", "--data", str(self.folder), *arguments)

    def test_help_and_version(self):
        for arguments in (["--help"], ["bench", "--help"], ["list", "--help"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("xample", result.stdout)
        self.assertRegex(run("--version").stdout, r"^\d+\.\d+\.\d+\n$")

    def test_list(self):
        names = [line.split()[0] for line in run("list", "methods").stdout.splitlines()]
        for name in ("direct", "spl", "spl_linear", "spl_mixture", "uaspl", "uaspl_linear",
                     "uaspl_mixture", "uaspl_beta1", "uaspl_beta1_linear", "uaspl_beta1_mixture",
                     "uaspl_beta_t", "uaspl_beta_t_linear", "uaspl_beta_t_mixture"):
            self.assertIn(name, names)
        self.assertIn("--set uaspl_mixture.gamma=1", run("list", "methods", "--options").stdout)
        self.assertIn("cross_entropy", run("list", "losses").stdout)

    def test_bench_writes_one_line_a_run_whatever_the_jobs(self):
        outputs = []
        for jobs in ("1", "2", "5"):
            file = self.folder / f"jobs{jobs}.out"
            result = self.bench("--methods", "direct,uaspl", "--datasets", "beta,alpha", "--runs", "3",
                                "--jobs", jobs, "-o", str(file))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("alpha", result.stdout)
            self.assertNotIn("\r", result.stderr)
            outputs.append(file.read_text())
        lines = outputs[0].splitlines()
        self.assertEqual(lines[0], "dataset,method,seed,accuracy,precision,recall,f1,seconds")
        self.assertEqual(len(lines), 1 + 2 * 2 * 3)
        self.assertTrue(lines[1].startswith("beta,direct,2025,"))
        self.assertTrue(lines[12].startswith("alpha,uaspl,2027,"))
        for output in outputs[1:]:
            self.assertEqual(without_seconds(output), without_seconds(outputs[0]))

    def test_bench_moves_the_seeds(self):
        arguments = ("--methods", "spl", "--datasets", "alpha", "-q", "-o", "-")
        three = self.bench(*arguments, "--runs", "3").stdout
        second = self.bench(*arguments, "--first-seed", "2026").stdout
        self.assertEqual(without_seconds(second)[1], without_seconds(three)[2])

    def test_bench_takes_files_and_all(self):
        result = self.bench("--methods", "spl", "--datasets", "all", "-q", "-o", "-")
        self.assertEqual([row[0] for row in without_seconds(result.stdout)], ["dataset", "alpha", "beta"])
        odd = self.folder / 'o,d"d.csv'
        shutil.copy(self.folder / "alpha.csv", odd)
        result = run("bench", "--methods", "spl", "--datasets=" + str(odd).replace(",", "\\,"), "-q", "-o", "-")
        if result.returncode == 0:  # names with commas must come out quoted
            self.assertEqual(without_seconds(result.stdout)[1][0], 'o,d"d')

    def test_options_of_methods_matter(self):
        def accuracy(*settings):
            result = self.bench("--methods", "uaspl_mixture", "--datasets", "beta", "--runs", "4", "-q",
                                "-o", "-", *settings)
            self.assertEqual(result.returncode, 0, result.stderr)
            return without_seconds(result.stdout)
        self.assertNotEqual(accuracy(), accuracy("--set", "uaspl_mixture.evidence=softplus"))

    def test_bad_usage_lists_the_candidates_and_exits_2(self):
        for arguments, text in (
                (["--methods", "uasp", "--datasets", "alpha"], "known: direct, spl"),
                (["--methods", "spl", "--datasets", "gamma"], "known: alpha, beta"),
                (["--methods", "spl", "--datasets", "alpha", "--frobnicate"], "--frobnicate"),
                (["--methods", "spl", "--datasets", "alpha", "--runs", "0"], "--runs"),
                (["--methods", "spl"], "--datasets"),
        ):
            result = self.bench(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(text, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("frobnicate").returncode, 2)

    def test_failures_are_one_sentence_and_exit_1(self):
        (self.folder / "bad.csv").write_text("label,a\n0,1\n1,inf\n")
        (self.folder / "lonely.csv").write_text("label,a\n0,1\n")
        for arguments, text in (
                (["--datasets", "bad"], "bad.csv:3: column 2 ('a'): 'inf' is not a finite number"),
                (["--datasets", "lonely"], "lonely: split: 1 row(s)"),
                (["--datasets", str(self.folder)], "is a directory"),
                (["--datasets", "alpha", "-o", "/no/such/folder/x.csv"], "cannot be written"),
                (["--datasets", "alpha", "-o", str(self.folder)], "is a directory"),
                (["--datasets", "alpha", "--set", "spl.gamma"], "METHOD.OPTION=VALUE"),
        ):
            result = self.bench("--methods", "spl", *arguments)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn(text, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertFalse(os.path.exists(f"{self.folder}.journal"))

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([TOOL, "bench", "--methods", "spl", "--datasets",
                                     str(self.folder / "alpha.csv"), "-o", "-"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("writing failed", result.stderr)

    def start_long_bench(self, file):
        """A bench that would run for hours, once it has finished some runs."""
        process = subprocess.Popen(
            [TOOL, "bench", "--methods", "spl,uaspl", "--datasets", str(self.folder / "alpha.csv"),
             "--runs", "100000", "-o", str(file)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True)
        journal = pathlib.Path(str(file) + ".journal")
        for _ in range(600):
            if journal.exists() and journal.read_text().count("\n") > 3:
                break
            time.sleep(0.05)
        self.assertFalse(file.exists())
        return process, journal

    def test_ctrl_c_keeps_the_finished_runs(self):
        file = self.folder / "runs.out"
        process, journal = self.start_long_bench(file)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", messages)
        lines = file.read_text().splitlines()
        self.assertGreater(len(lines), 3)
        self.assertTrue(all(line.count(",") == 7 for line in lines))
        self.assertFalse(journal.exists())

    def test_a_killed_bench_leaves_its_journal(self):
        file = self.folder / "runs.out"
        process, journal = self.start_long_bench(file)
        process.kill()
        process.communicate(timeout=60)
        self.assertFalse(file.exists())
        self.assertGreater(len(journal.read_text().splitlines()), 3)


if __name__ == "__main__":
    unittest.main(verbosity=1)
