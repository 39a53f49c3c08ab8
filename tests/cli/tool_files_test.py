"""The real program and the files that it writes: none is lost, mixed up or left behind. Usage: tool_files_test.py PROGRAM"""
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time
import unittest

from tool import TOOL, ToolTest, run, write_clouds

QUICK = ["--steps", "2", "--pretraining", "1", "-q"]


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "clouds.csv"
        write_clouds(self.data, 40)
        self.model = self.folder / "clouds.model"

    def train(self, *more):
        return self.succeed("train", self.data, "-o", self.model, *QUICK, *more)

    def store(self, name="results.db"):
        self.succeed("bench", "--methods", "direct,spl", "--datasets", self.data, "--db", self.folder / name, *QUICK)
        return self.folder / name

    def refuse(self, *arguments, **options):
        """The command would overwrite a file: it fails before the work, and all files stay as they are."""
        before = self.contents()
        self.fail_with("would overwrite", *arguments, code=2, **options)
        self.assertEqual(self.contents(), before)

    def contents(self):
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    # Outputs never overwrite inputs.

    def other_names(self, path):
        """The same file by other paths."""
        link, hard = self.folder / f"link_{path.name}", self.folder / f"hard_{path.name}"
        link.symlink_to(path.name)
        os.link(path, hard)
        return [path, link, hard, self.folder / "." / ".." / self.folder.name / path.name]

    def test_train_keeps_its_data(self):
        for output in self.other_names(self.data):
            self.refuse("train", self.data, "-o", output, *QUICK)
            self.refuse("train", "clouds", "--data", self.folder, "-o", output, *QUICK)
            with open(self.data) as text:
                self.refuse("train", "-", "-o", output, *QUICK, stdin=text)

    def test_predict_keeps_its_data_and_model(self):
        self.train()
        for output in self.other_names(self.data) + self.other_names(self.model):
            self.refuse("predict", self.model, self.data, "-o", output)
            if "model" in output.name:
                continue
            with open(self.data) as text:
                self.refuse("predict", self.model, "-", "-o", output, stdin=text)

    def test_bench_keeps_its_data_and_plan(self):
        plan = self.write("plan.json", json.dumps({"methods": ["spl"], "datasets": [str(self.data)], "runs": 1}))
        for output in self.other_names(self.data):
            self.refuse("bench", "--methods", "spl", "--datasets", "clouds", "--data", self.folder, "-o", output)
            self.refuse("bench", "--methods", "spl", "--datasets", self.data, "--db", output)
        for output in self.other_names(plan):
            self.refuse("bench", "--plan", plan, "-o", output)
            self.refuse("bench", "--plan", plan, "--db", output)
        (self.folder / "a.journal").write_bytes(self.data.read_bytes())
        self.refuse("bench", "--methods", "spl", "--datasets", f"{self.folder}/a.journal", "-o", self.folder / "a")

    def test_report_keeps_its_store_and_each_output(self):
        store = self.store()
        for output in self.other_names(store) + [f"{store}{end}" for end in ("-wal", "-shm", "-journal", ".lock")]:
            self.refuse("report", store, "--html", output)
            self.refuse("report", store, "--markdown", output)
        both = self.folder / "both"
        self.refuse("report", store, "--html", both, "--markdown", self.folder / "." / "both")
        self.refuse("report", store, "--html", both / "runs.csv", "--csv", both)
        self.refuse("report", store, "--markdown", both / "report.tex", "--latex", both)
        shutil.move(store, self.folder / "runs.csv")
        self.refuse("report", self.folder / "runs.csv", "--csv", self.folder)
        both.mkdir()
        (both / "summary.csv").symlink_to("../runs.csv")
        self.refuse("report", self.folder / "runs.csv", "--csv", both)
        self.succeed("report", self.folder / "runs.csv", "--latex", both)

    def test_merge_keeps_its_sources(self):
        store = self.store()
        for target in self.other_names(store):
            self.refuse("merge", target, store)
        self.succeed("merge", self.folder / "all.db", store, store)

    def test_an_empty_name_is_no_output(self):
        self.train()
        store = self.store()
        for arguments in (["train", self.data, "-o", ""], ["predict", self.model, self.data, "-o", ""],
                          ["bench", "--methods", "spl", "--datasets", self.data, "-o", ""],
                          ["bench", "--methods", "spl", "--datasets", self.data, "--db", ""],
                          ["bench", "--plan", ""], ["data", "make", "waveform", "-o", ""],
                          ["data", "pull", "iris", "--to", ""],
                          *(["report", store, option, ""] for option in ("--csv", "--latex", "--html", "--markdown"))):
            self.fail_with("expected a file name", *arguments, code=2)

    # What is written is whole, private files stay private, and files of others stay as they are.

    def test_planted_links_and_files_of_others(self):
        victim = self.write("victim", "precious")
        for name in ("clouds.model.part", "out.csv.part", "runs.csv.part"):
            (self.folder / name).symlink_to("victim")
        mine = self.write("page.html.part", "mine")
        self.train()
        self.succeed("predict", self.model, self.data, "-o", self.folder / "out.csv")
        self.succeed("report", self.store(), "--html", self.folder / "page.html", "--csv", self.folder)
        self.assertEqual(victim.read_text(), "precious")
        self.assertEqual(mine.read_text(), "mine")
        for name in ("clouds.model", "out.csv", "runs.csv"):
            self.assertFalse((self.folder / name).is_symlink())

    def test_a_journal_of_another_is_not_touched(self):
        victim = self.write("victim", "precious")
        journal = self.folder / "runs.csv.journal"
        for plant, fault in ((lambda: journal.symlink_to("victim"), "is a link"),
                             (lambda: journal.symlink_to("nowhere"), "is a link"),
                             (lambda: os.link(victim, journal), "has a second name"),
                             (lambda: journal.write_text("mine"), "is in the place of the journal")):
            plant()
            before = os.readlink(journal) if journal.is_symlink() else journal.read_text()
            self.fail_with(f"runs.csv.journal: {fault}", "bench", "--methods", "direct", "--datasets",
                           self.data, "-o", self.folder / "runs.csv", *QUICK)
            self.assertEqual(os.readlink(journal) if journal.is_symlink() else journal.read_text(), before)
            self.assertEqual(victim.read_text(), "precious")
            self.assertFalse((self.folder / "nowhere").exists())
            journal.unlink()

    def test_a_private_output_stays_private(self):
        self.train()
        self.assertEqual(self.model.stat().st_mode, self.write("usual", "").stat().st_mode)
        for mode in (0o600, 0o664):
            self.model.chmod(mode)
            self.train()
            self.assertEqual(stat.S_IMODE(self.model.stat().st_mode), mode)

    def test_two_writers_of_one_output(self):
        output = self.folder / "waves.csv"
        make = lambda seed: [TOOL, "data", "make", "waveform", "--rows", "3000", "--seed", str(seed), "-o", str(output)]
        wanted = []
        for seed in (1, 2):
            subprocess.run(make(seed), check=True)
            wanted.append(output.read_bytes())
        for _ in range(30):
            both = [subprocess.Popen(make(seed)) for seed in (1, 2)]
            self.assertEqual([one.wait() for one in both], [0, 0])
            self.assertIn(output.read_bytes(), wanted)
            self.assertEqual(self.names(), ["clouds.csv", "waves.csv"])

    def test_signals_leave_nothing_behind(self):
        self.train()
        output = self.write("out.csv", "old")
        before = self.names()
        for signals in ([signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM], [signal.SIGINT, signal.SIGINT],
                        [signal.SIGPIPE], [signal.SIGUSR1], [signal.SIGXCPU]):
            program = subprocess.Popen([TOOL, "predict", str(self.model), "-", "-o", str(output)],
                                       stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(program.kill)
            program.stdin.write(self.data.read_bytes())  # and no end
            program.stdin.flush()
            end = time.monotonic() + 60
            while not any(name.endswith(".part") for name in self.names()):
                self.assertLess(time.monotonic(), end)
            for number in signals:
                program.send_signal(number)
                time.sleep(0.05)
            self.assertEqual(program.wait(60), -signals[-1])
            program.stdin.close()
            self.assertEqual(self.names(), before)
            self.assertEqual(output.read_text(), "old")

    # File names may have any bytes; JSON may not.

    def test_names_that_are_no_utf8(self):
        odd = os.fsdecode(b"cl\xe4uds")
        data, model, store = (self.folder / f"{odd}{end}" for end in (".csv", ".model", ".db"))
        shutil.copy(self.data, data)
        shown = "cl\ufffduds"
        result = json.loads(self.succeed("train", data, "-o", model, *QUICK, "--json").stdout)
        self.assertTrue(result["model"].endswith(f"{shown}.model"))
        json.loads(self.succeed("eval", model, data, "--json").stdout)
        json.loads(self.succeed("inspect", model, "--json").stdout)
        self.assertEqual(len(self.succeed("predict", model, data, "--json").stdout.splitlines()), 40)
        bench = ["bench", "--methods", "direct,spl", "--datasets", data, *QUICK]
        for command in (bench, [*bench, "--db", store], ["report", store]):
            lines = self.succeed(*command, "--json").stdout.splitlines()
            self.assertEqual({one["dataset"] for one in map(json.loads, lines) if "dataset" in one}, {shown})
        files = [json.loads(line)["name"] for line in
                 self.succeed("data", "list", "--data", self.folder, "--json").stdout.splitlines()]
        self.assertIn(shown, files)
        # As bytes: Python would not decode what the program prints of such names.
        listed = subprocess.run([TOOL, "list", "datasets", "--json"], env={"UASPL_DATA": str(self.folder)},
                                capture_output=True, check=True).stdout
        self.assertIn(shown, [json.loads(line)["name"] for line in listed.splitlines()])
        self.succeed("report", store, "--html", self.folder / "page.html", "--latex", self.folder / "tex", "--csv",
                     self.folder / "csv")
        self.assertIn(shown, (self.folder / "page.html").read_text(errors="replace"))


if __name__ == "__main__":
    unittest.main()
