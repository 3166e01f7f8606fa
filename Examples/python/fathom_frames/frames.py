"""Rows of the frames that devices publish."""

import numpy

from .units import convert

LISTS = {"events": "state", "measurements": "depth", "temperatures": "temperature", "errors": "code"}
QUANTITIES = {"depth", "pressure", "surfacePressure", "temperature", "temperatureUncertainty"}


def series(samples):
    """The columns of a series of samples: arrays of one length. Raises ValueError where the lengths differ."""
    columns = {}
    for key, value in samples.items():
        if key == "timestamp" or value is None:
            continue
        if isinstance(value, dict):
            for part, column in value.items():
                columns[f"{key}.{part}"] = column
        else:
            columns[key] = value
    length = max(len(column) for column in columns.values() if isinstance(column, list))
    timestamp = samples["timestamp"]
    if isinstance(timestamp, dict):
        timestamp = timestamp["start"] + numpy.arange(length) * timestamp["interval"]
    columns = {key: column if isinstance(column, list) else [column] * length for key, column in columns.items()}
    lengths = {key: len(column) for key, column in columns.items()} | {"timestamp": len(timestamp)}
    if set(lengths.values()) != {length}:
        raise ValueError(f"columns of different lengths: {lengths}")
    return {"deviceTime": numpy.asarray(timestamp, dtype=float)} | columns


def entries(items):
    """The columns of a list of submersion entries."""
    keys = dict.fromkeys(key for item in items for key in item)
    columns = {key: [convert(key, item.get(key)) if key in QUANTITIES else item.get(key) for item in items]
               for key in keys if key not in ("timestamp", "date")}
    times = [item.get("timestamp") for item in items]
    dates = [item.get("date") for item in items]
    return {"deviceTime": numpy.array(times, dtype=float), "date": numpy.array(dates, dtype=float)} | columns


def tables(stream, frame):
    """The tables of one frame: pairs of a name and columns. Columns hold `deviceTime`, or `date` in unix seconds."""
    if stream in ("headphone-motion", "device-motion"):
        yield stream, series(frame["samples"])
    elif stream == "batched-imu":
        for half in ("accelerometer", "deviceMotion"):
            if frame.get(half) is not None:
                yield f"{stream}/{half}", series(frame[half])
    elif stream == "submersion":
        for key in LISTS:
            if frame.get(key):
                yield f"{stream}/{key}", entries(frame[key])
    else:
        header = ("schema", "boot", "seq", "uptime", "sent")
        row = {key: [value if not isinstance(value, (dict, list)) else repr(value)] for key, value in frame.items()
               if key not in header}
        time = row.pop("timestamp", [frame.get("uptime", numpy.nan)])
        yield stream, {"deviceTime": numpy.array(time, dtype=float)} | row
