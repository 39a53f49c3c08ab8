"""The real program with a results store: `bench --db` and `merge`, and the faults that a grid must survive.
Usage: tool_store_test.py PROGRAM"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import time
import unittest

from tool import TOOL, ToolTest, run, write_clouds

MAGIC = bytes.fromhex("d9d505f920a163d7")  # begins a journal, and ends one that names a second one
METHODS = "direct,spl,uaspl,mw_net,clu1"


def content(path):
    """Everything in a store but the times and the order of arrival."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        runs = database.execute(
            "SELECT dataset, data_sha256, method, configuration, seed, accuracy, precision, recall, f1, id FROM runs"
            " ORDER BY dataset, method, configuration, seed").fetchall()
        stages = {}
        for row in database.execute("SELECT * FROM stages ORDER BY run, stage"):
            stages.setdefault(row[0], []).append(row[1:])
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return [(*row[:-1], stages.get(row[-1], [])) for row in runs]  # some methods have no stages


def hot_journal(db, names=None, pages=1):
    """A journal beside a store that SQLite would roll back, and then delete the file that it names."""
    head = struct.pack(">8sIIIII", MAGIC, 0, 7, pages, 512, 4096).ljust(512, b"\0")
    name = os.fsencode(names) if names else b""
    if name:
        head += struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    pathlib.Path(f"{db}-journal").write_bytes(head)


class GridCase(ToolTest):
    """Two small data sets, and a grid on them."""

    def setUp(self):
        super().setUp()
        write_clouds(self.folder / "alpha.csv", 60)
        write_clouds(self.folder / "beta.csv", 90, 3)
        self.db = self.folder / "results.db"

    def arguments(self, db=None, runs=4, methods=METHODS):
        return ["bench", "--methods", methods, "--datasets", self.folder / "alpha.csv", "--datasets",
                self.folder / "beta.csv", "--runs", runs, "--steps", "25", "--db", db or self.db]


