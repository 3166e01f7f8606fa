"""What came out of a fault, and the page of all of them."""

import dataclasses
import json
import math
import re

COLUMNS = ["fault", "how", "N", "load", "lost", "duplicate by id", "wrong", "stuck", "duplicates on the wire", "recovery p50 / p99",
           "verdict"]

INTRODUCTION = """\
# Reliability

Measurements of the gateway's guarantee under faults. `make faults` generates this page; with `ARGS='--only F20m'` it replaces the rows of
these faults. So the rows are of different versions; those of F25 need `nats-server` (`make faults-cluster`).

**The guarantee** is [that of the gateway](../../ARCHITECTURE.md#the-guarantee): whatever ends it, no derived event is lost, and what is published a
second time has the `id` and the content of the first. A subscriber that drops known ids processes every event once.

What a start derives from the journal under other settings, and rows that cannot be read, are
[stored until they are published](../operations.md#rows-that-cannot-be-read). What else follows from a transaction is made again by the next start.

**How it is measured.** A generator publishes frames of simulated divers, batters and headphones at QoS 1 and logs each one
(device, stream, boot, seq, values). A checker subscribes to `wearables/+/out/#` with a session of its own. A second implementation
of the derivations, in Python, computes from the generator's log what must have arrived: depth states, dives, water temperatures,
impacts, head poses. The two are compared as sets, by (device, kind, instant) and by `id`:

- *lost*: expected, never arrived; *stuck*: not arrived 60 s after the last message; *wrong*: arrived, not expected, or other content;
- *duplicate by id*: one event under two ids, or two contents under one id (`epoch`, `received` and `skew` apart, and `validUntil` beside `skew`);
- *duplicates on the wire*: the same message under the same id again. They are allowed, and counted.

Messages that depend on when the gateway ran, not on what the devices sent, are outside the sets: depth states by silence, restart
and last will and the state that confirms them (which must still be correct), connections, access. A device that sends all the time must
never be `silent`, but where the fault keeps its frames from the gateway for longer than the limit. A device that was last out of the water,
or never had a depth, must never be `unknown` after a restart; each load has two. A `gap` counts as wrong, unless
the fault itself loses frames at the broker: there every loss must be covered by a `gap`. Only the devices of F29 set clocks back or use
boots again: in every other fault a report of that, and a message with `source.run`, fails.

**What one topic, clock or device may cost the others.** In F26 the broker refuses a topic, or what is too large; of the others no depth may
come more than 2 s after its instant, outside 3 s after a kill. Of a refused topic every event must come once it is allowed, in order; of a
retained one the newest state, within 10 s. In F27 every stored sample and event is counted after each step of the clock. F28 expects
messages that only a replay under changed settings derives. F29 compares with a second implementation of the rule of runs. F30 compares each
depth with the same depth of a run without the history: it may be 1 s later, outside 3 s after a kill. In F31 the lanes share one
session and have one each in turn, as the accounts change; a frame is acknowledged when every lane that it concerns has committed it.

The gateways are debug builds, several at a time on one machine of two processors: recovery and processor times are several times those of a release
build alone. F12, F21w and F30, which demand a time or a rate, run the release build, alone.

**The negative control** is a plain MQTT client in the gateway's place, under the same kills and the same checker. It acknowledges
before it processes, as clients usually do. It must lose messages, or the whole run counts as failed: a harness that detects no loss
there would detect none here.

**What it does not cover.** [The broker's own queue](../brokers.md): `kill -9` of mosquitto loses frames (F6). SIGKILL leaves the page cache, so
nothing here tests power loss. "0 in n trials" means: below 3/n at 95 % (the rule of three).
"""


