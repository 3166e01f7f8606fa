"""The figures that are to be reached: before, goal and now."""

import dataclasses

from figures import Figures, cell, ratio

BEFORE = """\
The column *before* has the figures of 2026-11-25, before series and before waiting followed the load, on two shared processors.
"""
DURABLE, MEMORY, REFRESHING = "Fathom durable", "Fathom in memory", "Fathom durable, default refresh"


@dataclasses.dataclass
class Row:
    title: str
    before: str  # what BEFORE says
    goals: tuple  # the greatest value of each figure, or the least where it is negative; None for no goal
    figures: object  # Figures -> as many values, None where it was not measured
    digits: int = 2

    def markdown(self, results):
        values = self.figures(results)
        goals = " / ".join("-" if goal is None else f">= {-goal:g}" if goal < 0 else f"<= {goal:g}" for goal in self.goals)
        judged = [(value, goal) for value, goal in zip(values, self.goals) if goal is not None]
        if any(value is None for value, _ in judged) or not judged:
            verdict = "-"
        else:
            verdict = "yes" if all(value >= -goal if goal < 0 else value <= goal for value, goal in judged) else "**no**"
        return f"| {self.title} | {self.before} | {goals} | {' / '.join(cell(value, self.digits) for value in values)} | {verdict} |"


def _cpu(load, gateway, base):
    return lambda results: ratio(results.median("microseconds", "loads", load, gateway), results.median("microseconds", "loads", load, base))


def _all(*figures):
    return lambda results: tuple(figure(results) for figure in figures)


def _median(key, section, load, gateway, scale=1.0):
    def figure(results):
        value = results.median(key, section, load, gateway)
        return None if value is None else value * scale
    return figure


def _of_broker(results):
    """The broker's processor time where the relay receives the same frames: no derived message is in it."""
    return ratio(results.median("microseconds", "loads", "batches-protobuf", DURABLE),
                 results.median("brokerMicroseconds", "loads", "batches-protobuf", "relay")),


def _batches(results):
    """Node reads JSON alone."""
    node = results.median("microseconds", "loads", "batches", "Node")
    return tuple(ratio(results.median("microseconds", "loads", load, DURABLE), node) for load in ("batches", "batches-protobuf"))


def _rate(gateway, load="divers"):
    return lambda results: ratio(results.median("rate", "saturation", load, gateway), results.median("rate", "saturation", load, "Node"))


def _spread(gateway):
    """The greatest by the least processor time per frame of fleets of all sizes."""
    def figure(results):
        sizes = sorted({each["devices"] for each in results.of("fleets", gateway=gateway)})
        values = [results.median("microseconds", "fleets", gateway=gateway, devices=size) for size in sizes]
        return max(values) / min(values) if len(values) > 1 else None
    return figure


def _memory(kind):
    """Bytes by which a gateway grows from few devices to many, for each that is added, in KiB."""
    def figure(results):
        sizes = sorted((each["devices"], each["bytes"]) for each in results.of("memory", kind))
        return (sizes[-1][1] - sizes[0][1]) / (sizes[-1][0] - sizes[0][0]) / 1024 if len(sizes) > 1 else None
    return figure


def _latency(label, *parts):
    def figures(results):
        found = results.of("latency")
        return tuple(found[-1]["ratios"][label]["relay"][part] if found else None for part in parts)
    return figures


def _replay(results):
    found = results.of("replay")
    if not found:
        return None, None
    few, many = found[-1]["rows"]
    return many["microseconds"] / few["microseconds"], few["microseconds"]