class Store(GridCase):
    def start(self, *more):
        return subprocess.Popen([TOOL, *map(str, self.arguments()), *map(str, more)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def undisturbed(self):
        whole = self.folder / "whole.db"
        self.succeed(*self.arguments(whole))
        return content(whole)

    def test_a_second_run_finds_everything(self):
        first = self.succeed(*self.arguments(), "--jobs", "1")
        before = content(self.db)
        self.assertEqual(len(before), 2 * 5 * 4)
        changed = self.db.stat().st_mtime_ns
        second = self.succeed(*self.arguments(), "--jobs", "3")
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(content(self.db), before)
        self.assertEqual(self.db.stat().st_mtime_ns, changed)
        self.assertEqual([p.name for p in self.folder.glob("results.db*")], ["results.db"])
        # More of the same only adds what is missing; other jobs give the same.
        self.succeed(*self.arguments(runs=6, methods="spl,uaspl"), "--jobs", "2")
        self.assertEqual(len(content(self.db)), 40 + 2 * 2 * 2)
        other = self.folder / "jobs.db"
        self.succeed(*self.arguments(other), "--jobs", "3")
        self.assertEqual(content(other), before)

    def test_killed_at_twenty_moments_it_goes_on(self):
        draw = random.Random(5)
        kills = 0
        parts = set()  # how many runs there were after a kill
        while kills < 20:
            process = self.start("--jobs", str(draw.choice((1, 2))))
            try:
                process.wait(timeout=draw.uniform(0.01, 0.12))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate()
            kills += 1
            with contextlib.suppress(sqlite3.OperationalError):
                parts.add(len(content(self.db)))
            if process.returncode == 0:  # all is done: begin again
                for file in self.folder.glob("results.db*"):
                    file.unlink()
        self.assertTrue(any(0 < part < 40 for part in parts), parts)
        self.succeed(*self.arguments())
        self.assertEqual(content(self.db), self.undisturbed())

    def test_ctrl_c_ends_it_cleanly(self):
        process = subprocess.Popen([TOOL, *map(str, self.arguments(runs=5000))], stderr=subprocess.PIPE, text=True,
                                   stdout=subprocess.DEVNULL)
        for _ in range(600):
            time.sleep(0.05)
            with contextlib.suppress(sqlite3.OperationalError):
                if content(self.db):
                    break
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(messages, r"interrupted; \d+ of 50000 runs were finished and are in .*results.db")
        self.assertGreater(len(content(self.db)), 0)

    def test_two_processes_share_the_work(self):
        expected = self.undisturbed()
        orders = (METHODS, ",".join(reversed(METHODS.split(","))), "all")
        processes = [subprocess.Popen([TOOL, *map(str, self.arguments(methods=order)), "--jobs", "1"], text=True,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for order in orders]
        new = 0
        for process in processes:
            _, messages = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, messages)
            new += int(messages.partition("results.db: ")[2].split()[0])
        methods = METHODS.split(",")
        self.assertEqual([row for row in content(self.db) if row[2] in methods], expected)
        self.assertEqual(new, len(content(self.db)))  # nothing was done twice

    def test_shards_and_merge_give_the_whole(self):
        parts = []
        for i in (1, 2, 3):
            parts.append(self.folder / f"part{i}.db")
            if i < 3:
                self.succeed(*self.arguments(parts[-1]), "--shard", f"{i}/3")
            else:
                self.succeed(*self.arguments(parts[-1]), "--shard", "slurm", environment={
                    "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_MAX": "7",
                    "SLURM_ARRAY_TASK_COUNT": "3"})
        sizes = [len(content(part)) for part in parts]
        self.assertEqual(sum(sizes), 40)
        self.assertTrue(all(size > 0 for size in sizes))
        self.succeed("merge", self.db, *parts)
        self.assertEqual(content(self.db), self.undisturbed())
        self.assertIn("0 new run(s)", self.succeed("merge", self.db, parts[0]).stdout)

    def test_noise_is_a_configuration_of_its_own(self):
        clean = self.undisturbed()
        self.succeed(*self.arguments())
        self.succeed(*self.arguments(), "--noise", "uniform:0.4")
        self.succeed(*self.arguments(), "--noise", "uniform:0.4", "--clean-pretraining")
        self.succeed(*self.arguments(), "--noise", "asymmetric:0.2")
        runs = content(self.db)
        self.assertEqual(len(runs), 4 * 40)
        by_configuration = {}
        for row in runs:
            noise = row[3].partition('"noise":')[2]
            by_configuration.setdefault(noise, []).append(row[5])
        self.assertEqual(len(by_configuration), 4)
        self.assertEqual(len(set(map(tuple, by_configuration.values()))), 4)
        self.assertEqual(sorted(by_configuration[""]), sorted(row[5] for row in clean))
        mean = {k: sum(v) / len(v) for k, v in by_configuration.items()}
        self.assertEqual(max(mean, key=mean.get), "")  # wrong labels cost accuracy

    def test_a_trace_has_every_row_at_every_stage(self):
        self.succeed(*self.arguments(runs=1, methods="spl_linear"))
        self.succeed(*self.arguments(runs=1, methods="spl_linear"), "--trace")
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM runs").fetchone(), (2,))
            count, = database.execute("SELECT count(*) FROM samples JOIN runs ON runs.id = run"
                                      " WHERE dataset = 'alpha'").fetchone()
            self.assertEqual(count, 30 * 6)
            wrong = database.execute(
                "SELECT count(*) FROM (SELECT sum(s.selected) AS picked, t.selected FROM samples s JOIN stages t"
                " USING (run, stage) GROUP BY run, stage HAVING picked != t.selected)").fetchone()
            self.assertEqual(wrong, (0,))
            self.assertEqual(database.execute("SELECT count(*) FROM samples WHERE NOT selected AND weight != 0"
                                              " OR weight > 1 OR loss < 0").fetchone(), (0,))

    def test_a_full_disk_leaves_a_good_file_and_the_work_goes_on(self):
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=140k", "none", small],
                          capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        try:
            db = small / "results.db"
            result = run(*self.arguments(db))
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn("no space left", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            saved = self.folder / "saved.db"
            for end in ("", "-wal", "-shm"):
                if pathlib.Path(f"{db}{end}").exists():
                    shutil.copy(f"{db}{end}", f"{saved}{end}")
            finished = len(content(saved))
            self.assertTrue(0 < finished < 40, finished)
            subprocess.run(["mount", "-o", "remount,size=4m", small], check=True)
            self.succeed(*self.arguments(db))
            self.assertEqual(content(db), self.undisturbed())
        finally:
            subprocess.run(["umount", "--lazy", small], check=True)

    def test_files_that_are_no_stores(self):
        text = self.write("text.db", "dataset,method\n" + "x" * 5000)
        self.fail_with("not a uaspl results file", *self.arguments(text))
        self.fail_with("not a uaspl results file", "merge", self.db, text)
        self.assertFalse(self.db.exists())
        self.fail_with("no such file", "merge", self.db, self.folder / "none.db")
        self.fail_with("cannot be opened", *self.arguments(self.folder / "no" / "folder.db"))
        self.succeed(*self.arguments(runs=1, methods="spl"))
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as database:
            database.execute("PRAGMA user_version = 77")
        self.fail_with("written by a newer uaspl (format 77", *self.arguments())
        self.fail_with("written by a newer uaspl", "merge", self.folder / "new.db", self.db)

    def test_no_journal_makes_it_delete_a_file(self):
        self.succeed(*self.arguments(runs=1, methods="spl"))
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        precious = self.write("precious.txt", "mine")
        copy = self.folder / "copy.db"
        shutil.copy(self.db, copy)
        hot_journal(copy, precious, pages=copy.stat().st_size // 4096)
        with contextlib.closing(sqlite3.connect(copy)) as database:
            database.execute("SELECT * FROM runs").fetchall()
        self.assertFalse(precious.exists(), "the journal of this test does nothing")
        self.write("precious.txt", "mine")
        before = self.db.read_bytes()
        hot_journal(self.db, precious, pages=len(before) // 4096)
        self.fail_with("a change to it was not finished", "report", self.db)
        self.fail_with("a change to it was not finished", "merge", self.folder / "all.db", self.db)
        self.fail_with("names another file that would be deleted", "merge", self.db, copy)
        self.fail_with("names another file that would be deleted", *self.arguments())
        (self.folder / "link.db").symlink_to(self.db)
        self.fail_with("a change to it was not finished", "report", self.folder / "link.db")
        self.assertEqual(precious.read_text(), "mine")
        self.assertEqual(self.db.read_bytes(), before)
        pathlib.Path(f"{self.db}-journal").unlink()
        self.succeed("report", self.db)

    def test_files_of_others_beside_the_store_stay(self):
        for there in (False, True):
            if there:
                self.succeed(*self.arguments(runs=1, methods="spl"))
            for end in (".lock", "-wal", "-shm", "-journal"):
                foreign = self.folder / f"results.db{end}"
                foreign.write_text("my notes on the results\n")
                self.fail_with("move or remove it", *self.arguments())
                self.assertEqual(foreign.read_text(), "my notes on the results\n")
                foreign.unlink()
        os.mkfifo(self.folder / "results.db.lock")
        self.fail_with("in the place of a lock", *self.arguments())

    def test_killed_while_the_store_was_made_it_begins_anew(self):
        self.db.write_bytes(b"\0" * 4096)
        hot_journal(self.db, pages=0)
        self.succeed(*self.arguments(runs=1, methods="spl"))
        self.assertEqual(len(content(self.db)), 2)

    def test_reading_leaves_nothing_beside_the_store(self):
        self.succeed(*self.arguments(runs=1, methods="spl"))
        before = sorted(self.folder.iterdir())
        self.succeed("report", self.db)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        with contextlib.closing(sqlite3.connect(self.db)) as writer, writer:
            writer.execute("UPDATE runs SET dataset = 'renamed'")
            writer.commit()
            self.assertTrue(pathlib.Path(f"{self.db}-wal").exists())
            self.assertIn("renamed", self.succeed("report", self.db).stdout)

    def test_a_store_with_hostile_content(self):
        self.succeed(*self.arguments(runs=1, methods="spl"))
        good = self.db.read_bytes()
        endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        for change, message in ((f"DROP TABLE stages; CREATE VIEW stages AS {endless}", "view 'stages' is not as"),
                                ("PRAGMA user_version = -1", "not a uaspl results file: format -1"),
                                ("UPDATE runs SET rows = -1", "'rows' has a value that is not in the range"),
                                ("UPDATE runs SET configuration = '{\"a\":1,\"a\":2}'", "the key 'a' comes twice")):
            self.db.write_bytes(good)
            with contextlib.closing(sqlite3.connect(self.db)) as database:
                database.executescript(change)
            self.fail_with(message, "report", self.db)

    def test_a_folder_that_cannot_be_written(self):
        """By its rights, or for root, who may write everywhere, because its file system is read only."""
        place = self.folder / "place"
        place.mkdir()
        root = os.geteuid() == 0
        if root and subprocess.run(["mount", "-t", "tmpfs", "none", place], capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted here, and root may write everywhere")
        try:
            db = place / "results.db"
            self.succeed(*self.arguments(db, runs=1, methods="spl"))
            expected = content(db)
            if root:
                subprocess.run(["mount", "-o", "remount,ro", place], check=True)
            else:
                place.chmod(0o500)
            self.fail_with("cannot be written", *self.arguments(db, runs=2, methods="spl"))
            self.fail_with(str(place / "new.db"), *self.arguments(place / "new.db", runs=2, methods="spl"))
            self.fail_with("report.html", "report", db, "--html", place / "report.html")
            shutil.copy(db, self.db)
            self.assertEqual(content(self.db), expected)
        finally:
            if root:
                subprocess.run(["umount", "--lazy", place], check=True)
            else:
                place.chmod(0o700)

    def test_runs_of_another_results_version_are_named(self):
        self.succeed(*self.arguments())
        with contextlib.closing(sqlite3.connect(self.db)) as store, store:
            store.execute("UPDATE runs SET results_version = 0 WHERE method = 'spl'")
            old = store.execute("SELECT count(*) FROM runs WHERE method = 'spl'").fetchone()[0]
        said = self.succeed("report", self.db)
        self.assertIn(f"warning: {self.db}: {old} run(s) of another results version were left out", said.stderr)
        self.assertNotIn("| spl |", said.stdout)
        merged = self.succeed("merge", self.folder / "merged.db", self.db)
        self.assertIn(f"{old} run(s) of another results version", merged.stderr)

    def test_reports_are_the_same_however_the_runs_came(self):
        self.succeed(*self.arguments(), "--jobs", "2")
        other = self.folder / "other.db"
        for i in (2, 1):
            self.succeed(*self.arguments(other), "--shard", f"{i}/2", "--jobs", "1")
        folders = []
        for db in (self.db, other):
            folders.append(self.folder / f"{db.stem}_csv")
            self.succeed("report", db, "--csv", folders[-1], "--markdown", folders[-1].with_suffix(".md"))
        names = sorted(file.name for file in folders[0].iterdir())
        self.assertEqual(names, ["ablation.csv", "calibration.csv", "conditions.csv", "deviations.csv", "errors.csv",
                                 "friedman.csv", "groups.csv", "intervals.csv", "ordering-datasets.csv", "ordering.csv", "ranks.csv", "runs.csv", "stages.csv",
                                 "summary.csv", "variation.csv", "wilcoxon.csv"])
        for name in names:
            texts = [(folder / name).read_text() for folder in folders]
            if name == "runs.csv":
                self.assertEqual(texts[0].count("\n"), 41)
            if name in ("runs.csv", "errors.csv"):  # whose last two columns are seconds
                texts = [[line.rsplit(",", 2)[0] for line in text.splitlines()] for text in texts]
            self.assertEqual(*texts)
        markdown = folders[0].with_suffix(".md").read_text()
        self.assertEqual(markdown, folders[1].with_suffix(".md").read_text())
        self.assertIn("| uaspl |", markdown)
        few = self.succeed("report", self.db, "--methods", "spl,uaspl", "--datasets", "beta").stdout
        self.assertNotIn("direct", few)
        self.assertNotIn("alpha", few)
        lines = [json.loads(line) for line in self.succeed("report", self.db, "--json").stdout.splitlines()]
        tables = {line["table"] for line in lines if "table" in line}
        self.assertEqual(tables, {"deviations", "groups", "calibration", "ordering", "ordering-datasets"})
        lines = [line for line in lines if "dataset" in line]
        self.assertEqual(len(lines), 2 * 5)
        self.assertEqual({line["brier"]["runs"] for line in lines}, {4})
        self.assertEqual({line["runs"] for line in lines}, {4})
        accuracy = {(row[0], row[2]): [] for row in content(self.db)}
        for row in content(self.db):
            accuracy[row[0], row[2]].append(row[5])
        for line in lines:
            values = accuracy[line["dataset"], line["method"]]
            self.assertAlmostEqual(line["accuracy"]["mean"], sum(values) / len(values))
        self.fail_with("no run to report", "report", self.db, "--methods", "none")
        minimum = self.succeed("report", self.db, "--ties", "minimum", "--decimals", "2").stdout
        self.assertIn("all have the best of their ranks. Means are rounded to 2 decimals before.", minimum)
        before = self.db.read_bytes()
        for output in ("--html", "--markdown"):
            self.fail_with("would overwrite", "report", self.db, output, self.db, code=2)
            self.fail_with("would overwrite", "report", self.db, output, f"{self.db}-wal", code=2)
        self.fail_with("would overwrite", "report", self.db, "--html", self.folder / "x", "--markdown", self.folder / "x",
                       code=2)
        self.assertEqual(self.db.read_bytes(), before)
        self.fail_with("no such file", "report", self.folder / "none.db")

    def test_studies_of_the_paper(self):
        few = ("--runs", "2", "--steps", "3", "--datasets", self.folder / "alpha.csv", "--db", self.db)
        result = self.succeed("reproduce", "table-main", *few)
        self.assertIn("32 new run(s)", result.stderr)
        self.assertIn("| uaspl |", result.stdout)
        self.assertNotIn("uaspl\\_linear", result.stdout)
        again = self.succeed("reproduce", "table-main", *few)
        self.assertIn(" 0 new run(s), 32 of these", again.stderr)
        self.assertEqual(again.stdout, result.stdout)
        self.assertIn(" 2 new run(s), 30 of these", self.succeed("reproduce", "table-linear", *few).stderr)
        lines = self.succeed("reproduce", "table-main", *few, "--json").stdout.splitlines()
        self.assertEqual(sum('"dataset":' in line for line in lines), 16)
        quiet = self.succeed("reproduce", "table-main", *few, "-q")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))
        noise = self.succeed("reproduce", "noise", *few).stdout
        for before in ("", " after clean pre-training"):
            self.assertIn(f"## uniform noise{before}, steps 3\n", noise)
            self.assertIn(f"## asymmetric noise{before}, steps 3\n", noise)
        self.assertIn("| ratio of wrong labels | 0 | 0.2 | 0.4 | 0.6 |", noise)
        everything = self.succeed("reproduce", "all", "--runs", "1", *few[2:])
        self.assertIn("### Ablation", everything.stdout)
        self.assertIn("### The order of right and wrong, sure and unsure rows", everything.stdout)
        self.assertIn("### Mean relative loss variation", everything.stdout)
        self.assertEqual(everything.stdout.count("## Selection: uaspl"), 3)
        self.assertIn("### Wilcoxon's signed-rank test", everything.stdout)
        self.assertIn("steps of pre-training | 0 | 5 | 10 | 20 | 30 | 50 | 100 |", everything.stdout)
        self.assertIn(" 0 new run(s)", self.succeed("reproduce", "all", "--runs", "1", *few[2:]).stderr)
        self.assertEqual(self.succeed("report", self.db, "--study", "table-main", "--datasets", "alpha").stdout,
                         result.stdout)
        self.assertIn("| uaspl |", self.succeed("report", self.db, "--study", "noise", "--datasets", "alpha").stdout)
        self.fail_with("known: table-main, table-linear", "reproduce", "table-mane", *few, code=2)
        self.fail_with("--db", "reproduce", "table-main", code=2)
        self.fail_with("has no plan of its own", "reproduce", "all", "--show-plan", code=2)

    def test_the_paper_beside_our_runs(self):
        few = ("--runs", "1", "--datasets", self.folder / "alpha.csv", "--db", self.db)
        text = self.succeed("reproduce", "table-main", *few).stdout
        self.assertIn("### The paper beside these runs: UASPL and fifteen methods, means", text)
        self.assertIn("Ours over 1 data sets, the paper's over 25.", text)
        self.assertRegex(text, r"\| uaspl \| 0\.8285 \| 0\.\d{4} \| [+-]0\.\d{4} \| 1\.76 \| ")
        self.assertIn("add up to 96.04", text)
        self.assertEqual(self.succeed("report", self.db, "--study", "table-main", "--datasets", "alpha").stdout, text)

    def test_stores_of_the_first_format(self):
        self.succeed(*self.arguments(), "-q")
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            for table, first in (("runs", "log_loss"), ("stages", "train_accuracy")):
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                for column in columns[columns.index(first):]:
                    database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            database.execute("DROP TABLE predictions")
            database.execute("DROP TABLE passes")
            database.execute("PRAGMA user_version = 1")
        text = self.succeed("report", self.db, "--csv", self.folder / "old", "--markdown", "-").stdout
        self.assertIn("| uaspl |", text)
        self.assertNotIn("Probabilities and uncertainties", text)
        self.assertNotIn("calibration.csv", os.listdir(self.folder / "old"))
        self.assertIn(",,,,,,2,,,", (self.folder / "old" / "runs.csv").read_text())
        self.succeed("report", self.db, "--latex", self.folder / "latex", "--html", self.folder / "page.html")
        merged = self.folder / "merged.db"
        self.assertIn("40 new run(s)", self.succeed("merge", merged, self.db).stdout)
        again = self.succeed(*self.arguments(runs=5))
        self.assertIn("10 new run(s), 50 of these", again.stderr)  # none of the old ones again
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (3,))
            self.assertEqual(database.execute("SELECT count(*), count(brier), count(predicted_classes) FROM runs").fetchone(),
                             (50, 10, 10))
        # A data set counts for the scores only if all of its runs have them.
        self.assertNotIn("Probabilities and uncertainties", self.succeed("report", self.db).stdout)

    def test_plan_files(self):
        plan = self.folder / "plan.json"
        text = self.succeed("reproduce", "noise", "--show-plan").stdout
        whole = json.loads(text)
        whole.update(datasets=str(self.folder / "alpha.csv"), methods=["spl", "spl_mixture"], runs=2, first_seed=7,
                     steps=3, hidden=[8], noise=["none", "uniform:0.4"], pretraining=[5, 10], set="spl_mixture.gamma=2")
        plan.write_text(json.dumps(whole))
        result = self.succeed("bench", "--plan", plan, "--db", self.db)
        self.assertIn("24 new run(s)", result.stderr)  # 2 methods, 2 seeds, 2 x 3 conditions
        self.assertIn("## uniform noise after clean pre-training, hidden \\[8\\], pretraining 5, steps 3", result.stdout)
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            seeds, methods = (db.execute(f"SELECT DISTINCT {column} FROM runs ORDER BY 1").fetchall()
                              for column in ("seed", "method"))
            settings = db.execute("SELECT json_extract(configuration, '$.method.gamma') FROM runs "
                                  "WHERE method = 'spl_mixture'").fetchall()
        self.assertEqual(seeds, [(7,), (8,)])
        self.assertEqual(methods, [("spl",), ("spl_mixture",)])
        self.assertEqual({float(one[0]) for one in settings}, {2.0})
        fewer = self.succeed("bench", "--plan", plan, "--db", self.db, "--runs", "1", "--datasets",
                             self.folder / "beta.csv")
        self.assertIn("12 new run(s)", fewer.stderr)
        slow = self.succeed("bench", "--plan", plan, "--db", self.db, "--runs", "1", "--rate", "0.05")
        self.assertIn("12 new run(s)", slow.stderr)  # other conditions
        self.assertIn("rate 0.05", slow.stdout)
        for bad, message in (("{", "not JSON"), ("[]", "expected a JSON object"),
                             ('{"runs": 1,\n"runs": 2}', "the key 'runs' comes twice (line 2"), ("{}", "datasets: expected"),
                             ({"runs": 0}, "runs: expected whole numbers in 1..1000000"), ({"runs": [1, 2]}, "one number"),
                             ({"noise": "uniform"}, "noise: 'uniform' is not KIND:RATIO with a ratio in 0..1, nor `none`"),
                             ({"hidden": [1.5]}, "hidden: expected whole numbers"), ({"trace": 1}, "trace: expected"),
                             ({"methods": [1]}, "methods: expected a text"), ({"speed": 9}, "unknown entry 'speed'"),
                             ({"methods": "spll"}, "unknown method 'spll'"), ({"show": "tables"}, "unknown section")):
            plan.write_text(bad if isinstance(bad, str) else json.dumps(whole | bad))
            self.assertIn(message, run("bench", "--plan", plan, "--db", self.db).stderr)
        self.fail_with("--plan", "bench", "--plan", plan, "--first-seed", "7", code=2)
        plan.write_text(json.dumps(whole))
        self.fail_with("needs --db", "bench", "--plan", plan, code=2)

    def test_odd_configurations_in_a_store(self):
        self.succeed(*self.arguments(runs=1, methods="spl"))
        for noise in ('{"kind": 5}', '{"ratio": "x"}', '{"clean_pretraining": "x"}', "7", "[" * 9 + "]" * 9):
            with contextlib.closing(sqlite3.connect(self.db)) as database, database:
                database.execute("UPDATE runs SET configuration = '{\"noise\": ' || ? || '}'", (noise,))
            for form in ("--html", "--markdown"):
                self.succeed("report", self.db, form, self.folder / "out")
            self.succeed("report", self.db, "--csv", self.folder / "csv", "--latex", self.folder / "tex")
        for bad, message in (("[" * 200000, "nested too deeply"), ("nothing", "not JSON"), ("[]", "not an object")):
            with contextlib.closing(sqlite3.connect(self.db)) as database, database:
                database.execute("UPDATE runs SET configuration = ?", (bad,))
            self.fail_with(f"{self.db}: the configuration of a stored run: {message}", "report", self.db)
        plan = self.write("deep.json", '{"datasets": ' + "[" * 200000 + "]" * 200000 + "}")
        self.fail_with("nested too deeply", "bench", "--plan", plan)

    def test_bad_usage(self):
        for text, arguments in (("KIND:RATIO", ["--noise", "uniform"]), ("0..1", ["--noise", "uniform:1.5"]),
                                ("known: uniform, asymmetric", ["--noise", "flip:0.1"]),
                                ("I/N", ["--shard", "0/3"]), ("I/N", ["--shard", "4/3"]), ("I/N", ["--shard", "x"]),
                                ("array job without gaps", ["--shard", "slurm"]),
                                ("--output", ["-o", "runs.csv"])):
            self.fail_with(text, *self.arguments(), *arguments, code=2)
        self.fail_with("expected a file name", *self.arguments()[:-1], "", code=2)
        shutil.copy(self.folder / "alpha.csv", self.folder / "twin.csv")
        self.fail_with("have the same content", *self.arguments(), "--datasets", self.folder / "twin.csv", code=2)
        self.fail_with("needs --db", "bench", "--methods", "spl", "--datasets", self.folder / "alpha.csv", "--shard",
                       "1/2", code=2)


if __name__ == "__main__":
    unittest.main()
