"""Rows of the messages that the gateway derives."""

import numpy

COMMON = ("schema", "device", "kind", "derivation", "source")


def series(message):
    """The columns of a series: a row for each sample, what is of the frame in all."""
    at, columns = numpy.array(message["timestamp"], dtype=float), {}
    for key, value in message.items():
        if key in COMMON or key in ("at", "deviceTime", "timestamp"):
            continue
        parts = {f"{key}.{part}": column for part, column in value.items()} if isinstance(value, dict) else {key: value}
        for column, values in parts.items():
            if isinstance(values, list) and len(values) != len(at):
                raise ValueError(f"{column}: {len(values)} values for {len(at)} samples")
            columns[column] = values if isinstance(values, list) else [values] * len(at)
    device_time = message.get("deviceTime")
    if device_time is not None:
        columns["deviceTime"] = numpy.round(device_time + (at - message["at"]), 6)
    source = message.get("source") or {}
    return {"at": at} | columns | {"stream": [source.get("stream")] * len(at), "boot": [source.get("boot")] * len(at)}


def tables(message):
    """The tables of one derived message: pairs of a name and columns with `at` in unix seconds."""
    name, _, subject = message["kind"].partition("/")
    if subject == "series":
        yield message["kind"], series(message)
        return
    row = {"at": [message["at"]]}
    if subject:
        row["subject"] = [subject]
    for key, value in message.items():
        if key in COMMON or key in ("at", "ranges"):
            continue
        if isinstance(value, dict) and not ("values" in value or key == "profile"):
            row |= {f"{key}.{part}": [number] for part, number in value.items()}
        elif not isinstance(value, dict):
            row[key] = [value if not isinstance(value, list) else ",".join(map(str, value))]
    source = message.get("source") or {}
    yield name, row | {"stream": [source.get("stream")], "boot": [source.get("boot")]}
    if message.get("ranges"):
        # Of a gap that stands for several. Gaps may be joined otherwise by a replay: unite the ranges of a boot, and do not add them.
        count, (first, last) = len(message["ranges"]), zip(*message["ranges"])
        yield f"{name}/ranges", {"at": [message["at"]] * count, "stream": [source.get("stream")] * count, "boot": [source.get("boot")] * count,
                                 "run": [source.get("run", 1)] * count, "first": list(first), "last": list(last)}
    if message.get("profile"):
        profile = message["profile"]
        depth = numpy.array(profile["depth"], dtype=float)
        yield f"{name}/profile", {"at": message["start"] + numpy.arange(len(depth)) * profile["interval"], "depth": depth,
                                  "dive": [message["id"]] * len(depth)}
    for key in ("acceleration", "rotationRate"):
        signal = message.get(key)
        if isinstance(signal, dict) and "values" in signal:
            values = numpy.array(signal["values"], dtype=float) * signal["scale"]
            yield f"{name}/{key}", {"at": message["from"] + numpy.arange(len(values)) * signal["interval"], key: values,
                                    "swingAt": [message["swingAt"]] * len(values)}
