"""The layers of the code: none includes one below it, the library includes nothing of the tool, and what is installed
is what the front doors include. Usage: layers_test.py"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ["base", "io", "data", "loss", "net", "forest", "method", "trust", "model", "train", "study", "report", "exchange"]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]((?:uaspl|cli|tests|bench)/[^">]+)[">]', re.MULTILINE)
DOORS = ["uaspl/uaspl.hpp", "uaspl/predict.hpp", "uaspl/lab.hpp"]


def included(path):
    return INCLUDE.findall((ROOT / path).read_text())


def sources(folder):
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*")
                  if path.suffix in (".cpp", ".hpp"))


def layer(path):
    return path.split("/")[1]


class Layers(unittest.TestCase):
    def test_no_layer_includes_one_below_it(self):
        checked = 0
        for path in sources("uaspl"):
            if path.count("/") == 1:
                continue  # the front doors are above all layers
            for other in included(path):
                self.assertTrue(other.startswith("uaspl/"), f"{path} includes {other}")
                self.assertNotEqual(other.count("/"), 1, f"{path} includes the front door {other}")
                self.assertLessEqual(LAYERS.index(layer(other)), LAYERS.index(layer(path)),
                                     f"{path} includes {other}, which is of a layer below")
                checked += 1
        self.assertGreater(checked, 300)

    def test_every_folder_is_a_layer(self):
        folders = {path.name for path in (ROOT / "uaspl").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(LAYERS))
        for folder in folders:
            self.assertTrue((ROOT / "uaspl" / folder / "CMakeLists.txt").exists(), folder)

    def test_tables_and_images_do_not_include_each_other(self):
        for mine, other in (("data/table", "data/image/"), ("data/image", "data/table/"), ("net/mlp", "net/torch/"),
                            ("net/torch", "net/mlp/")):
            for path in sources(f"uaspl/{mine}"):
                for name in included(path):
                    self.assertFalse(name.startswith(f"uaspl/{other}"), f"{path} includes {name}")

    def test_headers_that_are_there(self):
        for folder in ("uaspl", "cli", "tests", "bench", "fuzz"):
            for path in sources(folder):
                for name in included(path):
                    self.assertTrue((ROOT / name).exists(), f"{path} includes {name}, which is not there")

    def test_what_is_installed_is_what_the_front_doors_include(self):
        closure, left = set(), list(DOORS)
        while left:
            path = left.pop()
            if path not in closure:
                closure.add(path)
                left += included(path)
        listed = re.findall(r"^  (\S+\.hpp)$", (ROOT / "cmake" / "public_headers.cmake").read_text(), re.MULTILINE)
        self.assertEqual(listed, sorted(listed))
        self.assertEqual({f"uaspl/{name}" for name in listed}, closure)


if __name__ == "__main__":
    unittest.main()
