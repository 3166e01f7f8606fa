"""Figures of `latency.py`: percentiles, ratios, what the processes took; as text and as one JSON object."""

import math

MEGABYTE = 1 << 20
FILLING = 20  # samples of half a second: queues fill, frames wait for missing ones
WAYS = ("hop", "relay", "gateway")
QUIET, OVERLOAD = ("before", "after"), ("overload",)


def percentile(values, part):
    """A percentile of values of which None means never: the value itself, infinite when it is among those."""
    ordered = sorted(math.inf if value is None else value for value in values)
    return ordered[math.ceil(part * len(ordered)) - 1] if ordered else math.nan


def growth(series, span, value):
    """How much a series [(instant, entry)] grew a second in a span."""
    inside = [(at, value(entry)) for at, entry in series if span[0] <= at <= span[1]]
    return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0]) if len(inside) > 1 else 0.0


def thirds(sizes, skipped=0):
    """Means of the first and the last third of samples, without those in which queues fill, and the greatest, in MB."""
    sizes = sizes[skipped:] or sizes
    third = max(1, len(sizes) // 3)
    return {"firstThird": sum(sizes[:third]) / third / MEGABYTE, "lastThird": sum(sizes[-third:]) / third / MEGABYTE,
            "greatest": max(sizes) / MEGABYTE}


def figures(bench, capacity, done, beside, samples):
    """Everything that is reported; latencies in ms, memory in MB, CPU in shares of one processor."""
    latencies = {}
    for label, names in (("without bulk", QUIET), ("with bulk", OVERLOAD)):
        latencies[label] = {}
        for way in WAYS:
            values = [seconds for which, at, seconds in samples
                      if which == way and any(bench.spans[name][0] <= at < bench.spans[name][1] for name in names)]
            ms = {f"p{part * 100:g}": percentile(values, part) * 1000 for part in (0.5, 0.9, 0.99, 1)}
            latencies[label][way] = {"n": len(values), "missing": values.count(None), **ms}
    ratios = {label: {way: {part: ways["gateway"][part] / ways[way][part] for part in ("p50", "p99")} for way in ("relay", "hop")}
              for label, ways in latencies.items()}
    span = bench.spans["overload"]
    seconds = span[1] - span[0]
    small = latencies["with bulk"]["gateway"]["n"] / seconds
    counters = {key: growth(bench.status, span, lambda body, key=key: body["counters"].get(key, 0))
                for key in ("received", "processed", "held", "missingFrames")}
    taken = {label: bench.watch.between(bench.spans[name][0], bench.spans[name][1])
             for label, name in (("without bulk", "before"), ("with bulk", "overload"))}
    after = bench.watch.between(*bench.spans["after"])
    ours = {label: sum(entry["cpu"] for name, entry in entries.items() if name != "machine") for label, entries in taken.items()}
    bulk = done and {
        "frameBytes": done["bytes"] / done["written"], "capacity": capacity, "offered": capacity * 10,
        "publishersWrote": done["written"] / seconds, "brokerAccepted": done["acceptedInTime"] / seconds,
        "publishersLate": done["late"], "times": done["acceptedInTime"] / seconds / capacity}
    return {
        **(bulk or {}), "seconds": seconds, "beside": beside,
        "brokerDropped": growth(bench.dropped, span, float),
        "gatewayTook": counters["received"] - small, "counters": counters,
        "rejected": bench.status[-1][1]["counters"].get("rejected") or None, "latencies": latencies, "ratios": ratios,
        "cpu": {label: {name: entry["cpu"] for name, entry in entries.items()} for label, entries in taken.items()},
        "cpuOfOthers": {label: entries["machine"]["cpu"] - ours[label] for label, entries in taken.items()},
        "memory": {name: thirds(taken["with bulk"][name]["resident"], FILLING) for name in ("gateway", "mosquitto")},
        "memoryBefore": {name: thirds(taken["without bulk"][name]["resident"]) for name in ("gateway", "mosquitto")},
        "memoryAfter": {name: thirds(after[name]["resident"]) for name in ("gateway", "mosquitto")},
        "residentBytes": {name: taken["with bulk"][name]["resident"] for name in ("gateway", "mosquitto")},
    }


def text(figures, goal):
    """The same as tables."""
    lines = ["", f"{'':14}{'way':10}{'n':>6}{'missing':>9}{'p50 ms':>10}{'p90 ms':>10}{'p99 ms':>10}{'greatest':>10}"]
    for label, ways in figures["latencies"].items():
        for way, row in ways.items():
            lines.append(f"{label:14}{way:10}{row['n']:6}{row['missing']:9}{row['p50']:10.2f}{row['p90']:10.2f}{row['p99']:10.2f}"
                         f"{row['p100']:10.2f}")
    lines.append("")
    for label, ratios in figures["ratios"].items():
        lines.append(f"{label:14}gateway / relay: p50 {ratios['relay']['p50']:.2f}, p99 {ratios['relay']['p99']:.2f}"
                     + (f" (goal {goal:g})" if label == "with bulk" else "")
                     + f";  gateway / hop: p50 {ratios['hop']['p50']:.2f}, p99 {ratios['hop']['p99']:.2f}")
    lines.append("")
    if "histories" in figures["beside"]:
        sent = figures["beside"]["histories"]
        lines.append(f"histories: {sent['written']} minutes of samples, {sent['bytes'] / 1e6:.0f} MB, were sent; {sent['devices']} of 36 h are whole")
    if "requests" in figures["beside"]:
        asked = figures["beside"]["requests"]
        lines.append(f"requests: {asked['answered']} for 36 h were answered, {asked['bytes'] / 1e6:.0f} MB, {asked['underWay']} were under way at the end; "
                     f"the longest took {asked['greatest'] or float('nan'):.1f} s")
    if "times" in figures:
        lines += _bulk(figures)
    lines += ["a second in the gateway: " + ", ".join(f"{key} {value:.0f}" for key, value in figures["counters"].items()), ""]
    names = list(figures["cpu"]["with bulk"])
    lines.append(f"{'CPU, % of one':22}" + "".join(f"{name:>18}" for name in names) + f"{'others':>18}")
    for label, shares in figures["cpu"].items():
        lines.append(f"{label:22}" + "".join(f"{100 * shares[name]:18.0f}" if name in shares else f"{'-':>18}" for name in names)
                     + f"{100 * figures['cpuOfOthers'][label]:18.0f}")
    lines.append("")
    for name, row in figures["memory"].items():
        lines.append(f"memory of {name}, MB: {figures['memoryBefore'][name]['lastThird']:.0f} before; beside the overload, once queues "
                     f"are full, {row['firstThird']:.0f} in the first third, {row['lastThird']:.0f} in the last, "
                     f"{row['greatest']:.0f} at most; {figures['memoryAfter'][name]['lastThird']:.0f} after")
    if figures["cpuOfOthers"]["with bulk"] > 0.15:
        lines.append("other work disturbed this run: repeat it at a quiet moment")
    return "\n".join(lines)


def _bulk(figures):
    """The lines on the frames of the overload."""
    rates = {"capacity": "capacity", "offered": "offered", "written": "publishersWrote", "accepted by the broker": "brokerAccepted",
             "dropped there": "brokerDropped", "taken by the gateway": "gatewayTook"}
    return [f"bulk frames a second, {figures['frameBytes'] / 1000:.0f} kB each: "
            + ", ".join(f"{label} {figures[key]:.0f}" for label, key in rates.items()),
            f"so {figures['times']:.1f} times the capacity was offered; the publishers were at most {figures['publishersLate']:.1f} s late"]


def problems(figures, goal):
    """What is not as it should be, as lines."""
    found = []
    for label, ways in figures["latencies"].items():
        if ways["gateway"]["missing"]:
            found.append(f"{ways['gateway']['missing']} depth states are missing {label}")
    ratio = figures["ratios"]["with bulk"]["relay"]["p99"]
    if not ratio <= goal:
        found.append(f"beside the overload the p99 is {ratio:.1f} times the plain relay's, the goal is {goal:g}")
    for name, row in figures["memory"].items():
        if figures["seconds"] >= 30 and row["lastThird"] > row["firstThird"] * 1.25 + 32:
            found.append(f"the memory of {name} grew from {row['firstThird']:.0f} to {row['lastThird']:.0f} MB")
    if figures["beside"].get("requests", {}).get("errors"):
        found.append(f"requests failed: {figures['beside']['requests']['errors'][:3]}")
    if figures.get("times", 10) < 9:
        found.append(f"only {figures['times']:.1f} times the capacity was offered, not ten times")
    if figures["rejected"]:
        found.append(f"frames were rejected: {figures['rejected']}")
    return found
