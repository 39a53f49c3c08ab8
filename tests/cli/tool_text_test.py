"""The real program: tables and names that are hostile, in other encodings, or change. Usage: tool_text_test.py PROGRAM"""
import json
import os
import subprocess
import unittest

from tool import TOOL, ToolTest, run, write_clouds

ESCAPE = "\x1b]0;title\x07\x1b[2J"
HOSTILE = ["\x1b", "\x07", "\u202e", "\u2066", "\x9b", "\r"]


class Text(ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data.csv"
        write_clouds(self.data, 60)

    def train(self, data=None, name="m.model", *more):
        self.succeed("train", data or self.data, "--steps", "2", "-o", self.folder / name, "-q", *more)
        return self.folder / name

    def harmless(self, text):
        for character in HOSTILE:
            self.assertNotIn(character, text)

    def test_cells_that_no_float_can_carry(self):
        model = self.train()
        bad = self.write("bad.csv", "label,a,b,c\n0,1,2,3\n1,1,1e300,2\n")
        where = "bad.csv:3: column 3 ('b'): '1e300' is too large"
        self.fail_with(where, "train", bad, "-o", self.folder / "x.model")
        self.fail_with(where, "predict", model, bad, "--strict")
        self.assertEqual(len(self.succeed("predict", model, bad).stdout.splitlines()), 3)
        self.fail_with(where, "eval", model, bad)
        self.fail_with(where, "bench", "--datasets", bad, "--methods", "spl", "--steps", "1", "-q")
        self.assertFalse((self.folder / "x.model").exists())
        # In training, a value may be too far only from those of the rows that are trained on.
        lines = [f"{i % 2},{i % 5},{i / 1e9},3" for i in range(40)]
        lines[7] = "1,7,-3.4e38,3"
        odd = self.write("odd.csv", "label,a,b,c\n" + "\n".join(lines) + "\n")
        tries = [run("train", odd, "--steps", "1", "--seed", seed, "-o", self.folder / "x.model") for seed in range(12)]
        refused = [one.stderr for one in tries if one.returncode == 1]
        self.assertTrue(refused, "the row was never held out")
        for message in refused:
            self.assertIn("odd: row 8 of the data, column 'b': '-3.4e+38' is too far", message)
        # A class is a name that each prediction repeats; of many classes, eval lists the pairs that occur.
        long = self.write("long.csv", "label,a\n" + "".join(f"{'xy'[i % 2] * 1001},{i}\n" for i in range(20)))
        self.fail_with("a class of 1001 bytes, expected at most 1000", "train", long, "-o", self.folder / "x.model")
        many = self.write("many.csv", "label,a\n" + "".join(f"k{i // 2},{i}\n" for i in range(2002)))
        model = self.folder / "many.model"
        self.succeed("train", many, "--hidden", "1", "--steps", "1", "--test-fraction", "0", "-o", model, "-q",
                     "--numeric", "a")
        pairs = json.loads(self.succeed("eval", model, many, "--json").stdout)["confusion"]["pairs"]
        self.assertEqual(sum(rows for _, _, rows in pairs), 2002)
        # A column that was constant (here 2^127, whose mean is exact) is not scaled: what is far away leaves the range
        # of float.
        self.write("same.csv", "label,a,b\n" + "".join(f"{i % 2},{i},1.7014118346046923e38\n" for i in range(20)))
        same = self.train(self.folder / "same.csv", "same.model", "--numeric", "a,b")
        far = self.write("far.csv", "a,b,label\n1,1.7014118346046923e38,0\n1,-3e38,0\n")
        where = "far.csv:3: column 2 ('b'): '-3e38' is too far from the values"
        self.fail_with(where, "predict", same, far, "--strict")
        self.fail_with(where, "eval", same, far)

    def test_a_file_that_is_cut_off_while_it_is_read(self):
        model = self.train()
        pipe = self.folder / "out"
        os.mkfifo(pipe)
        big = self.folder / "big.csv"
        with open(big, "w") as file:
            file.write("a,b,c\n")
            file.writelines("1.5,2.5,3.5\n" for _ in range(500_000))
        # Its output is not taken, so that it stops in the middle.
        process = subprocess.Popen([TOOL, "predict", model, big, "-o", pipe], stderr=subprocess.PIPE, text=True)
        with open(pipe) as output:
            output.readline()
            os.truncate(big, 1_000_000)
            output.read()
        _, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, message)
        self.assertEqual(message, f"uaspl: {big}: changed while it was read\n")

    def test_other_encodings(self):
        text = self.data.read_text()
        (self.folder / "wide.csv").write_bytes(text.encode("utf-32"))
        self.fail_with("wide.csv: the text is UTF-32LE, expected UTF-8; `iconv -f UTF-32LE -t UTF-8`",
                       "train", self.folder / "wide.csv", "-o", self.folder / "x.model")
        (self.folder / "zero.csv").write_bytes(text.encode() + b"1,2,\0,3\n")
        self.fail_with("zero.csv:62: a NUL byte", "train", self.folder / "zero.csv", "-o", self.folder / "x.model")
        (self.folder / "mac.csv").write_bytes(text.replace("\n", "\r").encode())
        mac, usual = self.train(self.folder / "mac.csv", "mac.model"), self.train()
        self.assertEqual(run("predict", mac, self.data).stdout, run("predict", usual, self.data).stdout)

    def test_messages_show_hostile_cells_as_text(self):
        model = self.train()
        for cell in (ESCAPE, "\u202eevil", "x" * 3_000_000, "\x9b31m"):
            bad = self.write("bad.csv", f'a,b,c\n1,"{cell}",3\n')
            self.harmless(self.succeed("predict", model, bad).stderr)
            self.harmless(self.fail_with("bad.csv:2: column 2 ('b'): '", "predict", model, bad, "--strict").stderr)
            bad = self.write("bad.csv", f'a,"{cell}",c\n1,2,3\n')
            self.harmless(self.fail_with("1 column(s) missing: b", "predict", model, bad).stderr)
            bad = self.write("bad.csv", f'"{cell}","{cell}"\n1,2\n')
            self.harmless(self.fail_with("are both called", "train", bad, "-o", self.folder / "x.model").stderr)
        name = self.folder / f"no{ESCAPE}.csv"
        self.harmless(self.fail_with("\\x1b]0;title\\x07", "predict", model, name).stderr)
        self.harmless(run("predict", f"--{ESCAPE}").stderr)
        self.harmless(run("predict", model, self.data, f"--threads={ESCAPE}").stderr)

    def test_tables_show_hostile_names_as_text(self):
        lines = self.data.read_text().splitlines()[1:]
        rows = [line.split(",") for line in lines]
        bad = self.write("bad\x1b[31m.csv", f'"label{ESCAPE}","a{ESCAPE}",b\n' + "".join(
            f'"class\u202e{row[0]}{ESCAPE}",{row[1]},"level{ESCAPE}{i % 3}"\n' for i, row in enumerate(rows)))
        model = self.train(bad, "m.model", "--target", "1")
        for verb in (["inspect", model], ["eval", model, bad],
                     ["bench", "--datasets", bad, "--methods", "spl,direct", "--steps", "1"],
                     ["train", bad, "-o", self.folder / f"m{ESCAPE}.model", "--steps", "1", "--target", "1"]):
            result = self.succeed(*verb)
            self.harmless(result.stdout + result.stderr)
            self.assertIn("\\x1b", result.stdout)
        store = self.folder / "runs.db"
        result = self.succeed("bench", "--datasets", bad, "--methods", "spl", "--steps", "1", "--db", store)
        self.harmless(result.stdout + result.stderr)
        self.harmless(self.succeed("report", store).stdout)

    def test_formulas_get_a_quote_in_front_on_request(self):
        lines = self.data.read_text().splitlines()[1:]
        text = "label,a\n" + "".join(f"{'=1+1' if l[0] == '0' else -1},{l.split(',')[1]}\n" for l in lines)
        data = self.write("=data.csv", text)
        model = self.train(data)
        plain = self.succeed("predict", model, data).stdout
        safe = self.succeed("predict", model, data, "--safe-csv").stdout
        self.assertIn(",=1+1,", plain)
        self.assertNotIn(",=1+1,", safe)
        self.assertEqual(safe.replace("'=1+1", "=1+1"), plain)
        self.assertIn(",-1,", safe)  # a number stays one
        as_json = self.succeed("predict", model, data, "--safe-csv", "--json").stdout
        self.assertIn("=1+1", {json.loads(line)["label"] for line in as_json.splitlines()})
        bench = ["bench", "--datasets", data, "--methods", "spl", "--steps", "1", "-q"]
        self.assertIn("\n'=data,", self.succeed(*bench, "-o", "-", "--safe-csv").stdout)
        self.assertIn("\n=data,", self.succeed(*bench, "-o", "-").stdout)
        self.succeed(*bench, "--db", self.folder / "runs.db")
        self.succeed("report", self.folder / "runs.db", "--csv", self.folder / "tables", "--safe-csv")
        self.assertIn(",'=data,", (self.folder / "tables" / "runs.csv").read_text())

    def test_a_pipe_reads_as_a_file(self):
        from_file = self.train()
        with open(self.data, "rb") as file:
            subprocess.run(f"cat '{self.data}' | '{TOOL}' train - --steps 2 -q -o '{self.folder}/p.model'",
                           shell=True, check=True, timeout=60)
            file.seek(0)
            result = subprocess.run([TOOL, "predict", self.folder / "p.model", "-"], stdin=file,
                                    capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, self.succeed("predict", from_file, self.data).stdout)


if __name__ == "__main__":
    unittest.main()
