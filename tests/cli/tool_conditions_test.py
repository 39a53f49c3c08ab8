"""The real program under other conditions than the usual ones: options of training in `bench`, `reproduce`, `train` and
plans. Usage: tool_conditions_test.py PROGRAM"""
import contextlib
import json
import sqlite3
import unittest

from tool_store_test import GridCase

USUAL = ('{"batch":0,"decay":0.0005,"dropout":0,"first_share":0.25,"hidden":[128,128],"momentum":0.9,"pretraining":20,'
         '"rate":0.1,"share_step":0.15,"stages":6,"steps":150,"stop_below":0.0001,"test_fraction":0.5}')
CHANGES = {"pretraining": 3, "steps": 7, "rate": 0.2, "stages": 4, "first_share": 0.5, "share_step": 0.25,
           "stop_below": 0.01, "momentum": 0.5, "decay": 0.01, "batch": 8, "carry_momentum": True,
           "naive_cross_entropy": True}
BAD = {"pretraining": "-1", "steps": "0", "rate": "0", "stages": "0", "first_share": "1.5", "share_step": "-0.1",
       "stop_below": "nan", "momentum": "1", "decay": "2", "batch": "1.5"}


def option(name, value):
    dashed = "--" + name.replace("_", "-")
    return [dashed] if value is True else [dashed, str(value)]


def configurations(db):
    with contextlib.closing(sqlite3.connect(db)) as store:
        return [row[0] for row in store.execute("SELECT configuration FROM runs ORDER BY id")]


