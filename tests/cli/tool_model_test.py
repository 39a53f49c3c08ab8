"""The real program: `train`, `predict`, `eval`, `inspect`. Usage: tool_model_test.py PROGRAM"""
import contextlib
import csv
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import time
import unittest

from tool import TOOL, ToolTest, run, write_clouds

PEOPLE = "age,town,income,churned\n" + "".join(
    f"{20 + i % 40},{'Ulm' if i % 3 else 'Köln'},{1000 + 37 * i % 900},{'yes' if i % 40 > 18 else 'no'}\n"
    for i in range(120))


def parse(text):
    return list(csv.DictReader(io.StringIO(text)))


class Model(ToolTest):
    def setUp(self):
        super().setUp()
        self.people = self.write("people.csv", PEOPLE)
        self.model = self.folder / "people.model"

    def train(self, *arguments, steps=("--steps", "30")):
        return self.succeed("train", self.people, "--target", "churned", *steps, "-o", self.model, *arguments)

    def test_from_a_csv_file_to_predictions(self):
        self.assertIn("rows held out: accuracy", self.train().stdout)
        rows = parse(self.succeed("predict", self.model, self.people).stdout)
        self.assertEqual(list(rows[0]), ["row", "label", "p_no", "p_yes", "vacuity", "entropy", "unknown"])
        self.assertEqual(len(rows), 120)
        for row in rows:
            self.assertAlmostEqual(float(row["p_no"]) + float(row["p_yes"]), 1, places=5)
            self.assertTrue(0 < float(row["vacuity"]) <= 1)
        right = sum(r["label"] == p["churned"] for r, p in zip(rows, parse(PEOPLE)))
        self.assertGreater(right, 110)
        scores = json.loads(self.succeed("eval", self.model, self.people, "--json").stdout)
        self.assertAlmostEqual(scores["accuracy"], right / 120)
        self.assertEqual(sum(map(sum, scores["confusion"])), 120)
        about = self.succeed("inspect", self.model).stdout
        self.assertIn("2 levels: Köln, Ulm", about)
        self.assertIn(hashlib.sha256(PEOPLE.encode()).hexdigest(), about)

    def test_an_instruction_set_can_be_chosen(self):
        sets = self.fail_with("no instruction set 'abacus' here; there are ", "--version", code=2,
                              environment={"UASPL_TARGET": "abacus"}).stderr.rsplit(" are ", 1)[1].strip().split(", ")
        accuracies = set()
        for name in sets:
            store = self.folder / f"{name}.db"
            self.succeed("bench", "--methods", "uaspl", "--datasets", self.people, "--target", "churned", "--db", store,
                         environment={"UASPL_TARGET": name})
            with contextlib.closing(sqlite3.connect(store)) as runs:
                target, accuracy = runs.execute("SELECT target, accuracy FROM runs").fetchone()
            self.assertEqual(target, name)
            accuracies.add(accuracy)
        self.assertEqual(len(accuracies), 1)

    def test_methods_without_stages_refuse_options_of_stages(self):
        self.fail_with("uaspl_a has no stages; its own options are set by --set uaspl_a.OPTION", "train", self.people,
                       "--target", "churned", "--method", "uaspl_a", "--steps", "30", "-o", self.model, code=2)

    def test_every_method_makes_a_model(self):
        for line in run("list", "methods", "--json").stdout.splitlines():
            name = json.loads(line)["name"]
            steps = () if name in ("evidential_forest", "uaspl_a") else ("--steps", "30")
            self.assertIn("accuracy", self.train("--method", name, steps=steps).stdout)
            columns = parse(self.succeed("predict", self.model, self.people).stdout)[0]
            evidential = name.startswith(("uaspl", "evidential")) or "edl" in name
            self.assertEqual(columns["vacuity"] != "", evidential, name)

    def test_the_same_bytes_twice_and_for_any_threads(self):
        self.people.write_text(PEOPLE + 6 * PEOPLE.split("\n", 1)[1])  # enough for several threads
        for method in ("uaspl", "mw_net"):
            self.train("--threads", "1", "--method", method)
            first = self.model.read_bytes()
            self.train("--threads", "3", "--method", method)
            self.assertEqual(self.model.read_bytes(), first)
        self.train("--seed", "7")
        self.assertNotEqual(self.model.read_bytes(), first)

    def test_the_file_is_a_safetensors_file(self):
        self.train()
        data = self.model.read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        about = json.loads(header["__metadata__"]["uaspl"])
        self.assertEqual(about["schema"]["classes"], ["no", "yes"])
        self.assertEqual(header["network0.fc1.weight"]["shape"], [128, 4])
        ends = sorted(t["data_offsets"][1] for k, t in header.items() if k != "__metadata__")
        self.assertEqual(ends[-1], len(data) - 8 - length)

    def test_columns_are_matched_by_name(self):
        self.train()
        rows = parse(PEOPLE)
        mixed = "income,extra,age,town\n" + "".join(f"{r['income']},?,{r['age']},{r['town']}\n" for r in rows)
        self.assertEqual(self.succeed("predict", self.model, self.write("mixed.csv", mixed)).stdout,
                         self.succeed("predict", self.model, self.people).stdout)

    def test_standard_input_and_output_file(self):
        self.train()
        expected = self.succeed("predict", self.model, self.people).stdout
        self.assertEqual(self.succeed("predict", self.model, "-", input=PEOPLE).stdout, expected)
        output = self.folder / "out.csv"
        self.assertEqual(self.succeed("predict", self.model, self.people, "-o", output).stdout, "")
        self.assertEqual(output.read_text(), expected)
        lines = self.succeed("predict", self.model, self.people, "--json").stdout.splitlines()
        self.assertEqual(json.loads(lines[0])["label"], parse(expected)[0]["label"])
        self.succeed("train", "-", "--target", "churned", "--steps", "5", "-o", self.model, input=PEOPLE)

    def test_many_rows_are_predicted_block_by_block(self):
        self.train()
        many = self.write("many.csv", PEOPLE + PEOPLE.split("\n", 1)[1] * 99)
        rows = self.succeed("predict", self.model, many).stdout.splitlines()
        self.assertEqual(len(rows), 12001)
        self.assertEqual(rows[1].split(",")[1:], rows[1 + 120 * 70].split(",")[1:])

    def test_softmax_models_have_no_vacuity(self):
        self.train("--method", "spl_linear")
        self.assertEqual(parse(self.succeed("predict", self.model, self.people).stdout)[0]["vacuity"], "")

    def test_a_row_without_a_finite_answer_says_so(self):
        small = "churned,share\n" + "".join(f"{'yes' if i % 2 else 'no'},{i % 2 / 1000 + i / 1e6}\n" for i in range(60))
        self.people.write_text(small)
        far = self.write("far.csv", "churned,share\nno,0.00001\nno,-1.6e35\n")
        for method in ("spl", "uaspl"):
            self.train("--method", method)
            result = self.succeed("predict", self.model, far)
            good, bad = parse(result.stdout)
            self.assertNotEqual(good["label"], "")
            self.assertEqual(bad, {"row": "2", "label": "", "p_no": "", "p_yes": "", "entropy": "",
                                   "vacuity": "1" if method == "uaspl" else "", "unknown": "0"})
            self.assertIn("1 row(s) have no finite answer, the first is row 2", result.stderr)
            line = json.loads(self.succeed("predict", self.model, far, "--json").stdout.splitlines()[1])
            self.assertIsNone(line["label"])
            self.assertEqual(line["probabilities"], {"no": None, "yes": None})
            self.assertIsNone(line["entropy"])
            scores = self.succeed("eval", self.model, far, "--json")
            self.assertIn("1 row(s) have no finite answer and count as wrong", scores.stderr)
            self.assertEqual(json.loads(scores.stdout)["unanswered"], 1)
            self.assertLessEqual(json.loads(scores.stdout)["accuracy"], 0.5)

    def test_many_classes_and_columns_are_not_all_printed(self):
        columns = ",".join(f"c{i}" for i in range(300))
        rows = "".join(f"k{i % 60}," + ",".join(str(i * (j % 6 + 1) % 7) for j in range(300)) + "\n" for i in range(240))
        wide = self.write("wide.csv", f"kind,{columns}\n{rows}")
        self.succeed("train", wide, "--target", "kind", "--steps", "2", "-o", self.model)
        self.assertIn("and 101 more; --json has all", self.succeed("inspect", self.model).stdout)
        self.assertEqual(len(json.loads(self.succeed("inspect", self.model, "--json").stdout)["features"]), 300)
        self.assertIn("and 10 more classes; --json has all", self.succeed("eval", self.model, wide).stdout)
        self.assertEqual(len(json.loads(self.succeed("eval", self.model, wide, "--json").stdout)["confusion"]), 60)

    def test_training_that_diverged_writes_no_model(self):
        self.fail_with("weights that are not finite", "train", self.people, "--target", "churned", "--rate", "1e30",
                       "--steps", "30", "-o", self.model, "--quiet")
        self.assertFalse(self.model.exists())

    def test_missing_values(self):
        holes = self.write("holes.csv", PEOPLE + "?,Ulm,1000,no\n30,,1500,yes\n30,NA,nan,no\n")
        common = ("train", holes, "--target", "churned", "--steps", "5", "-o", self.model)
        self.assertIn("all 123 rows", self.succeed(*common).stdout)
        self.assertEqual(len(self.succeed("predict", self.model, holes).stdout.splitlines()), 124)
        dropped = self.succeed(*common, "--missing", "drop")
        self.assertIn("3 row(s) with a missing value left out", dropped.stderr)
        self.assertIn("all 120 rows", dropped.stdout)
        result = self.succeed("predict", self.model, holes)
        self.assertIn("3 row(s) with a missing value have no answer", result.stderr)
        lines = parse(result.stdout)
        self.assertEqual([line["row"] for line in lines if not line["label"]], ["121", "122", "123"])
        self.assertEqual(len(lines), 123)
        self.assertIn("all 123 rows", self.succeed(*common, "--missing", "mean").stdout)
        self.assertEqual(len(self.succeed("predict", self.model, holes).stdout.splitlines()), 124)
        self.fail_with("holes.csv:122: column 1 ('age'): a value is missing", *common, "--missing", "error")

    def test_a_list_does_not_swallow_the_file(self):
        self.succeed("train", "--drop", "income", self.people, "--target", "churned", "--steps", "2", "--drop", "age",
                     "--set", "uaspl.beta=2", "-o", self.model)
        about = json.loads(self.succeed("inspect", self.model, "--json").stdout)
        self.assertEqual([f["name"] for f in about["features"]], ["town"])

    def test_options_reach_the_training(self):
        text = self.train("--method", "uaspl_mixture", "--set", "uaspl_mixture.gamma=2", "--hidden", "8,9,10",
                          "--rate", "0.05", "--batch", "16", "--test-fraction", "0", "--drop", "income",
                          "--categorical", "age").stdout
        self.assertNotIn("held out", text)
        about = json.loads(self.succeed("inspect", self.model, "--json").stdout)
        self.assertEqual(about["hidden"], [8, 9, 10])
        self.assertEqual(about["configuration"]["uaspl_mixture.gamma"], "2")
        self.assertEqual([f["name"] for f in about["features"]], ["age", "town"])
        self.assertEqual(len(about["features"][0]["levels"]), 40)

    # Bad input: one clear sentence, exit code 1, nothing half written.

    def test_bad_training_files(self):
        for text, message in (
                ("", "the file is empty"),
                ("y,a\n", "no complete row of data"),
                ("y\n1\n2\n", "expected the class and at least one feature"),
                ("y,a\n1,2\n1,3\n1,4\n", "only one class"),
                ("y,a\n1,2\n", "only one class"),
                ("y,a\n1,2\n2,3\n3,4\n", "3 classes in 3 rows"),
                ("y,a\n1,2\n0,Inf\n1,1\n0,1\n", "bad.csv:3: column 2 ('a'): 'Inf' is not a finite number"),
                ("y,a\n1,2\n0\n", "bad.csv:3: 1 fields, header has 2"),
                ('y,a\n1,"2\n0,1\n', "bad.csv:2: a quote opens here that is never closed"),
                ("y,y\n1,2\n", "both called 'y'"),
                ("y,a\n1,2\n2,3\n1,2\n2,3\n", "too few to hold 0.2 of them out"),
        ):
            self.fail_with(message, "train", self.write("bad.csv", text), "-o", self.model)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bad.csv", "people.csv"])
        self.fail_with("is a directory", "train", self.folder, "-o", self.model)
        self.fail_with("cannot be opened", "train", "/no/such/file.csv", "-o", self.model)

    def test_a_line_of_100_megabytes(self):
        big = self.folder / "big.csv"
        with open(big, "w") as file:
            file.write("y,a\n1," + "x" * 100_000_000 + "\n0,y\n")
        self.fail_with("2 classes in 2 rows", "train", big, "-o", self.model)
        with open(big, "w") as file:
            file.write("x" * 100_000_000)
        self.fail_with("expected the class and at least one feature", "train", big, "-o", self.model)

    def test_rows_that_do_not_fit_the_model(self):
        self.train()
        for text, message in (
                ("age,town,income\nold,Ulm,1\n", "new.csv:2: column 1 ('age'): 'old' is not a number"),
                ("age,town,income\n30,Bonn,1\n", "new.csv:2: column 2 ('town'): unknown category 'Bonn'"),
                ("age,town\n30,Ulm\n", "1 column(s) missing: income"),
                ("age,town,income\n30,Ulm,inf\n", "'inf' is not a finite number"),
                ("", "the file is empty"),
        ):
            output = self.folder / "out.csv"
            self.fail_with(message, "predict", self.model, self.write("new.csv", text), "-o", output, "--strict")
            self.assertFalse(output.exists())
            self.assertEqual([p.name for p in self.folder.iterdir() if p.name.endswith(".part")], [])
        self.assertEqual(self.succeed("predict", self.model, self.write("new.csv", "age,town,income\n")).stdout,
                         "row,label,p_no,p_yes,vacuity,entropy,unknown\n")
        result = self.succeed("eval", self.model, self.write("new.csv", PEOPLE + "30,Ulm,1200,perhaps\n"))
        self.assertIn("1 row(s) of classes that the model does not know count as wrong", result.stderr)

    def test_bad_models(self):
        self.train()
        good = self.model.read_bytes()
        for bad, message in (
                (good[:len(good) // 2], "not a valid model file"),
                (good[:100], "not a valid model file"),
                (b"", "not a valid model file"),
                (good.replace(b'\\"format\\":5', b'\\"format\\":9'), "use a newer uaspl"),
                (good.replace(b'\\"hidden\\":[128', b'\\"hidden\\":[127'), "has another type or shape"),
                (PEOPLE.encode(), "not a valid model file"),
        ):
            path = self.folder / "bad.model"
            path.write_bytes(bad)
            for verb in (("predict", path, self.people), ("eval", path, self.people), ("inspect", path)):
                self.fail_with(message, *verb)
        self.fail_with("cannot be opened", "inspect", self.folder / "none.model")
        self.fail_with("is a directory", "inspect", self.folder)

    def test_outputs_that_cannot_be_written(self):
        train = ("train", self.people, "--target", "churned", "--steps", "5")
        self.fail_with("cannot be written", *train, "-o", "/no/such/folder/m")
        self.fail_with("cannot be written", *train, "-o", "/proc/m")
        self.fail_with("is a directory", *train, "-o", self.folder)

    def test_a_full_disk_leaves_nothing_half_written(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk])
        old = disk / "m"
        old.write_text("precious")
        self.fail_with("No space left", "train", self.people, "--target", "churned", "--steps", "5", "-o", old, "-q")
        self.assertEqual(old.read_text(), "precious")
        self.assertEqual([p.name for p in disk.iterdir()], ["m"])
        with open("/dev/full", "w") as full:
            self.train()
            result = subprocess.run([TOOL, "predict", self.model, self.people], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output: writing failed", result.stderr)

    def test_bad_usage(self):
        self.fail_with("known: direct, spl", "train", self.people, "--method", "x", "-o", self.model, code=2)
        self.fail_with("there are: age, town", "train", self.people, "--target", "x", "-o", self.model, code=2)
        self.fail_with("known:", "train", "no_such_set", "-o", self.model, code=2)
        self.fail_with("--output", "train", self.people, code=2)
        self.fail_with("--missing", "train", self.people, "--missing", "guess", "-o", self.model, code=2)

    def test_ctrl_c_leaves_nothing(self):
        write_clouds(self.folder / "large.csv", 4000)
        process = subprocess.Popen([TOOL, "train", self.folder / "large.csv", "--steps", "100000", "-o",
                                    self.model], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted; no model was written", messages)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["large.csv", "people.csv"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
