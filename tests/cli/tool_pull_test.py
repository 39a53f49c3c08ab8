"""The real program: `data pull` from servers on loopback that misbehave. Usage: tool_pull_test.py PROGRAM"""
import http.server
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

from tool import TOOL, ToolTest

WINE = (pathlib.Path(__file__).resolve().parents[2] / "data" / "wine.csv").read_bytes()


class Server(http.server.ThreadingHTTPServer):
    """Answers as a function of the request says, which it also counts."""
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.ranges = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        try:
            self.server.answer(self, int(asked.split("=")[1].rstrip("-")) if asked else 0)
        except OSError:  # the program has hung up
            pass

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in ({"Content_Length": len(body)} | headers).items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def part_from(request, start, body=WINE):
    request.send(206, body[start:], Content_Range=f"bytes {start}-{len(body) - 1}/{len(body)}")


def usual(request, start):
    """As servers do that know ranges."""
    if start >= len(WINE):
        request.send(416, b"")
    elif start:
        part_from(request, start)
    else:
        request.send(200, WINE)


def whole(request, start):
    request.send(200, WINE)


def broken(request, start):
    """Half of what is missing, and then nothing."""
    rest = WINE[start:]
    headers = {"Content_Range": f"bytes {start}-{len(WINE) - 1}/{len(WINE)}"} if start else {}
    request.send(206 if start else 200, rest[:len(rest) // 2], Content_Length=len(rest), **headers)


class Pull(ToolTest):
    def serve(self, answer):
        server = Server(answer)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def command(self, *servers):
        sources = [word for server in servers for word in ("--source", f"http://127.0.0.1:{server.server_port}")]
        return ("data", "pull", "wine", "--to", self.folder, *sources)

    def parts(self):
        return sorted(self.folder.glob("*.part"))

    def begin(self, server):
        """Leaves the part of a broken download; later the server answers otherwise."""
        usual_answer, server.answer = server.answer, broken
        self.fail_with("no source had it", *self.command(server))
        server.answer = usual_answer
        server.ranges.clear()
        part, = self.parts()
        self.assertEqual(part.read_bytes(), WINE[:len(WINE) // 2])
        return part

    def finish(self, *servers):
        self.succeed(*self.command(*servers))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["wine.csv"])
        self.assertEqual((self.folder / "wine.csv").read_bytes(), WINE)
        (self.folder / "wine.csv").unlink()

    def test_a_part_goes_on_where_the_server_knows_ranges(self):
        server = self.serve(usual)
        self.begin(server)
        self.finish(server)
        self.assertEqual(server.ranges, [f"bytes={len(WINE) // 2}-"])

    def test_it_begins_anew_where_the_server_knows_none(self):
        server = self.serve(whole)
        self.begin(server)
        self.finish(server)
        self.assertEqual(len(server.ranges), 1)

    def test_it_begins_anew_where_the_server_refuses_ranges(self):
        for status in (400, 403, 404, 500, 501, 503):
            server = self.serve(lambda request, start, status=status:
                                request.send(status, b"no") if request.headers.get("Range") else usual(request, 0))
            self.begin(server)
            self.finish(server)
            self.assertEqual(server.ranges, [f"bytes={len(WINE) // 2}-", None])

    def test_a_server_that_answers_nothing_is_asked_twice(self):
        server = self.serve(lambda request, start: request.send(503, b""))
        part = self.begin(server)
        self.fail_with("the server answered 503", *self.command(server))
        self.assertEqual(server.ranges, [f"bytes={len(WINE) // 2}-", None])
        self.assertEqual(part.read_bytes(), WINE[:len(WINE) // 2])

    def test_a_part_that_is_complete_needs_no_server(self):
        server = self.serve(usual)
        self.begin(server).write_bytes(WINE)
        self.finish(server)
        self.assertEqual(server.ranges, [])

    def test_a_part_that_is_wrong_is_fetched_anew(self):
        for content in (b"x" * len(WINE), b"x" * (len(WINE) + 1), b"x" * 5000000, b"x" * 100):
            server = self.serve(usual)
            self.begin(server).write_bytes(content)
            self.finish(server)
            self.assertLessEqual(len(server.ranges), 2)

    def test_other_bytes_than_those_asked_for(self):
        server = self.serve(lambda request, start: part_from(request, start // 2) if start else whole(request, 0))
        self.begin(server)
        self.finish(server)

    def test_each_source_has_a_part_of_its_own(self):
        first, second = self.serve(broken), self.serve(usual)
        self.finish(first, second)
        self.assertEqual(second.ranges, [None])
        self.fail_with("no source had it", *self.command(first))
        self.finish(second, first)

    def test_a_wrong_file_of_the_first_source_harms_nothing(self):
        first = self.serve(lambda request, start: request.send(200, b"x" * len(WINE)))
        self.finish(first, self.serve(usual))
        self.fail_with("SHA-256 is not the known one", *self.command(first))
        self.assertEqual(self.parts(), [])

    def test_no_more_is_received_than_the_file_has(self):
        sent = 0

        def endless(request, start):
            nonlocal sent
            request.send(200, b"", Content_Length=None)
            while sent < 1 << 30:
                request.wfile.write(b"x" * 65536)
                sent += 65536

        server = self.serve(endless)
        self.fail_with(f"more than the {len(WINE)} bytes", *self.command(server))
        self.assertLess(sent, 1 << 26)  # what the buffers between them take
        server.answer = lambda request, start: request.send(200, b"", Content_Length=10**12)
        self.fail_with("no source had it", *self.command(server))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_redirections_have_an_end_and_stay_with_http(self):
        server = self.serve(lambda request, start: request.send(302, b"", Location="/again"))
        self.fail_with("redirect", *self.command(server))
        self.assertLess(len(server.ranges), 10)
        secret = self.write("secret", "x")
        server.answer = lambda request, start: request.send(302, b"", Location=f"file://{secret}")
        self.fail_with("no source had it", *self.command(server))

    def test_a_link_in_the_place_of_the_part_is_not_followed(self):
        server = self.serve(usual)
        part = self.begin(server)
        part.unlink()
        target = self.write("target", "mine")
        part.symlink_to(target)
        self.fail_with("is a link", *self.command(server))
        self.assertEqual(target.read_text(), "mine")

    def test_two_at_once_do_not_mix_and_ctrl_c_keeps_the_part(self):
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def slow(request, start):
            request.send(200, WINE[:4000], Content_Length=len(WINE))
            request.wfile.flush()
            go_on.wait(60)

        server = self.serve(slow)
        first = subprocess.Popen([TOOL, *map(str, self.command(server))], stderr=subprocess.PIPE, text=True)
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        for _ in range(2000):
            if self.parts() and self.parts()[0].stat().st_size == 4000:
                break
            time.sleep(0.01)
        self.fail_with("another program is writing it", *self.command(server))
        first.send_signal(signal.SIGINT)
        _, notes = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 130)
        self.assertIn("interrupted; the same command goes on where it was", notes)
        self.assertEqual(self.parts()[0].read_bytes(), WINE[:4000])
        server.answer = usual
        self.finish(server)
        self.assertEqual(server.ranges[-1], "bytes=4000-")


if __name__ == "__main__":
    unittest.main()
