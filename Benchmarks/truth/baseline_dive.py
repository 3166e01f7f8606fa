"""A baseline of dives: python3 baseline_dive.py DATAFOLDER

A dive is what is deeper than 1 m; five seconds above 0.2 m end it, whatever the diver does.
"""
import csv
import sys

import numpy as np


def count(times, depths):
    """How many dives there are."""
    dives, deep, surface = 0, False, None
    for time, depth in zip(times, depths):
        if depth >= 0.2:
            surface = None
            deep = deep or depth >= 1
            continue
        surface = time if surface is None else surface
        if deep and time - surface >= 5:
            dives, deep = dives + 1, False
    return dives + deep


def profile(rate, bottom, legs, interval):
    """Depths of stays at 12 m with a surface interval after each, one a second."""
    way = np.arange(0, 12, rate)
    leg = np.concatenate([way, np.full(bottom, 12), way[::-1], np.zeros(interval)])
    return np.tile(leg, legs)


def main(folder):
    for name, truth in (("garmin_apnea_26dives_17m", 26), ("seabear_h3_apnea_70m_1hz", 1), ("garmin_ccr_62m_1hz", 1), ("suunto_ocean_air_profile", 1)):
        times, depths = [], []
        for row in csv.reader(open(f"{folder}/dives/{name}.csv"), delimiter=";" if name.startswith("seabear") else ","):
            try:
                times.append(len(times) if name.startswith("seabear") else float(row[0]))
                depths.append(float(row[0] if name.startswith("seabear") else row[1]))
            except (ValueError, IndexError):
                times = times[:len(depths)]
        print(f"dive | {name} | dives found, of {truth} descents | {count(times, depths)}")
    for kind, rate, bottom, legs, intervals in (
        ("scuba dive of 2 x 20 min", 0.15, 1000, 2, (14, 60, 144, 240)), ("free dives, 6 of 1 min", 0.8, 20, 6, (30, 60, 120, 180)),
    ):
        for interval in intervals:
            depths = profile(rate, bottom, legs, interval)
            print(f"dive | computed: {kind}, {interval} s at the surface | dives found | {count(np.arange(len(depths)), depths)}")


if __name__ == "__main__":
    main(sys.argv[1])
