"""The real program on several ranks: `mpirun uaspl bench`, with ranks that are killed. Usage: tool_mpi_test.py PROGRAM"""
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from tool import TOOL, write_clouds
from tool_store_test import GridCase, content

MODULE = pathlib.Path(TOOL).parent / "libuaspl_mpi.so"
MPIRUN = shutil.which("mpirun")
# Ranks that share few cores, by root too; nothing of this machine's data folders.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("UASPL_DATA", "XDG_DATA_HOME")} | {
    "HOME": "/nonexistent", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MANY = 100  # seeds: more work than is done until mpirun has noticed that a rank is gone


def children(parent):
    """The ranks of an mpirun: process by rank."""
    ranks = {}
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) != parent:
                continue
            for variable in (entry / "environ").read_text().split("\0"):
                if variable.startswith("OMPI_COMM_WORLD_RANK="):
                    ranks[int(variable.partition("=")[2])] = int(entry.name)
    return ranks


@unittest.skipUnless(MPIRUN and MODULE.exists(), "no mpirun here, or uaspl was built without MPI")
class Mpi(GridCase):
    def start(self, ranks, *arguments, command=(TOOL,)):
        process = subprocess.Popen(
            [MPIRUN, "-n", str(ranks), "--oversubscribe", *map(str, [*command, *arguments])], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # first: the last comes first
        return process

    def mpirun(self, ranks, *arguments, code=0, **options):
        process = self.start(ranks, *arguments, **options)
        output, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, messages)
        return output, messages

    def undisturbed(self, **options):
        whole = self.folder / "whole.db"
        self.succeed(*self.arguments(whole, **options), "--jobs", "1")
        return content(whole)

    def wait_for_runs(self, process, least):
        for _ in range(1200):
            with contextlib.suppress(sqlite3.OperationalError):
                if len(content(self.db)) >= least:
                    return
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.fail("no runs came")

    def reports(self, db):
        """The files of a report, without their seconds."""
        folder = self.folder / f"{db.stem}_csv"
        self.succeed("report", db, "--csv", folder)
        texts = {file.name: file.read_bytes() for file in folder.iterdir()}
        for name, seconds in (("runs.csv", b",seconds,inference_seconds"), ("errors.csv", b",time_train_s,time_infer_s")):
            lines = texts[name].splitlines()
            self.assertTrue(lines[0].endswith(seconds))
            texts[name] = [line.rsplit(b",", 2)[0] for line in lines]
        return texts

    def test_several_studies_one_after_the_other(self):
        few = ("--runs", "1", "--steps", "3", "--datasets", self.folder / "alpha.csv", "--db", self.db)
        output, _ = self.mpirun(3, "reproduce", "all", *few)
        alone = self.folder / "alone.db"
        self.assertEqual(self.succeed("reproduce", "all", *few[:-1], alone).stdout, output)
        self.assertEqual(content(alone), content(self.db))

    def test_the_program_itself_does_not_know_mpi(self):
        linked = subprocess.run(["ldd", TOOL], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("mpi", linked)
        self.assertIn("libmpi", subprocess.run(["ldd", MODULE], capture_output=True, text=True, check=True).stdout)

    def test_ranks_give_the_bytes_of_one_process(self):
        one = self.folder / "one.db"
        alone = self.succeed(*self.arguments(one), "--jobs", "1")
        output, messages = self.mpirun(3, *self.arguments())
        self.assertEqual(output, alone.stdout)
        self.assertIn("results.db: 40 new run(s), 40 of these", messages)
        self.assertEqual(len(messages.splitlines()), 1)
        self.assertEqual(content(self.db), content(one))
        self.assertEqual(self.reports(self.db), self.reports(one))
        self.assertEqual([p.name for p in self.folder.glob("results.db*")], ["results.db"])
        output, messages = self.mpirun(2, *self.arguments(), "--jobs", "2")
        self.assertEqual(output, alone.stdout)
        self.assertIn(" 0 new run(s), 40 of these", messages)

    def test_studies_and_traces(self):
        few = ("--runs", "2", "--steps", "3", "--datasets", self.folder / "alpha.csv")
        one = self.folder / "one.db"
        self.assertEqual(self.mpirun(2, "reproduce", "table-main", *few, "--db", self.db)[0],
                         self.succeed("reproduce", "table-main", *few, "--db", one).stdout)
        for db in (self.db, one):
            db.unlink()
        conditions = ("--rate", "0.05,0.1", "--stages", "2,6", "--share-step", "0.75", "--carry-momentum")
        output, messages = self.mpirun(3, *self.arguments(methods="spl", runs=2), *conditions)
        self.assertIn("16 new run(s)", messages)
        self.assertEqual(output, self.succeed(*self.arguments(one, methods="spl", runs=2), *conditions).stdout)
        self.assertEqual(content(self.db), content(one))
        for db in (self.db, one):
            db.unlink()
        samples = []
        self.mpirun(3, *self.arguments(methods="spl_linear,uaspl"), "--trace")
        self.succeed(*self.arguments(one, methods="spl_linear,uaspl"), "--trace")
        for db in (self.db, one):
            with contextlib.closing(sqlite3.connect(db)) as database:
                samples.append(database.execute(
                    "SELECT dataset, method, seed, stage, row, loss, uncertainty, weight, correct, samples.selected"
                    " FROM samples JOIN runs ON runs.id = run ORDER BY 1, 2, 3, 4, 5").fetchall())
        self.assertEqual(len(samples[0]), 2 * 4 * 6 * (30 + 45))
        self.assertEqual(*samples)

    def kill(self, rank):
        before = len(content(self.db)) if self.db.exists() else 0
        process = self.start(3, *self.arguments(runs=MANY))
        self.wait_for_runs(process, before + 5)
        os.kill(children(process.pid)[rank], signal.SIGKILL)
        _, messages = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0, messages)
        finished = len(content(self.db))
        self.assertTrue(before + 5 <= finished < 10 * MANY, finished)

    def test_a_killed_rank_costs_the_runs_under_way(self):
        self.kill(2)
        self.kill(1)
        self.mpirun(3, *self.arguments(runs=MANY))
        self.assertEqual(content(self.db), self.undisturbed(runs=MANY))
        self.assertEqual(self.reports(self.db), self.reports(self.folder / "whole.db"))

    def test_so_does_a_killed_rank_0(self):
        self.kill(0)
        self.succeed(*self.arguments(runs=MANY))  # goes on alone
        self.assertEqual(content(self.db), self.undisturbed(runs=MANY))

    def test_ctrl_c_ends_all_of_them(self):
        process = self.start(3, *self.arguments(runs=5000))
        self.wait_for_runs(process, 5)
        ranks = children(process.pid)
        self.assertEqual(sorted(ranks), [0, 1, 2])
        for pid in ranks.values():
            os.kill(pid, signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, messages)
        self.assertRegex(messages, r"interrupted; \d+ of 50000 runs were finished and are in .*results.db")
        finished = int(messages.partition("interrupted; ")[2].split()[0])
        self.assertEqual(len(content(self.db)), finished)

    def test_a_rank_that_is_interrupted_ends_all_of_them(self):
        process = self.start(3, *self.arguments(runs=5000))
        self.wait_for_runs(process, 5)
        os.kill(children(process.pid)[1], signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, messages)
        self.assertRegex(messages, r"uaspl: rank 1 was interrupted \(\d+ finished runs are in .*results.db\)")

    def test_another_process_on_the_same_store_shares_the_work(self):
        expected = self.undisturbed(runs=20)
        alone = subprocess.Popen([TOOL, *map(str, self.arguments(runs=20)), "--jobs", "1"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        messages = self.mpirun(2, *self.arguments(runs=20))[1] + alone.communicate(timeout=60)[1]
        new = [int(part.split()[0]) for part in messages.split("results.db: ")[1:]]
        self.assertEqual(sum(new), 200, messages)  # nothing was done twice
        self.assertEqual(content(self.db), expected)

    def test_ranks_with_other_data_are_refused(self):
        script = self.write("rank", f"""#!/bin/sh
test "$OMPI_COMM_WORLD_RANK" = 1 && cd {self.folder}/other
exec "$@"
""")
        script.chmod(0o755)
        (self.folder / "other").mkdir()
        write_clouds(self.folder / "other" / "gamma.csv", 70)
        write_clouds(self.folder / "gamma.csv", 80)
        before = pathlib.Path.cwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        tool = (script, pathlib.Path(before / TOOL))
        bench = ["bench", "--methods", "spl,uaspl", "--datasets", "gamma.csv", "--runs", 3000, "--db", self.db]
        _, messages = self.mpirun(3, *bench, command=tool, code=1)
        self.assertIn("uaspl: rank 1 would compute something else: it has data set gamma (", messages)
        self.assertEqual(messages.count("uaspl: "), 1)
        (self.folder / "other" / "gamma.csv").unlink()
        _, messages = self.mpirun(3, *bench, command=tool, code=1)
        self.assertIn("uaspl: rank 1: ", messages)
        self.assertIn("gamma", messages)

    def test_errors_are_said_once(self):
        _, messages = self.mpirun(3, *self.arguments(methods="spl,uasp"), code=2)
        self.assertEqual(messages.count("known: direct"), 1)
        _, messages = self.mpirun(3, *self.arguments(self.write("text.db", "x" * 5000)), code=1)
        self.assertEqual(messages.count("not a uaspl results file"), 1)
        _, messages = self.mpirun(2, *self.arguments()[:-2], code=2)
        self.assertIn("several ranks need --db", messages)

    def test_without_the_module(self):
        tool = self.folder / "bin" / "uaspl"
        tool.parent.mkdir()
        shutil.copy(TOOL, tool)
        _, messages = self.mpirun(2, *self.arguments(), command=(tool,), code=1)
        self.assertIn("libopenmpi-dev", messages)
        self.assertIn("--shard mpi", messages)
        # Alone it is not missed.
        self.mpirun(1, *self.arguments(runs=1), command=(tool,))

    def test_shards_by_rank(self):
        own = self.arguments("part$OMPI_COMM_WORLD_RANK.db")
        text = f"cd {self.folder} && exec {pathlib.Path(TOOL).resolve()} {' '.join(map(str, own))} --shard mpi"
        self.mpirun(3, "-c", text, command=("sh",))
        parts = [self.folder / f"part{i}.db" for i in range(3)]
        self.assertEqual(sum(len(content(part)) for part in parts), 40)
        self.succeed("merge", self.db, *parts)
        self.assertEqual(content(self.db), self.undisturbed())
        # One file for all of them does as well.
        shared = self.folder / "shared.db"
        self.mpirun(2, *self.arguments(shared), "--shard", "mpi")
        self.assertEqual(content(shared), content(self.db))
        for rank, size in (("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS")):
            part = self.folder / f"{rank}.db"
            self.succeed(*self.arguments(part), "--shard", "mpi", environment={rank: "1", size: "8"})
            self.assertEqual(len(content(part)), 5)
        self.fail_with("needs mpirun or srun", *self.arguments(), "--shard", "mpi", code=2)


if __name__ == "__main__":
    unittest.main()
