"""The examples: the documents show them as they are, and they run. Usage: examples_test.py FOLDER_OF_PROGRAMS"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = pathlib.Path(sys.argv.pop(1))
CUSTOMERS = ROOT / "examples" / "customers.csv"


def run(name, *arguments, **options):
    return subprocess.run([PROGRAMS / name, *map(str, arguments)], capture_output=True, text=True, timeout=250,
                          **options)


def shown_in(document):
    return re.findall(r"```cpp\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def succeed(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_documents_show_them_as_they_are(self):
        for document, example in (("HACKING.md", "own_method.cpp"), ("docs/cpp.md", "train_and_predict.cpp"),
                                  ("docs/cpp.md", "server.cpp"), ("docs/cpp.md", "own_method.cpp")):
            source = (ROOT / "examples" / example).read_text()
            self.assertIn(source, shown_in(document), f"{document} does not show examples/{example} as it is")

    def test_train_and_predict(self):
        text = self.succeed("train_and_predict", CUSTOMERS, self.folder / "churn.model")
        self.assertGreater(float(re.search(r"held out: (\S+)", text)[1]), 0.8)
        self.assertRegex(text, r"leaves: (yes|no)\n")
        self.assertGreater(float(re.search(r"on all 500 rows: accuracy (\S+),", text)[1]), 0.8)
        self.assertTrue((self.folder / "churn.model").exists())

    def test_server_answers_the_same_with_any_number_of_threads(self):
        model = self.folder / "churn.model"
        self.succeed("train_and_predict", CUSTOMERS, model)
        lines = [line.split(",") for line in CUSTOMERS.read_text().splitlines()]
        requests = [",".join(f"{name}={cell}" for name, cell in zip(lines[0], line) if name != "churned")
                    for line in lines[1:]] * 20
        text = "\n".join(requests + [requests[0].replace("Celle", "Paris"), "age=1", "nonsense"]) + "\n"
        alone = self.succeed("server", model, 1, input=text)
        self.assertEqual(self.succeed("server", model, 8, input=text), alone)
        answers = alone.splitlines()
        self.assertEqual(len(answers), len(requests) + 3)
        self.assertRegex(answers[0], r"^(yes|no) entropy 0\.\d{3} vacuity [01]\.\d{3}$")
        self.assertIn("error: row: 4 column(s) missing: contract, town, calls, bill", answers[-2])
        self.assertIn("error: expected column=value, not 'nonsense'", answers[-1])
        vacuity = lambda line: float(line.split()[-1])
        self.assertGreater(vacuity(answers[-3]), vacuity(answers[0]))  # nobody came from Paris
        missing = [a for a, r in zip(answers, requests) if "=NA" in r]
        self.assertTrue(missing and not any("error" in a for a in missing))

    def test_own_method_is_run_stored_and_reported_under_its_name(self):
        store = self.folder / "results.db"
        text = self.succeed("own_method", ROOT / "data" / "iris.csv", store).replace("\\_", "_")
        rows = {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| spl")}
        self.assertIn("spl_gini", rows, text)
        self.assertNotIn("spl_gini loss", text)
        again = self.succeed("own_method", ROOT / "data" / "iris.csv", store).replace("\\_", "_")
        self.assertEqual(again, text, "nothing is run again")

    def test_errors_are_sentences(self):
        for program, arguments, expected in (
                ("own_method", ("no_such_file.csv", self.folder / "x.db"), "no_such_file.csv"),
                ("train_and_predict", ("no_such_file.csv", "m"), "no_such_file.csv"),
                ("server", ("no_such.model", 2), "no_such.model"), ("server", (), "usage")):
            result = run(program, *arguments, stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 1)
            self.assertIn(expected, result.stderr)


if __name__ == "__main__":
    unittest.main()
