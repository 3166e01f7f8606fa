import dataclasses
import json
import os
import subprocess
import warnings

import pandas
import pytest

import fathom_frames

FATHOM = os.environ.get("FATHOM")
HEADER = {"schema": "wearables/1", "boot": "b1"}


def recording(tmp_path, *messages):
    path = tmp_path / "recording.ndjson"
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))
    return str(path)


def frame(stream, uptime, body, at=1_000_000_000.5, sent=1_000_000_000.0, device="d1", boot="b1"):
    payload = {"schema": "wearables/1", "boot": boot, "seq": 0, "uptime": uptime} | ({"sent": sent} if sent else {}) | body
    return {"at": at, "topic": f"wearables/{device}/in/{stream}", "retain": False, "payload": payload}


def samples(count, start=99.0):
    def columns(*names):
        return {name: [float(index) for index in range(count)] for name in names}
    return {"timestamp": [start + index / 10 for index in range(count)], "attitude": columns("x", "y", "z", "w"),
            "rotationRate": columns("x", "y", "z"), "userAcceleration": columns("x", "y", "z"),
            "gravity": columns("x", "y", "z"), "sensorLocation": "headphoneLeft"}


def test_samples_are_rows_with_unix_time(tmp_path):
    tables = fathom_frames.read(recording(tmp_path, frame("headphone-motion", 100.0, {"samples": samples(3)})))
    motion = tables["headphone-motion"]
    assert motion["at"].tolist() == pytest.approx([999_999_999.0, 999_999_999.1, 999_999_999.2], abs=1e-6)
    assert motion["attitude.w"].tolist() == [0, 1, 2]
    assert set(motion["sensorLocation"]) == {"headphoneLeft"}
    assert set(motion["device"]) == {"d1"}


def test_even_timestamps_and_halves(tmp_path):
    accelerometer = {"timestamp": {"start": 99.0, "interval": 0.25}, "x": [1, 2, 3], "y": [0, 0, 0], "z": [0, 0, -34.5]}
    tables = fathom_frames.read(recording(tmp_path, frame("batched-imu", 100.0, {"accelerometer": accelerometer})))
    assert list(tables) == ["batched-imu/accelerometer"]
    assert tables["batched-imu/accelerometer"]["deviceTime"].tolist() == [99, 99.25, 99.5]
    assert tables["batched-imu/accelerometer"]["z"].min() == -34.5


def test_without_a_wall_clock_the_least_difference_of_the_boot_counts(tmp_path):
    body = {"event": "didConnect", "timestamp": 50.0}
    tables = fathom_frames.read(recording(
        tmp_path, frame("headphone-connection", 100.0, body, at=1000.9, sent=None),
        frame("headphone-connection", 101.0, body, at=1001.2, sent=None),
        frame("headphone-connection", 7.0, body | {"timestamp": 6.0}, at=1100.0, sent=None, boot="b2")))
    assert tables["headphone-connection"]["at"].tolist() == pytest.approx([950.2, 950.2, 1099.0])


def test_quantities_have_one_unit(tmp_path):
    tables = fathom_frames.read(recording(tmp_path, frame("submersion", 100.0, {
        "measurements": [{"timestamp": 99, "depth": {"value": 10, "unit": "ft"}, "pressure": {"value": 1.5, "unit": "bar"}},
                         {"date": 1_000_000_123.0, "submersionState": 300}],
        "temperatures": [{"timestamp": 99, "temperature": {"value": 50, "unit": "F"},
                          "temperatureUncertainty": {"value": 9, "unit": "F"}}]})))
    measurements = tables["submersion/measurements"]
    assert measurements["depth"][0] == pytest.approx(3.048)
    assert measurements["pressure"][0] == pytest.approx(150)
    assert measurements["at"].tolist() == [999_999_999.0, 1_000_000_123.0]
    assert pandas.isna(measurements["depth"][1])
    assert tables["submersion/temperatures"].loc[0, ["temperature", "temperatureUncertainty"]].tolist() == pytest.approx([10, 5])


