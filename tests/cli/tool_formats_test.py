"""The real program: tables of every format, and columns that pass through `predict`. Usage: tool_formats_test.py PROGRAM"""
import csv
import gzip
import io
import json
import os
import random
import subprocess
import unittest

from tool import TOOL, ToolTest, run

csv.field_size_limit(10**8)
QUICK = ("--target", "label", "--steps", "2", "--pretraining", "2", "-q")


def libsvm(rows):
    return "".join(f"{r['label']} " + " ".join(f"{i}:{r[f'f{i}']}" for i in (1, 2, 3) if r[f"f{i}"] != "0") + "\n" for r in rows)


def arff(rows):
    head = "@relation t\n@attribute label {0,1}\n" + "".join(f"@attribute f{i} numeric\n" for i in (1, 2, 3)) + "@data\n"
    return head + "".join(",".join(r.values()) + "\n" for r in rows)


def csv_text(rows, delimiter=",", quoting=csv.QUOTE_MINIMAL):
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def json_lines(rows):
    return "".join(json.dumps(r) + "\n" for r in rows)


class Tables(ToolTest):
    """One table in every format."""

    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.rows = [{"label": str(i % 2), **{f"f{k}": draw.choice(["0", f"{draw.gauss(i % 2, 1):.3f}"]) for k in (1, 2, 3)}}
                     for i in range(60)]
        self.csv = self.write("t.csv", csv_text(self.rows))
        self.files = {"csv": self.csv, "tsv": self.write("t.tsv", csv_text(self.rows, "\t")),
                      "arff": self.write("t.arff", arff(self.rows)), "libsvm": self.write("t.libsvm", libsvm(self.rows)),
                      "jsonl": self.write("t.jsonl", json_lines(self.rows))}
        (self.folder / "t.csv.gz").write_bytes(gzip.compress(self.csv.read_bytes()))
        (self.folder / "utf16").write_bytes(self.csv.read_text().encode("utf-16"))
        (self.folder / "t.jsonl.gz").write_bytes(gzip.compress(self.files["jsonl"].read_bytes()))
        self.files.update({name: self.folder / name for name in ("t.csv.gz", "utf16", "t.jsonl.gz")})

    def train(self, path, **options):
        model = self.folder / f"{path.name}.model"
        self.succeed("train", path, *QUICK, "-o", model, **options)
        return model


