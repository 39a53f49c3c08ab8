"""The real program: `bench` and `list`. Usage: tool_bench_test.py PROGRAM"""
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from tool import TOOL, ToolTest, run, write_clouds


def without_seconds(text):
    return [row[:-1] for row in csv.reader(io.StringIO(text))]


class Bench(ToolTest):
    def setUp(self):
        super().setUp()
        write_clouds(self.folder / "alpha.csv", 60)
        (self.folder / "uci").mkdir()
        write_clouds(self.folder / "uci" / "beta.csv", 90, 3)

    def bench(self, *arguments):
        return run("bench", "--data", str(self.folder), *arguments)

    def test_help_and_version(self):
        for verb in ("", "train", "predict", "eval", "inspect", "data", "bench", "reproduce", "report", "import", "merge", "list"):
            arguments = [verb, "--help"] if verb else ["--help"]
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("xample", result.stdout)
        self.assertRegex(run("--version").stdout, r"^\d+\.\d+\.\d+\n$")

    def test_list(self):
        lines = run("list", "methods").stdout.splitlines()
        self.assertEqual(lines[0].split()[0], "method")
        methods = {line.split()[0]: line for line in lines[1:]}
        for name in ("direct", "spl", "spl_linear", "spl_mixture", "clu1", "clu2", "wsplbf1", "wsplbf2",
                     "mw_net", "active_bias", "spl_conf", "spl_marg", "mc_mi", "mc_pbald", "mc_balent",
                     "spl_spup", "uaspl", "uaspl_linear", "uaspl_mixture", "uaspl_beta1",
                     "uaspl_beta1_linear", "uaspl_beta1_mixture", "uaspl_beta_t", "uaspl_beta_t_linear",
                     "uaspl_beta_t_mixture", "uaspl_hybrid", "uaspl_reliable", "uaspl_diverse", "uaspl_adaptive",
                     "random_order", "anti", "uaspl_random_order", "uaspl_anti", "majority", "edl", "edl_ce",
                     "r_edl", "i_edl", "superloss", "spld", "dihcl", "lre", "el2n", "forgetting", "aum"):
            self.assertIn(name, methods)
        self.assertRegex(methods["mc_mi"], "dropout .*Gal")
        self.assertRegex(methods["mw_net"], "row gradients, 0.2 of the rows .*Shu")
        options = run("list", "methods", "--options").stdout
        self.assertIn("--set uaspl_mixture.gamma=1", options)
        self.assertRegex(options, "--set mc_mi.passes=20 .*whole, 2..10000")
        self.assertIn("cross_entropy", run("list", "losses").stdout)
        for line in run("list", "methods", "--json").stdout.splitlines():
            one = json.loads(line)
            self.assertTrue({"name", "summary", "needs", "reference", "options"} <= set(one))

    def test_all_methods_stand_below_each_other(self):
        result = self.bench("--methods", "all", "--datasets", "alpha,beta", "--steps", "3", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        count = len(run("list", "methods").stdout.splitlines()) - 1
        self.assertEqual(len(result.stdout.splitlines()), 2 * count)
        result = self.bench("--methods", "all", "--datasets", "alpha,beta", "--steps", "3")
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["method", "mean", "rank", "best", "alpha", "beta"])
        self.assertEqual(len(lines), 1 + count)
        ranks = [float(line.split()[2]) for line in lines[1:]]
        self.assertAlmostEqual(sum(ranks), count * (count + 1) / 2, delta=0.2)

    def test_every_option_of_every_method_is_checked_and_reaches_it(self):
        for line in run("list", "methods", "--json").stdout.splitlines():
            one = json.loads(line)
            for option, value in one["options"].items():
                known = ("--methods", one["name"], "--datasets", "alpha", "--data", self.folder)
                name = f"{one['name']}.{option}"
                self.fail_with(f"option {option}", "bench", *known, "--set", f"{name}=-7", code=2)
                self.succeed("bench", *known, "--steps", "1", "-q", "--set", f"{name}={value}")
        known = ("--methods", "mc_mi", "--datasets", "alpha", "--data", self.folder)
        self.fail_with("'2.5' is not a whole number in 2..10000", "bench", *known, "--set", "mc_mi.passes=2.5",
                       code=2)

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

    def test_json_and_threads(self):
        write_clouds(self.folder / "many.csv", 600)
        common = ("bench", "--methods", "spl", "--datasets", self.folder / "many.csv", "--runs", "2")
        line = json.loads(self.succeed(*common, "--json", "--threads", "1").stdout)
        self.assertEqual((line["dataset"], line["method"], line["runs"]), ("many", "spl", 2))
        self.assertEqual(line, json.loads(self.succeed(*common, "--json", "--threads", "3").stdout))
        self.assertEqual(json.loads(run("list", "losses", "--json").stdout.splitlines()[0])["name"], "cross_entropy")

    def test_bench_moves_the_seeds(self):
        arguments = ("--methods", "spl", "--datasets", "alpha", "-q", "-o", "-")
        three = self.bench(*arguments, "--runs", "3").stdout
        second = self.bench(*arguments, "--first-seed", "2026").stdout
        self.assertEqual(without_seconds(second)[1], without_seconds(three)[2])

    def test_bench_takes_files_and_all(self):
        folder = self.folder / "odd"
        folder.mkdir()
        shutil.copy(self.folder / "alpha.csv", folder / 'o,d"d.csv')
        (folder / "folder.csv").mkdir()
        result = run("bench", "--methods", "spl", "--data", folder, "--datasets", "all", "--steps", "1", "-q",
                     "-o", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        names = [row[0] for row in without_seconds(result.stdout)]
        self.assertIn('o,d"d', names)  # quoted, as it must be
        self.assertNotIn("folder", names)
        result = run("bench", "--methods", "spl", "--datasets", self.folder / "alpha.csv", "-q", "-o", "-")
        self.assertEqual(without_seconds(result.stdout)[1][0], "alpha")

    def test_options_of_methods_matter(self):
        def accuracy(*settings):
            result = self.bench("--methods", "uaspl_mixture", "--datasets", "beta", "--runs", "4", "-q",
                                "-o", "-", *settings)
            self.assertEqual(result.returncode, 0, result.stderr)
            return without_seconds(result.stdout)
        self.assertNotEqual(accuracy(), accuracy("--set", "uaspl_mixture.evidence=softplus"))

    def test_options_of_the_baselines_matter(self):
        def lines(*settings):
            name = settings[0].split(".")[0]
            chosen = [text for setting in settings[1:] for text in ("--set", setting)]
            result = self.bench("--methods", name, "--datasets", "beta", "--runs", "8", "--steps", "40", "-q",
                                "-o", "-", *chosen)
            self.assertEqual(result.returncode, 0, result.stderr)
            return without_seconds(result.stdout)
        for setting in ("clu1.neighbours=1", "clu2.centres=tuned", "wsplbf1.psi=8", "wsplbf2.g=30",
                        "mw_net.meta=0.5", "mw_net.rate=0.5", "active_bias.floor=0", "mc_mi.dropout=0.7",
                        "mc_pbald.beta=20", "mc_balent.passes=3", "spl_spup.sigma=20",
                        "mw_net.scale=mean", "active_bias.use=draws", "edl.evidence=exp", "r_edl.prior=5",
                        "i_edl.c=5", "superloss.lambda=0.1", "spld.gamma=50", "dihcl.hardness=flips",
                        "lre.most=1", "uaspl_reliable.delta=1", "uaspl_diverse.gamma=50",
                        "uaspl_hybrid.kappa=20", "uaspl_hybrid.beta_first=20", "uaspl_hybrid.beta_last=20"):
            name = setting.split("=")[0]
            self.assertNotEqual(lines(name), lines(name, setting), setting)

    def test_bad_usage_lists_the_candidates_and_exits_2(self):
        known = ("--datasets", "alpha", "--data", self.folder)
        for arguments, text in (
                (["--methods", "uasp", *known], "known: direct, spl"),
                (["--methods", "spl", "--datasets", "gamma", "--data", self.folder], "known: alpha, beta"),
                (["--methods", "spl", *known, "--frobnicate"], "known: --help"),
                (["--methods", "spl", *known, "--frobnicate"], "--first-seed"),
                (["--methods", "spl", *known, "--runs", "0"], "--runs"),
                (["--methods", "spl", *known, "-o", ""], "--output"),
                (["--methods", "spl", *known, "--set", "spl.gamma"], "METHOD.OPTION=VALUE"),
                (["--methods", "uaspl", *known, "--set", "uaspl.beta=x"], "option beta"),
                (["--methods", "spl"], "--datasets"),
        ):
            self.fail_with(text, "bench", *arguments, code=2)
        self.fail_with("known: train, predict", code=2)
        self.fail_with("known: train, predict", "frobnicate", code=2)
        self.fail_with("known: list, info, pull", "data", "frobnicate", code=2)

    def test_failures_are_one_sentence_and_exit_1(self):
        self.write("bad.csv", "label,a\n0,1\n1,inf\n")
        self.write("lonely.csv", "label,a\n0,1\n")
        for arguments, text in (
                (["--datasets", "bad"], "bad.csv:3: column 2 ('a'): 'inf' is not a finite number"),
                (["--datasets", "alpha,lonely"], "lonely: column 'label' has only one class"),
                (["--datasets", str(self.folder)], "is a directory"),
                (["--datasets", "alpha", "-o", "/no/such/folder/x.csv"], "cannot be written"),
                (["--datasets", "alpha", "-o", str(self.folder)], "is a directory"),
        ):
            self.fail_with(text, "bench", "--data", self.folder, "--methods", "spl", *arguments)
        self.fail_with("no such folder", "bench", "--data", "/no/such", "--methods", "spl", "--datasets", "x")
        self.assertFalse(os.path.exists(f"{self.folder}.journal"))

    def test_data_are_not_overwritten_and_names_do_not_collide(self):
        alpha = self.folder / "alpha.csv"
        before = alpha.read_bytes()
        self.fail_with("would overwrite", "bench", "--methods", "spl", "--datasets", alpha, "-o",
                       alpha, code=2)
        self.assertEqual(alpha.read_bytes(), before)
        (self.folder / "other").mkdir()
        shutil.copy(alpha, self.folder / "other")
        self.fail_with("two data sets are called 'alpha'", "bench", "--methods", "spl", "--datasets",
                       f"{alpha},{self.folder / 'other' / 'alpha.csv'}", code=2)

    def test_devices_and_links_are_not_replaced(self):
        target = self.write("target.csv", "old")
        link = self.folder / "link.csv"
        link.symlink_to(target)
        self.succeed("bench", "--methods", "spl", "--datasets", self.folder / "alpha.csv", "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertTrue(target.read_text().startswith("dataset,method"))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        self.succeed("bench", "--methods", "spl", "--datasets", self.folder / "alpha.csv", "-o", pipe)
        self.assertTrue(reader.communicate(timeout=60)[0].startswith("dataset,method"))
        self.assertTrue(pipe.is_fifo())

    def test_warnings_are_never_silenced(self):
        rows = "".join(f"{i % 2},{(-1) ** (i // 2)}e38\n" for i in range(40))
        wild = self.write("wild.csv", "label,a\n" + rows)
        rare = self.write("rare.csv", "label,a\n" + "".join(f"{i % 2},{i}\n" for i in range(19)) + "2,5\n")
        result = self.succeed("bench", "--methods", "spl", "--datasets", rare, "--runs", "8", "-q", "-o", "-")
        self.assertIn("had test rows of a class that the training half lacks", result.stderr)
        self.succeed("bench", "--methods", "spl", "--datasets", wild, "-q", "-o", "-")

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([TOOL, "bench", "--methods", "spl", "--datasets",
                                     str(self.folder / "alpha.csv"), "-o", "-"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("writing failed", result.stderr)

    def start_long_bench(self, file, runs=100000):
        """A bench that would run for hours, unless there are fewer runs, once it has finished some."""
        process = subprocess.Popen(
            [TOOL, "bench", "--methods", "spl,uaspl", "--datasets", str(self.folder / "alpha.csv"),
             "--runs", str(runs), "-o", str(file)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True)
        journal = pathlib.Path(str(file) + ".journal")
        for _ in range(600):
            if journal.exists() and journal.read_text().count("\n") > 3:
                break
            time.sleep(0.05)
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
        # and one of other runs does not destroy it
        before = journal.read_bytes()
        for arguments in (("--methods", "spl"), ("--methods", "spl,uaspl", "--runs", "100000", "--steps", "7"),
                          ("--methods", "spl,uaspl", "--runs", "100000", "--first-seed", "7")):
            self.fail_with("earlier bench left its finished runs", "bench", *arguments, "--datasets",
                           self.folder / "alpha.csv", "-o", file)
        self.assertEqual(journal.read_bytes(), before)
        self.assertFalse(file.exists())

    def test_a_killed_bench_goes_on_where_it_was(self):
        arguments = ["bench", "--methods", "spl,uaspl", "--datasets", self.folder / "alpha.csv", "--runs", "60"]
        whole = self.succeed(*arguments, "-o", self.folder / "whole.csv")
        file = self.folder / "runs.out"
        process, journal = self.start_long_bench(file, 60)
        process.kill()
        process.communicate(timeout=60)
        kept = journal.read_text()
        kept = kept[:kept.rindex("\n") + 1]
        runs = [line.split(",") for line in kept.splitlines()[1:]]
        self.assertGreater(len(runs), 2)
        self.assertLess(len(runs), 120)
        for torn in ("", "77", "77,0.5,", kept.splitlines()[1][:-1], "nonsense\n", "\0\0\0\n"):
            journal.write_text(kept + torn)
            result = self.succeed(*arguments, "-o", file)
            self.assertIn(f"{len(runs)} run(s) were finished before", result.stderr)
            self.assertEqual(result.stdout, whole.stdout)
            self.assertEqual(without_seconds(file.read_text()),
                             without_seconds((self.folder / "whole.csv").read_text()))
            lines = file.read_text().splitlines()[1:]
            for run in runs:  # taken over, with its time
                self.assertEqual(lines[int(run[0])].split(",")[-1], f"{float(run[5]):.4f}")
            self.assertFalse(journal.exists())
            file.unlink()
        for beginning in ("", kept[:30], kept.splitlines()[0], kept.splitlines()[0] + "\n"):
            journal.write_text(beginning)  # it was killed before there were runs
            self.succeed(*arguments, "-o", file)
            self.assertFalse(journal.exists())

    def test_an_interrupted_bench_does_not_replace_a_finished_one(self):
        file = self.write("runs.out", "precious")
        process, journal = self.start_long_bench(file)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(str(journal), messages)
        self.assertEqual(file.read_text(), "precious")
        self.assertTrue(journal.exists())


if __name__ == "__main__":
    unittest.main(verbosity=1)
