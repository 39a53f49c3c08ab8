"""The real program: weights of rows and classes, scores of rare classes, thresholds. Usage: tool_weights_test.py PROGRAM"""
import csv
import io
import json
import random
import unittest

from tool import ToolTest, write_clouds


def fraud(rows=400, weight=lambda i: 1):
    """One row in eight is of the class that is looked for."""
    draw = random.Random(5)
    text = "fraud,a,b,w\n"
    for i in range(rows):
        rare = i % 8 == 0
        text += f"{'yes' if rare else 'no'},{draw.gauss(1.5 * rare, 1):.4f},{draw.gauss(0, 1):.4f},{weight(i)}\n"
    return text


class Weights(ToolTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("fraud.csv", fraud())
        self.model = self.folder / "fraud.model"

    def train(self, *arguments, file=None):
        result = self.succeed("train", file or self.file, "--target", "fraud", "--steps", "30", "-o", self.model, "--json",
                              *arguments)
        return json.loads(result.stdout)

    def inspect(self):
        return json.loads(self.succeed("inspect", self.model, "--json").stdout)

    def labels(self, *arguments):
        text = self.succeed("predict", self.model, self.file, *arguments).stdout
        return list(csv.DictReader(io.StringIO(text)))

    def test_weight_zero_is_as_if_the_row_were_not_there(self):
        weighted = self.write("weighted.csv", fraud(weight=lambda i: (2, 0, 1.5)[i % 3]) + "maybe,x,y,0\n")
        lines = [line for line in weighted.read_text().splitlines(True) if not line.endswith(",0\n")]
        result = self.train("--weight", "w", file=weighted)
        self.assertEqual(result["weightless"], 134)
        self.assertEqual(result["rows"], len(lines) - 1)
        self.assertTrue(result["held_out"]["weighted"])
        predictions = self.labels()
        shorter = self.train("--weight", "w", file=self.write("shorter.csv", "".join(lines)))
        self.assertEqual(result["held_out"], shorter["held_out"])
        self.assertEqual(predictions, self.labels())
        self.assertEqual(self.inspect()["configuration"]["weight"], "w")
        self.assertEqual([column["name"] for column in self.inspect()["features"]], ["a", "b"])
        self.assertIn("134 row(s) of weight 0 left out",
                      self.succeed("train", weighted, "--target", "fraud", "--weight", "w", "-o", self.model).stderr)

    def test_equal_weights_change_nothing(self):
        usual = self.train("--drop", "w")["held_out"]
        predictions = self.labels()
        equal = self.write("equal.csv", fraud(weight=lambda i: 0.3))
        self.assertEqual(self.train("--weight", "w", file=equal)["held_out"], usual)
        self.assertEqual(self.labels(), predictions)
        self.assertEqual(self.train("--drop", "w", "--class-weight", "yes=1")["held_out"], usual)

    def test_class_weights_find_more_of_the_rare_class(self):
        usual = self.train("--drop", "w")["held_out"]
        for weights in ("balanced", "yes=7"):
            found = self.train("--drop", "w", "--class-weight", weights)["held_out"]
            self.assertGreater(found["classes"][1]["recall"], usual["classes"][1]["recall"] + 0.1)
            self.assertGreater(found["balanced_accuracy"], usual["balanced_accuracy"])
            self.assertEqual(self.inspect()["configuration"]["class_weight"], weights)
        self.assertEqual(usual["majority_class"], "no")
        self.assertAlmostEqual(usual["majority"], 70 / 80)

    def test_what_is_wrong_is_said(self):
        bad = self.write("bad.csv", "fraud,a,w\nno,1,1\nyes,2,-1\n")
        target = ("--target", "fraud", "-o", self.model)
        self.fail_with("bad.csv:3: column 3 ('w'): the weight '-1', expected a finite number from 0", "train", bad,
                       "--weight", "w", *target)
        self.fail_with("weight: no column 'v'; there are: fraud, a, b, w", "train", self.file, "--weight", "v", *target, code=2)
        self.fail_with("class weights: no class 'maybe'; there are: no, yes", "train", self.file, "--class-weight", "maybe=2",
                       *target, code=2)
        self.fail_with("is neither `balanced` nor CLASS=WEIGHT", "train", self.file, "--class-weight", "heavy", *target, code=2)
        self.fail_with("is not FP=COST,FN=COST", "train", self.file, "--cost", "5", *target, code=2)
        self.fail_with("--test-fraction 0 has none", "train", self.file, "--cost", "FN=5", "--test-fraction", "0", *target,
                       code=2)
        self.fail_with("positive: no class 'maybe'", "train", self.file, "--positive", "maybe", *target, code=2)
        three = self.folder / "three.csv"
        write_clouds(three, 60, 3)
        self.fail_with("are for two classes, and there are 3", "train", three, "--cost", "FN=5", "-o", self.model, code=2)

    def test_costs_choose_the_threshold_that_predict_goes_by(self):
        result = self.train("--drop", "w", "--cost", "FP=1,FN=10")["held_out"]
        thresholds = result["thresholds"]
        self.assertEqual(thresholds["positive"], "yes")
        decision = self.inspect()["decision"]
        self.assertEqual(decision, {"positive": "yes", "threshold": thresholds["cheapest"]["threshold"]})
        self.assertLess(decision["threshold"], 0.5)
        self.assertLessEqual(thresholds["cheapest"]["cost"], min(one["cost"] for one in thresholds["scores"]))
        self.assertIn(f"label     yes where p_yes >= {decision['threshold']}, otherwise no",
                      self.succeed("inspect", self.model).stdout)
        by_model = self.labels()
        for row in by_model:
            self.assertEqual(row["label"] == "yes", float(row["p_yes"]) >= decision["threshold"])
        for threshold in ("0.9", "0", "1"):
            rows = self.labels("--threshold", threshold)
            self.assertEqual([row["p_yes"] for row in rows], [row["p_yes"] for row in by_model])
            for row in rows:
                self.assertEqual(row["label"] == "yes", float(row["p_yes"]) >= float(threshold))
        for row in self.labels("--threshold", "0.9", "--positive", "no"):
            self.assertEqual(row["label"] == "no", float(row["p_no"]) >= 0.9)
        scores = json.loads(self.succeed("eval", self.model, self.file, "--json").stdout)
        self.assertEqual(scores["thresholds"]["used"], decision)
        self.assertEqual(sum(row[1] for row in scores["confusion"]), sum(row["label"] == "yes" for row in by_model))
        text = self.succeed("eval", self.model, self.file, "--cost", "FN=10").stdout
        self.assertIn("always 'no': accuracy 0.8750; balanced accuracy", text)
        self.assertIn("costs least on these rows", text)
        self.assertNotIn("p_yes from", self.succeed("eval", self.model, self.file, "-q").stdout)
        self.fail_with("expected a finite number", "predict", self.model, self.file, "--threshold", "nan", code=2)
        self.fail_with("--threshold", "predict", self.model, self.file, "--threshold", "1.5", code=2)
        self.fail_with("which is missing", "predict", self.model, self.file, "--positive", "yes", code=2)

    def test_without_a_positive_class_a_threshold_needs_one(self):
        self.train("--drop", "w")
        self.assertNotIn("decision", self.inspect())
        self.fail_with("name it with --positive: no, yes", "predict", self.model, self.file, "--threshold", "0.3", code=2)
        some = self.labels("--threshold", "0.3", "--positive", "yes")
        self.assertGreater(sum(row["label"] == "yes" for row in some), sum(row["label"] == "yes" for row in self.labels()))

    def test_eval_counts_rows_by_their_weights(self):
        self.train("--drop", "w")
        twice = self.write("twice.csv", fraud(weight=lambda i: i % 3))
        lines = twice.read_text().splitlines(True)
        copies = self.write("copies.csv", lines[0] + "".join(line * int(line.rsplit(",", 1)[1]) for line in lines[1:]))
        weighted = json.loads(self.succeed("eval", self.model, twice, "--weight", "w", "--json").stdout)
        copied = json.loads(self.succeed("eval", self.model, copies, "--json").stdout)
        self.assertLess(weighted["rows"], copied["rows"])
        for score in ("accuracy", "balanced_accuracy", "majority", "f1", "log_loss", "brier", "ece", "error_auroc"):
            self.assertAlmostEqual(weighted[score], copied[score], places=12, msg=score)
        for one, other in zip(weighted["classes"], copied["classes"]):
            for score in ("precision", "recall", "auroc", "average_precision"):
                self.assertAlmostEqual(one[score], other[score], places=12, msg=score)

    def test_bench_takes_weights_of_rows(self):
        weighted = self.write("weighted.csv", fraud(weight=lambda i: (2, 0, 1.5)[i % 3]))
        shorter = "".join(line for line in weighted.read_text().splitlines(True) if not line.endswith(",0\n"))

        def runs(*arguments):
            return self.succeed("bench", "--methods", "spl,mw_net", "--target", "fraud", "--steps", "10", "-o", "-", "-q",
                                *arguments).stdout.replace("shorter", "weighted")
        scores = [line.rsplit(",", 1)[0] for line in runs("--datasets", weighted, "--weight", "w").splitlines()]
        other = [line.rsplit(",", 1)[0] for line in
                 runs("--datasets", self.write("shorter.csv", shorter), "--weight", "w").splitlines()]
        usual = [line.rsplit(",", 1)[0] for line in runs("--datasets", weighted, "--drop", "w").splitlines()]
        self.assertEqual(scores, other)
        self.assertNotEqual(scores, usual)

    def test_bench_keeps_class_weights_apart(self):
        store = self.folder / "runs.db"
        common = ("bench", "--methods", "spl", "--datasets", self.file, "--target", "fraud", "--drop", "w", "--steps", "10",
                  "--db", store)
        for weights in ((), ("--class-weight", "balanced"), ("--class-weight", "balanced")):
            self.succeed(*common, *weights)
        report = self.succeed("report", store).stdout
        self.assertIn("class weights balanced", report)
        plan = self.write("plan.json", json.dumps({"datasets": str(self.file), "methods": "spl", "steps": 10,
                                                   "class_weight": ["none", "balanced", "yes=3"]}))
        again = self.succeed("bench", "--plan", plan, "--db", store, "--target", "fraud", "--drop", "w")
        self.assertIn("1 new run(s), 3 of these runs in all", again.stderr)
        self.fail_with("fraud: class weights: no class 'maybe'", "bench", "--methods", "spl", "--datasets", self.file, "--target",
                       "fraud", "--class-weight", "maybe=2", code=2)


if __name__ == "__main__":
    unittest.main()
