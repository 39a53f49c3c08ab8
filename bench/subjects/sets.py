"""The paper's 25 data sets, or tables of the same shapes where they are not there."""
import json
import pathlib

# Training rows of the shapes that steps and threads are measured on, and whose they are.
SHAPES = {40: "caesarian", 89: "wine", 175: "ionosphere", 374: "transfusion", 970: "steel_plates_4", 2391: "waveform"}


def all_sets(bench, table):
    """Sets as the tool lists them, smallest first, each with the path of its file."""
    listed = map(json.loads, bench.run([bench.tool, "data", "list", "--json"]).splitlines())
    sets = [one for one in listed if one.get("sha256")]  # the others are files that happen to be there
    made = 0
    for one in sets:
        found = find(bench.data, one["name"])
        if not found:
            made += 1
            found = bench.generate(f"{one['name']}.csv", one["rows"], one["features"], one["classes"])
        one["path"] = found
    if made:
        table.note(f"{made} of {len(sets)} data sets were not found (--data): tables of the same shape stand for them")
    return sorted(sets, key=lambda one: one["rows"])


def find(folder, name):
    if not folder:
        return None
    for path in (pathlib.Path(folder) / f"{name}.csv", pathlib.Path(folder) / "uci" / f"{name}.csv"):
        if path.is_file():
            return path.resolve()
    return None
