"""A baseline of punches: python3 baseline_punch.py DATAFOLDER

Peaks of the acceleration without its slow part (0.3 Hz) over 2.5 G, at least 0.35 s apart.
"""
import glob
import gzip
import sys

import numpy as np
from scipy.signal import butter, find_peaks, sosfilt


def false_ones(times, acceleration):
    """How many punches a recording without any has, and its length in hours."""
    hertz = 1 / np.median(np.diff(times))
    filter_ = butter(1, 0.3, fs=hertz, output="sos")
    slow = sosfilt(filter_, acceleration - acceleration[0], axis=0) + acceleration[0]
    size = np.linalg.norm(acceleration - slow, axis=1)
    peaks, _ = find_peaks(size, height=2.5, distance=max(1, int(0.35 * hertz)))
    return len(peaks), (times[-1] - times[0]) / 3600


def report(data, recordings):
    found = np.array([false_ones(times, acceleration) for times, acceleration in recordings if len(times) > 40]).sum(axis=0)
    print(f"punch | {data} | false punches an hour, with always | {found[0] / found[1]:.0f}")


def main(folder):
    for name in ("walk", "brush_teeth", "comb_hair", "drink_glass", "pour_water"):
        rows = np.genfromtxt(gzip.open(f"{folder}/people/hmp/{name}.csv.gz"), delimiter=",", skip_header=1)
        trials = [rows[rows[:, 0] == trial] for trial in np.unique(rows[:, 0])]
        report(f"hmp {name}", [(trial[:, 1], trial[:, 2:5]) for trial in trials])
    walks = []
    for path in sorted(glob.glob(f"{folder}/second-half/steps/*.csv.gz")):
        rows = np.genfromtxt(gzip.open(path), delimiter=",", skip_header=1)[:, :4]
        rows = rows[~np.isnan(rows).any(axis=1)]
        walks.append((rows[:, 0], rows[:, 1:4]))
    report("recorded walks, phone in pockets and elsewhere", walks)


if __name__ == "__main__":
    main(sys.argv[1])