class Formats(Tables):
    def test_every_verb_reads_every_format(self):
        model = self.train(self.csv)
        expected = self.succeed("predict", model, self.csv).stdout
        score = self.succeed("eval", model, self.csv, "--json").stdout
        for name, path in self.files.items():
            other = self.train(path)
            self.assertEqual(self.succeed("predict", other, path).stdout, expected, name)
            self.assertEqual(self.succeed("eval", model, path, "--json").stdout, score, name)
            with open(path, "rb") as stream:
                self.assertEqual(self.succeed("predict", model, "-", stdin=stream).stdout, expected, name)
            with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as pipe:
                self.assertEqual(self.succeed("predict", model, "-", stdin=pipe.stdout).stdout, expected, name)
            with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as pipe:
                self.succeed("train", "-", *QUICK, "-o", self.folder / "p.model", stdin=pipe.stdout)
        bench = ("bench", "--methods", "direct", "--steps", "1", "--target", "label", "--json", "-q", "--datasets")
        for path in self.files.values():
            self.succeed(*bench, path)

    def test_the_name_does_not_matter(self):
        model = self.train(self.csv)
        expected = self.succeed("predict", model, self.csv).stdout
        for name in ("arff", "jsonl", "libsvm", "t.csv.gz"):
            wrong = self.folder / "wrong.png"
            wrong.write_bytes(self.files[name].read_bytes())
            self.assertEqual(self.succeed("predict", model, wrong).stdout, expected)

    def test_latin_1_is_read_and_said(self):
        text = csv_text([{**r, "Größe": "klein" if r["label"] == "0" else "groß"} for r in self.rows])
        usual, latin = self.write("u.csv", text), self.folder / "l.csv"
        latin.write_bytes(text.encode("latin-1"))
        model = self.train(usual)
        expected = self.succeed("predict", model, usual, "--keep-all").stdout
        result = self.succeed("predict", model, latin, "--keep-all")
        self.assertEqual(result.stdout, expected)
        self.assertIn("are not UTF-8 and were read as Windows-1252, the first in 'Größe'", result.stderr)
        self.assertEqual(self.succeed("predict", model, latin, "-q").stderr, "")
        for verb in (("train", latin, "--target", "label", "--steps", "1", "-o", self.folder / "x.model"), ("eval", model, latin),
                     ("bench", "--datasets", latin, "--target", "label", "--methods", "direct", "--steps", "1")):
            self.assertIn("Windows-1252", self.succeed(*verb).stderr)

    def test_what_is_no_table_is_named(self):
        model = self.train(self.csv)
        book = self.folder / "book.xlsx"
        book.write_bytes(b"PK\3\4\x14\0\6\0\x08\0" + bytes(range(256)))
        self.fail_with("book.xlsx: this is an Excel workbook or another zip archive; save it as CSV", "predict", model, book)
        self.fail_with("book.xlsx: this is an Excel", "train", book, "-o", self.folder / "x.model")
        result = self.fail_with("t.arff:9: column 2 ('f1'): '\\x1b[31m' is not a number", "predict", model,
                                self.write("t.arff", arff(self.rows[:2]) + "0,\x1b[31m,2,3\n"))
        self.assertNotIn("\x1b", result.stderr)

    def test_a_bomb_needs_little_memory(self):
        model = self.train(self.csv)
        bomb = self.folder / "bomb.gz"
        one = gzip.compress(b"1.5,2.5,3.5\n" * 100_000, 9)
        bomb.write_bytes(gzip.compress(b"f1,f2,f3\n") + one * 40)  # 48 MB in 300 KB
        limited = f"ulimit -v {400_000}; exec {TOOL} predict {model} {bomb} -o /dev/null"
        result = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=300)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        bomb.write_bytes(gzip.compress(b"f1,f2,f3\n1,") + gzip.compress(b"x" * 50_000_000, 9))
        result = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a record of more than 16 MB", result.stderr)


