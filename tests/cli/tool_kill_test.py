"""The real program killed (-9) at random moments of everything that writes: what was there stays whole, and the same
command gives the same bytes afterwards. Usage: tool_kill_test.py PROGRAM; UASPL_TEST_KILLS=50 kills each verb more often."""
import contextlib
import http.server
import os
import pathlib
import random
import sqlite3
import subprocess
import threading
import time
import unittest

from tool import TOOL, ToolTest, run, write_clouds
from tool_images_test import QUICK, write_pictures
from tool_store_test import content

KILLS = int(os.environ.get("UASPL_TEST_KILLS", "6"))
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "data"


class SlowServer(http.server.ThreadingHTTPServer):
    """Serves one file in small pieces, with ranges."""

    def __init__(self, body):
        super().__init__(("127.0.0.1", 0), SlowHandler)
        self.body = body
        threading.Thread(target=self.serve_forever, daemon=True).start()

    address = property(lambda self: f"http://127.0.0.1:{self.server_address[1]}")

    def handle_error(self, *_):  # a killed client
        pass


class SlowHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body, first = self.server.body, 0
        if wanted := self.headers.get("Range"):
            first = int(wanted.removeprefix("bytes=").rstrip("-"))
        if first >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        for at in range(first, len(body), 1000):
            self.wfile.write(body[at:min(at + 1000, len(body))])
            time.sleep(0.003)

    def log_message(self, *_):
        pass


