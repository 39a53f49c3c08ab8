"""The real program on images: training, its interruptions, comparisons. Usage: tool_images_test.py PROGRAM

The pictures are written here: stripes that run across, down or aslant. Where the program was built without libtorch,
all of this is skipped.
"""
import csv
import io
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

from tool import TOOL, ToolTest, run, write_clouds

CLASSES = ["across", "aslant", "down"]
SIDE = 16
QUICK = ["--network", "lenet", "--profile", "quick", "--threads", "1"]
LEARN = [*QUICK, "--batch", "4", "--steps", "8"]


def write_png(path, values, colour=False):
    """Rows of grey values as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + bytes(v for value in row for v in [value] * (3 if colour else 1)) for row in values)
    header = struct.pack(">IIBBBBB", len(values[0]), len(values), 8, 2 if colour else 0, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) +
                     chunk(b"IEND", b""))


def stripes(kind, draw, side=SIDE):
    """A noisy picture of a class."""
    place = {"across": lambda y, x: y, "down": lambda y, x: x, "aslant": lambda y, x: x + y}[kind]
    shift = draw.randrange(3)
    return [[min(255, max(0, int((190 if (place(y, x) + shift) // 3 % 2 else 60) + draw.gauss(0, 25))))
             for x in range(side)] for y in range(side)]


def write_pictures(folder, of_class, colour=False, seed=1, side=SIDE):
    for k, kind in enumerate(CLASSES):
        draw = random.Random(seed * 10 + k)
        for i in range(of_class):
            write_png(folder / kind / f"{i:03}.png", stripes(kind, draw, side), colour)


def write_idx_set(folder, train, test, side=28):
    """Images as MNIST's files have them: noise, with a bar whose place is the class."""
    folder.mkdir(parents=True)
    for part, count in (("train", train), ("t10k", test)):
        draw = random.Random(count)
        labels = bytes(i % 10 for i in range(count))
        pixels = bytes(draw.randrange(100) + (120 if x // 2 == label else 0)
                       for label in labels for _ in range(side) for x in range(side))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, count, side, side) + pixels)


