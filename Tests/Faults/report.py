"""What came out of a fault, and the page of all of them."""

import dataclasses
import json
import math
import re

COLUMNS = ["fault", "how", "N", "load", "lost", "duplicate by id", "wrong", "stuck", "duplicates on the wire", "recovery p50 / p99",
           "verdict"]

# Ends the introduction of a page, which is written by hand, as is what begins with a heading behind the notes.
COMMAND = "The command of the run that replaced rows last:\n"


@dataclasses.dataclass
class Outcome:
    """One row: figures, and what was found wrong."""

    fault: str
    how: str
    seed: int = 0
    n: int = 0
    load: str = ""
    frames: int = 0
    events: int = 0
    lost: int = 0
    duplicate: int = 0
    wrong: int = 0
    stuck: int = 0
    wire: int = 0
    seconds: float = 0.0
    recovery: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)
    samples: list = dataclasses.field(default_factory=list)
    skipped: str = ""

    @property
    def verdict(self):
        if self.skipped:
            return "skipped: " + self.skipped
        return "FAIL" if self.failures else "pass"

    def fail(self, text):
        self.failures.append(text)

    def require(self, condition, text):
        """Fails with a text unless the condition holds; returns the condition."""
        if not condition:
            self.fail(text)
        return condition

    def percentile(self, part):
        """A percentile of the recovery times in milliseconds, as text."""
        if not self.recovery:
            return "-"
        ordered = sorted(self.recovery)
        return f"{ordered[math.ceil(part * len(ordered)) - 1] * 1000:.0f} ms"

    def row(self):
        recovery = f"{self.percentile(0.5)} / {self.percentile(0.99)}" if self.recovery else ""
        load = ", ".join(filter(None, [self.load, f"{self.frames} frames, {self.events} events" if self.frames else ""]))
        return [self.fault, self.how, self.n or "", load, self.lost, self.duplicate, self.wrong, self.stuck, self.wire, recovery,
                self.verdict]


def text(outcome):
    """The outcome as progress lines."""
    if outcome.skipped:
        return f"{outcome.fault}: {outcome.verdict}"
    figures = (f"lost {outcome.lost}, duplicate by id {outcome.duplicate}, wrong {outcome.wrong}, stuck {outcome.stuck}, "
               f"on the wire {outcome.wire}")
    lines = [f"{outcome.fault}: {outcome.verdict.upper()}  N={outcome.n} seed={outcome.seed} "
             f"frames={outcome.frames} events={outcome.events} {figures}"
             + (f", recovery p50 {outcome.percentile(0.5)} p99 {outcome.percentile(0.99)}" if outcome.recovery else "")
             + f" ({outcome.seconds:.0f} s)"]
    lines += [f"    {note}" for note in outcome.notes]
    lines += [f"    FAILED: {failure}" for failure in outcome.failures]
    lines += [f"      {sample}" for sample in outcome.samples]
    return "\n".join(lines)


def markdown(outcomes, command, seed, order, page=""):
    """The page. The faults of `page`, the one before, that were not run now, or skipped, keep their rows and notes; `order` has the names of all.
    What stands before and behind them there stays."""
    introduction, _, rest = page.partition(COMMAND)
    _, heading, end = rest.partition("\n## ")
    rows, notes = _kept(page, order)
    for outcome in outcomes:
        if outcome.skipped and outcome.fault in rows:
            continue
        rows[outcome.fault] = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in outcome.row()) + " |"]
        notes[outcome.fault] = [f"- {outcome.fault}: " + re.sub(r"(?<![\w/])/\w[^\s:]*/[^\s:]*", "(path)", line)
                                for line in outcome.notes + outcome.failures]
    names = [name for name in order if name in rows]
    lines = [f"{introduction}{COMMAND}\n```\n{command}\n```\n", f"Seed {seed}.\n", "| " + " | ".join(COLUMNS) + " |",
             "|" + "---|" * len(COLUMNS)]
    lines += [row for name in names for row in rows[name]] + [""] + [note for name in names for note in notes.get(name, [])]
    trials = _passed_trials([row for name in ("F1", "F1d", "F2") for row in rows.get(name, [])])
    if trials:
        lines.append(f"\nNo event lost in {trials} kills of the gateway: below {300 / trials:.2g} % a kill at 95 %.")
    return "\n".join(lines).rstrip() + "\n" + heading + end


def _kept(page, order):
    """The lines of the table and of the notes of a page, by fault."""
    rows, notes = {}, {}
    for line in page.splitlines():
        for kept, pattern in ((rows, r"\| (\S+) \|"), (notes, r"- (\w+): ")):
            found = re.match(pattern, line)
            if found and found[1] in order:
                kept.setdefault(found[1], []).append(line)
    return rows, notes


def _passed_trials(rows):
    """The trials of rows, none if one of them did not pass or lost an event."""
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows]
    passed = all(row[COLUMNS.index("lost")] == "0" and row[-1] == "pass |" for row in cells)
    return sum(int(row[COLUMNS.index("N")] or 0) for row in cells) if passed else 0


def machine(outcomes, command, seed):
    """The same as JSON."""
    rows = [{**dataclasses.asdict(outcome), "verdict": outcome.verdict} for outcome in outcomes]
    return json.dumps({"command": command, "seed": seed, "outcomes": rows}, indent=1) + "\n"
