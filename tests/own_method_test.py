"""The worked example: HACKING.md shows the file as it is, and it runs. Usage: own_method_test.py PROGRAM"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
PROGRAM = sys.argv[1]

source = (ROOT / "examples" / "own_method.cpp").read_text()
blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "HACKING.md").read_text(), re.DOTALL)
assert source in blocks, "HACKING.md does not show examples/own_method.cpp as it is"

result = subprocess.run([PROGRAM, ROOT / "data" / "iris.csv"], capture_output=True, text=True, timeout=250)
assert result.returncode == 0, result.stderr
accuracies = {name: float(value) for name, value in re.findall(r"(\S+) +(0\.\d{4}|1\.0000)\n", result.stdout)}
assert set(accuracies) == {"spl", "spl_gini"}, result.stdout
assert all(value > 0.9 for value in accuracies.values()), result.stdout

result = subprocess.run([PROGRAM, "no_such_file.csv"], capture_output=True, text=True, timeout=250)
assert result.returncode == 1 and "no_such_file" in result.stderr, result.stderr
