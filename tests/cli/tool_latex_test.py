"""The real program's LaTeX reports, through a real LaTeX. Usage: tool_latex_test.py PROGRAM"""
import re
import shutil
import subprocess
import unittest

from tool import ToolTest, write_clouds

HOSTILE = ("50%_of$#&~^{}.csv", "<script>\\[x]--Zürich 中.csv")


@unittest.skipUnless(shutil.which("pdflatex"), "no pdflatex here; scripts/setup --tests installs it")
class Latex(ToolTest):
    def setUp(self):
        super().setUp()
        self.db = self.folder / "results.db"
        self.out = self.folder / "out"

    def bench(self, methods, names, *more):
        datasets = [part for name in names for part in ("--datasets", self.folder / name)]
        self.succeed("bench", "--methods", methods, *datasets, "--db", self.db, "--quiet", *more)

    def compile(self):
        """Twice, as people do; the number of pages."""
        self.succeed("report", self.db, "--latex", self.out)
        for _ in range(2):
            result = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report"], cwd=self.out,
                                    capture_output=True, timeout=300)
            self.assertEqual(result.returncode, 0, result.stdout[-2000:].decode(errors="replace"))
        log = (self.out / "report.log").read_text(errors="replace")
        wide = [float(points) for points in re.findall(r"Overfull \\hbox \((\d+\.?\d*)pt", log)]
        self.assertLessEqual(max(wide, default=0), 10)
        self.assertNotIn("undefined", log)
        self.assertNotIn("multiply defined", log)
        self.assertNotIn("Missing character", log)
        self.assertNotIn("Float too large", log)
        self.assertTrue((self.out / "report.pdf").read_bytes().startswith(b"%PDF"))
        return int(re.search(r"Output written on report.pdf \((\d+) pages?", log).group(1))

    def inputs(self):
        return re.findall(r"\\input\{(.*)\}", (self.out / "report.tex").read_text())

    def test_a_grid_with_hostile_names(self):
        names = (*HOSTILE, "plain.csv")
        for place, name in enumerate(names):
            write_clouds(self.folder / name, 60 + 10 * place)
        methods = "direct,spl,mc_mi,uaspl,uaspl_beta1,uaspl_beta_t"
        self.bench("uaspl", names, "--steps", "3", "--trace")
        self.bench(methods, names, "--runs", "2", "--steps", "3")
        for more in (("--noise", "uniform:0.2"), ("--noise", "uniform:0.4"), ("--pretraining", "5")):
            self.bench("spl,uaspl", names, "--runs", "2", "--steps", "3", *more)
        self.bench("spl", ["plain.csv"], "--runs", "3", "--steps", "3")  # no longer the same seeds
        self.assertGreater(self.compile(), 10)
        parts = self.inputs()
        self.assertEqual(sum(part.endswith("ablation") for part in parts), 1)
        for part in ("table-1-accuracy", "table-4-f1", "figure-1-ranks", "figure-4-variation",
                     "figure-conditions-2", "figure-selection-3"):
            self.assertIn(part, parts)
        self.assertEqual({path.stem for path in self.out.glob("*.tex")}, {"report", *parts})
        # A smaller report in the same folder is a smaller document.
        self.succeed("report", self.db, "--latex", self.out, "--methods", "spl", "--datasets", "plain")
        self.assertLess(len(self.inputs()), len(parts))
        self.assertTrue((self.out / "figure-selection-3.tex").exists())

    def test_many_points_fit_into_memory(self):
        write_clouds(self.folder / "large.csv", 4010)
        self.bench("direct,spl,uaspl", ["large.csv"], "--steps", "1", "--trace")
        self.compile()
        self.assertIn("Only one of 3 rows is drawn", (self.out / "figure-selection-3.tex").read_text())

    def test_all_methods(self):
        names = [f"set_{place}.csv" for place in range(4)]
        for place, name in enumerate(names):
            write_clouds(self.folder / name, 40 + 4 * place)
        self.bench("all", names, "--steps", "1")
        methods = len(self.succeed("list", "methods", "--json").stdout.splitlines())
        self.assertGreater(self.compile(), 4)
        diagram = (self.out / "figure-1-ranks.tex").read_text()
        self.assertEqual(diagram.count("node[left,") + diagram.count("node[right,"), methods)


if __name__ == "__main__":
    unittest.main()
