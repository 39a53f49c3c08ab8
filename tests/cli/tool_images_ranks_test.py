"""One network trained by several processes: `uaspl train --images`, with ranks that are killed.
Usage: tool_images_ranks_test.py PROGRAM"""
import array
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest
import zlib

from tool import TOOL, ToolTest

MODULE = pathlib.Path(TOOL).parent / "libuaspl_torch.so"
FIT = pathlib.Path(TOOL).parent / "tests" / "process_group_fit"
MPIRUN = shutil.which("mpirun")
NAMES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "UASPL_DATA", "XDG_DATA_HOME")
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in NAMES} | {
    "HOME": "/nonexistent", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PATIENCE = 60  # seconds, of the test


def why_not():
    if not MODULE.exists():
        return "libuaspl_torch.so was not built"
    return "uaspl was built without Gloo" if b"several ranks need Gloo" in MODULE.read_bytes() else ""


def write_png(path, rows):
    """Grey pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))) + chunk(b"IEND", b""))


def write_pictures(folder, count, seed=1):
    """Noise, and a bright bar whose place is the class."""
    draw = random.Random(seed)
    for part, many in (("train", count), ("test", 12)):
        for i in range(many):
            k = i % 3
            (folder / part / str(k)).mkdir(parents=True, exist_ok=True)
            write_png(folder / part / str(k) / f"{i:03}.png",
                      [[draw.randrange(128) + (100 if 5 * k <= x < 5 * k + 5 else 0) for x in range(16)]
                       for _ in range(16)])


def tensors_of(model):
    """Of a safetensors file: numbers by name."""
    data = model.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            found[name] = array.array("f", data[8 + size + begin:8 + size + end])
    return found


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listening(process):
    """Address and port of all that the process listens at, as the system writes them."""
    own = set()
    try:
        for one in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
            own.add(os.readlink(one).removeprefix("socket:[").removesuffix("]"))
        lines = [line.split() for name in ("tcp", "tcp6")
                 for line in pathlib.Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()[1:]]
    except OSError:  # it has ended, or a file was closed meanwhile
        return set()
    return {tuple(words[1].split(":")) for words in lines if words[3] == "0A" and words[9] in own}


def slow_way(port):
    """A port whose connections are led to the other one; what comes third takes a second."""
    def lead(start, end, slow):
        with start, end:
            for pieces in itertools.count(1):
                try:
                    piece = start.recv(1 << 16)
                    if slow and pieces == 3:
                        time.sleep(1)
                    end.sendall(piece)
                except OSError:
                    return
                if not piece:
                    return

    def serve(server):
        with server:
            start, _ = server.accept()
        for _ in range(PATIENCE * 50):
            try:
                end = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.02)
        threading.Thread(target=lead, args=(start, end, True), daemon=True).start()
        threading.Thread(target=lead, args=(end, start, False), daemon=True).start()

    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    return server.getsockname()[1]


LOOPBACK = "0100007F"


@unittest.skipIf(why_not(), why_not())
class ImageRanks(ToolTest):
    def setUp(self):
        super().setUp()
        self.pictures = self.folder / "pictures"
        write_pictures(self.pictures, 45)
        self.model = self.folder / "m.model"
        self.checkpoint = self.folder / "m.model.checkpoint"

    def arguments(self, *more, network="lenet", model=None, pictures=None, patience=30, threads=1):
        return ["train", "--images", pictures or self.pictures, "--network", network, "--profile", "quick", "--batch",
                "20", "--patience", patience, "--threads", threads, "-o", model or self.model, *more]

    def popen(self, command, stdout=subprocess.PIPE, **variables):
        process = subprocess.Popen([str(word) for word in command], text=True, stdout=stdout, stderr=subprocess.PIPE,
                                   env=ENVIRONMENT | variables)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # first: the last comes first
        return process

    def start(self, size, *arguments, others=None, present=None):
        """The ranks, or the first ones of them; `others` are the arguments of all but rank 0."""
        port = str(free_port())
        return [self.popen([TOOL, *(others if rank and others else arguments)], RANK=str(rank), WORLD_SIZE=str(size),
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=port) for rank in range(present or size)]

    def end(self, processes, *codes):
        """Their messages, once they have ended with these exit codes."""
        texts = [process.communicate(timeout=PATIENCE) for process in processes]
        self.assertEqual([process.returncode for process in processes], list(codes), [notes for _, notes in texts])
        return texts

    def near(self, one, other, bound):
        self.assertEqual(one.keys(), other.keys())
        for name, values in one.items():
            self.assertEqual(len(values), len(other[name]), name)
            self.assertLess(max(abs(a - b) for a, b in zip(values, other[name])), bound, name)

    def fits(self, size, network, *methods):
        """What each rank of group_fit wrote: it must be the same."""
        port = free_port()
        files = [self.folder / f"rank{rank}" for rank in range(size)]  # a pipe would fill up
        ranks = []
        for rank, file in enumerate(files):
            with file.open("w") as output:
                ranks.append(self.popen([FIT, rank, size, port, network, *methods], stdout=output))
        self.end(ranks, *[0] * size)
        texts = [file.read_text() for file in files]
        self.assertGreater(len(texts[0]), 1000)
        for text in texts[1:]:
            self.assertEqual(text.splitlines(), texts[0].splitlines())
        return texts[0]

    def test_all_ranks_choose_the_same_rows(self):
        for size, methods in ((2, ("uaspl_hybrid", "clu1")), (3, ("mc_mi", "mw_net"))):
            with self.subTest(size=size):
                lines = self.fits(size, "resnet8", *methods).splitlines()
                chosen = [line.split() for line in lines if line.startswith("rows ")]
                self.assertEqual([words[1] for words in chosen], ["0", "1", "2"] * 2)
                self.assertTrue(all(len(words) > 8 for words in chosen))

    def test_steps_are_those_of_one_process(self):
        def numbers(text):
            found = {}
            for i, line in enumerate(text.splitlines()):
                name, *words = line.split()
                if name in ("tensor", "logits", "features", "sampled"):
                    found[f"{i} {name}"] = [float(word) for word in words[name == "tensor":]]
            return found
        alone = numbers(self.fits(1, "lenet", "steps", "mw_net"))
        for size in (2, 3):
            with self.subTest(size=size):
                self.near(numbers(self.fits(size, "lenet", "steps", "mw_net")), alone, 1e-4)

    def test_running_means_are_those_of_all_rows(self):
        def means(text):  # of the first norm: no other changes what it sees
            line, = (line for line in text.splitlines() if line.startswith("tensor bn1.running_mean "))
            return {"bn1": [float(word) for word in line.split()[2:]]}
        alone = means(self.fits(1, "resnet8", "step"))
        self.assertGreater(max(map(abs, alone["bn1"])), 1e-2)
        self.near(means(self.fits(3, "resnet8", "step")), alone, 1e-6)  # of 11 rows: 4, 4, 3

    def test_the_model_is_that_of_one_process(self):
        direct = ("--method", "direct", "--steps", "2")
        alone = self.folder / "alone.model"
        self.succeed(*self.arguments(*direct, model=alone))
        texts = []
        for size in (2, 3):
            (output, notes), *silent = self.end(self.start(size, *self.arguments(*direct)), *[0] * size)
            self.assertIn("on 12 test images: accuracy", output)
            self.assertEqual((notes, silent), ("", [("", "")] * (size - 1)))
            self.near(tensors_of(self.model), tensors_of(alone), 1e-4)
            self.assertFalse(self.checkpoint.exists())
            texts.append(self.model.read_bytes())
        if MPIRUN:
            port = f"MASTER_PORT={free_port()}"
            process = self.popen([MPIRUN, "-n", "2", "--oversubscribe", "-x", port, TOOL, *self.arguments(*direct)])
            (output, notes), = self.end([process], 0)
            self.assertEqual((output.count("test images: accuracy"), notes), (1, ""))
            self.assertEqual(self.model.read_bytes(), texts[0])

    def long(self, *more, **options):
        """Some seconds of training with a checkpoint after each stage."""
        return self.arguments("--method", "spl", "--steps", "8", *more, network="resnet8", **options)

    def wait_for_stages(self, processes, least=2):
        for _ in range(PATIENCE * 100):
            if self.checkpoint.exists():
                data = self.checkpoint.read_bytes()
                header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
                if int(header["__metadata__"]["checkpoint"]) >= least:
                    return
            self.assertEqual([p.poll() for p in processes], [None] * len(processes))
            time.sleep(0.01)
        self.fail("no checkpoint came")

    def disturb(self, rank, sign, *codes):
        processes = self.start(2, *self.long())
        self.wait_for_stages(processes)
        processes[rank].send_signal(sign)
        texts = self.end(processes, *codes)
        self.assertFalse(self.model.exists())
        self.assertEqual([output for output, _ in texts], ["", ""])
        return [notes for _, notes in texts]

    def test_a_killed_rank_ends_the_others_and_the_checkpoint_serves(self):
        whole = self.folder / "whole.model"
        self.end(self.start(2, *self.long(model=whole)), 0, 0)
        notes = self.disturb(1, signal.SIGKILL, 1, -signal.SIGKILL)
        self.assertRegex(notes[0], "^uaspl: lost the other ranks: .*\n$")
        kept = self.folder / "kept"
        shutil.copy(self.checkpoint, kept)
        self.assertIn("--resume goes on from it", self.end(self.start(2, *self.long()), 2, 2)[0][1])
        self.end(self.start(2, *self.long("--resume")), 0, 0)
        self.assertEqual(self.model.read_bytes(), whole.read_bytes())
        self.assertFalse(self.checkpoint.exists())
        # Another number of them goes on as well.
        self.model.unlink()
        shutil.copy(kept, self.checkpoint)
        self.end(self.start(3, *self.long("--resume")), 0, 0, 0)
        self.assertTrue(self.model.exists())

    def test_so_does_rank_0(self):
        notes = self.disturb(0, signal.SIGKILL, -signal.SIGKILL, 1)
        self.assertRegex(notes[1], "^uaspl: lost the other ranks: .*\n$")

    def test_ctrl_c_on_one_rank_ends_all(self):
        for rank in (1, 0):
            self.checkpoint.unlink(missing_ok=True)
            notes = self.disturb(rank, signal.SIGINT, 130, 130)
            self.assertRegex(notes[0], "^uaspl: interrupted; no model was written; --resume goes on from .*\n$")
            self.assertEqual(notes[1], "")

    def test_a_rank_that_does_not_answer_is_given_up(self):
        processes = self.start(2, *self.long(patience=2))
        self.wait_for_stages(processes)
        processes[1].send_signal(signal.SIGSTOP)
        (_, notes), = self.end(processes[:1], 1)
        self.assertIn("lost the other ranks: ", notes)
        (_, notes), = self.end(self.start(2, *self.long("--resume", patience=2), present=1), 1)
        self.assertIn("rank 0 of 2 could not join the others at 127.0.0.1:", notes)

    def test_strangers_neither_end_nor_delay_a_training(self):
        port = free_port()
        place = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        processes = [self.popen([TOOL, *self.arguments()], RANK="0", **place)]
        for _ in range(PATIENCE * 100):
            if listening(processes[0]):
                break
            time.sleep(0.01)
        self.assertEqual(listening(processes[0]), {(LOOPBACK, f"{port:04X}")})
        for text in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100000, b"\0" * 8, b"uaspl", b""):
            one = socket.create_connection(("127.0.0.1", port))
            self.addCleanup(one.close)  # some stay open meanwhile
            try:
                one.sendall(text)
            except OSError:  # it was closed at once
                pass
        socket.create_connection(("127.0.0.1", port)).close()
        processes.append(self.popen([TOOL, *self.arguments()], RANK="1", **place))
        places = set()
        while any(process.poll() is None for process in processes):
            places.update(*map(listening, processes))
        self.assertEqual([notes for _, notes in self.end(processes, 0, 0)], ["", ""])
        self.assertEqual({address for address, _ in places}, {LOOPBACK})

    def test_a_stranger_in_the_place_of_a_rank_makes_the_ranks_begin_anew(self):
        port = free_port()
        place = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
        processes = [self.popen([TOOL, *self.arguments()], RANK=str(rank), MASTER_PORT=str(through), **place)
                     for rank, through in enumerate((port, slow_way(port)))]
        hits = 0
        while any(process.poll() is None for process in processes):
            # Where rank 0 listens for rank 1, which hears of it later.
            for _, other in () if hits else listening(processes[0]) - {(LOOPBACK, f"{port:04X}")}:
                try:
                    with socket.create_connection(("127.0.0.1", int(other, 16))) as stranger:
                        hits += 1
                        stranger.sendall(b"\xff" * 100)
                except OSError:  # it listens no more
                    pass
        self.assertEqual([notes for _, notes in self.end(processes, 0, 0)], ["", ""])
        self.assertEqual(hits, 1)

    def test_ranks_that_differ_are_refused(self):
        other = self.folder / "other"
        write_pictures(other, 45, seed=2)
        start = self.folder / "start.safetensors"  # not what the network needs, which is known later
        start.write_bytes(b"\x02" + b"\0" * 7 + b"{}")
        for more, text in ((self.arguments("--seed", "2"), "it has seed 2, and rank 0 has seed "),
                           (self.arguments(pictures=other), "it has images "),
                           (self.arguments(threads=2), "it has threads 2, and rank 0 has threads 1"),
                           (self.arguments("--steps", "7"), "it has options "),
                           (self.arguments("--start", start), "it has options ")):
            texts = self.end(self.start(2, *self.arguments(), others=more), 1, 1)
            for output, notes in texts:
                self.assertIn("uaspl: rank 1 would compute something else: " + text, notes)
                self.assertEqual((output, len(notes.splitlines())), ("", 1))
        texts = self.end(self.start(2, *self.arguments(), others=self.arguments(pictures=self.folder / "no")), 1, 1)
        self.assertIn("uaspl: rank 1: ", texts[0][1])
        self.assertFalse(self.model.exists())

    def test_variables_that_make_no_sense(self):
        ranks = {"RANK": "0", "WORLD_SIZE": "2"}
        self.fail_with("MASTER_ADDR is not", *self.arguments(), code=2, environment=ranks)
        ranks |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "http"}
        self.fail_with("MASTER_PORT=http: expected a number from 1 to 65535", *self.arguments(), code=2,
                       environment=ranks)
        self.fail_with("RANK=2: expected a number from 0 to 1", *self.arguments(), code=2,
                       environment=ranks | {"RANK": "2"})
        self.fail_with("no.such.machine.invalid", *self.arguments(patience=2),
                       environment=ranks | {"RANK": "1", "MASTER_ADDR": "no.such.machine.invalid", "MASTER_PORT": "9"})


if __name__ == "__main__":
    unittest.main()
