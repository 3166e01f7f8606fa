"""The tables of a run: medians over the rounds."""

import statistics

from figures import Figures, cell, ratio
from loads import LOADS

HONEST = 0.2  # how far the ratio of Node to the relay may be from the one measured before
COUNTS = 0.03  # how far numbers of derived messages may differ
BUSY = 0.1  # share of the machine that other processes may take
KINDS = ("depth-state", "head-pose", "head-pose/series", "impact", "swing", "stroke")
PEERS = ("Fathom durable", "Fathom in memory", "Node", "Python")


def _table(*columns):
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def _row(*cells):
    return "| " + " | ".join(cells) + " |"


def _derived(figures, section, load, gateway):
    return statistics.median(sum(each["kinds"].values()) / each["frames"] for each in figures.of(section, load, gateway))


def _counts_differ(figures, section, load):
    doubts, gateways = [], [name for name in figures.names(section, load) if name in PEERS]
    for kind in KINDS:
        counts = {name: statistics.median(each["kinds"].get(kind, 0) for each in figures.of(section, load, name)) for name in gateways}
        if counts and max(counts.values()) - min(counts.values()) > max(3, COUNTS * max(counts.values())):
            doubts.append(f"Void: the numbers of {kind} differ: " + ", ".join(f"{name} {count:g}" for name, count in counts.items()))
    return doubts


def _doubts(figures, load):
    """Why the table of a load may not be used as it is."""
    found = ratio(figures.median("microseconds", "loads", load.name, "Node"), figures.median("microseconds", "loads", load.name, "relay"))
    doubts = _counts_differ(figures, "loads", load.name)
    if found and load.node and abs(found / load.node - 1) > HONEST:
        doubts.append(f"Check: Node takes {found:.1f} times the relay's processor time, {load.node:g} was measured before")
    return doubts


def _loads(figures):
    lines = []
    for load in LOADS:
        names = figures.names("loads", load.name)
        if not names:
            continue

        def median(key, name, load=load):
            return figures.median(key, "loads", load.name, name)

        lines += [f"### {load.title}", "", *_table("gateway", "us per frame", "x relay", "x Node", "mosquitto, us per frame",
                                                   "switches per frame", "bytes written per frame", "p50 ms", "p99 ms", "derived per frame")]
        for name in names:
            cpu = median("microseconds", name)
            # A swing may wait for the next frame, a diver's message follows from the frame that it names.
            answered = load.name == "divers" and median("answers", name)
            lines.append(_row(name, cell(cpu), cell(ratio(cpu, median("microseconds", "relay")), 1),
                              cell(ratio(cpu, median("microseconds", "Node")), 2), cell(median("brokerMicroseconds", name)),
                              cell(median("switches", name), 2), cell(median("written", name)),
                              *(cell(median(part, name) / 1000 if answered else None, 2) for part in ("p50", "p99")),
                              cell(_derived(figures, "loads", load.name, name), 2)))
        lines += ["", *(f"- {doubt}." for doubt in _doubts(figures, load))]
        lines += [""] if lines[-1] else []
    return lines


def _saturation(figures):
    lines = ["### At saturation", "", *_table("load", "gateway", "frames per second", "x Node", "us per frame", "switches per frame",
                                              "bytes written per frame")]
    doubts = []
    for load in [load for load in LOADS if load.burst]:
        node = figures.median("rate", "saturation", load.name, "Node")
        for name in figures.names("saturation", load.name):
            def median(key, name=name, load=load):
                return figures.median(key, "saturation", load.name, name)
            lines.append(_row(load.name, name, cell(median("rate")), cell(ratio(median("rate"), node), 2), cell(median("microseconds")),
                              cell(median("switches"), 2), cell(median("written"))))
        doubts += _counts_differ(figures, "saturation", load.name)
    return [*lines, "", *(f"- {doubt}." for doubt in doubts), *([""] if doubts else [])] if figures.of("saturation") else []


def _capacity(figures):
    """What one processor carries: at saturation, or where that is not measured at the pace of the load."""
    lines = []
    for load in LOADS:
        cells = []
        for name in ("Fathom in memory", "Fathom durable"):
            section = "saturation" if figures.of("saturation", load.name, name) else "loads"
            cost = figures.median("microseconds", section, load.name, name)
            cells += [cell(1e6 / cost if cost else None), cell(1e6 / cost * load.period if cost else None)]
        if any(each != "-" for each in cells):
            lines.append(_row(load.title, *cells))
    heading = ["### What one processor carries, without the broker's part", "",
               *_table("load", "frames per second in memory", "such devices", "frames per second durable", "such devices")]
    return [*heading, *lines, ""] if lines else []


def _fleets(figures):
    found = figures.of("fleets")
    if not found:
        return []
    sizes, names = sorted({each["devices"] for each in found}), figures.names("fleets", "fleet")
    lines = ["### 600 divers' frames per second of fleets of different sizes", "", *_table("us per frame", *(f"{size:,} devices" for size in sizes))]
    for name in names:
        lines.append(_row(name, *(cell(figures.median("microseconds", "fleets", gateway=name, devices=size), 1) for size in sizes)))
    return [*lines, ""]


def _memory(figures):
    found = figures.of("memory")
    if not found:
        return []
    lines = ["### Memory", "", *_table("devices", "anonymous resident memory, MB")]
    return [*lines, *(_row(f"{each['devices']:,} of {each['load']}", cell(each["bytes"] / 1e6, 1)) for each in found), ""]


def _calls(figures):
    found = figures.of("calls")
    if not found:
        return []
    lines = ["### System calls", "", *_table("load", "gateway", "per frame", "the most frequent")]
    for each in found:
        most = ", ".join(f"{name} {count:.2f}" for name, count in each["most"].items())
        lines.append(_row(each["load"], each["gateway"], cell(each["calls"], 1), most))
    return [*lines, ""]


def _latency(figures):
    found = figures.of("latency")
    if not found:
        return []
    lines = ["### Latency of depth states (make latency)", "", *_table("", "way", "p50 ms", "p99 ms", "greatest ms")]
    for label, ways in found[-1]["latencies"].items():
        for way, row in ways.items():
            lines.append(_row(label, way, *(cell(row[part], 2) for part in ("p50", "p99", "p100"))))
    return [*lines, ""]


def _replay(figures):
    found = figures.of("replay")
    if not found:
        return []
    lines = ["### fathom replay", "", *_table("devices", "frames", "us per frame")]
    return [*lines, *(_row(cell(row["devices"]), cell(row["frames"]), cell(row["microseconds"], 1)) for row in found[-1]["rows"]), ""]


def _idle(figures):
    names = [name for name in figures.names("loads", "divers") if figures.median("idleWakeUps", "loads", "divers", name) is not None]
    if not names:
        return []
    rows = [_row(name, cell(figures.median("idleWakeUps", "loads", "divers", name))) for name in names]
    return ["### Idle", "", *_table("gateway", "wake-ups per second"), *rows, ""]


def markdown(results):
    """A table for each section that was measured."""
    figures, lines = Figures(results), []
    for section in (_capacity, _loads, _saturation, _fleets, _memory, _calls, _latency, _replay, _idle):
        lines += section(figures)
    others = [each["others"] for each in results if "others" in each]
    if others:
        lines.append(f"Other processes took {statistics.median(others):.0%} of the machine (median), {max(others):.0%} at the most.")
        if statistics.median(others) > BUSY:
            lines.append("That is too much for absolute figures; ratios within a load hold better.")
    return "\n".join(lines) + "\n"
