"""The real program: tables as they are - missing cells, unseen values, numbers and dates as people write them.
Usage: tool_columns_test.py PROGRAM"""
import csv
import io
import json
import random
import unittest

from tool import ToolTest, run


class Column:
    """A column of a random table: how its cells are drawn and written."""

    def __init__(self, draw, name):
        self.name = name
        self.kind = draw.choice(["number", "comma", "money", "date", "time", "category", "rare", "id", "constant", "text",
                                 "integer"])
        self.missing = draw.choice([0, 0, 0.1, 0.4])
        self.odd = draw.choice([0, 0, 0.02])

    def cell(self, draw, row, new):
        """A cell; `new` ones may be of categories that were never seen, and unreadable anywhere."""
        if draw.random() < (max(self.missing, 0.05) if new else self.missing):
            return draw.choice(["", "?", "NA", "nan", "N/A", "NULL"])
        if draw.random() < (0.05 if new else self.odd):
            return draw.choice(["-", "about 5", "x" * 50, "ü\"ö", "=1+1", "12.13.14", "a,b;c\td", "1e400"][:8 if new else 7])
        if self.kind == "number":
            return f"{draw.gauss(0, 100):.3f}"
        if self.kind == "comma":
            return f"{abs(draw.gauss(0, 5000)):,.2f}".translate(str.maketrans(",.", ".,"))
        if self.kind == "money":
            return f"$ {draw.randrange(100000):,}"
        if self.kind == "date":
            return f"{draw.randrange(1, 29)}.{draw.randrange(1, 13)}.{draw.randrange(1990, 2030)}"
        if self.kind == "time":
            return f"2024-0{draw.randrange(1, 10)}-11 {draw.randrange(24):02}:{draw.randrange(60):02}"
        if self.kind == "category":
            return draw.choice(["red", "green, blue", "lilä", "new"][:4 if new else 3])
        if self.kind == "rare":
            return draw.choice(["common"] * 30 + [f"rare{i}" for i in range(40)])
        if self.kind == "id":
            return f"customer {row}"
        if self.kind == "integer":
            return str(draw.randrange(5))
        return "same" if self.kind == "constant" else f"{draw.random()} is what was written"


def table(draw, columns, rows, new):
    cells = [[column.cell(draw, row, new) for column in columns] for row in range(rows)]
    return cells


