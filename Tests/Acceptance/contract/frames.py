"""Frames that the schemas accept, generated and sent through `fathom replay`."""
import base64
import json
import re
import subprocess

import hypothesis
from hypothesis_jsonschema import from_schema

RECEIVED = 1763749000.0


def inlined(schema, schemas):
    """The schema without references and annotations; a reference with siblings becomes allOf."""
    if isinstance(schema, list):
        return [inlined(entry, schemas) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {
        key: {name: inlined(entry, schemas) for name, entry in value.items()} if key == "properties"
        else inlined(value, schemas)
        for key, value in schema.items()
        if key not in ("$ref", "$schema", "$id", "title", "description") and not key.startswith("x-")
    }
    # Long lists cost much time and find nothing else.
    if "items" in rest:
        rest["maxItems"] = min(6, rest.get("maxItems", 6))
    if "$ref" not in schema:
        return rest
    name = schema["$ref"].rsplit("/", 1)[-1].removesuffix(".json")
    target = inlined(schemas[f"common/{name}.json"], schemas)
    # So do unknown keys.
    if name in ("fusedMotion", "rawMotion", "accelerometer", "vectors", "quaternions"):
        target["maxProperties"] = len(target["properties"]) + 1
    return {"allOf": [target, rest]} if rest else target


def generated(schema, count):
    """`count` values that a schema accepts, the same in every run."""
    values = []

    @hypothesis.settings(
        max_examples=count, derandomize=True, database=None, deadline=None, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(from_schema(schema))
    def collect(value):
        values.append(with_whole_minutes(within_64_bits(value)))

    collect()
    return values[:count]


def within_64_bits(value):
    """The value without whole numbers that need more than 64 bits, which no encoder of numbers writes."""
    if isinstance(value, dict):
        return {key: within_64_bits(member) for key, member in value.items()}
    if isinstance(value, list):
        return [within_64_bits(element) for element in value]
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value


SHARES = {"tremor": ("unknown", "none", "slight", "mild", "moderate", "strong"), "dyskinesia": ("unlikely", "likely")}


def with_whole_minutes(value):
    """The value with shares of minutes that sum to 1, which no schema can say. Without this hardly any frame with a minute would be accepted."""
    for key, names in SHARES.items():
        for entry in value.get(key) or []:
            total = sum(entry[name] for name in names)
            for name in names:
                entry[name] = entry[name] / total if total > 0 else 1 / len(names)
    return value


def repaired(value, uptime=1e6):
    """A copy that keeps the rules no schema can express: times before uptime and in order, equal columns, unit quaternions."""
    frame = json.loads(json.dumps(value))
    if "uptime" in frame:
        frame["uptime"] = uptime
        frame["sent"] = RECEIVED
    for key in ("samples", "accelerometer", "deviceMotion", "absolute"):
        if isinstance(frame.get(key), dict):
            repair_series(frame[key], uptime)
    if "timestamp" in frame and isinstance(frame["timestamp"], (int, float)):
        frame["timestamp"] = frame["timestamp"] % uptime
    for key in ("events", "measurements", "temperatures", "errors"):
        for entry in frame.get(key) or []:
            if entry.get("timestamp") is not None:
                entry["timestamp"] = entry["timestamp"] % uptime
            elif entry.get("date") is not None:
                entry["date"] = RECEIVED - entry["date"] % uptime
    for key in SHARES:
        for entry in frame.get(key) or []:
            entry["endDate"] = RECEIVED - entry["endDate"] % 1000
            entry["startDate"] = entry["endDate"] - 60
    for entry in frame.get("data") or []:
        entry["endDate"] = RECEIVED - entry["endDate"] % 1000
        entry["startDate"] = entry["endDate"] - 10 - entry["startDate"] % 1000
        entry["numberOfSteps"] %= 10
        if entry.get("distance") is not None:
            entry["distance"] %= 100
    return frame


def repair_series(series, uptime):
    lengths = [len(value) for value in columns(series)]
    # Recorded samples have the times of a wall clock, a fifth of a second apart.
    clock, end, step = ("startDate", RECEIVED, 0.2) if "startDate" in series else ("timestamp", uptime, 1)
    times = series[clock]
    if isinstance(times, list):
        lengths.append(len(times))
    if not lengths:
        return
    count = min(lengths)
    for value in columns(series):
        del value[count:]
    if isinstance(times, list):
        series[clock] = [end - (count - index) * step for index in range(count)]
    else:
        series[clock] = {"start": end - 5000, "interval": step}
    if isinstance(series.get("identifier"), list):
        series["identifier"] = list(range(1000, 1000 + count))
    if series.get("attitude") is not None:
        series["attitude"].update(x=[0] * count, y=[0.6] * count, z=[0] * count, w=[-0.8] * count)


def columns(value):
    """Every column below a series but its times. No column is empty: such a list has an unknown key of this name."""
    for key, member in value.items():
        if isinstance(member, list) and member and key in KNOWN:
            yield member
        elif isinstance(member, dict) and key in KNOWN:
            yield from columns(member)


KNOWN = {"attitude", "rotationRate", "acceleration", "userAcceleration", "gravity", "magneticField", "x", "y", "z", "w", "accuracy",
         "sensorLocation", "identifier", "heading", "headingAccuracy", "relativeAltitude", "pressure", "altitude", "precision"}


def rejections(fathom, frames):
    """Why the gateway rejects each of (stream, frame), as (reason, pointer, detail); None where it does not."""
    lines = []
    for index, (stream, frame) in enumerate(frames):
        lines.append(json.dumps({
            "at": RECEIVED + index / 1000, "topic": f"wearables/g{index}/in/{stream}",
            "retain": stream in ("status", "workout"), "contentType": "application/json",
            "payloadBase64": base64.b64encode(json.dumps(frame).encode("utf-8", "surrogatepass")).decode()}))
    run = subprocess.run([fathom, "replay", "-", "--set", "limits.unregisteredDevices=100000"],
                         input="\n".join(lines) + "\n", capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"fathom replay: {run.stderr[:500]}")
    found = [None] * len(frames)
    for line in run.stdout.splitlines():
        message = json.loads(line)
        if match := re.fullmatch(r"wearables/g(\d+)/out/rejected", message["topic"]):
            payload = message["payload"]
            found[int(match[1])] = (payload["reason"], payload["pointer"], payload["detail"])
    return found


def is_listed(rejection, rules):
    """Whether a reason and its place are among the rules that a schema cannot express."""
    def pattern(place):
        return re.escape(place).replace(r"/\*", "/[^/]+").replace(r"\*", ".*")

    return any(rejection[0] == reason and re.fullmatch(pattern(place), rejection[1]) for reason, place in rules)
