"""What goes out of a grid and into a store: splits, predictions, traces, curves, runs of other programs.
Usage: tool_exchange_test.py PROGRAM"""
import collections
import contextlib
import csv
import importlib.util
import os
import pathlib
import sqlite3
import subprocess
import unittest

from tool import ToolTest, write_clouds

ROOT = pathlib.Path(__file__).resolve().parents[2]


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Exchange(ToolTest):
    def setUp(self):
        super().setUp()
        write_clouds(self.folder / "alpha.csv", 60)
        write_clouds(self.folder / "beta.csv", 91, 3)
        self.db = self.folder / "results.db"
        self.runs = self.folder / "runs.csv"

    def bench(self, *more, methods="spl,uaspl", runs=2, db=None):
        return self.succeed("bench", "--methods", methods, "--datasets", "alpha,beta", "--data", self.folder, "--runs",
                            runs, "--db", db or self.db, *more)

    def splits(self, *more):
        self.succeed("bench", "--datasets", "alpha,beta", "--data", self.folder, "--runs", "2", "--export-splits",
                     self.folder / "splits", "-q", *more)
        return {name: table(self.folder / "splits" / f"{name}.csv") for name in ("alpha", "beta")}

    def report(self):
        self.succeed("report", self.db, "--csv", self.folder / "csv")
        return self.folder / "csv"

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            return database.execute(query).fetchall()

    def write_runs(self, lines, header="dataset,variant,method,seed,accuracy,precision,recall,f1"):
        self.runs.write_text("\n".join([header, *lines]) + "\n")

    def import_runs(self, *more):
        return self.succeed("import", self.runs, "--db", self.db, "--data", self.folder, *more)

    def refused(self, expected, *more):
        before = self.db.read_bytes() if self.db.exists() else None
        self.fail_with(expected, "import", self.runs, "--db", self.db, "--data", self.folder, *more)
        self.assertEqual(self.db.read_bytes() if self.db.exists() else None, before)


class Splits(Exchange):
    def test_they_are_the_rows_that_runs_train_and_test_on(self):
        splits = self.splits()
        self.bench("--keep-predictions", "--trace")
        folder = self.report()
        for name, rows in splits.items():
            labels = [line.split(",")[0] for line in (self.folder / f"{name}.csv").read_text().splitlines()[1:]]
            self.assertEqual(len(rows), 2 * len(labels))
            for row in rows:
                self.assertEqual(row["variant"], "")
                self.assertEqual(row["label"], labels[int(row["row"]) - 1])
                self.assertEqual(row["trained_label"], row["label"] if row["part"] == "train" else "")
            for seed in ("2025", "2026"):
                tested = [row["row"] for row in rows if (row["seed"], row["part"]) == (seed, "test")]
                predicted = [row["row"] for row in table(folder / f"predictions-{name}.csv")
                             if (row["seed"], row["method"]) == (seed, "spl")]
                self.assertEqual(sorted(tested, key=int), predicted)
                trained = {row["row"] for row in rows if (row["seed"], row["part"]) == (seed, "train")}
                traced = {row["row"] for row in table(folder / "traces.csv")
                          if (row["dataset"], row["seed"], row["method"]) == (name, seed, "uaspl")}
                self.assertEqual(traced, trained)

    def test_noise_is_in_the_labels_that_are_trained_on(self):
        rows = self.splits("--noise", "asymmetric:0.4")["beta"]
        train = [row for row in rows if row["part"] == "train"]
        wrong = sum(row["label"] != row["trained_label"] for row in train)
        self.assertTrue(0.2 < wrong / len(train) < 0.6, wrong)
        self.assertEqual({row["variant"] for row in rows}, {"noise asymmetric 0.4"})
        self.assertTrue(all(row["trained_label"] == "" for row in rows if row["part"] == "test"))

    def test_nothing_is_overwritten_that_is_read(self):
        self.fail_with("overwrite", "bench", "--datasets", "alpha", "--data", self.folder, "--export-splits", self.folder,
                       code=2)


