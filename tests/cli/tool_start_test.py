"""The real program with weights to begin with: `train --start`, `bench --start`, and the script that makes such files of
PyTorch's checkpoints. Usage: tool_start_test.py PROGRAM"""
import hashlib
import io
import json
import os
import pathlib
import pickle
import shutil
import sqlite3
import struct
import subprocess
import unittest
import zipfile

from tool import ToolTest, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKPOINTS = ROOT / "tests" / "reference" / "checkpoints"
IRIS = ROOT / "data" / "iris.csv"


def convert(*arguments):
    return subprocess.run(["/usr/bin/python3", ROOT / "scripts" / "convert_checkpoint", *map(str, arguments)],
                          capture_output=True, text=True, timeout=60)


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    return {name: (one["dtype"], one["shape"], data[8 + length:][slice(*one["data_offsets"])])
            for name, one in header.items()}


def write_safetensors(path, tensors):
    """Tensors by name: shape and values, in float."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        added = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(added)]}
        data += added
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Evil:
    """Writes a file if it is unpickled as Python does."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.system, (f"touch '{self.path}'",)


def zipped(content, folder="archive", **more):
    """A file as torch.save writes it, of any object."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{folder}/data.pkl", content if isinstance(content, bytes) else pickle.dumps(content, 2))
        for name, data in more.items():
            archive.writestr(f"{folder}/{name}", data)
    return packed.getvalue()


class Convert(ToolTest):
    def converted(self, path, *options):
        out = self.folder / "out.safetensors"
        result = convert(path, out, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return read_safetensors(out)

    def refused(self, data, text, *options):
        path = data
        if isinstance(data, bytes):
            path = self.folder / "bad.pth"
            path.write_bytes(data)
        out = self.folder / "none.safetensors"
        result = convert(path, out, *options)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr[:1000])
        self.assertFalse(out.exists())
        return result.stderr

    def test_what_torch_saved_comes_out_in_both_formats(self):
        expected = json.loads((CHECKPOINTS / "expected.json").read_text())
        for name in ("plain", "kinds", "nested"):
            for form in ("", "_legacy"):
                tensors = self.converted(CHECKPOINTS / f"{name}{form}.pth")
                right = expected["kinds" if name == "kinds" else "plain"]
                self.assertEqual(set(tensors), set(right), name + form)
                for key, (_, shape, data) in tensors.items():
                    self.assertEqual(shape, right[key]["shape"], key)
                    self.assertEqual(data.hex(), right[key]["bytes"], f"{name}{form} {key}")
        kinds = {key: one[0] for key, one in self.converted(CHECKPOINTS / "kinds.pth").items()}
        self.assertEqual((kinds["half"], kinds["bfloat16"], kinds["double"], kinds["long"], kinds["turned"], kinds["flag"]),
                         ("F16", "BF16", "F64", "I64", "F32", "BOOL"))

    def test_numbers_of_another_byte_order_are_turned(self):
        with zipfile.ZipFile(CHECKPOINTS / "plain.pth") as archive:
            files = {one.split("/", 1)[1]: archive.read(one) for one in archive.namelist()}
        content = files.pop("data.pkl")
        for name, data in files.items():
            if name.startswith("data/"):
                files[name] = struct.pack(f">{len(data) // 4}f", *struct.unpack(f"<{len(data) // 4}f", data))
        path = self.folder / "big.pth"
        path.write_bytes(zipped(content, **files, byteorder=b"big"))
        right = self.converted(CHECKPOINTS / "plain.pth")
        self.assertEqual(self.converted(path), right)
        path.write_bytes(zipped(content, **files, byteorder=b"little"))
        self.assertNotEqual(self.converted(path), right)

    def test_the_entry_with_the_weights_is_found_or_asked_for(self):
        plain = self.converted(CHECKPOINTS / "plain.pth")
        self.assertEqual(self.converted(CHECKPOINTS / "two.pth", "--key", "teacher"), plain)
        self.refused(CHECKPOINTS / "two.pth", "'teacher', 'student'; choose one by --key")
        self.refused(CHECKPOINTS / "two.pth", "no tensors below 'pupil'", "--key", "pupil")
        self.refused(zipped({"epoch": 3}), "no dictionary of tensors")
        self.refused(zipped([1, 2]), "no dictionary of tensors")

    def test_nothing_that_is_pickled_is_run(self):
        trap = self.folder / "trap"
        evil = Evil(trap)
        pickle.loads(pickle.dumps(Evil(self.folder / "works"), 2))
        self.assertTrue((self.folder / "works").exists(), "the trap itself works")
        legacy = b"".join(pickle.dumps(one, 2) for one in (0x1950a86a20f9469cfc6c, 1001, {"little_endian": True}))
        for data in (zipped({"net": evil}), zipped(evil), legacy + pickle.dumps({"w": evil}, 2), pickle.dumps(evil, 2),
                     zipped(pickle.dumps({"net": evil}, 4)), zipped(pickle.dumps(evil, 0))):
            self.refused(data, "'posix.system', which no dictionary of weights needs; nothing of it was run")
        # Names that are allowed are not called either.
        for name in ("numpy.core.multiarray\nscalar", "_codecs\nencode", "collections\ndefaultdict"):
            self.refused(zipped(b"\x80\x02c" + name.encode() + b"\n(X\x01\x00\x00\x00atR."), "no dictionary of tensors")
        for code in (b"(ios\nsystem\n.", b"c__builtin__\neval\n.", b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",
                     b"\x80\x02\x82\x01.", b"\x80\x02}(U\x01aK\x01e."):
            self.refused(zipped(code), "bad.pth: ")
        self.assertFalse(trap.exists())

    def test_whole_networks_are_refused_with_what_to_do(self):
        self.refused(CHECKPOINTS / "whole.pth", "save its state_dict() instead")

    def test_damaged_files_are_refused(self):
        for name in ("plain", "plain_legacy", "kinds", "kinds_legacy"):
            data = (CHECKPOINTS / f"{name}.pth").read_bytes()
            for size in range(0, len(data), 173):
                self.refused(data[:size], "bad.pth: ")
        self.refused((CHECKPOINTS / "plain_legacy.pth").read_bytes() + b"x", "bytes follow")
        self.refused(b"hello", "not a file of torch.save, or a damaged one")
        self.refused(b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 44\n", "a pointer of Git LFS")
        self.refused(self.folder / "missing.pth", "No such file")

    def test_damage_anywhere_gives_a_sentence(self):
        module = {"__name__": "convert"}
        exec(compile((ROOT / "scripts" / "convert_checkpoint").read_text(), "convert_checkpoint", "exec"), module)
        for name in ("nested_legacy", "kinds", "nested"):
            data = (CHECKPOINTS / f"{name}.pth").read_bytes()
            for place in range(0, len(data), 3):
                for byte in (0, data[place] ^ 1, 255):
                    changed = data[:place] + bytes([byte]) + data[place + 1:]
                    try:
                        for one in module["weights_of"](module["read"](changed), None).values():
                            self.assertEqual(len(one.bytes()), one.count * one.storage.size)
                    except module["Refused"]:
                        pass

    def test_claims_beyond_the_file_take_no_memory(self):
        def saved(count, shape, strides):
            """One tensor of so many numbers."""
            whole = lambda n: b"\x8a\x08" + struct.pack("<q", n)
            many = lambda values: b"(" + b"".join(map(whole, values)) + b"t"
            text = lambda s: b"X" + struct.pack("<I", len(s)) + s
            storage = b"(" + text(b"storage") + b"ctorch\nFloatStorage\n" + text(b"0") + text(b"cpu") + whole(count) + b"tQ"
            return (b"\x80\x02}" + text(b"w") + b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + whole(0) + many(shape) +
                    many(strides) + b"\x89}tRs.")

        good = zipped(saved(4, [2, 2], [2, 1]), **{"data/0": b"\0" * 16})
        path = self.folder / "good.pth"
        path.write_bytes(good)
        self.assertEqual(self.converted(path)["w"][1], [2, 2])
        for count, shape, strides in ((4, [2**40, 2**40], [0, 0]), (4, [5], [1]), (4, [2, 2], [2, 3]), (2**40, [2**40], [1]),
                                      (4, [2], [2**61]), (-4, [1], [1]), (4, [-1], [1]), (4, [2], [1, 1]), (4, [1] * 99, [1] * 99),
                                      (4, [2, 2], [-2, 1])):
            self.refused(zipped(saved(count, shape, strides), **{"data/0": b"\0" * 16}), "bad.pth: ")

    def test_the_checkpoint_itself_is_never_overwritten(self):
        path = self.folder / "one.pth"
        shutil.copy(CHECKPOINTS / "plain.pth", path)
        result = convert(path, path)
        self.assertEqual(result.returncode, 1)
        self.assertIn("is also the file to write", result.stderr)
        self.assertEqual(path.read_bytes(), (CHECKPOINTS / "plain.pth").read_bytes())


class Start(ToolTest):
    def setUp(self):
        super().setUp()
        self.start = self.folder / "start.safetensors"
        self.assertEqual(convert(CHECKPOINTS / "plain.pth", self.start).returncode, 0)
        self.model = self.folder / "m.model"

    def train(self, *more):
        self.succeed("train", IRIS, "-o", self.model, "--hidden", "5", "--steps", "3", "-q", *more)
        data = self.model.read_bytes()
        header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        return json.loads(header["__metadata__"]["uaspl"])["configuration"], data

    def test_training_begins_with_them(self):
        usual, drawn = self.train()
        self.assertNotIn("start", usual)
        told, begun = self.train("--start", self.start)
        self.assertRegex(told["start"], "^[0-9a-f]{64}$")
        self.assertEqual(told["pretraining"], "0")
        self.assertNotEqual(begun, drawn)
        self.assertEqual(self.train("--start", self.start)[1], begun)
        more, _ = self.train("--start", self.start, "--pretraining", "4")
        self.assertEqual(more["pretraining"], "4")
        # Its own file of another name is the same start, and a model is one too.
        shutil.copy(self.start, self.folder / "copy")
        self.assertEqual(self.train("--start", self.folder / "copy")[1], begun)
        shutil.copy(self.model, self.folder / "first.model")
        self.assertNotEqual(self.train("--start", self.folder / "first.model")[0]["start"], told["start"])

    def test_what_does_not_fit_is_refused_before_training(self):
        train = ["train", IRIS, "-o", self.model]
        self.fail_with("start.safetensors: its weights do not fit the network: 'fc1.bias' has shape 5, expected 128",
                       *train, "--start", self.start)
        write_safetensors(self.start, {"fc1.weight": ([5, 4], [0.5] * 20), "head.bias": ([3], [0] * 3)})
        self.fail_with("missing fc1.bias, fc2.bias, fc2.weight; not expected head.bias", *train, "--hidden", "5", "--start",
                       self.start)
        write_safetensors(self.start, {"fc1.weight": ([1], [float("nan")])})
        self.fail_with("tensor 'fc1.weight' has values that are not finite", *train, "--start", self.start)
        self.fail_with("scripts/convert_checkpoint", *train, "--start", CHECKPOINTS / "plain.pth")
        self.fail_with("missing.safetensors", *train, "--start", self.folder / "missing.safetensors")
        self.assertFalse(self.model.exists())
        shutil.copy(CHECKPOINTS / "plain.pth", self.model)
        self.fail_with("m.model", *train, "--start", self.model, code=2)

    def test_bench_begins_all_runs_with_them_and_keeps_them_apart(self):
        database = self.folder / "r.db"
        tensors = {"fc1.weight": ([128, 4], [0.01 * (i % 13) for i in range(512)]),
                   "fc1.bias": ([128], [0.0] * 128),
                   "fc2.weight": ([128, 128], [0.01 * (i % 11 - 5) for i in range(128 * 128)]),
                   "fc2.bias": ([128], [0.0] * 128),
                   "fc3.weight": ([3, 128], [0.01 * (i % 7 - 3) for i in range(384)]),
                   "fc3.bias": ([3], [0.0] * 3)}
        write_safetensors(self.start, tensors)
        bench = ["bench", "--methods", "direct,spl", "--datasets", IRIS, "--runs", "2", "--steps", "3", "--db", database]
        self.succeed(*bench)
        self.succeed(*bench, "--start", self.start)
        again = self.succeed(*bench, "--start", self.start)
        self.assertIn("0 new run(s), 4 of these", again.stderr + again.stdout)
        runs = sqlite3.connect(database).execute("SELECT configuration FROM runs").fetchall()
        self.assertEqual(len(runs), 8)
        told = [json.loads(one[0]) for one in runs]
        self.assertEqual(sorted(one["pretraining"] for one in told), [0] * 4 + [20] * 4)
        self.assertEqual({one["start"] for one in told if "start" in one}, {one["start"] for one in told if
                                                                         one["pretraining"] == 0})
        # The same by a plan, but with a pre-training too.
        plan = self.write("plan.json", json.dumps({"datasets": str(IRIS), "methods": ["direct", "spl"], "runs": 2, "steps": 3,
                                                   "start": str(self.start), "pretraining": [0, 20]}))
        result = self.succeed("bench", "--plan", plan, "--db", database)
        self.assertIn("4 new run(s), 8 of these", result.stderr + result.stdout)
        # The command line goes before the plan.
        other = self.folder / "other.safetensors"
        write_safetensors(other, tensors | {"fc3.bias": ([3], [1, 0, 0])})
        self.succeed("bench", "--plan", plan, "--db", database, "--start", other)
        self.succeed("bench", "--plan", plan, "--db", database, "--start", other, "--pretraining", "2")
        told = [json.loads(one[0]) for one in
                sqlite3.connect(database).execute("SELECT configuration FROM runs ORDER BY rowid").fetchall()[12:]]
        self.assertEqual([one["pretraining"] for one in told], [0] * 4 + [2] * 4)
        self.assertEqual({one["start"] for one in told}, {hashlib.sha256(other.read_bytes()).hexdigest()})
        self.fail_with("start.safetensors", "bench", "--methods", "spl", "--datasets", IRIS, "--start", self.start, "-o",
                       self.start, code=2)


if __name__ == "__main__":
    unittest.main()
