"""The page of `uaspl report --html` in a real browser. Usage: tool_page_test.py PROGRAM"""
import contextlib
import sqlite3
import unittest

from browser import MISSING, Browser
from tool import ToolTest, write_clouds

HARM = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>&amp;"
METHODS = ("direct", "spl", "uaspl")


@unittest.skipIf(MISSING, f"{MISSING} is not installed")
class Page(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def setUp(self):
        super().setUp()
        self.db = self.folder / "results.db"
        self.page = self.folder / "report.html"

    def bench(self, *more, methods=METHODS, runs=2, names=("alpha", "second")):
        for name in names:
            write_clouds(self.folder / f"{name}.csv", 40 + 2 * len(name))
        sets = [part for name in names for part in ("--datasets", self.folder / f"{name}.csv")]
        self.succeed("bench", "--methods", ",".join(methods), *sets, "--runs", runs, "--steps", "5", "--db", self.db, "-q",
                     *more)

    def open(self):
        self.succeed("report", self.db, "--html", self.page)
        self.browser.resize(1280, 900)
        self.browser.messages()
        self.browser.requests()
        self.browser.open(self.page)
        self.assertEqual(self.browser.messages(), [])
        self.assertEqual(self.browser.requests(), [self.page.resolve().as_uri()])

    def whole(self):
        """A store with all that a page can show."""
        self.bench("--trace", "--curves", names=("alpha", "second", "<script>alert(1)"))
        self.bench("--noise", "uniform:0.4")
        self.bench("--pretraining", "5")
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("UPDATE runs SET dataset = ? WHERE dataset = 'second'", (HARM,))
        self.open()

    def run_js(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def ink(self):
        """How many different colours each chart has."""
        return self.run_js("""return Array.from(document.querySelectorAll("canvas")).map((canvas) => {
            const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return new Set(pixels).size; });""")

    def test_everything_is_drawn(self):
        self.whole()
        self.assertEqual(self.run_js("return Array.from(document.querySelectorAll('main section')).filter((s) => s.hidden)"
                                     ".map((s) => s.id)"), ["ablation"])
        charts = self.ink()
        self.assertEqual(len(charts), 1 + 1 + 2 + 1)  # variation, curves, noise and pre-training, selection
        self.assertGreater(min(charts), 20)
        labels = self.run_js("return Array.from(document.querySelectorAll('#ranks svg text')).map((t) => t.textContent)")
        for method in METHODS:
            self.assertTrue(any(label.startswith(method + " ") for label in labels), labels)
        self.assertEqual(self.run_js("return document.querySelectorAll('#wilcoxon tbody td[title]').length"), 6)
        self.assertEqual(self.run_js("return document.querySelectorAll('#results tbody tr').length"), 3)
        self.run_js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.run_js("return new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(self.run_js("return Array.from(document.querySelectorAll('details'))"
                                     ".map((one) => [one.querySelectorAll('tbody tr').length, one.querySelectorAll('circle.mean').length,"
                                     "one.querySelectorAll('circle.run').length])"),
                         [[3, 3, 6]] * 3)
        for caption in self.run_js("return Array.from(document.querySelectorAll('#overview caption, #results caption, "
                                   "#ranks .note, details caption')).map((c) => c.textContent)"):
            self.assertIn("equal means share the average of their ranks", caption)

    def test_choices_redraw_the_page(self):
        self.whole()
        before = self.run_js("return document.querySelector('#results').textContent")
        choose = """const select = document.querySelector(arguments[0]);
            select.value = arguments[1]; select.dispatchEvent(new Event("change"));"""
        self.run_js(choose, "#metric", "1")
        after = self.run_js("return document.querySelector('#results').textContent")
        self.assertIn("Precision on the test rows", after)
        self.assertNotEqual(before, after)
        self.run_js(choose, "#variant", "2")
        self.assertIn("noise uniform 0.4", self.run_js("return document.querySelector('#overview').textContent"))
        self.run_js(choose, "#variation select", "1")
        self.run_js(choose, "#wilcoxon select", "1")
        self.assertIn("as they are", self.run_js("return document.querySelector('#wilcoxon caption').textContent"))
        note = self.run_js("return document.querySelector('#selection .note').textContent")
        self.run_js(choose, "#selection .row label:nth-child(2) select", "5")
        self.assertNotEqual(note, self.run_js("return document.querySelector('#selection .note').textContent"))
        self.assertGreater(min(self.ink()), 20)
        self.assertEqual(self.run_js("return Object.keys(Chart.instances).length"), 4)  # these conditions have no curves
        # What the reader has chosen and opened stays.
        self.run_js("document.querySelector('details').open = true")
        self.run_js("return new Promise((done) => setTimeout(done, 50))")
        self.run_js(choose, "#metric", "2")
        self.assertTrue(self.run_js("return document.querySelector('details').open"))
        self.assertEqual(self.run_js("return document.querySelector('#wilcoxon select').value"), "1")
        self.assertEqual(self.browser.messages(), [])

    def test_tables_sort(self):
        self.whole()
        column = """return Array.from(document.querySelectorAll("#overview tbody tr")).map((row) => parseFloat(row.cells[1].textContent));"""
        click = """document.querySelectorAll("#overview thead button")[arguments[0]].click();
            return document.querySelectorAll("#overview thead th")[arguments[0]].getAttribute("aria-sort");"""
        self.assertEqual(self.run_js(click, 1), "descending")
        values = self.run_js(column)
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual(self.run_js(click, 1), "ascending")
        self.assertEqual(self.run_js(column), sorted(values))
        self.assertEqual(self.run_js(click, 0), "ascending")
        self.assertEqual(self.run_js("return Array.from(document.querySelectorAll('#overview tbody tr')).map((r) => r.cells[0].textContent)"),
                         sorted(METHODS))

    def test_further_tables_and_their_csv(self):
        self.whole()
        titles = self.run_js("return Array.from(document.querySelectorAll('#sheets option')).map((o) => o.textContent)")
        self.assertIn("Probabilities and uncertainties", titles)
        self.assertIn("The order of right and wrong, sure and unsure rows", titles)
        self.run_js("""const select = document.querySelector("#sheets select");
            select.value = String(arguments[0]); select.dispatchEvent(new Event("change"));""",
                    titles.index("Probabilities and uncertainties"))
        text = self.run_js("return csvText(document.querySelector('#sheets table'))")
        self.assertTrue(text.startswith('"method","log-loss","Brier",'), text)
        self.assertEqual(len(text.splitlines()), 1 + len(METHODS))
        self.assertEqual(self.run_js("return document.querySelectorAll('#sheets caption .save').length"), 1)
        # The best rank comes first, and what the median and a robust mean say can be chosen.
        ranks = self.run_js("return Array.from(document.querySelectorAll('#overview tbody tr')).map((r) => parseFloat(r.cells[2].textContent))")
        self.assertEqual(ranks, sorted(ranks))
        self.run_js("""const select = document.querySelectorAll("#variation select")[1];
            select.value = "1"; select.dispatchEvent(new Event("change"));""")
        self.assertGreater(min(self.ink()), 20)
        self.assertEqual(self.browser.messages(), [])

    def test_cells_with_fewer_runs_say_so(self):
        self.bench()
        self.bench(methods=("spl",), runs=3)
        self.open()
        text = self.run_js("return document.querySelector('#results').textContent")
        self.assertIn(", 2 of 3 runs", text)
        self.assertNotIn("3 of 3", text)
        self.assertIn("alpha †", text)
        self.run_js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.run_js("return new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(self.run_js("return Array.from(document.querySelectorAll('details td.fewer')).map((one) => one.textContent)"),
                         ["2 of 3"] * 4)
        names = self.run_js("return Array.from(document.querySelectorAll('details svg text')).map((one) => one.textContent)")
        self.assertIn("direct (2 of 3)", names)
        self.assertIn("spl", names)
        self.run_js("""const select = document.querySelector("#variation select");
            select.value = "1"; select.dispatchEvent(new Event("change"));""")
        self.assertIn("Unequal numbers of runs, 3 but of: direct 2, uaspl 2.",
                      self.run_js("return document.querySelector('#variation .note').textContent"))
        self.assertIn("(2 of 3)", self.succeed("report", self.db).stdout)

    def test_a_click_highlights_a_method_everywhere(self):
        self.whole()
        picked = """return Array.from(document.querySelectorAll(".picked")).map((one) => one.dataset.method)
            .filter((name, i, all) => all.indexOf(name) === i);"""
        widths = """return Chart.getChart(document.querySelector("#" + arguments[0] + " canvas")).data.datasets.map((one) => one.borderWidth);"""
        self.assertEqual(self.run_js(picked), [])
        before = self.run_js(widths, "variation")
        self.run_js("""Array.from(document.querySelectorAll("#overview button.method")).find((one) => one.textContent === "spl").click();""")
        self.assertEqual(self.run_js(picked), ["spl"])
        for place in ("#overview tr", "#ranks g", "#wilcoxon tr", "#results th", "#results td"):
            self.assertEqual(self.run_js("return document.querySelectorAll(arguments[0] + '.picked').length > 0", place), True, place)
        for section in ("variation", "curves", "conditions"):
            self.assertGreater(self.run_js(widths, section)[1], 4, section)
        self.assertEqual(self.run_js("return document.querySelector('#method').value"), "spl")
        # Another one by its name in a chart, and none by a second click.
        self.run_js("""const chart = Chart.getChart(document.querySelector("#variation canvas"));
            chart.options.plugins.legend.onClick({}, chart.legend.legendItems[0]);""")
        self.assertEqual(self.run_js(picked), ["direct"])
        self.run_js("""const row = document.querySelector("#ranks g[data-method=direct]"); row.dispatchEvent(new Event("click"));""")
        self.assertEqual(self.run_js(picked), [])
        self.assertEqual(self.run_js(widths, "variation"), before)
        self.assertEqual(self.browser.messages(), [])

    def test_captions_and_saved_tables(self):
        self.whole()
        caption = self.run_js("return document.querySelector('#wilcoxon caption').textContent")
        self.assertIn("3 data sets cannot give an exact p below 0.250, nor one below 0.750 after the correction for 3 pairs", caption)
        text = self.run_js("return csvText(document.querySelector('#wilcoxon table'))")
        self.assertEqual(text.splitlines()[0], '"","direct","spl","uaspl"')
        self.assertRegex(text.splitlines()[1], r'^"direct","","[\d.e-]+","[\d.e-]+"$')
        self.assertIn('"seconds"', self.run_js("return csvText(document.querySelector('#overview table'))").splitlines()[0])
        # No more room above the names than they need.
        self.assertLess(self.run_js("return document.querySelector('#wilcoxon thead th').getBoundingClientRect().height"), 80)
        # A caption stays where it is when its table is moved.
        self.browser.resize(700, 900)
        moved = self.run_js("""const box = document.querySelector("#overview .wide"); const words = box.querySelector("caption span");
            const before = words.getBoundingClientRect().left; box.scrollLeft = 200;
            return [box.scrollLeft, before, words.getBoundingClientRect().left, words.getBoundingClientRect().right];""")
        self.assertGreater(moved[0], 100)
        self.assertAlmostEqual(moved[1], moved[2], delta=1)
        self.assertLessEqual(moved[3], 700)

    def test_learning_curves(self):
        self.whole()
        shown = """return Chart.getChart(document.querySelector("#curves canvas")).data.datasets.map((one) => one.data.map((p) => [p.x, p.y]));"""
        curves = self.run_js(shown)
        self.assertEqual([len(curve) for curve in curves], [30, 30, 30])  # five passes in each of six stages
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            stored = [row[0] for row in database.execute(
                "SELECT p.test_accuracy FROM passes p JOIN runs r ON r.id = p.run WHERE r.method = 'spl' AND r.dataset = ? AND "
                "r.seed = 2025 ORDER BY p.stage, p.pass", (self.run_js("return report.curves.runs[0].dataset"),))]
        self.assertEqual([point[0] for point in curves[1]], list(range(1, 31)))
        for (_, value), expected in zip(curves[1], stored):
            self.assertAlmostEqual(value, expected, delta=1e-5)
        self.run_js("""const select = document.querySelectorAll("#curves select")[1];
            select.value = "2"; select.dispatchEvent(new Event("change"));""")
        self.assertNotEqual(self.run_js(shown), curves)
        self.assertEqual(self.browser.messages(), [])

    def test_pointing_shows_a_row(self):
        self.whole()
        place = self.run_js("""const canvas = document.querySelector("#selection canvas");
            canvas.scrollIntoView({ block: "center" });
            const point = Chart.getChart(canvas).getDatasetMeta(0).data[2];
            const box = canvas.getBoundingClientRect();
            return [box.x + point.x, box.y + point.y];""")
        self.browser.point_at(*place)
        shown = self.run_js("""return new Promise((done) => setTimeout(() => {
            const { tooltip } = Chart.getChart(document.querySelector("#selection canvas"));
            done([tooltip.opacity, tooltip.body.map((part) => part.lines.join("; ")).join("; "), tooltip.dataPoints[0].raw]); }, 100));""")
        self.assertEqual(shown[0], 1)
        self.assertRegex(shown[1], r"row \d+; loss [\d.e-]+; uncertainty [\d.e-]+; selected from round 1 on")
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            run = database.execute("SELECT id FROM runs WHERE dataset = ? AND method = 'direct' ORDER BY seed",
                                   (self.run_js("return report.selections.runs[0].dataset"),)).fetchone()[0]
            loss = database.execute("SELECT loss FROM samples WHERE run = ? AND stage = 0 AND row = ?",
                                    (run, shown[2]["row"])).fetchone()[0]
        self.assertAlmostEqual(shown[2]["loss"], loss, delta=1e-3 * abs(loss))

    def test_names_cannot_do_harm(self):
        self.whole()
        self.run_js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.assertIsNone(self.run_js("return window.harmed ?? null"))
        self.assertEqual(self.run_js("return document.querySelectorAll('img').length"), 0)
        names = self.run_js("return Array.from(document.querySelectorAll('details summary b')).map((b) => b.textContent)")
        self.assertIn(HARM, names)
        self.assertIn("<script>alert(1)", names)
        # Even a script that got in would not run, nor reach anything.
        self.run_js("""const script = document.createElement("script");
            script.textContent = "window.harmed = 2"; document.body.append(script);""")
        self.assertIsNone(self.run_js("return window.harmed ?? null"))
        self.assertTrue(self.run_js("return fetch('http://127.0.0.1:9/').then(() => false, () => true)"))
        self.assertTrue(all("Content Security Policy" in message or "Fetch API" in message
                            for message in self.browser.messages()))
        self.assertNotIn("http://127.0.0.1:9/", self.browser.requests()[1:])

    def test_narrow_screen(self):
        self.whole()
        self.browser.resize(390, 844, phone=True)
        self.run_js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.run_js("return new Promise((done) => setTimeout(done, 200))")
        self.assertLessEqual(self.run_js("return document.documentElement.scrollWidth"), 390)
        self.assertGreaterEqual(self.run_js("return Math.min(...Array.from(document.querySelectorAll('p, td, th, label, a'))"
                                            ".filter((e) => e.offsetParent).map((e) => parseFloat(getComputedStyle(e).fontSize)))"), 10)
        self.assertTrue(self.run_js("""return Array.from(document.querySelectorAll("canvas")).every((canvas) => {
            const box = canvas.getBoundingClientRect(); return box.width > 250 && box.right <= 390 && box.height > 200; })"""))
        self.assertGreater(min(self.ink()), 20)
        self.assertEqual(self.browser.messages(), [])

    def test_one_run_is_enough(self):
        self.bench(methods=("spl",), runs=1, names=("alone",))
        self.open()
        self.assertEqual(self.run_js("return document.querySelectorAll('#overview tbody tr').length"), 1)
        self.assertEqual(self.run_js("return Array.from(document.querySelectorAll('main section')).filter((s) => s.hidden)"
                                     ".map((s) => s.id)"), ["ablation", "ranks", "wilcoxon", "curves", "conditions", "selection"])
        self.assertGreater(min(self.ink()), 5)

    def test_a_damaged_store_gives_a_page(self):
        self.bench("--trace")
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("DELETE FROM samples")
            database.execute("UPDATE runs SET seconds = NULL, accuracy = NULL WHERE dataset = 'alpha' AND method = 'spl'")
            database.execute("UPDATE runs SET accuracy = 1e308 WHERE dataset = 'alpha' AND method = 'uaspl'")
            database.execute("UPDATE stages SET loss_variation = NULL WHERE stage = 2")
        self.open()
        self.run_js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.run_js("return new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(self.run_js("return document.querySelectorAll('details svg').length"), 2)
        self.assertEqual(self.browser.messages(), [])

    def test_methods_without_common_runs(self):
        self.bench(methods=("spl",), names=("alpha",))
        self.bench(methods=("uaspl",), names=("second",))
        self.open()
        self.assertIn("no ranks", self.run_js("return document.querySelector('#overview').textContent"))


if __name__ == "__main__":
    unittest.main()