class Parts(Exchange):
    def test_they_change_no_result_and_are_added_to_stored_runs(self):
        self.bench()
        before = self.rows("SELECT * FROM stages")
        scores = self.rows("SELECT dataset, method, seed, accuracy, brier, configuration_hash, seconds FROM runs")
        again = self.bench("--keep-predictions", "--curves")
        self.assertIn("8 new run(s), 8 of these runs in all", again.stderr)
        self.assertEqual(self.rows("SELECT * FROM stages"), before)
        self.assertEqual(self.rows("SELECT dataset, method, seed, accuracy, brier, configuration_hash, seconds FROM runs"),
                         scores)
        self.assertIn("0 new run(s)", self.bench("--keep-predictions").stderr)
        self.assertIn("0 new run(s)", self.bench().stderr)
        self.assertIn("8 new run(s)", self.bench("--trace").stderr)
        self.assertEqual(self.rows("SELECT DISTINCT traced, has_predictions, has_passes FROM runs"), [(1, 1, 1)])

    def test_predictions_are_those_that_were_scored(self):
        self.bench("--keep-predictions")
        folder = self.report()
        accuracy = {(row["dataset"], row["method"], row["seed"]): float(row["accuracy"])
                    for row in table(folder / "runs.csv")}
        right = collections.defaultdict(list)
        for name in ("alpha", "beta"):
            for row in table(folder / f"predictions-{name}.csv"):
                right[name, row["method"], row["seed"]].append(row["label"] == row["predicted"])
                self.assertEqual(float(row["p_" + row["predicted"]]),
                                 max(float(row[key]) for key in row if key.startswith("p_")))
        self.assertEqual(set(right), set(accuracy))
        for run, hits in right.items():
            self.assertAlmostEqual(sum(hits) / len(hits), accuracy[run], delta=1e-12)

    def test_curves_end_where_stages_end(self):
        self.bench("--curves")
        folder = self.report()
        ends = {}
        for row in table(folder / "curves.csv"):
            ends[row["dataset"], row["method"], row["seed"], row["stage"]] = (row["test_accuracy"], row["train_accuracy"],
                                                                            row["loss"])
        stages = {(row["dataset"], row["method"], row["seed"], row["stage"]):
                  (row["test_accuracy"], row["train_accuracy"], row["last_loss"]) for row in table(folder / "stages.csv")}
        self.assertEqual(ends, stages)

    def test_a_table_for_tools_of_others(self):
        self.bench()
        folder = self.report()
        runs = table(folder / "runs.csv")
        errors = table(folder / "errors.csv")
        self.assertEqual(list(errors[0]), ["method", "task", "seed", "metric_error", "time_train_s", "time_infer_s"])
        self.assertEqual(len(errors), len(runs))
        for error, run in zip(errors, runs):
            self.assertEqual((error["method"], error["task"], error["seed"]), (run["method"], run["dataset"], run["seed"]))
            self.assertAlmostEqual(float(error["metric_error"]), 1 - float(run["accuracy"]), delta=1e-12)
            self.assertGreater(float(error["time_infer_s"]), 0)
            self.assertAlmostEqual(float(error["time_train_s"]) + float(error["time_infer_s"]), float(run["seconds"]),
                                   delta=1e-4)