ROWS = [
    Row("600 divers, in memory / durable, x the relay's processor time", "1.6 / 2.3", (2.5, 4),
        _all(_cpu("divers", MEMORY, "relay"), _cpu("divers", DURABLE, "relay")), 1),
    Row("600 divers, durable, x Node", "0.94", (1,), _all(_cpu("divers", DURABLE, "Node"))),
    Row("600 divers with the default refresh, durable, x the relay that publishes each frame again", "2.21", (None,),
        _all(_cpu("divers", REFRESHING, "relay that publishes"))),
    Row("single-sample headphone frames, durable, x relay / x Node", "1.1 / 0.69", (2, 0.7),
        _all(_cpu("singles", DURABLE, "relay"), _cpu("singles", DURABLE, "Node"))),
    Row("25-sample headphone frames with ten poses a second, durable, x Node", "0.91", (0.8,),
        _all(_cpu("headphones", DURABLE, "Node"))),
    Row("the same with a series of each frame and a pose a second, durable, x Node", "-", (0.5,),
        _all(_cpu("headphones-series", DURABLE, "Node"))),
    Row("the same, us per frame of the gateway / of the broker", "332 / 195", (110, 60),
        _all(_median("microseconds", "loads", "headphones-series", DURABLE), _median("brokerMicroseconds", "loads", "headphones-series", DURABLE)),
        0),
    Row("the same from a full queue, us per frame of the gateway / of the broker", "-", (None, None),
        _all(_median("microseconds", "saturation", "headphones-series", DURABLE),
             _median("brokerMicroseconds", "saturation", "headphones-series", DURABLE)), 0),
    Row("batches, JSON / Protocol Buffers, durable, x Node's JSON", "0.40 / -", (0.33, 0.25), _batches),
    Row("batched Protocol Buffers, durable, x mosquitto's processor time for the same frames", "2.85", (1,), _of_broker),
    Row("divers' frames per second at saturation, in memory / durable, x Node", "0.82 / 0.60", (-1, -0.7),
        _all(_rate(MEMORY), _rate(DURABLE))),
    Row("bytes written for a small / a batched frame, kB", "2.3-3.6 / 14.5-16", (2, 6),
        _all(_median("written", "loads", "divers", DURABLE, 1e-3), _median("written", "loads", "batches", DURABLE, 1e-3)), 1),
    Row("system calls per small frame at 600 frames/s, in memory / durable", "9.3 / 10.7", (None, None),
        _all(_median("calls", "calls", "divers", MEMORY), _median("calls", "calls", "divers", DURABLE)), 1),
    Row("context switches per frame at 600 frames/s, in memory / durable", "0.5 / 0.6", (3, 5),
        _all(_median("switches", "loads", "divers", MEMORY), _median("switches", "loads", "divers", DURABLE)), 1),
    Row("the same at saturation", "0.16 / 0.16", (0.2, 0.2),
        _all(_median("switches", "saturation", "divers", MEMORY), _median("switches", "saturation", "divers", DURABLE))),
    Row("processor time per frame, 100 to 10,000 devices, the greatest by the least, in memory / durable", "1.37 / 1.42", (1.2, 1.2),
        _all(_spread(MEMORY), _spread(DURABLE))),
    Row("the same in a replay, 10,000 by 100 devices / us per small frame", "1.52 / 7.1", (1.25, 12), _replay),
    Row("memory of an active diver / headphones / batter, KiB", "8.0 / 14.1 / 14.6", (8, 8, 14),
        _all(_memory("divers"), _memory("headphones"), _memory("batches")), 1),
    Row("depth state p50 / p99, x relay, without bulk", "2.0 / 2.0", (1.8, 2), _latency("without bulk", "p50", "p99")),
    Row("the same p99 at ten times the batches that are carried", "1.64", (2,), _latency("with bulk", "p99")),
    Row("wake-ups per second, idle", "28", (30,), _all(_median("idleWakeUps", "loads", "divers", DURABLE)), 0),
]


def markdown(results):
    """One table of all rows."""
    figures = Figures(results)
    return "\n".join([BEFORE, "| | before | goal | now | reached |", "|---|---|---|---|---|", *(row.markdown(figures) for row in ROWS)]) + "\n"