def test_bad_lines_are_reported_with_their_number_and_left_out(tmp_path):
    path = tmp_path / "recording.ndjson"
    good = json.dumps(frame("command", 100.0, {"command": "resetCounts"}))
    uneven = samples(3) | {"gravity": {"x": [0], "y": [0], "z": [0]}}
    path.write_text("\n".join([good, "nonsense", good[:40], json.dumps({"at": 1, "topic": "x"}), "", good,
                               json.dumps(frame("device-motion", 100.0, {"samples": uneven}))]) + "\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tables = fathom_frames.read(str(path))
    numbers = [str(warning.message).split(":")[1] for warning in caught if issubclass(warning.category, fathom_frames.BadLine)]
    assert numbers == ["2", "3", "4", "7"]
    assert len(tables["command"]) == 2


def test_cleared_topics_and_last_wills_are_no_rows(tmp_path):
    tables = fathom_frames.read(recording(
        tmp_path, {"at": 1, "topic": "wearables/d1/out/depth-state", "retain": True, "payloadBase64": ""},
        {"at": 1, "topic": "wearables/d1/in/status", "retain": True, "payload": HEADER | {"state": "offline"}}))
    assert tables == {}


def message(kind, at, body):
    common = {"schema": "wearables/1", "device": "d1", "deviceTime": 1.0, "received": 2.0, "quality": "valid",
              "source": {"stream": "submersion", "boot": "b1", "seq": [1, 2]}, "derivation": {"version": 1, "config": "c"}}
    return {"at": at, "topic": f"wearables/d1/out/{kind}", "payload": common | {"kind": kind, "at": at, "id": kind} | body}


def test_derived_messages_are_tables_by_kind(tmp_path):
    tables = fathom_frames.read(recording(
        tmp_path, message("connection/headphone", 10.0, {"state": "connected", "previous": None}),
        message("gap", 10.5, {"expected": 3, "count": 2, "ranges": [[1, 1], [3, 4]]}),
        message("head-pose", 11.0, {"attitude": {"x": 0, "y": 0, "z": 0.5, "w": 0.8}, "yaw": 1.0}),
        message("dive", 30.0, {"start": 12.0, "deepest": 7.1, "profile": {"interval": 2, "depth": [0.5, None, 7.1]}}),
        message("trace/swing", 20.0, {"swingAt": 20.0, "from": 19.0, "acceleration": {"interval": 0.5, "scale": 0.01, "values": [100, -3400]}})))
    assert tables["connection"]["subject"].tolist() == ["headphone"]
    assert tables["gap"]["expected"].tolist() == [3] and "ranges" not in tables["gap"]
    assert tables["gap/ranges"]["first"].tolist() == [1, 3] and tables["gap/ranges"]["last"].tolist() == [1, 4]
    assert tables["gap/ranges"]["boot"].tolist() == ["b1", "b1"] and tables["gap/ranges"]["run"].tolist() == [1, 1]
    assert tables["head-pose"]["attitude.z"].tolist() == [0.5]
    assert tables["dive"]["deepest"].tolist() == [7.1]
    profile = tables["dive/profile"]
    assert profile["at"].tolist() == [12, 14, 16] and profile["depth"].isna().tolist() == [False, True, False]
    assert tables["trace/acceleration"]["acceleration"].tolist() == pytest.approx([1.0, -34.0])


def test_a_series_is_a_row_for_each_sample(tmp_path):
    tables = fathom_frames.read(recording(tmp_path, message("head-pose/series", 11.0, {
        "id": "ab", "deviceTime": 101.0, "timestamp": [10.9, 10.96, 11.0],
        "attitude": {"x": [0, 0, 0], "y": [0, 0, 0], "z": [0, 0.5, 0.6], "w": [1, 0.8, 0.7]}, "yaw": [0, 1, None],
        "sensorLocation": "headphoneLeft", "sampleQuality": [1, 1, 0]})))
    assert list(tables) == ["head-pose/series"]
    series = tables["head-pose/series"]
    assert series["at"].tolist() == [10.9, 10.96, 11.0] and series["deviceTime"].tolist() == [100.9, 100.96, 101.0]
    assert series["attitude.z"].tolist() == [0, 0.5, 0.6] and series["yaw"].isna().tolist() == [False, False, True]
    assert series["sampleQuality"].tolist() == [1, 1, 0] and set(series["sensorLocation"]) == {"headphoneLeft"}
    assert set(series["id"]) == {"ab"} and "timestamp" not in series


def test_a_series_with_columns_of_other_lengths_is_a_warning(tmp_path):
    with pytest.warns(fathom_frames.BadLine, match="yaw: 1 values for 2 samples"):
        assert not fathom_frames.read(recording(tmp_path, message("head-pose/series", 11.0, {"timestamp": [10, 11], "yaw": [1]})))


def test_parquet_holds_what_was_read(tmp_path):
    tables = fathom_frames.read(recording(tmp_path, frame("headphone-motion", 100.0, {"samples": samples(3)}),
                                          frame("command", 100.0, {"command": "resetCounts"})))
    paths = fathom_frames.to_parquet(tables, tmp_path / "tables")
    assert sorted(os.path.basename(path) for path in paths) == ["command.parquet", "headphone-motion.parquet"]
    again = pandas.read_parquet(tmp_path / "tables" / "headphone-motion.parquet")
    pandas.testing.assert_frame_equal(again, tables["headphone-motion"], check_dtype=False)


def raw_motion(count, end=100.0):
    return fathom_frames.RawMotion(
        timestamp=[end - (count - index) / 50 for index in range(count)], acceleration=[[0, 0.25, -1]] * count,
        rotation_rate=[[0.01, 0, index / 100] for index in range(count)], magnetic_field=[[20, 0, -44]] * count)


def test_raw_motion_is_written_and_read(tmp_path):
    frames = fathom_frames.FrameWriter("d1", boot="b1")
    messages = [frames.frame(raw_motion(25, 100 + index / 2), uptime=100 + index / 2, sent=1_000_000_000 + index / 2) for index in range(2)]
    assert [json.loads(message.payload)["seq"] for message in messages] == [0, 1]
    assert messages[0].topic == "wearables/d1/in/device-motion"
    path = tmp_path / "recording.ndjson"
    path.write_text("".join(message.line(1_000_000_001) for message in messages))
    motion = fathom_frames.read(str(path))["device-motion"]
    assert len(motion) == 50 and motion["at"].is_monotonic_increasing
    assert motion.loc[1, ["acceleration.y", "acceleration.z", "rotationRate.z", "magneticField.z"]].tolist() == [0.25, -1, 0.01, -44]
    assert not any(column.startswith(("attitude", "gravity", "userAcceleration")) for column in motion)


@pytest.mark.parametrize("change, field", [
    ({"acceleration": [[0, 0, -1]]}, "acceleration"), ({"acceleration": [[0, 0]] * 3}, "acceleration"),
    ({"rotation_rate": [[0, 0, float("nan")]] * 3}, "rotationRate"), ({"magnetic_field": [0, 0, 0]}, "magneticField"),
    ({"timestamp": []}, "timestamp"), ({"timestamp": [1, 2, 2]}, "timestamp"), ({"timestamp": [1, 2, 200]}, "timestamp")])
def test_raw_motion_that_would_be_rejected_is_an_error_that_names_the_field(change, field):
    frames = fathom_frames.FrameWriter("d1")
    with pytest.raises(ValueError, match=field):
        frames.frame(dataclasses.replace(raw_motion(3), **change), uptime=100, sent=1_000_000_000)
    assert json.loads(frames.frame(raw_motion(3), uptime=100, sent=1_000_000_000).payload)["seq"] == 0


@pytest.mark.skipif(not FATHOM, reason="FATHOM is not the path of the program")
@pytest.mark.parametrize("stream", ["device-motion", "headphone-motion"])
def test_the_gateway_reads_raw_motion_as_it_is_written(tmp_path, stream):
    frames = fathom_frames.FrameWriter("d1")
    path = tmp_path / "recording.ndjson"
    path.write_text("".join(
        frames.frame(raw_motion(25, 100 + index / 2), stream, uptime=100 + index / 2, sent=1_763_749_000 + index / 2)
        .line(1_763_749_000.1 + index / 2) for index in range(20)))
    found = subprocess.run([FATHOM, "replay", str(path)], stdout=subprocess.PIPE, check=True).stdout.decode()
    assert "/out/rejected" not in found and "/out/gap" not in found and f"/out/access/{stream}" in found


@pytest.mark.skipif(not FATHOM, reason="FATHOM is not the path of the program")
def test_a_simulated_fleet_and_what_is_derived_of_it(tmp_path):
    path = str(tmp_path / "fleet.ndjson")
    subprocess.run([FATHOM, "simulate", "--count", "4", "--seconds", "40", "--start", "1763749000", "--record", path], check=True)
    derived = tmp_path / "derived.ndjson"
    with derived.open("wb") as file:
        subprocess.run([FATHOM, "replay", path], stdout=file, check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tables = fathom_frames.read(path) | fathom_frames.read(str(derived))
    acceleration = tables["batched-imu/accelerometer"]
    assert len(acceleration) == sum(
        len(json.loads(line)["payload"]["accelerometer"]["x"]) for line in open(path) if "/in/batched-imu" in line)
    assert acceleration["at"].is_monotonic_increasing and acceleration["at"].between(1763749000, 1763749042).all()
    # An impact is where the gateway says: the greatest acceleration of the 0.3 s around it.
    for impact in tables["impact"].itertuples():
        near = acceleration[(acceleration["at"] - impact.impactAt).abs() < 0.3]
        peak = near.loc[(near[["x", "y", "z"]] ** 2).sum(axis="columns").idxmax()]
        assert peak["at"] == pytest.approx(impact.impactAt, abs=1e-5)
    assert len(tables["impact"]) > 0 and "depth-state" in tables and tables["dive/profile"]["depth"].max() > 5
    assert len(fathom_frames.to_parquet(tables, tmp_path / "tables")) == len(tables)
