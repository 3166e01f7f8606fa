"""The table of a run."""

import statistics

from loads import LOADS

HONEST = 0.2  # how far the ratio of Node to the relay may be from the one measured before
COUNTS = 0.03  # how far numbers of derived messages may differ
BUSY = 0.1  # share of the machine that other processes may take


def _median(results, key):
    return statistics.median(result[key] for result in results)


def _cell(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def _ratio(value, base):
    return value / base if base else None


def _load_rows(load, measured):
    cpu = {name: _median(results, "microseconds") for name, results in measured.items()}
    rows = []
    for name, results in measured.items():
        derived = statistics.median(sum(result["kinds"].values()) / result["frames"] for result in results)
        answered = load.name == "divers" and any(result["answers"] for result in results)
        cells = [_cell(cpu[name]), _cell(_ratio(cpu[name], cpu.get("relay")), 1), _cell(_ratio(cpu[name], cpu.get("Node")), 2),
                 _cell(_median(results, "brokerMicroseconds")), _cell(_median(results, "switches"), 2),
                 _cell(_median(results, "p50") / 1000 if answered else None, 2),
                 _cell(_median(results, "p99") / 1000 if answered else None, 2), _cell(derived, 2)]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def _doubts(load, measured):
    """Why the table of a load may not be used as it is."""
    doubts = []
    if "Node" in measured and "relay" in measured:
        ratio = _median(measured["Node"], "microseconds") / _median(measured["relay"], "microseconds")
        if abs(ratio / load.node - 1) > HONEST:
            doubts.append(f"Check: Node takes {ratio:.1f} times the relay's processor time, {load.node:g} was measured before")
    peers = {name: results for name, results in measured.items() if name in ("Fathom durable", "Fathom in memory", "Node", "Python")}
    for kind in ("depth-state", "head-pose", "impact", "swing", "stroke"):
        counts = {name: statistics.median(result["kinds"].get(kind, 0) for result in results) for name, results in peers.items()}
        if counts and max(counts.values()) - min(counts.values()) > max(3, COUNTS * max(counts.values())):
            doubts.append(f"Void: the numbers of {kind} differ: " + ", ".join(f"{name} {count:g}" for name, count in counts.items()))
    return doubts


def markdown(results):
    """Medians over the rounds, a table for each load."""
    lines = []
    for load in LOADS:
        names = dict.fromkeys(result["gateway"] for result in results if result["load"] == load.name)
        measured = {name: [result for result in results if (result["load"], result["gateway"]) == (load.name, name)] for name in names}
        if not measured:
            continue
        lines += [f"## {load.title}", "",
                  "| gateway | us per frame | x relay | x Node | mosquitto, us per frame | switches per frame | p50 ms | p99 ms |"
                  " derived per frame |", "|---|---|---|---|---|---|---|---|---|", *_load_rows(load, measured), ""]
        lines += [f"- {doubt}." for doubt in _doubts(load, measured)]
        lines += [""] if lines[-1] else []
    lines += ["## Idle", "", "| gateway | wake-ups per second |", "|---|---|"]
    idle = [result for result in results if result["idleWakeUps"] is not None]
    for name in dict.fromkeys(result["gateway"] for result in idle):
        lines.append(f"| {name} | {_cell(_median([result for result in idle if result['gateway'] == name], 'idleWakeUps'))} |")
    others = [result["others"] for result in results]
    lines += ["", f"Other processes took {statistics.median(others):.0%} of the machine (median), {max(others):.0%} at the most."]
    if statistics.median(others) > BUSY:
        lines.append("That is too much for absolute figures; ratios within a load hold better.")
    return "\n".join(lines) + "\n"
