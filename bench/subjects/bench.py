"""What every subject needs: the programs, built; a folder for what they make; and how to run and watch them."""
import contextlib
import csv
import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import time

SOURCES = pathlib.Path(__file__).resolve().parents[2]
BUILD = SOURCES / "build" / "release"
DEBIAN = {"pandas": "python3-pandas", "sklearn": "python3-sklearn", "torch": "python3-torch"}
# Every library that starts threads of its own keeps to one.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                     "NUMEXPR_NUM_THREADS")}


class Failed(Exception):
    """A program that should have run did not."""


def build():
    """The release preset with the programs; a folder that is configured already keeps its other settings."""
    if (BUILD / "CMakeCache.txt").exists():
        configure = ["cmake", "-S", SOURCES, "-B", BUILD, "-DUASPL_BENCH=ON"]
    else:
        configure = ["cmake", "--preset", "release", "-DUASPL_TESTS=OFF", "-DUASPL_BENCH=ON"]
    for command in (configure, ["cmake", "--build", BUILD, "--target", "bench_programs"]):
        result = subprocess.run(command, cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}\n{result.stdout}")


def compiler():
    """The compiler of the build folder, by its own words."""
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            path = line.split("=", 1)[1]
            return subprocess.run([path, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return "unknown"


def missing_packages(*modules):
    return [DEBIAN[name] for name in modules if importlib.util.find_spec(name) is None]


class Bench:
    """The folder of a comparison, and the commands that are run in it."""

    def __init__(self, folder, data, quick):
        self.folder = pathlib.Path(folder)
        self.data = data
        self.quick = quick
        self.tool = BUILD / "uaspl"
        self.python = [sys.executable]
        self.settings = {}  # of the environment, for those that are compared with

    def program(self, name):
        return BUILD / "bench" / f"bench_{name}"

    def script(self, name):
        return [*self.python, SOURCES / "bench" / name]

    def environment(self):
        return {**os.environ, **ONE_THREAD, **self.settings}

    def run(self, command, **settings):
        """Standard output of a command that must succeed; settings are for its environment."""
        result = subprocess.run(command, cwd=self.folder, env={**self.environment(), **settings}, capture_output=True,
                                text=True)
        if result.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}\n{result.stderr}")
        return result.stdout

    def lines(self, command, **settings):
        """A program's lines of CSV as dictionaries, with numbers where they are numbers."""
        return [{key: value_of(text) for key, text in line.items()}
                for line in csv.DictReader(self.run(command, **settings).splitlines())]

    def seconds(self, command):
        """The whole process, from outside."""
        start = time.perf_counter()
        self.run(command)
        return time.perf_counter() - start

    def generate(self, name, rows, columns, classes=2, digits=6):
        path = self.folder / name
        if not path.exists():
            self.run([self.program("generate"), path, str(rows), str(columns), str(classes), str(digits)])
        return path

    def peak_anonymous(self, command):
        """Most bytes of memory that were no file's pages, looked at all the time while the command runs."""
        with subprocess.Popen(command, cwd=self.folder, env=self.environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            peak = 0
            while process.poll() is None:
                peak = max(peak, anonymous_bytes(process.pid))
                time.sleep(0.001)
        if process.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}: exit code {process.returncode}")
        return peak


def anonymous_bytes(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass  # it has just ended
    return 0


def value_of(text):
    try:
        return float(text)
    except ValueError:
        return text


class Server:
    """A program that reads a file's name a line and answers with a line of CSV, so that two of them can take turns
    without starting anew."""

    def __init__(self, bench, command):
        self.command = command
        self.process = subprocess.Popen(command, cwd=bench.folder, env=bench.environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.titles = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):  # it has ended already
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, path):
        with contextlib.suppress(BrokenPipeError):  # read() says that it has ended
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
        if self.titles is None:
            self.titles = self.read()
        return dict(zip(self.titles, self.read()))

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{' '.join(map(str, self.command))} ended early")
        return line.strip().split(",")


def best_in_turn(rounds, **measures):
    """The lowest of each, measured in turn: what disturbs one disturbs the others."""
    best = {}
    for _ in range(rounds):
        for name, measure in measures.items():
            best[name] = min(measure(), best.get(name, float("inf")))
    return best


class OtherLoad:
    """What part of the processors others used meanwhile: timings on a busy machine are worth less."""

    def __enter__(self):
        self.start = self.busy_and_all()
        self.own = self.own_seconds()
        return self

    def __exit__(self, *_):
        busy, everything = (after - before for after, before in zip(self.busy_and_all(), self.start))
        others = busy - (self.own_seconds() - self.own)
        self.share = max(0.0, others / everything) if everything > 0 else 0.0

    @staticmethod
    def busy_and_all():
        ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        idle = ticks[3] + ticks[4]
        hertz = os.sysconf("SC_CLK_TCK")
        return (sum(ticks) - idle) / hertz, sum(ticks) / hertz

    @staticmethod
    def own_seconds():
        return sum(usage.ru_utime + usage.ru_stime
                   for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