class Passing(Tables):
    """Ids and other columns in the output."""

    def setUp(self):
        super().setUp()
        self.model = self.train(self.csv)
        self.more = [{"customer": f"0{i}", **r, "note": note, "p_0": "x"} for i, (r, note) in enumerate(
            zip(self.rows, ["a,b", 'say "x"', " ends ", "", "=1+1", "two\nlines", "ü", "back\\slash"]))]
        self.table = self.write("more.csv", csv_text(self.more, quoting=csv.QUOTE_ALL))

    def lines(self, *arguments, data=None, **options):
        result = self.succeed("predict", self.model, data or self.table, *arguments, **options)
        return list(csv.DictReader(io.StringIO(result.stdout, newline=""))), result.stderr

    def objects(self, *arguments, data=None, **options):
        result = self.succeed("predict", self.model, data or self.table, *arguments, "--output-format", "jsonl", **options)
        return [json.loads(line, object_pairs_hook=dict) for line in result.stdout.splitlines()], result.stderr

    def test_ids_and_columns_pass_verbatim(self):
        usual, _ = self.lines()
        rows, message = self.lines("--id", "customer", "--keep", "note,f2")
        self.assertEqual(list(rows[0])[:4], ["customer", "note", "f2", "row"])
        self.assertEqual([(r["customer"], r["note"], r["f2"]) for r in rows], [(r["customer"], r["note"], r["f2"]) for r in self.more])
        self.assertEqual([{k: v for k, v in r.items() if k in usual[0]} for r in rows], usual)
        self.assertEqual(message, "")
        objects, _ = self.objects("--keep", "note", "--id", "f1", "--id", "customer")
        self.assertEqual(list(objects[0])[:4], ["f1", "customer", "note", "row"])
        self.assertEqual([o["note"] for o in objects], [r["note"] for r in self.more])
        self.assertEqual([o["label"] for o in objects], [r["label"] for r in usual])
        self.assertEqual([str(o["probabilities"]["1"])[:6] for o in objects], [r["p_1"][:6] for r in usual])

    def test_names_that_collide_are_kept_apart(self):
        rows, message = self.lines("--keep-all")
        self.assertEqual(list(rows[0]), ["customer", "label_input", "f1", "f2", "f3", "note", "p_0_input", "row", "label", "p_0", "p_1",
                                         "vacuity", "entropy", "unknown"])
        self.assertEqual([r["label_input"] for r in rows], [r["label"] for r in self.more])
        self.assertIn("'label' is 'label_input', 'p_0' is 'p_0_input'", message)
        self.assertEqual(self.lines("--keep-all", "-q")[1], "")
        self.table = self.write("twice.csv", "label,label_input,row,f1,f2,f3\n1,2,3,4,5,6\n")
        self.assertEqual(list(self.lines("--keep-all")[0][0])[:3], ["label_input_2", "label_input", "row_input"])

    def test_unknown_columns(self):
        self.fail_with("no column 'Customer' (did you mean 'customer'?); there are: customer, label", "predict", self.model, self.table,
                       "--id", "Customer", code=2)
        self.fail_with("no column 'x'; there are", "predict", self.model, self.table, "--keep", "x", code=2)

    def test_every_format_passes_columns(self):
        for name, path in self.files.items():
            rows, _ = self.lines("--keep-all", data=path)
            self.assertEqual([(r["label_input"], r["f1"], r["f3"]) for r in rows], [(r["label"], r["f1"], r["f3"]) for r in self.rows], name)
            with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as pipe:
                self.assertEqual(self.lines("--keep-all", data="-", stdin=pipe.stdout)[0], rows, name)
        late = self.write("late.jsonl", json_lines(self.rows[:2]) + json.dumps({**self.rows[2], "id": 7}) + "\n")
        self.assertEqual([o["id"] for o in self.objects("--keep-all", data=late)[0]], ["", "", "7"])
        self.fail_with("no column 'id'", "predict", self.model, late, "--id", "id", code=2)

    def test_safe_csv_and_long_files(self):
        rows, _ = self.lines("--keep", "note", "--safe-csv")
        self.assertEqual(rows[4]["note"], "'=1+1")
        long = self.write("long.csv", "id,f1,f2,f3\n" + "".join(f"n{i},{i % 7},{i % 5},1\n" for i in range(9000)))
        rows, _ = self.lines("--id", "id", data=long)
        self.assertEqual([r["id"] for r in rows], [f"n{i}" for i in range(9000)])
        self.assertEqual([r["row"] for r in rows], [str(i + 1) for i in range(9000)])
        wide = self.write("wide.csv", "id,f1,f2,f3\n" + "".join(f"{i}{'x' * 3_000_000},1,2,3\n" for i in range(12)))
        self.assertEqual([r["id"][:2].rstrip("x") for r in self.lines("--id", "id", data=wide)[0]], [str(i) for i in range(12)])

    def test_bad_usage(self):
        self.fail_with("contradict", "predict", self.model, self.table, "--json", "--output-format", "csv", code=2)
        self.fail_with("expected csv or jsonl, not xml", "predict", self.model, self.table, "--output-format", "xml", code=2)
        self.assertEqual(self.succeed("predict", self.model, self.table, "--json").stdout,
                         self.succeed("predict", self.model, self.table, "--output-format", "jsonl").stdout)

    def test_a_row_without_an_answer_is_null(self):
        self.table = self.write("far.csv", "f1,f2,f3\n-3.4e38,3.4e38,-3.4e38\n")
        result = run("predict", self.model, self.table, "--output-format", "jsonl")
        if result.returncode == 0:
            self.assertNotIn("NaN", result.stdout)


@unittest.skipUnless(os.environ.get("UASPL_ARFF"), "needs UASPL_ARFF, a folder of ARFF files, and python3-scipy")
class Scipy(ToolTest):
    def test_cells_are_those_of_scipy(self):
        script = os.path.join(os.path.dirname(__file__), "../../bench/arff_scipy.py")
        result = subprocess.run([script, TOOL, os.environ["UASPL_ARFF"]], capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
