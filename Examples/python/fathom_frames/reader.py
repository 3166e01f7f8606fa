"""NDJSON as tables."""

import base64
import json
import sys
import warnings

import numpy
import pandas

from . import derived, frames


class BadLine(UserWarning):
    """A line that cannot be read; it is left out."""


def read(path):
    """The tables of a recording, or of derived messages: `{name: DataFrame}`. `-` is standard input.

    Each row has `device` and `at`, unix time in seconds. A line that cannot be read is a `BadLine` warning.
    """
    parts, offsets = {}, {}
    with (sys.stdin.buffer if path == "-" else open(path, "rb")) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                for name, columns in rows(line, offsets):
                    parts.setdefault(name, []).append(pandas.DataFrame(columns))
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                warnings.warn(BadLine(f"{path}:{number}: {type(error).__name__}: {error}"), stacklevel=2)
    return {name: table(pieces, offsets) for name, pieces in parts.items()}


def rows(line, offsets):
    """The tables of one line; `offsets` collects the least difference between reception and uptime of each boot."""
    record = json.loads(line)
    payload = payload_of(record)
    if payload is None:
        return
    levels = record["topic"].split("/")
    if "out" in levels[1:]:
        if "at" not in payload:  # a report of what is committed
            return
        for name, columns in derived.tables(payload):
            yield name, {"device": payload["device"]} | columns
    elif levels[-2] == "in":
        device, boot = levels[-3], payload["boot"]
        if "uptime" not in payload:  # a last will
            return
        received = record["at"] - payload["uptime"]
        offsets[device, boot] = min(received, offsets.get((device, boot), numpy.inf))
        sent = payload.get("sent")
        for name, columns in frames.tables(levels[-1], payload):
            yield name, {"device": device, "boot": boot, "seq": payload.get("seq"),
                         "offset": numpy.nan if sent is None else sent - payload["uptime"]} | columns


def payload_of(record):
    """The payload as an object; None where the message cleared its topic."""
    if "payloadBase64" in record:
        raw = base64.b64decode(record["payloadBase64"], validate=True)
        return json.loads(raw) if raw else None
    return record["payload"]


def table(pieces, offsets):
    """The pieces of a table as one, with unix times."""
    whole = pandas.concat([piece.dropna(axis="columns", how="all") for piece in pieces], ignore_index=True)
    for name in dict.fromkeys(column for piece in pieces for column in piece):
        if name not in whole:
            whole[name] = None
    if "offset" not in whole:
        return whole
    missing = [offsets[key] for key in zip(whole["device"], whole["boot"])]
    at = whole["deviceTime"].astype(float) + whole["offset"].astype(float).fillna(pandas.Series(missing))
    if "date" in whole:
        at = whole.pop("date").astype(float).fillna(at)
    whole.insert(1, "at", at)
    return whole.drop(columns="offset")