# Ends the page: what no fault measures, kept here because the page is written as a whole.
WALL_CLOCK = """\
## When the gateway's wall clock is wrong

The wall clock decides nothing about depth: order, waits, timers and leases go by the clock that counts since the start of the machine. The table
has every decision that the wall clock has a part in, and what a step does to it while the gateway runs. F11 starts the gateway with a wrong
clock, F27 sets the clock of one that runs.

| decision | goes by | +30 d, 2100 | -30 d, 1970 | test |
|---|---|---|---|---|
| deletion of samples and messages older than `history.days` | the believed time ([history](../history.md#deleted-by-elapsed-time)), and never past the wall clock | none for 24 h of running time | waits until the clock is right or was kept for 24 h | HistoryDeletionTests, BelievedClockTests |
| erasure of a device that was removed from the registry | running time | none | none | HistoryDeletionTests `removal` |
| which samples of a history are taken | both clocks: the earlier for what is too old, the later for what is ahead | none | none | HistoryDeletionTests `arrival` |
| reports of a history, and its missing frames | the believed time | none | none | HistoryDeletionTests `arrival` |
| nights and days | the dates of the samples | none | none | HistoryStoreTests |
| `limits.maximumAgeSeconds` (off by default) | the earlier of both | none | frames are younger than they are: all pass | BadInputTests `notTooOld` |
| depth states, dives, sessions, silence, connections | the device's clock, and the gateway's since the start of the machine | none | none | F27 |
| waits for missing frames, `redeliverySeconds`, timers, budgets, eviction, retries, heartbeats, claims and leases | the clock since the start of the machine | none | none | F27 |
| `at` and `validUntil` of a frame with `sent` | the device's `sent` | none; a consumer that compares `validUntil` goes by its own clock | frames seem to be sent ahead: `skew` is in the message, see the wire contract | F11, F27 |
| `at` and `validUntil` of a frame without `sent` | the fastest frame of the boot so far, by the wall clock | the boot keeps its offset; one that begins meanwhile has wrong times until its end | the offset falls: wrong times until the boot ends | none |
| `received`, the status, heartbeats, logs, names of dead letters | the wall clock, as it is | wrong times | wrong times | F11 |
| which frames an earlier gateway has seen, in a resumed session without states | the wall clock at the resumption | a boot that began before is taken for new or old by mistake; at a start only | the same | F11 |
| restored states after a restart of the machine | the wall clock: the time off | the time off counts as long: timers are due, depths become `unknown` | counts as no time | F11 |
| renewal of an early depth state | `validUntil` against the wall clock | renewed at once | renewed by the timer of silence | F27 |
| `messageExpiryInterval`, session expiry | the broker's clock, in seconds | none | none | F27 |
| TLS certificates | the wall clock, when a connection is made | a connection that is up stays; a new one is refused while the certificate seems expired | the same while it seems not valid yet | none |
| registry, certificates, producers: has the file changed | equality of size and time | none | none | RegistryTests |
| dead letters, answered requests, Home Assistant's announcements | number, not age | none | none | DeadLetterFolderTests |
| requests for erasure | a file, until it is carried out | none | none | HistoryStoreTests |
"""


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
    """The page. The faults of `page`, the one before, that were not run now, or skipped, keep their rows and notes; `order` has the names of all."""
    rows, notes = _kept(page, order)
    for outcome in outcomes:
        if outcome.skipped and outcome.fault in rows:
            continue
        rows[outcome.fault] = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in outcome.row()) + " |"]
        notes[outcome.fault] = [f"- {outcome.fault}: " + re.sub(r"(?<![\w/])/\w[^\s:]*/[^\s:]*", "(path)", line)
                                for line in outcome.notes + outcome.failures]
    names = [name for name in order if name in rows]
    lines = [INTRODUCTION, f"The command of the run that replaced rows last:\n\n```\n{command}\n```\n", f"Seed {seed}.\n", "| " + " | ".join(COLUMNS) + " |",
             "|" + "---|" * len(COLUMNS)]
    lines += [row for name in names for row in rows[name]] + [""] + [note for name in names for note in notes.get(name, [])]
    trials = _passed_trials([row for name in ("F1", "F1d", "F2") for row in rows.get(name, [])])
    if trials:
        lines.append(f"\nNo event lost in {trials} kills of the gateway: below {300 / trials:.2g} % a kill at 95 %.")
    return "\n".join(lines).rstrip() + "\n\n" + WALL_CLOCK


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