def as_csv(names, rows, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


class Columns(ToolTest):
    def predictions(self, model, path, *more):
        result = self.succeed("predict", model, path, *more)
        return list(csv.reader(io.StringIO(result.stdout)))[1:]

    def one_table(self, seed):
        draw = random.Random(seed)
        columns = [Column(draw, f"c{i} {draw.choice(['a', 'ß', 'x,y'])}") for i in range(draw.randrange(2, 7))]
        columns.append(Column(draw, "useful"))
        columns[-1].kind, columns[-1].odd = draw.choice(["number", "comma", "category"]), 0
        delimiter = draw.choice([",", ";", "\t"])
        names = [column.name for column in columns]
        rows = table(draw, columns, draw.randrange(40, 120), False)
        classes = [draw.choice(["yes", "no", "üb"]) if i > 5 else ["yes", "no", "üb"][i % 3] for i in range(len(rows))]
        data = self.write("train.csv", as_csv([*names, "the class"], [[*r, c] for r, c in zip(rows, classes)], delimiter))
        model = self.folder / "m.model"
        missing = draw.choice([[], [], ["--missing", "mean"]])
        self.succeed("train", data, "--target", "the class", "-o", model, "--steps", "2", "--pretraining", "2",
                     "--hidden", "4", "-q", "--test-fraction", "0", *missing)
        new = table(draw, columns, draw.randrange(1, 60), True)
        path = self.write("new.csv", as_csv(names, new, delimiter))
        lines = self.predictions(model, path)
        self.assertEqual([line[0] for line in lines], [str(i + 1) for i in range(len(new))])
        # Neither threads nor the order of the columns nor other rows matter.
        self.assertEqual(self.predictions(model, path, "--threads", "3"), lines)
        places = list(range(len(names)))
        draw.shuffle(places)
        turned = as_csv([names[i] for i in places] + ["more"], [[row[i] for i in places] + ["?"] for row in new], delimiter)
        self.assertEqual(self.predictions(model, self.write("turned.csv", turned)), lines)
        many = self.predictions(model, self.write("many.csv", as_csv(names, new * (5000 // len(new) + 1), delimiter)))
        self.assertEqual([line[1:] for line in many], [line[1:] for line in lines] * (5000 // len(new) + 1))
        cut = draw.randrange(len(new))
        parts = [self.predictions(model, self.write("part.csv", as_csv(names, part, delimiter)))
                 for part in (new[:cut], new[cut:]) if part]
        self.assertEqual([line[1:] for part in parts for line in part], [line[1:] for line in lines])
        scored = self.write("eval.csv", as_csv([*names, "the class"], [[*row, "yes"] for row in new], delimiter))
        if "1e400" not in scored.read_text():
            rows = json.loads(self.succeed("eval", model, scored, "--json").stdout)["rows"]
            self.assertEqual(rows, len(new))

    def test_one_line_out_for_each_line_in(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.one_table(seed)

    def people(self, rows=60, target="churned"):
        draw = random.Random(rows)
        lines = []
        for i in range(rows):
            age = 20 + draw.randrange(50)
            town = draw.choice(["Ulm", "Bonn"])
            lines.append(f"{i + 1000},{age if i % 9 else ''},{town},{'yes' if age > 45 else 'no'}\n")
        return self.write("people.csv", f"customer_id,age,town,{target}\n" + "".join(lines))

    def test_unknown_categories_are_counted_and_make_less_sure(self):
        model = self.folder / "m.model"
        self.succeed("train", self.people(), "-o", model, "-q")
        new = self.write("new.csv", "age,town\n30,Ulm\n30,Bonn\n30,Rome\n,Ulm\nold,Ulm\n30,\n")
        result = self.succeed("predict", model, new)
        lines = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([line["unknown"] for line in lines], ["0", "0", "1", "0", "0", "1"])
        vacuity = [float(line["vacuity"]) for line in lines]
        self.assertGreater(vacuity[2], max(vacuity[:2]))
        self.assertIn("column 'town': 1 cell(s) of categories that the model does not know (Rome; the first in line 4)",
                      result.stderr)
        self.assertIn("column 'age': 1 cell(s) that are no numbers count as missing (old; the first in line 6)",
                      result.stderr)
        self.fail_with("new.csv:4: column 2 ('town'): unknown category 'Rome', expected one of Bonn, Ulm",
                       "predict", model, new, "--strict")
        unknown = json.loads(self.succeed("predict", model, new, "--json").stdout.splitlines()[2])["unknown"]
        self.assertEqual(unknown, 1)
        scored = self.write("scored.csv", "age,town,churned\n30,Rome,no\nold,Ulm,yes\n")
        result = self.succeed("eval", model, scored)
        self.assertIn("2 cell(s) cannot be read", result.stderr)
        self.fail_with("unknown category 'Rome'", "eval", model, scored, "--strict")

    def test_rows_that_cannot_be_judged_get_a_line(self):
        model = self.folder / "m.model"
        self.succeed("train", self.people(), "-o", model, "-q", "--missing", "drop")
        new = self.write("new.csv", "age,town\n30,Ulm\n,Ulm\nold,Ulm\n30,Bonn\n1e300,Ulm\n")
        result = self.succeed("predict", model, new)
        lines = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([line["row"] for line in lines], list("12345"))
        self.assertEqual([line["label"] != "" for line in lines], [True, False, False, True, False])
        self.assertEqual({line["vacuity"] for line in lines if not line["label"]}, {"1"})
        self.assertIn("2 row(s) with a missing value have no answer", result.stderr)
        self.assertIn("1 row(s) have no answer, as a number in them is too far", result.stderr)
        self.assertEqual(json.loads(self.succeed("predict", model, new, "--json").stdout.splitlines()[1])["label"], None)

    def test_what_the_columns_are_is_shown_and_remembered(self):
        people = self.people()
        shown = self.succeed("data", "describe", people).stdout
        for text in ("60 rows", "churned      class", "age          number    ", "7 missing", "town         category  2 levels",
                     "customer_id  left out  an id"):
            self.assertIn(text, shown)
        columns = {c["name"]: c for c in json.loads(self.succeed("data", "describe", people, "--json").stdout)["columns"]}
        self.assertEqual(columns["age"]["missing"], 7)
        model = self.folder / "m.model"
        result = self.succeed("train", people, "-o", model)
        self.assertIn("customer_id  left out  an id", result.stderr)
        result = self.succeed("train", people, "-o", model, "--json")
        self.assertIn({"name": "customer_id", "kind": "left out", "content": "an id: all cells differ", "missing": 0},
                      json.loads(result.stdout)["columns"])
        self.assertIn("customer_id  left out  an id", self.succeed("inspect", model).stdout)
        kinds = [c["kind"] for c in json.loads(self.succeed("inspect", model, "--json").stdout)["columns"]]
        self.assertEqual(kinds, ["class", "number", "category", "left out"])
        self.succeed("train", people, "-o", model, "--numeric", "customer_id", "--categorical", "age", "-q")
        kinds = [c["kind"] for c in json.loads(self.succeed("inspect", model, "--json").stdout)["columns"]]
        self.assertEqual(kinds, ["class", "number", "category", "category"])

    def test_the_class_is_found_or_asked_for(self):
        model = self.folder / "m.model"
        self.succeed("train", self.people(), "-o", model, "-q")
        self.assertEqual(json.loads(self.succeed("inspect", model, "--json").stdout)["target"], "churned")
        self.fail_with("no column 'churn' (did you mean 'churned'?)", "train", self.people(), "--target", "churn", "-o", model,
                       code=2)
        unclear = self.write("unclear.csv", "a,b,c\n" + "0,1.5,u\n1,2.5,v\n" * 10)
        self.fail_with("it is not clear which column holds the classes, name the target; candidates: 'c' (2 values), "
                       "'a' (2 values)", "train", unclear, "-o", model)

    def test_doubts_are_warnings_which_stay_with_quiet(self):
        draw = random.Random(1)
        lines = [f"{'rare' if i < 2 else draw.choice(['u', 'v'])},{draw.random()},{draw.random()}\n" for i in range(80)]
        data = self.write("noise.csv", "class,a,b\n" + "".join(lines))
        result = self.succeed("train", data, "-o", self.folder / "m.model", "--steps", "2", "-q")
        self.assertIn("warning: noise: 1 class(es) have fewer than 5 rows and can hardly be learned: rare (2)", result.stderr)
        self.assertEqual(result.stdout, "")
        for line in result.stderr.splitlines():
            self.assertTrue(line.startswith("warning: "), line)

    def test_messages_list_what_is_possible(self):
        message = self.fail_with("expected keep, drop, mean or error, not mode", "train", self.people(), "--missing", "mode",
                                 "-o", self.folder / "m.model", code=2).stderr
        self.assertNotIn("{", message)
        help_text = run("train", "--help").stdout
        self.assertIn("--missing keep|drop|mean|error", help_text)
        gaps = self.write("gaps.csv", "class,a,b\nu,1,\nv,,2\n")
        self.fail_with("a value is missing in each of the 2 rows, so that none is left; keep such rows", "train", gaps,
                       "--missing", "drop", "-o", self.folder / "m.model")


if __name__ == "__main__":
    unittest.main()
