"""A full disk at every single write: a clear error, nothing lost, nothing left behind. Usage:
tool_faults_test.py PROGRAM LIBRARY

LIBRARY (tests/faults/fail_nth.cpp) lets the n-th call that writes fail. Each command is run for n = 1, 2, 3, ... until no
call fails any more. The usual run takes some of these n for the longer commands, UASPL_TEST_ALL=1 all of them.
"""
import contextlib
import csv
import os
import pathlib
import shutil
import sqlite3
import sys
import unittest

FAULTS = sys.argv.pop(2)

from tool import ToolTest, run, write_clouds  # noqa: E402
from tool_images_test import write_pictures  # noqa: E402

ALL = bool(os.environ.get("UASPL_TEST_ALL"))
QUICK = ["--steps", "2", "--pretraining", "1", "-q"]
BENCH = ["bench", "--methods", "direct,spl", "--runs", "2", "--jobs", "1", "--datasets", "clouds.csv", *QUICK]
MODEL = ["train", "clouds.csv", "-o", "out", *QUICK]


class Faults(ToolTest):
    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()
        self.start = self.folder / "start"  # what each run begins with
        self.work = self.folder / "work"
        self.start.mkdir()
        write_clouds(self.start / "clouds.csv", 40)
        self.log = self.folder / "log"

    def prepare(self, *arguments):
        self.succeed(*arguments, cwd=self.start)

    def begin(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.start, self.work)

    def files(self):
        """What is there, without what SQLite keeps beside a store that it could only open for reading."""
        return {path.relative_to(self.work).as_posix(): path.read_bytes() for path in self.work.rglob("*")
                if path.is_file() and not path.name.endswith((".db-wal", ".db-shm"))}

    def with_fault(self, number, lasting, arguments):
        """The run with a fault; returns it and the call that failed, or None if there were fewer calls."""
        self.log.unlink(missing_ok=True)
        faults = {"LD_PRELOAD": FAULTS, "FAULTS_BELOW": str(self.work), "FAULTS_NTH": str(number),
                  "FAULTS_LOG": str(self.log), "FAULTS_ON": "1" if lasting else ""}
        result = run(*arguments, cwd=self.work, environment=faults)
        return result, self.log.read_text().strip() if self.log.exists() else None

    def each_fault(self, arguments, check, stride=1):
        """Calls check(result) after each failed run, in its folder, and checks what holds for all commands."""
        stride = 1 if ALL else stride
        for lasting in (False, True):
            number = 1
            while True:
                self.begin()
                result, fault = self.with_fault(number, lasting, arguments)
                if not fault:
                    self.assertEqual(result.returncode, 0, result.stderr)
                    break
                with self.subTest(fault=fault, number=number, lasting=lasting, message=result.stderr):
                    self.check_message(result, fault)
                    self.assertEqual([name for name in self.files() if name.endswith(".part")], [])
                    check(result)
                number += stride
            self.assertGreater(number, 1)

    def check_message(self, result, fault):
        """Some faults do not matter, such as those of files that only make things faster."""
        self.assertIn(result.returncode, (0, 1))
        if result.returncode == 0:
            return
        self.assertEqual(len(result.stderr.splitlines()), 1)
        # Where SQLite cannot create or sync a file, it keeps the system's reason to itself.
        self.assertRegex(result.stderr, "(?i)no space left|SQLite: (unable to open database file|disk I/O error)")
        self.assertRegex(result.stderr, r"^uaspl: (clouds: |pictures: )?[\w./-]*(out|\.db|checkpoint)[\w./-]*: ")

    def check_files(self, arguments, outputs, stride=1):
        """A command whose outputs are files of known content: each is the old one or the new one, and whole."""
        self.begin()
        old = self.files()
        self.succeed(*arguments, cwd=self.work)
        new = self.files()
        self.assertEqual(sorted(set(new) - set(old)), sorted(set(outputs) - set(old)))

        def check(result):
            now = self.files()
            for name, content in now.items():
                self.assertIn(content, (old.get(name), new.get(name)), name)
            self.assertLessEqual(set(old), set(now))
            if result.returncode == 0:
                self.assertEqual(now, new)
            elif len(outputs) == 1 and "is in place" not in result.stderr:
                self.assertEqual(now, old)
            self.succeed(*arguments, cwd=self.work)
            self.assertEqual(self.files(), new)

        self.each_fault(arguments, check, stride)

    def test_train(self):
        self.check_files(MODEL, ["out"])
        (self.start / "out").write_text("old")
        self.check_files(MODEL, ["out"])

    def test_predict(self):
        self.prepare(*MODEL)
        (self.start / "out").rename(self.start / "model")
        (self.start / "out").write_text("old")
        self.check_files(["predict", "model", "clouds.csv", "-o", "out"], ["out"])

    def test_data_make(self):
        self.check_files(["data", "make", "waveform", "--rows", "50", "-o", "out"], ["out"])

    def test_report(self):
        self.prepare(*BENCH, "--db", "results.db", "--trace", "--curves", "--keep-predictions")
        self.check_files(["report", "results.db", "--html", "out"], ["out"])
        self.check_files(["report", "results.db", "--markdown", "out"], ["out"])
        for option, stride in (("--csv", 13), ("--latex", 23)):
            arguments = ["report", "results.db", option, "out"]
            self.begin()
            before = set(self.files())
            self.succeed(*arguments, cwd=self.work)
            self.check_files(arguments, sorted(set(self.files()) - before), stride)

    def runs(self, path):
        """The runs of a CSV file without their times."""
        with open(path, newline="") as file:
            return [row[:-1] for row in csv.reader(file)]

    def test_bench_to_a_file(self):
        arguments = [*BENCH, "-o", "out.csv"]
        self.begin()
        self.succeed(*arguments, cwd=self.work)
        whole = self.runs(self.work / "out.csv")
        output, journal = self.work / "out.csv", self.work / "out.csv.journal"

        def check(result):
            earlier = self.start / "out.csv"
            if result.returncode == 0 or "is in place" in result.stderr:
                self.assertEqual(self.runs(output), whole)
            elif earlier.exists():
                self.assertEqual(output.read_bytes(), earlier.read_bytes())
            else:
                self.assertFalse(output.exists())
            if journal.exists():  # the runs that were finished
                self.assertEqual(result.returncode, 1)
                kept = [line.split(",") for line in journal.read_text().splitlines()[1:]]
                self.assertGreater(len(kept), 0)
                for run in kept:
                    self.assertEqual(run[1:5], whole[1 + int(run[0])][3:])
                self.assertIn(f"{len(kept)} finished runs are in out.csv.journal", result.stderr)
            self.succeed(*arguments, cwd=self.work)
            self.assertEqual(self.runs(output), whole)

        self.each_fault(arguments, check)
        (self.start / "out.csv").write_text("old")
        self.each_fault(arguments, check)

    def summary(self, store):
        """What a store says, without times."""
        self.succeed("report", store, "--csv", "tables", cwd=self.work)
        tables = {path.name: path.read_bytes() for path in (self.work / "tables").iterdir()}
        for name in ("runs.csv", "errors.csv"):  # the last two columns are seconds
            tables[name] = [line.rsplit(b",", 2)[0] for line in tables[name].splitlines()]
        shutil.rmtree(self.work / "tables")
        return tables

    def check_store(self, arguments, stride):
        self.begin()
        self.succeed(*arguments, cwd=self.work)
        whole = self.summary("results.db")

        def check(result):
            if (self.work / "results.db").exists():
                with contextlib.closing(sqlite3.connect(self.work / "results.db")) as database:
                    self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            if result.returncode != 0:
                self.succeed(*arguments, cwd=self.work)
            self.assertEqual(self.summary("results.db"), whole)

        self.each_fault(arguments, check, stride)

    def test_bench_to_a_store(self):
        self.check_store([*BENCH, "--db", "results.db"], 7)

    def test_merge(self):
        for name, method in (("one.db", "direct"), ("two.db", "spl")):
            self.prepare("bench", "--methods", method, "--datasets", "clouds.csv", "--db", name, *QUICK)
        self.check_store(["merge", "results.db", "one.db", "two.db"], 5)

    def test_import(self):
        (self.start / "runs.csv").write_text("dataset,method,seed,accuracy,precision,recall,f1\n"
                                             "clouds,svm,1,0.5,0.5,0.5,0.5\nclouds,svm,2,0.75,0.5,0.5,0.5\n")
        self.check_store(["import", "runs.csv", "--db", "results.db", "--data", ".", "--replace", "-q"], 5)

    def test_splits(self):
        self.check_files(["bench", "--datasets", "clouds.csv", "--export-splits", "out"], ["out/clouds.csv"])

    def test_train_on_images(self):
        write_pictures(self.start / "pictures", 4)
        arguments = ["train", "--images", "pictures", "--network", "lenet", "--profile", "quick", "--threads", "1",
                     "--batch", "4", "--steps", "1", "-o", "out", "-q"]
        first = run(*arguments, cwd=self.start)
        if "libtorch" in first.stderr:
            self.skipTest("built without libtorch")
        self.assertEqual(first.returncode, 0, first.stderr)
        whole = (self.start / "out").read_bytes()
        (self.start / "out").write_text("old")
        output, checkpoint = self.work / "out", self.work / "out.checkpoint"

        def check(result):
            self.assertIn(output.read_bytes(), (whole,) if result.returncode == 0 else (whole, b"old"))
            resumed = ["--resume"] if checkpoint.exists() else []
            self.assertFalse(result.returncode == 0 and resumed)
            self.succeed(*arguments, *resumed, cwd=self.work)
            self.assertEqual(output.read_bytes(), whole)
            self.assertFalse(checkpoint.exists())

        self.each_fault(arguments, check, 19)


if __name__ == "__main__":
    unittest.main()
