"""What was measured, beside what was aimed at: one table, and the same as JSON."""
import dataclasses
import sys


@dataclasses.dataclass
class Row:
    subject: str
    case: str
    measured: object  # a number; or a word, where there is nothing to aim at
    unit: str = ""
    at_least: float = None
    at_most: float = None
    idle: bool = False  # the target is for idle processors
    busy: bool = False  # and they were not

    @property
    def verdict(self):
        if self.at_least is None and self.at_most is None:
            return ""
        reached = self.measured >= self.at_least if self.at_least is not None else self.measured <= self.at_most
        return "ok" if reached else "busy" if self.busy else "short"

    @property
    def target(self):
        if self.at_least is not None:
            return f">= {self.at_least:.4g}"
        return f"<= {self.at_most:.4g}" if self.at_most is not None else ""

    def cells(self):
        measured = self.measured if isinstance(self.measured, str) else number(self.measured)
        return [self.subject, self.case, measured, self.unit, self.target, self.verdict]


def number(value):
    """Three digits or more; what is compared with a target is never rounded."""
    if isinstance(value, int) or value >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


class Table:
    TITLES = ["subject", "case", "measured", "unit", "target", ""]
    RIGHT = (2, 4)  # columns of numbers

    def __init__(self):
        self.rows = []
        self.notes = []

    def add(self, subject, case, measured, unit="", **target):
        self.rows.append(Row(subject, case, measured, unit, **target))

    def mark_busy(self, subject):
        for row in self.rows:
            row.busy = row.busy or (row.idle and row.subject == subject)

    def note(self, text):
        self.notes.append(text)
        print(f"compare: {text}", file=sys.stderr)

    def text(self):
        lines = [self.TITLES] + [row.cells() for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.TITLES))]
        shown = []
        for line in lines:
            cells = [cell.rjust(width) if i in self.RIGHT else cell.ljust(width)
                     for i, (cell, width) in enumerate(zip(line, widths))]
            shown.append("  ".join(cells).rstrip())
        shown.insert(1, "  ".join("-" * width for width in widths).rstrip())
        with_target = [row.verdict for row in self.rows if row.verdict]
        shown.append(f"\n{with_target.count('ok')} of {len(with_target)} targets reached")
        return "\n".join(shown + self.notes)

    def as_json(self):
        rows = [{**dataclasses.asdict(row), "verdict": row.verdict or None} for row in self.rows]
        return {"rows": rows, "notes": self.notes}