def on_a_terminal(*arguments):
    """What the program says on standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen([TOOL, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    assert program.wait() == 0, said
    return said.decode()


def start(*arguments):
    environment = {**os.environ, "HOME": "/nonexistent"}
    return subprocess.Popen([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


def stop_when(process, condition, how):
    """Sends a signal once the condition holds; whether the process was still at work."""
    while process.poll() is None and not condition():
        time.sleep(0.001)
    process.send_signal(how)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


@unittest.skipUnless((pathlib.Path(TOOL).parent / "libuaspl_torch.so").exists(),
                     "images need libuaspl_torch.so, which was not built")
class Images(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.pictures = cls.shared / "stripes"
        write_pictures(cls.pictures / "train", 20)
        write_pictures(cls.pictures / "test", 8, seed=2)
        write_pictures(cls.shared / "colour", 15, colour=True)
        cls.model = cls.shared / "stripes.model"
        cls.trained = run("train", "--images", cls.pictures, *LEARN, "-o", cls.model)

    # From pictures to predictions.

    def test_from_pictures_to_predictions(self):
        self.assertEqual(self.trained.returncode, 0, self.trained.stderr)
        self.assertIn("on 24 test images: accuracy", self.trained.stdout)
        self.assertIn(f"uaspl_hybrid with lenet on 60 images of {self.pictures}, 3 classes", self.trained.stdout)
        self.assertFalse(pathlib.Path(f"{self.model}.checkpoint").exists())
        scores = json.loads(self.succeed("eval", self.model, self.pictures, "--json").stdout)
        self.assertGreater(scores["accuracy"], 0.8)
        self.assertEqual((scores["rows"], scores["unknown"]), (24, 0))
        test = self.pictures / "test"
        rows = list(csv.DictReader(io.StringIO(self.succeed("predict", self.model, test).stdout)))
        self.assertEqual(list(rows[0]), ["file", "label", "p_across", "p_aslant", "p_down", "vacuity", "entropy"])
        self.assertEqual([r["file"] for r in rows], sorted(map(str, test.glob("*/*.png"))))
        right = sum(pathlib.Path(r["file"]).parent.name == r["label"] for r in rows)
        self.assertAlmostEqual(right / 24, scores["accuracy"])
        for row in rows:
            self.assertAlmostEqual(sum(float(row[f"p_{name}"]) for name in CLASSES), 1, places=5)
            self.assertTrue(0 < float(row["vacuity"]) <= 1)
        objects = list(map(json.loads, self.succeed("predict", self.model, test, "--json").stdout.splitlines()))
        self.assertEqual([o["label"] for o in objects], [r["label"] for r in rows])
        self.assertEqual(list(objects[0]["probabilities"]), CLASSES)
        one = self.succeed("predict", self.model, test / "down" / "003.png", "-o", self.folder / "one.csv")
        self.assertEqual(one.stdout, "")
        alone, among = next(csv.DictReader(io.StringIO((self.folder / "one.csv").read_text()))), rows[19]
        self.assertEqual((alone["file"], alone["label"]), (among["file"], among["label"]))
        self.assertAlmostEqual(float(alone["p_down"]), float(among["p_down"]), places=4)  # libtorch goes by the batch

    def test_what_a_model_says_of_itself(self):
        text = self.succeed("inspect", self.model).stdout
        self.assertIn("lenet for images of 16 x 16, grey", text)
        self.assertIn("class: across, aslant, down", text)
        about = json.loads(self.succeed("inspect", self.model, "--json").stdout)
        self.assertEqual(about["images"], {"network": "lenet", "channels": 1, "height": 16, "width": 16})
        self.assertEqual(about["classes"], CLASSES)

    def test_pictures_are_brought_to_what_the_model_takes(self):
        large = self.folder / "large"
        write_pictures(large, 2, colour=True, side=40)
        self.assertEqual(json.loads(self.succeed("eval", self.model, large, "--json").stdout)["rows"], 6)
        colour = self.folder / "colour.model"
        said = json.loads(self.succeed("train", "--images", self.shared / "colour", *QUICK, "-o", colour,
                                       "--json").stdout)
        self.assertEqual((said["rows"], said["held_out"]["rows"]), (36, 9))  # a fifth of each class
        self.succeed("eval", colour, self.pictures)  # grey ones for a model that takes colours
        self.succeed("predict", colour, self.pictures / "test")

    def test_classes_that_the_model_does_not_know_count_as_wrong(self):
        other = self.folder / "other"
        write_pictures(other, 2)
        (other / "down").rename(other / "dots")
        result = self.succeed("eval", self.model, other, "--json")
        self.assertIn("warning: 2 row(s) of classes that the model does not know", result.stderr)
        self.assertEqual(json.loads(result.stdout)["unknown"], 2)

    def test_a_model_is_judged_by_any_folder_of_its_classes(self):
        def rows(folder):
            return json.loads(self.succeed("eval", self.model, folder, "--json").stdout)["rows"]

        one = self.folder / "one"
        shutil.copytree(self.pictures / "test" / "down", one / "down")
        self.assertEqual(rows(one), 8)
        shutil.copytree(self.pictures / "test", self.folder / "parts" / "test")
        self.assertEqual(rows(self.folder / "parts"), 24)
        shutil.copytree(one / "down", self.folder / "flat" / "test")  # a class of this name, which the model does not know
        self.assertEqual(json.loads(self.succeed("eval", self.model, self.folder / "flat", "--json").stdout)["unknown"], 8)
        self.fail_with("expected one for each class", "eval", self.model, one / "down")

    def test_what_is_odd_about_the_images_is_said(self):
        few = self.succeed("train", "--images", self.pictures, *QUICK, "--limit", "2", "-o", self.folder / "m.model")
        self.assertIn("warning:", few.stderr)
        self.assertIn("1 of the 3 classes have no training image", few.stderr)
        shutil.copytree(self.pictures / "train", self.folder / "half" / "train")
        (self.folder / "half" / "test").mkdir()
        self.fail_with("half/test: no folders of pictures", "train", "--images", self.folder / "half", *QUICK, "-o",
                       self.folder / "h.model")

    def test_passes_before_the_stages(self):
        model = self.folder / "m.model"
        table = self.folder / "table.csv"
        write_clouds(table, 40)
        for data in (["--images", self.pictures, *QUICK, "--noise", "uniform:0.2", "--clean-pretraining"], [table, "--steps", "2"]):
            self.succeed("train", *data, "--pretraining", "3", "-o", model)
            about = json.loads(self.succeed("inspect", model, "--json").stdout)["configuration"]
            self.assertEqual(about["pretraining"], "3")
            self.assertEqual(about.get("noise"), "uniform:0.2 after the pre-training" if "--images" in data else None)

    def test_stages_and_steps_of_another_kind(self):
        model = self.folder / "m.model"
        changes = {"stages": "3", "first_share": "0.5", "momentum": "0.8", "decay": "0.01", "stop_below": "0.001"}
        chosen = sum((["--" + name.replace("_", "-"), value] for name, value in changes.items()), [])
        result = self.succeed("train", "--images", self.pictures, *LEARN, *chosen, "--naive-cross-entropy", "-o", model)
        self.assertIn("80 % of the rows in the last of 3 stages", result.stderr)
        about = json.loads(self.succeed("inspect", model, "--json").stdout)["configuration"]
        self.assertEqual(about | changes | {"naive_cross_entropy": "true"}, about)
        usual = json.loads(self.succeed("inspect", self.model, "--json").stdout)["configuration"]
        self.assertFalse({"first_share", "stop_below", "carry_momentum", "naive_cross_entropy"} & set(usual))
        database = self.folder / "stages.db"
        result = self.succeed("bench", "--images", self.pictures, *QUICK, "--methods", "spl", "--stages", "2,3",
                              "--first-share", "0.9", "--db", database)
        self.assertIn("| number of stages | 2 | 3 |", result.stdout)

    def test_training_goes_on_from_given_weights(self):
        arguments = ["train", "--images", self.pictures, *LEARN, "--method", "direct", "-o", self.folder / "m.model"]
        self.succeed(*arguments, "--start", self.model)
        told = self.succeed("inspect", self.folder / "m.model").stdout
        self.assertRegex(told, r"start = [0-9a-f]{40}")
        self.assertIn("pretraining = 0\n", told)
        self.fail_with("shape 6 x 1 x 5 x 5, expected 16 x 1 x 3 x 3; missing bn1.bias, ", "train", "--images", self.pictures,
                       "--network", "resnet8", "--profile", "quick", "-o", self.folder / "m.model", "--start", self.model)
        bench = ["bench", "--images", self.pictures, *QUICK, "--methods", "direct", "--db", self.folder / "r.db"]
        self.succeed(*bench)
        self.succeed(*bench, "--start", self.model)
        runs = sqlite3.connect(self.folder / "r.db").execute("SELECT configuration, accuracy FROM runs").fetchall()
        self.assertEqual(sorted("start" in json.loads(one) for one, _ in runs), [False, True])
        self.assertGreater(max(accuracy for one, accuracy in runs if "start" in json.loads(one)), 0.8)

    def test_an_image_left_over_is_no_trouble(self):
        for size in (5, 65):  # 64 are a step of the profile's
            images = self.folder / str(size)
            draw = random.Random(size)
            for i in range(size):
                write_png(images / "train" / CLASSES[i % 3] / f"{i:03}.png", stripes(CLASSES[i % 3], draw, 4))
            write_pictures(images / "test", 1, side=4)
            self.succeed("train", "--images", images, "--network", "resnet8", "--profile", "quick", "--threads", "1",
                         "--method", "direct", "-o", self.folder / "m.model")

    def test_noise_and_imbalance(self):
        model = self.folder / "m.model"
        noisy = ["--noise", "flip2:0.4", "--imbalance", "10", "--json"]
        said = json.loads(self.succeed("train", "--images", self.pictures, *QUICK, *noisy, "-o", model).stdout)
        self.assertEqual(said["rows"], 20 + 6 + 2)
        self.succeed("bench", "--images", self.pictures, *QUICK, "--methods", "spl", "--noise", "flip2:0.4",
                     "--clean-pretraining")

    # Interruptions.

    def interrupted(self, how, *more):
        """A training that was stopped in a stage: its exit code, its messages, and what --resume makes of it."""
        arguments = ["train", "--images", self.pictures, *QUICK, "--steps", "20", "--batch", "8", *more, "-o"]
        model = self.folder / "m.model"
        checkpoint = self.folder / "m.model.checkpoint"
        code, out, errors = stop_when(start(*arguments, model), checkpoint.exists, how)
        self.assertEqual(out, "")
        self.assertFalse(model.exists())
        self.assertTrue(checkpoint.exists())
        self.fail_with("--resume goes on from it", *arguments, model, code=2)
        self.fail_with("a checkpoint of another run", *arguments, model, "--resume", "--seed", "3")
        counts = re.findall(r"(\d+)/\d+ images", on_a_terminal(*arguments, model, "--resume"))
        self.assertGreater(int(counts[0]), 60, "the count goes on where it was")
        self.assertFalse(checkpoint.exists())
        whole = self.folder / "whole.model"
        self.assertIn("not there; training begins anew", self.succeed(*arguments, whole, "--resume").stderr)
        self.assertEqual(model.read_bytes(), whole.read_bytes())
        return code, errors

    def test_a_killed_training_goes_on_to_the_same_model(self):
        self.assertEqual(self.interrupted(signal.SIGKILL)[0], -signal.SIGKILL)

    def test_so_does_one_that_carries_its_momentum_over(self):
        self.interrupted(signal.SIGKILL, "--carry-momentum")
        carried = (self.folder / "m.model").read_bytes()
        self.succeed("train", "--images", self.pictures, *QUICK, "--steps", "20", "--batch", "8", "-o",
                     self.folder / "m.model")
        self.assertNotEqual(carried, (self.folder / "m.model").read_bytes())

    def test_ctrl_c_says_how_to_go_on(self):
        code, errors = self.interrupted(signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertIn(f"interrupted; no model was written; --resume goes on from {self.folder}", errors)

    def test_a_damaged_checkpoint_is_refused(self):
        checkpoint = self.folder / "m.model.checkpoint"
        arguments = ["train", "--images", self.pictures, *QUICK, "--steps", "40", "-o", self.folder / "m.model"]
        stop_when(start(*arguments), checkpoint.exists, signal.SIGKILL)
        data = bytearray(checkpoint.read_bytes())
        data[-5] ^= 1
        checkpoint.write_bytes(data)
        self.fail_with("a damaged checkpoint; remove it", *arguments, "--resume")
        for size in (0, 1000):
            checkpoint.write_bytes(data[:size])
            self.fail_with("m.model.checkpoint: a damaged checkpoint; remove it", *arguments, "--resume")

    def test_no_room_for_the_model(self):
        model = self.folder / "m.model"
        small = subprocess.run(["bash", "-c", 'ulimit -f 20; exec "$@"', "-", TOOL, "train", "--images",
                                self.pictures, *QUICK, "-o", model], capture_output=True, text=True)
        self.assertEqual(small.returncode, 1, small.stderr)
        self.assertIn("writing failed: File too large", small.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    # Comparisons.

    def runs(self, database):
        """What is in a store, but for times."""
        with sqlite3.connect(database) as store:
            known = ("SELECT dataset, data_sha256, method, configuration, seed, accuracy, precision, recall, f1, "
                     "stage, selected, mean_loss, last_loss, loss_variation, test_accuracy "
                     "FROM runs JOIN stages ON run = id ORDER BY method, seed, stage")
            return store.execute(known).fetchall()

    def test_a_killed_comparison_goes_on_to_the_same_results(self):
        arguments = ["bench", "--images", self.pictures, *QUICK, "--steps", "20", "--methods",
                     "spl,uaspl_hybrid,mw_net", "--db"]
        folder = self.folder / "killed.db.checkpoints"
        database = self.folder / "killed.db"
        for method in ("-spl-", "-uaspl_hybrid-", "-mw_net-"):
            stop_when(start(*arguments, database), lambda: list(folder.glob(f"*{method}*.checkpoint")), signal.SIGKILL)
        self.succeed(*arguments, database)
        self.assertFalse(folder.exists() and list(folder.glob("*.checkpoint")))
        table = self.succeed(*arguments, self.folder / "whole.db")
        self.assertIn("uaspl_hybrid", table.stdout)
        self.assertFalse((self.folder / "whole.db.checkpoints").exists())
        self.assertEqual(self.runs(database), self.runs(self.folder / "whole.db"))
        self.assertEqual(len(self.runs(database)), 3 * 6)
        self.assertIn("0 new run(s), 3 of these", self.succeed(*arguments, database).stderr)

    def test_the_study_of_images(self):
        database = self.folder / "images.db"
        study = ["reproduce", "table-images", "--images", self.pictures, *QUICK, "--db", database]
        text = self.succeed(*study, "--runs", "1").stdout
        self.assertIn("## network lenet, limit 2000, pretraining 1, steps 1, test\\_limit 1000", text)
        self.assertIn("15 runs.", text)
        self.assertEqual({row[4] for row in self.runs(database)}, {83105})
        objects = map(json.loads, self.succeed(*study, "--runs", "1", "--json").stdout.splitlines())
        self.assertEqual(len({one["method"] for one in objects if "method" in one and "dataset" in one}), 15)
        page = self.folder / "page.html"
        self.succeed("report", database, "--html", page, "--markdown", self.folder / "page.md")
        self.assertIn("network lenet", page.read_text())
        self.assertIn("uaspl\\_hybrid", (self.folder / "page.md").read_text())
        self.fail_with("--runs 6: the plan has 5 seeds", *study, "--runs", "6", code=2)

    def test_a_plan_of_images(self):
        plan = self.write("plan.json", json.dumps({"images": str(self.pictures), "methods": ["direct"],
                                                   "seeds": [5, 3], "network": "lenet", "profile": "quick"}))
        database = self.folder / "plan.db"
        self.succeed("bench", "--plan", plan, "--threads", "1", "--db", database)
        self.assertEqual({row[4] for row in self.runs(database)}, {3, 5})
        lines = self.succeed("bench", "--plan", plan, "--threads", "1", "-o", "-", "-q").stdout.splitlines()
        self.assertEqual(len(lines), 3)

    def test_a_report_of_a_study_has_what_runs_with_options_that_suit_the_images(self):
        write_idx_set(self.folder / "mnist", 60, 20)
        plan = self.write("own.json", json.dumps({"images": "mnist", "methods": ["direct", "uaspl_hybrid"],
                                                  "network": "lenet", "profile": "quick", "show": "standings"}))
        store = self.folder / "i.db"
        self.succeed("bench", "--plan", plan, "--data", self.folder, "--db", store, "--threads", "1", "--steps", "1")
        for arguments in (["--study", plan], ["--study", plan, "--methods", "uaspl_hybrid"]):
            self.assertIn("| uaspl\\_hybrid |", self.succeed("report", store, *arguments).stdout)

    def test_another_profile_leaves_what_the_plan_names(self):
        plan = self.write("plan.json", json.dumps({"images": str(self.pictures), "methods": ["direct"], "steps": 2,
                                                   "rate": 0.02, "network": "lenet", "profile": "mid"}))
        database = self.folder / "plan.db"
        self.succeed("bench", "--plan", plan, "--profile", "quick", "--threads", "1", "--db", database)
        with sqlite3.connect(database) as store:
            configuration = json.loads(store.execute("SELECT configuration FROM runs").fetchone()[0])
            passes = {row[0] for row in store.execute("SELECT passes FROM stages")}
        self.assertEqual((passes, configuration["pretraining"]), ({2}, 1), "its own passes, quick's pre-training")
        self.assertEqual(configuration["rate"], 0.02, "its own rate")

    def test_another_number_of_images_is_another_table(self):
        database = self.folder / "sizes.db"
        for limit in ("30", "45"):
            self.succeed("bench", "--images", self.pictures, *QUICK, "--limit", limit, "--methods", "direct", "--db", database)
        text = self.succeed("report", database).stdout
        for limit in ("30", "45"):
            self.assertIn(f"## network lenet, limit {limit}, ", text)
        self.assertNotIn("2 of 2 data sets", text)

    # What cannot be.

    def train_fails(self, text, *arguments, code=1):
        self.fail_with(text, "train", *arguments, "-o", self.folder / "m.model", code=code)
        self.assertFalse(list(self.folder.glob("m.model*")))

    def test_options_that_do_not_fit(self):
        images = ["--images", self.pictures]
        for option, value in (("--hidden", "4"), ("--target", "x"), ("--test-fraction", "0.1"), ("--drop", "a"),
                              ("--missing", "mean"), ("--delimiter", ";"), ("--date", "a"), ("--numeric", "a"), ("--decimal", ",")):
            self.train_fails("excludes", *images, option, value, code=2)
        table = self.folder / "table.csv"
        write_clouds(table, 20)
        for more in (["--network", "lenet"], ["--limit", "5"], ["--resume"], ["--noise", "uniform:0.1"]):
            self.train_fails("are for --images", table, *more, code=2)
        self.train_fails("exclude each other", table, *images, code=2)
        self.train_fails("expected a table, or --images", code=2)
        self.train_fails("one set of images", "--images", f"{self.pictures},mnist", code=2)
        self.train_fails("unknown network 'vgg'", *images, "--network", "vgg", code=2)
        self.train_fails("unknown profile 'tiny'", *images, "--profile", "tiny", code=2)
        self.train_fails("is not HEIGHTxWIDTH", *images, "--resize", "8x", code=2)
        for option in ("--limit", "--test-limit", "--batch"):
            for value in ("-1", "1.5", "many"):
                self.train_fails(f"{option}: expected a whole number from 0", *images, option, value, code=2)
        self.train_fails("--pretraining", *images, "--pretraining", "-1", code=2)
        self.train_fails("--noise", *images, "--clean-pretraining", code=2)
        for option in ("--imbalance", "--rate"):
            for value in ("nan", "inf", "0"):
                self.train_fails(option, *images, option, value, code=2)
        for value in ("1e300", "1e-300", "-1"):
            self.train_fails("--rate: expected a finite number above 0", *images, "--rate", value, code=2)
        self.train_fails("'uniform:2' is not KIND:RATIO", *images, "--noise", "uniform:2", code=2)
        self.train_fails("unknown image data set 'nosuch'", "--images", "nosuch", code=2)
        self.fail_with("two data sets are called", "bench", "--images", f"{self.pictures},{self.pictures}",
                       "--methods", "spl", *QUICK, code=2)
        self.fail_with("a study of tables", "reproduce", "table-main", *images, "--db", self.folder / "r.db", code=2)
        self.fail_with("excludes", "bench", *images, "--methods", "spl", "--target", "x", code=2)

    def test_pictures_that_cannot_be_used(self):
        self.train_fails("mnist: not here", "--images", "mnist")
        self.train_fails("no such folder", "--images", self.folder / "nosuch")
        self.train_fails("on the CPU only", "--images", self.pictures, *QUICK, "--device", "cuda")
        self.train_fails("16 x 16 pixels at least", "--images", self.pictures, *QUICK, "--resize", "8")
        own = self.folder / "own"
        write_pictures(own, 2)
        self.train_fails("too few to hold", "--images", own, *QUICK)
        (own / "empty").mkdir()
        self.train_fails("own/empty: no .png, .jpg or .jpeg files", "--images", own, *QUICK)
        (own / "empty").rmdir()
        write_png(own / "down" / "large.png", stripes("down", random.Random(1), 20))
        self.train_fails("resize and grey make them equal", "--images", own, *QUICK)
        (own / "down" / "large.png").write_bytes(b"no picture")
        self.train_fails("large.png: neither a PNG nor a JPEG file", "--images", own, *QUICK)
        self.train_fails("expected one for each class", "--images", own / "down", *QUICK)
        os.mkdir(os.fsencode(own) + b"/\xff")
        self.fail_with("must be UTF-8", "train", "--images", own, "-o", self.folder / "m.model", errors="replace")
        few = self.folder / "few"
        write_pictures(few / "train", 3)
        write_pictures(few / "test", 1)
        self.train_fails("kept apart", "--images", few, *QUICK, "--method", "mw_net")

    def test_models_and_data_of_different_kinds(self):
        table = self.folder / "table.csv"
        write_clouds(table, 40)
        other = self.folder / "table.model"
        self.succeed("train", table, "--steps", "3", "-o", other)
        for verb in ("predict", "eval"):
            self.fail_with("is a directory", verb, other, self.pictures)
            self.fail_with("is a model of tables", verb, other, table, "--device", "cpu", code=2)
            self.fail_with("is a model of images", verb, self.model, self.pictures, "--no-header", code=2)
            self.fail_with("mnist: not here", verb, self.model, "mnist")
            self.fail_with("on the CPU only", verb, self.model, self.pictures, "--device", "cuda")
        self.fail_with("neither a PNG nor a JPEG file", "predict", self.model, table)
        self.fail_with("no such folder", "eval", self.model, table)
        self.fail_with("no .png, .jpg or .jpeg files", "predict", self.model, self.folder)
        loop = self.folder / "loop"
        write_pictures(loop, 1)
        (loop / "again").symlink_to(loop)
        self.assertEqual(len(self.succeed("predict", self.model, loop).stdout.splitlines()), 1 + 3)

    def test_a_cut_model_is_refused(self):
        data = self.model.read_bytes()
        cut = self.folder / "cut.model"
        for size in (0, 7, 100, len(data) // 2, len(data) - 1):
            cut.write_bytes(data[:size])
            for verb in ("predict", "eval"):
                self.fail_with("cut.model: not a valid", verb, cut, self.pictures)
        header = struct.unpack("<Q", data[:8])[0]
        about = data[8:8 + header].replace(b"[1,16,16]", b"[1,28,28]")
        cut.write_bytes(data[:8] + about + data[8 + header:])
        self.fail_with("a lenet of this shape has ", "predict", cut, self.pictures)
        # A network of the claimed size, half a gigabyte, is not made before its weights are compared.
        about = data[8:8 + header].replace(b"[1,16,16]", b"[1,1024,1024]").rstrip() + b"  "
        cut.write_bytes(struct.pack("<Q", len(about)) + about + data[8 + header:])
        self.fail_with("a lenet of this shape has ", "predict", cut, self.pictures)
        about = data[8:8 + header].replace(b'\\"lenet\\"', b'\\"lemon\\"')
        cut.write_bytes(data[:8] + about + data[8 + header:])
        self.fail_with("cut.model: not a valid model file: unknown network 'lemon'", "predict", cut, self.pictures)


if __name__ == "__main__":
    unittest.main()