class Conditions(GridCase):
    def bench(self, *more, methods="spl"):
        return self.succeed("bench", "--methods", methods, "--datasets", self.folder / "alpha.csv", "--db", self.db,
                            *more)

    def test_each_is_a_run_of_its_own(self):
        self.bench()
        self.assertEqual(configurations(self.db), [USUAL])
        for name, value in CHANGES.items():
            result = self.bench(*option(name, value))
            self.assertIn("1 new run(s), 1 of these", result.stderr, name)
            changed = {k: v for k, v in json.loads(configurations(self.db)[-1]).items() if v != json.loads(USUAL).get(k)}
            self.assertEqual(changed, {name: value})
        report = self.succeed("report", self.db).stdout.replace("\\", "")
        for name, value in CHANGES.items():
            self.assertIn(f"## {name}\n" if value is True else f"## {name} {value}\n", report)
            self.assertIn(f"## {'pre-training' if name == 'pretraining' else name}\n", report, "how it matters")
        # The same by a plan.
        plan = self.write("plan.json", json.dumps({"datasets": str(self.folder / "alpha.csv"), "methods": "spl", **CHANGES}))
        self.succeed("bench", "--plan", plan, "--db", self.db)
        self.bench(*sum((option(name, value) for name, value in CHANGES.items()), []))
        self.assertEqual(len(configurations(self.db)), 2 + len(CHANGES))

    def test_what_is_out_of_range_is_refused(self):
        known = ("--methods", "spl", "--datasets", self.folder / "alpha.csv")
        for name, bad in BAD.items():
            dashed = "--" + name.replace("_", "-")
            self.fail_with(f"{dashed}: expected a", "bench", *known, dashed, bad, code=2)
            self.fail_with(f"{dashed}: expected a", "train", self.folder / "alpha.csv", "-o", "m", dashed, bad, code=2)
            plan = self.write("plan.json", json.dumps({"datasets": "x", "methods": "spl", name: [CHANGES[name], bad]}))
            self.fail_with(f"{plan}:1: {name}: expected a", "bench", "--plan", plan, "--db", self.db)
        many = ",".join(str(i) for i in range(1, 200))
        self.fail_with("more than 10000 combinations", "bench", *known, "--steps", many, "--stages", many, "--db",
                       self.db, code=2)

    def test_several_values_show_how_the_accuracy_depends_on_them(self):
        result = self.bench("--noise", "none,uniform:0.2", "--noise", "uniform:0.4", "--steps", "9", methods="spl,uaspl")
        self.assertIn("6 new run(s)", result.stderr)
        self.assertIn("## uniform noise, steps 9\n", result.stdout)
        self.assertIn("| ratio of wrong labels | 0 | 0.2 | 0.4 |", result.stdout)
        result = self.bench("--rate", "0.05,0.1", "--pretraining", "5,20", "--steps", "9", methods="spl,uaspl")
        self.assertIn("6 new run(s), 8 of these", result.stderr)
        self.assertIn("## rate, pretraining 5, steps 9\n", result.stdout)
        self.assertIn("| learning rate | 0.05 | 0.1 |", result.stdout)
        self.assertIn("| steps of pre-training | 5 | 20 |", result.stdout)
        # Two kinds of noise without a common axis: a table of each.
        result = self.bench("--noise", "flip1:0.2,asymmetric:0.2", "--steps", "9")
        self.assertEqual(result.stdout.count("### Accuracy on each data set"), 2)
        lines = self.bench("--rate", "0.05,0.1", "--steps", "9", "--json").stdout.splitlines()
        self.assertEqual({json.loads(line)["variant"] for line in lines if "dataset" in json.loads(line)},
                         {"steps 9", "rate 0.05, steps 9"})
        self.fail_with("several conditions: this needs --db", "bench", "--methods", "spl", "--datasets",
                       self.folder / "alpha.csv", "--rate", "0.05,0.1", code=2)
        # What is equivalent is run once.
        self.assertIn("1 of these", self.bench("--rate", "0.1,0.10", "--noise", "none", "--steps", "9").stderr)

    def test_the_command_line_goes_before_the_plan(self):
        plan = self.write("plan.json", json.dumps({
            "datasets": str(self.folder / "alpha.csv"), "methods": ["spl_mixture", "uaspl"], "steps": 5,
            "set": ["spl_mixture.gamma=2", "uaspl.beta=3"], "pretraining": [0, 5, 10], "stages": 3, "share_step": 0.5}))
        result = self.succeed("bench", "--plan", plan, "--methods", "uaspl,spl", "--pretraining", "4", "--set",
                              "uaspl.evidence=exp", "--db", self.db)
        self.assertIn("2 new run(s)", result.stderr)
        found = [json.loads(text) for text in configurations(self.db)]
        self.assertEqual({(one["pretraining"], one["steps"], one["stages"]) for one in found}, {(4, 5, 3)})
        self.assertIn({"beta": "3", "evidence": "exp"}, [one.get("method") for one in found])
        self.fail_with("sets an option of a method that is not run", "bench", "--plan", plan, "--methods", "spl", "--set",
                       "uaspl.beta=2", "--db", self.db, code=2)

    def test_studies_with_other_methods_and_conditions(self):
        few = ("--runs", "1", "--datasets", self.folder / "alpha.csv", "--steps", "5", "--db", self.db)
        result = self.succeed("reproduce", "table-main", "--methods", "spl,uaspl_linear", "--carry-momentum",
                              "--stop-below", "0", *few)
        self.assertIn("2 new run(s)", result.stderr)
        self.assertIn("## carry\\_momentum, steps 5, stop\\_below 0.0\n", result.stdout)
        self.assertIn("| uaspl\\_linear |", result.stdout)
        result = self.succeed("reproduce", "pretraining", "--methods", "spl", "--pretraining", "2,4", *few)
        self.assertIn("2 new run(s)", result.stderr)
        self.assertIn("| steps of pre-training | 2 | 4 |", result.stdout)
        result = self.succeed("reproduce", "noise", "--methods", "spl", "--noise", "none,uniform:0.3", *few)
        self.assertIn("3 new run(s)", result.stderr)  # the noise before and after the pre-training
        self.fail_with("unknown method 'sppl' (did you mean 'spl'?)", "reproduce", "table-main", "--methods", "sppl",
                       *few, code=2)

    def test_wrong_plans_say_what_may_have_been_meant(self):
        for text, message in (
                ('{"datasets": "x",\n"method": "spl"}', ":2: unknown entry 'method' (did you mean 'methods'?); known: "),
                ('{"datasets": "x", "methods": "spl",\n\n"sho": 1}', ":3: unknown entry 'sho' (did you mean 'show'?)"),
                ('{"datasets": "x", "methods": "spl", "show": "condition"}',
                 ": show: unknown section 'condition' (did you mean 'conditions'?)")):
            plan = self.write("plan.json", text)
            self.fail_with(f"{plan}{message}", "bench", "--plan", plan, "--db", self.db)

    def test_shares_that_leave_rows_out_are_noted(self):
        quick = ("--steps", "2")
        self.assertIn("take 55 % of the rows in the last of 3 stages\n", self.bench("--stages", "3", *quick).stderr)
        self.assertIn("take 25 % of the rows in the only stage\n", self.bench("--stages", "1", *quick).stderr)
        self.assertIn("2 conditions in all leave rows out", self.bench("--stages", "2,3,9", *quick).stderr)
        self.assertNotIn("note:", self.bench("--stages", "1", "--first-share", "1", *quick).stderr)
        self.assertNotIn("note:", self.bench("--stages", "3", "-q", *quick).stderr)

    def test_models_are_trained_by_them_and_say_so(self):
        model = self.folder / "m.model"

        def train(*more):
            result = self.succeed("train", self.folder / "alpha.csv", "--steps", "12", "-o", model, *more)
            return result.stderr, model.read_bytes(), json.loads(
                self.succeed("inspect", model, "--json").stdout)["configuration"]
        _, usual, about = train()
        self.assertFalse({"first_share", "share_step", "stop_below", "carry_momentum", "naive_cross_entropy"} & set(about))
        for name, value in CHANGES.items():
            if name not in ("steps", "naive_cross_entropy"):
                _, changed, about = train(*option(name, value))
                self.assertNotEqual(changed, usual, name)
                self.assertEqual(about[name], json.dumps(value) if value is True else str(value))
        self.assertEqual(train("--naive-cross-entropy")[2]["naive_cross_entropy"], "true")
        self.assertIn("in the only stage", train("--stages", "1")[0])
        self.assertNotIn("note:", train("--stages", "1", "--first-share", "1", "--method", "spl")[0])
        self.fail_with("--stages", "train", self.folder / "alpha.csv", "-o", model, "--stages", "2", "--stages", "3", code=2)
        self.assertIn("carry_momentum = true\n", self.succeed("inspect", model).stdout if train("--carry-momentum") else "")


if __name__ == "__main__":
    unittest.main()