class Import(Exchange):
    def predictions(self, method="knn", change=None, classes=None):
        """Every test row is predicted right, or what `change` makes of it."""
        lines = []
        for name, rows in self.splits().items():
            names = classes or sorted({row["label"] for row in rows})
            for row in rows:
                if row["part"] == "test":
                    line = {"dataset": name, "variant": "", "method": method, "seed": row["seed"], "row": row["row"],
                            "predicted": row["label"], "seconds": "1.5", "inference_seconds": "0.5",
                            **{f"p_{one}": "0.8" if one == row["label"] else str(0.2 / (len(names) - 1)) for one in names}}
                    lines.append(change(line) if change else line)
        columns = list(dict.fromkeys(key for line in lines for key in line))
        self.write_runs([",".join(str(line.get(key, "")) for key in columns) for line in lines], ",".join(columns))
        return lines

    def test_predictions_are_scored_and_stand_beside_ours(self):
        self.bench()
        # beta's classes are more than alpha's; every fifth row is wrong, and unsure.
        lines = self.predictions(change=lambda line: {**line, "uncertainty": "0.9" if int(line["row"]) % 5 == 0 else "0.1",
                                                      "predicted": "0" if int(line["row"]) % 5 == 0 else line["predicted"]})
        self.import_runs("--program", "nearest neighbours 1.0")
        folder = self.report()
        runs = [row for row in table(folder / "runs.csv") if row["method"] == "knn"]
        self.assertEqual([(row["dataset"], row["seed"]) for row in runs],
                         [(name, seed) for name in ("alpha", "beta") for seed in ("2025", "2026")])
        splits = self.splits()
        for run in runs:
            truth = {row["row"]: row["label"] for row in splits[run["dataset"]] if row["seed"] == run["seed"]}
            mine = [line for line in lines if (line["dataset"], line["seed"]) == (run["dataset"], run["seed"])]
            hits = [line["predicted"] == truth[line["row"]] for line in mine]
            self.assertAlmostEqual(float(run["accuracy"]), sum(hits) / len(hits), delta=1e-12)
            self.assertEqual(float(run["seconds"]), 1.5)
            self.assertGreater(float(run["error_auroc"]), 0.8)
            self.assertTrue(0 < float(run["log_loss"]) < 1)
        ranks = {row["method"] for row in table(folder / "ranks.csv")}
        self.assertEqual(ranks, {"spl", "uaspl", "knn"})
        self.assertTrue(any("knn" in (row["method_a"], row["method_b"]) for row in table(folder / "wilcoxon.csv")))
        self.assertIn("nearest neighbours 1.0", {row[0] for row in self.rows("SELECT version FROM runs")})
        # What went in comes out again, and all other formats show it.
        out = {(row["dataset"], row["seed"], row["row"]): row["predicted"] for name in ("alpha", "beta")
               for row in table(folder / f"predictions-{name}.csv") if row["method"] == "knn"}
        self.assertEqual(out, {(line["dataset"], line["seed"], line["row"]): line["predicted"] for line in lines})
        self.succeed("report", self.db, "--html", self.folder / "r.html", "--latex", self.folder / "latex")
        self.assertIn("knn", (self.folder / "latex" / "table-1-standings.tex").read_text())
        # Another store takes them over, and a grid leaves them alone.
        other = self.folder / "other.db"
        self.succeed("merge", other, self.db)
        self.assertIn("0 new run(s)", self.bench(db=other).stderr)

    def test_metrics_stand_beside_ours(self):
        self.bench()
        self.bench("--noise", "uniform:0.4")
        self.write_runs([f"{name},{variant},svm,{seed},{right / rows:.4f},0.5,0.25,0.125" for name, rows in (("alpha", 30), ("beta", 46))
                    for variant in ("", "noise uniform 0.4") for seed in (2025, 2026) for right in (20,)])
        self.import_runs()
        runs = [row for row in table(self.report() / "runs.csv") if row["method"] == "svm"]
        self.assertEqual(len(runs), 8)
        self.assertEqual({row["accuracy"] for row in runs}, {str(20 / 30), str(20 / 46)})  # what the digits stand for
        self.assertEqual({row["variant"] for row in runs}, {"", "noise uniform 0.4"})
        text = self.succeed("report", self.db, "--show", "standings,calibration,conditions").stdout
        self.assertEqual(text.count("| svm |"), 5)  # also on the axis of the noise
        self.assertRegex(text, r"\| spl \| 0\.\d{4} \| 0")  # calibration is shown, with none for svm
        self.assertRegex(text, r"\| svm \| - \| - \|")

    def test_runs_that_are_there(self):
        self.write_runs(["alpha,,svm,1,0.5,0.5,0.5,0.5"])
        self.import_runs()
        self.refused("runs.csv:2: column 4 ('seed'): the store has this run already")
        self.write_runs(["alpha,,svm,1,0.6,0.5,0.5,0.5"])
        self.import_runs("--replace")
        self.assertEqual(self.rows("SELECT accuracy FROM runs"), [(0.6,)])
        self.write_runs(["alpha,,svm,2,0.5,0.5,0.5,0.5", "alpha,,svm,2,0.5,0.5,0.5,0.5"])
        self.refused("runs.csv:3: column 4 ('seed'): this run is there already, on line 2")

    def test_what_does_not_fit_is_refused_with_its_place(self):
        good = "alpha,,svm,2025,0.5,0.5,0.5,0.5".split(",")
        for column, bad, expected in (
                (0, "gamma", "column 1 ('dataset'): unknown data set 'gamma'"),
                (0, str(self.folder / "alpha.csv"), "unknown data set"), (0, "-", "unknown data set"), (0, "", "unknown data set"),
                (1, "noise uniform 0.4", "column 2 ('variant'): the store has no runs under 'noise uniform 0.4'; it has ''"),
                (2, "spl", "column 3 ('method'): 'spl' is a name of uaspl's own"), (2, "uaspl_mine", "uaspl's own"),
                (2, "", "expected a name"), (2, "a b", "expected a name"), (2, "<b>", "expected a name"), (2, "x" * 65, "expected a name"),
                (3, "-1", "column 4 ('seed'): expected a whole number"), (3, "4294967296", "whole number"), (3, "1.0", "whole number"),
                (4, "1.5", "column 5 ('accuracy'): '1.5' is no number in 0..1"), (4, "nan", "expected a number"),
                (4, "", "expected a number"), (4, "1e999", "no number in"), (4, "0.51", "no share of the 30 test rows"),
                (5, "inf", "column 6 ('precision')"), (6, "-0.1", "column 7 ('recall')"), (7, "high", "column 8 ('f1')")):
            with self.subTest(bad=bad):
                cells = [*good[:3], "2026", *good[4:]]
                cells[column] = bad
                self.write_runs([",".join(good), ",".join(cells)])
                self.refused(expected)
                self.refused("runs.csv:3: ")
        self.write_runs([",".join(good)], "dataset,variant,method,seed,accuracy,precision,recall,f2")
        self.refused("no column 'f1'")
        self.write_runs([",".join(good) + ",1"], "dataset,variant,method,seed,accuracy,precision,recall,f1,speed")
        self.refused("unknown column 'speed'")
        self.write_runs([",".join(good[:4]) + ",1,1,1,1"], "dataset,variant,method,seed,row,accuracy,recall,f1")
        self.refused("no column 'predicted'")
        self.write_runs([])
        self.refused("no run")
        self.write_runs([",".join(good) + ",1,2"], "dataset,variant,method,seed,accuracy,precision,recall,f1,seconds,inference_seconds")
        self.refused("more than `seconds`")
        self.assertFalse(self.db.exists())

    def test_predictions_that_do_not_fit_are_refused_with_their_place(self):
        first = {row["row"] for row in self.splits()["alpha"] if (row["seed"], row["part"]) == ("2025", "train")}
        trained = min(first, key=int)

        def at(place, changes):
            return lambda line: {**line, **changes} if (line["dataset"], line["seed"], line["row"]) == ("alpha", "2025", place) else line
        tested = next(row["row"] for row in self.splits()["alpha"] if (row["seed"], row["part"]) == ("2025", "test"))
        for change, expected in (({"row": trained}, f"column 5 ('row'): row {trained} is a training row of seed 2025"),
                                 ({"row": "0"}, "number of a row, from 1"), ({"row": "61"}, "the data set has 60 rows"),
                                 ({"row": "x"}, "number of a row"), ({"predicted": "7"}, "column 6 ('predicted'): not a class of 'alpha'"),
                                 ({"predicted": ""}, "not a class"), ({"p_0": "1.5"}, "no number in 0..1"),
                                 ({"p_0": "0.5", "p_1": "0.1"}, "add up to"), ({"p_0": ""}, "probabilities of all 2 classes"),
                                 ({"p_0": "", "p_1": ""}, "in all rows of a run, or in none"),
                                 ({"p_2": "0.1"}, "has no class '2'"), ({"label": "1", "predicted": "0"}, "is of class"),
                                 ({"uncertainty": "-1"}, "no number in"), ({"seconds": "fast"}, "column 7 ('seconds')")):
            with self.subTest(change=change):
                if change == {"label": "1", "predicted": "0"}:
                    lines = self.predictions(change=lambda line: {**line, "label": "1" if line["predicted"] == "0" else "0"})
                    self.refused("is of class")
                    continue
                self.predictions(change=at(tested, change))
                self.refused(expected)
        self.predictions()
        lines = self.runs.read_text().splitlines()
        self.runs.write_text("\n".join(lines[:5] + lines[4:]) + "\n")
        self.refused("runs.csv:6: column 5 ('row'): this row was there before, on line 5")
        self.runs.write_text("\n".join(lines[:5] + lines[6:]) + "\n")
        self.refused("the run of 'knn' on 'alpha' with seed 2025 has 29 of 30 test rows")

    def test_the_data_must_be_those_of_the_store(self):
        self.bench()
        write_clouds(self.folder / "alpha.csv", 62)
        self.write_runs(["alpha,,svm,1,0.5,0.5,0.5,0.5"])
        self.refused("column 1 ('dataset'): the store's runs are on other data of the name 'alpha'")
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("UPDATE runs SET method = 'own_method' WHERE method = 'spl'")
        self.write_runs(["beta,,own_method,1,0.5,0.5,0.5,0.5"])
        self.refused("column 3 ('method'): the store has runs of a method 'own_method' that were not imported")

    def test_a_store_that_was_only_begun_has_no_runs_yet(self):
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            database.execute("PRAGMA journal_mode = WAL")  # the first thing that is written
        self.assertGreater(self.db.stat().st_size, 0)
        self.write_runs(["beta,,svm,1,0.5,0.5,0.5,0.5"])
        self.assertIn("1 run(s)", self.import_runs().stderr)

    def test_incomplete_rows_are_left_out_as_bench_does(self):
        write_clouds(self.folder / "alpha.csv", 60)
        with open(self.folder / "alpha.csv", "a") as file:
            file.write("0,?,1,1\n1,0.5,,1\n")  # rows that are left out
        self.bench(methods="spl")
        self.write_runs(["alpha,,svm,1,0.5,0.5,0.5,0.5"])
        self.import_runs()
        self.assertEqual(self.rows("SELECT count(DISTINCT data_sha256) FROM runs WHERE dataset = 'alpha'"), [(1,)])

    def test_rows_count_by_their_weights_as_in_bench(self):
        lines = (self.folder / "alpha.csv").read_text().splitlines()
        (self.folder / "alpha.csv").write_text("\n".join(
            [lines[0] + ",w"] + [f"{line},{i % 4}" for i, line in enumerate(lines[1:])]) + "\n")
        weighted = ("--datasets", "alpha", "--data", self.folder, "--runs", "2", "--weight", "w")
        self.succeed("bench", "--methods", "spl", *weighted, "--db", self.db, "--keep-predictions")
        with open(self.runs, "w", newline="") as file:  # the same predictions, as of another program
            rows = [{name: value for name, value in row.items() if name != "variant"} | {"method": "own"}
                    for row in table(self.report() / "predictions-alpha.csv")]
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        self.import_runs("--weight", "w")
        scores = [self.rows(f"SELECT data_sha256, seed, round(accuracy, 12), round(f1, 12), round(brier, 5), round(majority, 12) FROM runs"
                            f" WHERE method = '{method}' ORDER BY seed") for method in ("spl", "own")]
        self.assertEqual(len(scores[0]), 2)
        self.assertEqual(*scores)
        self.write_runs(["alpha,,svm,1,0.12345,0.5,0.5,0.5"])  # no share of a number of rows
        self.import_runs("--weight", "w")

    @unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("sklearn", "pandas")),
                         "python3-sklearn or python3-pandas is not installed")
    def test_the_example_fits_scikit_learn(self):
        write_clouds(self.folder / "alpha.csv", 60)
        with open(self.folder / "alpha.csv", "a") as file:  # a row that is left out
            file.write("0,?" + ",1" * (len((self.folder / "alpha.csv").read_text().splitlines()[0].split(",")) - 2) + "\n")
        self.bench()
        self.splits()
        subprocess.run(["/usr/bin/python3", ROOT / "examples" / "scikit_learn.py", "--splits", self.folder / "splits", "--data",
                        self.folder, "-o", self.runs], check=True, timeout=250, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        self.import_runs("--program", "scikit-learn")
        runs = table(self.report() / "runs.csv")
        self.assertEqual({row["method"] for row in runs},
                         {"spl", "uaspl", "logistic_regression", "random_forest", "gaussian_nb"})
        self.assertEqual(len(runs), 5 * 4)
        self.assertGreater(min(float(row["accuracy"]) for row in runs), 0.35)


if __name__ == "__main__":
    unittest.main()
