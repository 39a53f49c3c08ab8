"""Code that lies in the current folder is never run: modules, libcurl and what they need.
Usage: tool_modules_test.py PROGRAM"""
import os
import pathlib
import shutil
import subprocess
import unittest

from tool import TOOL, ToolTest, run

COMPILER = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
TRAP = """#include <fstream>
namespace { const bool trapped = static_cast<bool>(std::ofstream("trapped") << "x"); }
"""


@unittest.skipUnless(COMPILER, "needs a compiler")
class Modules(ToolTest):
    def setUp(self):
        super().setUp()
        source = self.write("trap.cpp", TRAP)
        trap = self.folder / "trap.so"
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", trap, source], check=True)
        for name in ("libcurl.so.4", "libuaspl_torch.so", "libuaspl_mpi.so", "libtorch.so.1.13", "libc10.so.1.13",
                     "libtorch_cpu.so.1.13", "libgloo.so.0", "libmpi.so.40"):
            shutil.copy(trap, self.folder / name)

    def pull(self, **environment):
        return run("data", "pull", "wine", "--to", "got", "--source", "http://127.0.0.1:1", cwd=self.folder,
                   environment=environment)

    def images(self, **environment):
        for k in range(4):
            folder = self.folder / "pictures" / "train" / str(k % 2)
            folder.mkdir(parents=True, exist_ok=True)
        return run("train", "--images", "pictures", "-o", "m.model", cwd=self.folder, environment=environment)

    def ranks(self, **environment):
        return run("bench", "iris", "--shard", "mpi", cwd=self.folder,
                   environment={"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"} | environment)

    def test_the_trap_works(self):
        subprocess.run([TOOL, "--version"], cwd=self.folder, check=True, capture_output=True,
                       env={"LD_PRELOAD": "./libcurl.so.4"})
        self.assertTrue((self.folder / "trapped").exists())

    def test_nothing_is_loaded_from_the_current_folder(self):
        for environment in ({}, {"UASPL_MODULES": ""}, {"UASPL_MODULES": "."}, {"LD_LIBRARY_PATH": ""},
                            *({"LD_LIBRARY_PATH": path} for path in (":", ":/lib", "/lib:", "/lib::/usr/lib", "."))):
            for use in (self.pull, self.images):
                result = use(**environment)
                self.assertNotEqual(result.returncode, 0)
                self.assertFalse((self.folder / "trapped").exists(), (environment, use, result.stderr))

    def test_the_error_says_what_is_wrong(self):
        result = self.pull(LD_LIBRARY_PATH="/lib:")
        self.assertIn("LD_LIBRARY_PATH=/lib:: expected absolute folders only", result.stderr)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no source had it", self.pull(LD_LIBRARY_PATH="/lib").stderr)


if __name__ == "__main__":
    unittest.main()