class Kills(ToolTest):
    def kill_often(self, arguments, check):
        """Kills the command KILLS times while it works; `check` sees what is there after each."""
        command = [TOOL, *map(str, arguments)]
        home = {**os.environ, "HOME": "/nonexistent"}
        begin = time.monotonic()
        subprocess.run(command, capture_output=True, check=True, env=home)
        check(finished=True)
        duration = time.monotonic() - begin
        draw = random.Random(len(command))
        kills = 0
        while kills < KILLS:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=home)
            try:
                process.wait(timeout=draw.uniform(0.002, duration))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
            check(finished=process.returncode == 0)
        subprocess.run(command, capture_output=True, check=True, env=home)
        check(finished=True)

    def output_is_old_or_whole(self, output, whole, old=None):
        """Such a check: the output holds nothing else, and is the old one again afterwards."""
        def put_back():
            if old is None:
                output.unlink(missing_ok=True)
            else:
                output.write_bytes(old)

        def check(finished):
            now = output.read_bytes() if output.exists() else None
            self.assertIn(now, [whole] if finished else [old, whole])
            put_back()

        put_back()
        return check

    def test_train(self):
        write_clouds(self.folder / "data.csv", 300)
        arguments = ["train", self.folder / "data.csv", "--target", "label", "--steps", "40", "-o"]
        whole, model = self.folder / "whole.model", self.folder / "m.model"
        self.succeed(*arguments, whole)
        self.kill_often([*arguments, model], self.output_is_old_or_whole(model, whole.read_bytes(), b"an old model"))

    @unittest.skipIf("Debian: libtorch-dev" in run("train", "--images", "none", "-o", "none.model").stderr,
                     "needs libtorch")
    def test_train_on_images(self):
        write_pictures(self.folder / "pictures", 12)
        arguments = ["train", "--images", self.folder / "pictures", *QUICK, "--batch", "4", "--steps", "4", "--resume", "-o"]
        whole, model = self.folder / "whole.model", self.folder / "m.model"
        self.succeed(*arguments, whole)
        self.kill_often([*arguments, model], self.output_is_old_or_whole(model, whole.read_bytes()))

    def test_predict(self):
        write_clouds(self.folder / "data.csv", 60)
        write_clouds(self.folder / "new.csv", 60000)
        self.succeed("train", self.folder / "data.csv", "--target", "label", "--steps", "3", "-o", self.folder / "m.model")
        arguments = ["predict", self.folder / "m.model", self.folder / "new.csv", "-o"]
        whole, answers = self.folder / "whole.csv", self.folder / "answers.csv"
        self.succeed(*arguments, whole)
        self.kill_often([*arguments, answers], self.output_is_old_or_whole(answers, whole.read_bytes(), b"old answers"))

    def bench(self, *output):
        if not (self.folder / "alpha.csv").exists():
            write_clouds(self.folder / "alpha.csv", 60)
        return ["bench", "--methods", "direct,spl,uaspl,clu1", "--datasets", self.folder / "alpha.csv", "--runs", 5,
                "--steps", 25, *output]

    def test_bench_into_a_store(self):
        whole, store = self.folder / "whole.db", self.folder / "runs.db"
        self.succeed(*self.bench("--db", whole))
        expected = content(whole)

        def check(finished):
            with contextlib.suppress(sqlite3.OperationalError):  # it was killed before there were tables
                now = content(store)
                self.assertTrue(set(map(repr, now)) <= set(map(repr, expected)))
                if finished:
                    self.assertEqual(now, expected)
                    for file in self.folder.glob("runs.db*"):
                        file.unlink()

        self.kill_often(self.bench("--db", store), check)

    def test_bench_into_a_file(self):
        whole, output = self.folder / "whole.csv", self.folder / "runs.csv"
        self.succeed(*self.bench("-o", whole))

        def lines(path):  # without the seconds
            return [line.rpartition(",")[0] for line in path.read_text().splitlines()]

        expected = lines(whole)

        def check(finished):
            self.assertTrue(output.exists() or not finished)
            if output.exists():
                self.assertEqual(lines(output), expected)
                output.unlink()
            journal = self.folder / "runs.csv.journal"  # the next one goes on from it
            self.assertFalse(finished and journal.exists())
            if journal.exists():
                text = journal.read_text()
                kept = [line.split(",") for line in text[:text.rfind("\n") + 1].splitlines()[1:]]
                self.assertLessEqual(len(kept), len(expected) - 1)
                for run in kept:
                    self.assertEqual(run[1:5], expected[1 + int(run[0])].split(",")[3:])

        self.kill_often(self.bench("-o", output), check)

    def test_merge(self):
        parts = [self.folder / f"part{i}.db" for i in (1, 2)]
        for i, part in enumerate(parts):
            self.succeed(*self.bench("--db", part, "--shard", f"{i + 1}/2"))
        sources = list(map(content, parts))
        whole, store = self.folder / "whole.db", self.folder / "all.db"
        self.succeed("merge", whole, *parts)
        expected = content(whole)

        def check(finished):
            self.assertEqual(list(map(content, parts)), sources)
            with contextlib.suppress(sqlite3.OperationalError):
                now = content(store)
                self.assertTrue(set(map(repr, now)) <= set(map(repr, expected)))
                if finished:
                    self.assertEqual(now, expected)
                    for file in self.folder.glob("all.db*"):
                        file.unlink()

        self.kill_often(["merge", store, *parts], check)

    def test_import(self):
        runs, store = self.folder / "runs.csv", self.folder / "runs.db"
        write_clouds(self.folder / "clouds.csv", 40)
        runs.write_text("dataset,method,seed,accuracy,precision,recall,f1\n" +
                        "".join(f"clouds,svm,{seed},{seed % 20 / 20},0.5,0.5,0.5\n" for seed in range(500)))

        def check(finished):
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(store)) as database:
                count = database.execute("SELECT count(*) FROM runs").fetchone()[0]
                self.assertIn(count, [500] if finished else [0, 500])  # all, or none
            if finished:
                for file in self.folder.glob("runs.db*"):
                    file.unlink()

        self.kill_often(["import", runs, "--db", store, "--data", self.folder, "--replace"], check)

    def test_data_pull(self):
        body = (SHIPPED / "wine.csv").read_bytes()
        server = SlowServer(body)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        pulled = self.folder / "pulled"
        self.kill_often(["data", "pull", "wine", "--to", pulled, "--source", server.address],
                        self.output_is_old_or_whole(pulled / "wine.csv", body))


if __name__ == "__main__":
    unittest.main(verbosity=1)
