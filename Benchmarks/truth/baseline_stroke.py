"""A baseline of strokes: python3 baseline_stroke.py DATAFOLDER

Peaks of the rotation about gravity over 9 rad/s, at least half a second apart; the sign is the name.
"""
import sys

import numpy as np
from scipy.signal import find_peaks


def read(path):
    """Times and rotation about gravity of a recording of SensorLog."""
    rows = []
    for line in open(path):
        cells = line.rstrip("\n").split("|")
        try:
            rows.append([float(cells[column]) for column in (5, 9, 10, 11, 20, 21, 22)])
        except (ValueError, IndexError):
            pass
    table = np.array(rows)
    return table[:, 0], (table[:, 1:4] * table[:, 4:7]).sum(axis=1)


def count(times, signal, sign):
    """How many peaks have the sign, and how many the other."""
    even = np.arange(times[0], times[-1], 0.02)
    signal = np.interp(even, times, signal)
    peaks, _ = find_peaks(np.abs(signal), height=9, distance=25)
    right = int((np.sign(signal[peaks]) == sign).sum())
    return right, len(peaks) - right


def main(folder):
    scales = [
        ("as recorded", 1, 1), ("at half the rotation", 0.5, 1), ("at 0.4 of the rotation", 0.4, 1), ("at 1.5 of the rotation", 1.5, 1),
        ("at half the speed", 0.5, 0.5), ("at 0.7 of the speed", 0.7, 0.7), ("at 1.5 of the speed", 1.5, 1.5),
    ]
    for name, sign, balls in (("tt_fast_forehand_topspin_1", 1, 83), ("tt_fast_backhand_topspin_1", -1, 98)):
        times, signal = read(f"{folder}/tabletennis-50hz/{name}.csv")
        for scale, factor, speed in scales:
            right, _ = count(times / speed, signal * factor, sign)
            print(f"stroke | {name}, {scale} | share of the balls in play with the right name | {right / balls:.2f}")
    times, signal = read(f"{folder}/tabletennis-50hz/tt_rest_1.csv")
    print(f"stroke | tt_rest_1 | strokes at rest | {sum(count(times, signal, 1))}")


if __name__ == "__main__":
    main(sys.argv[1])
