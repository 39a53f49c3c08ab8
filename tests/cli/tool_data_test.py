"""The real program: `data list`, `info` and `pull`, with a server on loopback. Usage: tool_data_test.py PROGRAM"""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import threading
import unittest

from tool import ToolTest, run

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "data"


class Server(http.server.ThreadingHTTPServer):
    """Serves the files of a dictionary, with ranges; counts requests and can break off."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.ranges = []
        self.break_after = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.files.get(self.path)
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        if body is None:
            self.send_error(404)
            return
        start = int(asked.split("=")[1].rstrip("-")) if asked else 0
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = len(body) if self.server.break_after is None else self.server.break_after
        self.wfile.write(body[start:end])

    def log_message(self, *arguments):
        pass


class Data(ToolTest):
    def serve(self, files):
        server = Server(files)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_list_and_info(self):
        lines = self.succeed("data", "list", "--json").stdout.splitlines()
        sets = {s["name"]: s for s in map(json.loads, lines)}
        known = [s for s in sets.values() if "sha256" in s]
        self.assertEqual(len(known), 25)
        self.assertEqual(sorted(s["name"] for s in known if s["leaks_label"]), ["nhanes_age", "steel_plates_4"])
        self.assertIn("iris", sets)  # the shipped ones
        text = self.succeed("data", "info", "steel_plates_4").stdout
        self.assertIn("leaks its label", text)
        self.assertIn("10.24432/C5J88N", text)
        self.fail_with("known: banknote", "data", "info", "steel", code=2)
        self.fail_with("wine, mnist, fashion_mnist, cifar10, svhn", "data", "info", "steel", code=2)
        self.assertEqual(sets["svhn"]["train"], 73257)
        self.assertEqual(sets["mnist"]["folder"], "")
        text = self.succeed("data", "info", "svhn").stdout
        self.assertIn("non-commercial", text)
        self.assertIn("eb5a983be6a315427106f1b164d9cef3  test_32x32.mat", text)
        self.assertIn("not here", text)

    def test_images_that_are_not_the_published_ones(self):
        folder = self.folder / "cifar10"
        folder.mkdir()
        for name in ("data_batch_1.bin", "test_batch.bin"):
            (folder / name).write_bytes(b"\3" + bytes(3072))
        result = self.succeed("data", "info", "cifar10", "--data", self.folder)
        self.assertIn(str(folder), result.stdout)
        self.assertIn("data_batch_1.bin: not the published file", result.stderr)
        self.assertIn("1 training images, the published set has 50000", result.stderr)
        (folder / "test_batch.bin").write_bytes(b"\12" + bytes(3072))
        broken = run("data", "info", "cifar10", "--data", self.folder)
        self.assertEqual(broken.returncode, 1)
        self.assertIn("label 10 of image 1", broken.stderr)

    def test_pull_of_images_fails_clearly(self):
        wrong = self.serve({"/train_32x32.mat": b"no numbers"})
        pull = ("data", "pull", "svhn", "--to", self.folder, "--source", wrong.address)
        self.fail_with("MD5 is not the known one", *pull)
        self.assertEqual(list((self.folder / "svhn").iterdir()), [])
        self.fail_with("answered 404", "data", "pull", "images", "--to", self.folder, "--source", wrong.address)
        self.fail_with("--offline", *pull, "--offline")

    @unittest.skipUnless(os.path.exists(os.environ.get("UASPL_DATA", "") + "/mnist/train-images-idx3-ubyte.gz"),
                         "needs UASPL_DATA with mnist/")
    def test_pull_of_images(self):
        real = pathlib.Path(os.environ["UASPL_DATA"]) / "mnist"
        files = {"/" + path.name: path.read_bytes() for path in real.iterdir()}
        server = self.serve(files)
        server.break_after = 100000
        home = {"XDG_DATA_HOME": str(self.folder)}
        pull = ("data", "pull", "mnist", "--source", server.address)
        self.fail_with("no source had it", *pull, environment=home)
        server.break_after = None
        result = self.succeed(*pull, environment=home)
        self.assertEqual(server.ranges[1], "bytes=100000-")
        self.assertIn("Gradient-Based Learning", result.stderr)
        pulled = self.folder / "uaspl" / "mnist"
        self.assertEqual({"/" + path.name: path.read_bytes() for path in pulled.iterdir()}, files)
        again = self.succeed(*pull, environment=home)
        self.assertEqual(again.stderr.count("already there"), 4)
        self.assertEqual(self.succeed("data", "info", "mnist", environment=home).stderr, "")

    def test_shipped_files_bear_a_known_name_only_with_the_known_content(self):
        lines = self.succeed("data", "list", "--json").stdout.splitlines()
        for known in map(json.loads, lines):
            file = SHIPPED / f"{known['name']}.csv"
            if "sha256" in known and file.exists():
                self.assertEqual(hashlib.sha256(file.read_bytes()).hexdigest(), known["sha256"])
        self.assertTrue((SHIPPED / "wine.csv").exists())

    def test_pull_checks_and_finds_what_it_fetched(self):
        server = self.serve({"/wine.csv": (SHIPPED / "wine.csv").read_bytes()})
        home = {"XDG_DATA_HOME": str(self.folder)}
        result = self.succeed("data", "pull", "wine", "--source", server.address, environment=home)
        self.assertIn("CC BY 4.0", result.stderr)
        self.assertEqual((self.folder / "uaspl" / "wine.csv").read_bytes(), (SHIPPED / "wine.csv").read_bytes())
        self.assertIn(str(self.folder), self.succeed("data", "info", "wine", environment=home).stdout)
        again = self.succeed("data", "pull", "wine", "--source", server.address, environment=home)
        self.assertIn("already there", again.stderr)
        self.assertEqual(len(server.ranges), 1)

    def test_pull_tries_one_source_after_the_other(self):
        wrong = self.serve({"/wine.csv": b"not wine"})
        empty = self.serve({})
        right = self.serve({"/wine.csv": (SHIPPED / "wine.csv").read_bytes()})
        sources = [a for s in (wrong, empty, right) for a in ("--source", s.address)]
        self.succeed("data", "pull", "wine", "--to", self.folder, *sources)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["wine.csv"])

    def test_pull_fails_clearly(self):
        wrong = self.serve({"/wine.csv": b"not wine"})
        self.fail_with("SHA-256 is not the known one", "data", "pull", "wine", "--to", self.folder, "--source",
                       wrong.address)
        self.fail_with("answered 404", "data", "pull", "seeds", "--to", self.folder, "--source", wrong.address)
        self.assertFalse((self.folder / "wine.csv").exists())
        self.fail_with("--offline", "data", "pull", "wine", "--to", self.folder, "--offline")
        self.fail_with("known: banknote", "data", "pull", "vine", code=2)

    def test_a_broken_download_goes_on_where_it_was(self):
        body = (SHIPPED / "wine.csv").read_bytes()
        server = self.serve({"/wine.csv": body})
        server.break_after = 5000
        pull = ("data", "pull", "wine", "--to", self.folder, "--source", server.address)
        self.fail_with("no source had it", *pull)
        part, = self.folder.glob("wine.csv.*.part")
        self.assertEqual(part.read_bytes(), body[:5000])
        server.break_after = None
        self.succeed(*pull)
        self.assertEqual(server.ranges[-1], "bytes=5000-")
        self.assertEqual((self.folder / "wine.csv").read_bytes(), body)

    def test_make(self):
        first = self.succeed("data", "make", "waveform", "--rows", "300").stdout
        self.assertEqual(len(first.splitlines()), 301)
        self.assertEqual(first, self.succeed("data", "make", "waveform", "--rows", "300").stdout)
        self.assertNotEqual(first, self.succeed("data", "make", "waveform", "--rows", "300", "--seed", "2").stdout)
        file = self.folder / "w.csv"
        self.succeed("data", "make", "waveform", "--rows", "300", "-o", file)
        self.assertEqual(file.read_text(), first)
        self.succeed("train", file, "--steps", "3", "-o", self.folder / "w.model")
        self.fail_with("known: waveform", "data", "make", "wine", code=2)

    def test_names_with_spaces(self):
        server = self.serve({})
        self.fail_with("Wholesale%20customers%20data.csv", "data", "pull", "wholesale_customers", "--to",
                       self.folder, "--source", server.address)


if __name__ == "__main__":
    unittest.main(verbosity=1)
