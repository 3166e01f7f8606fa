"""A baseline for the rows of sets in `make truth`: baseline_sets.py DATAFOLDER, DATAFOLDER being shared/data.

The acceleration along its first principal component, 0.2 to 2 Hz. A set is a stretch in which windows of 8 s have an autocorrelation over 0.5 at
a lag of 0.7 to 6 s; its repetitions are the peaks at least half the lag apart that stand out by half a deviation. (Peaks and autocorrelation, as
in the counters that RecoFit, Morris 2014, compares itself with; no classifier.)
"""
import glob
import gzip
import os
import sys

import numpy as np
from scipy.signal import butter, find_peaks, sosfiltfilt

HERTZ = 25


def read(path):
    return np.genfromtxt(gzip.open(path, "rt"), delimiter=",", skip_header=1)


def sets(time, acceleration):
    """The repetitions of each set."""
    grid = np.arange(time[0], time[-1], 1 / HERTZ)
    rows = np.stack([np.interp(grid, time, column) for column in acceleration.T], 1)
    if len(rows) < 8 * HERTZ:
        return []
    rows = sosfiltfilt(butter(2, [0.2, 2], "band", fs=HERTZ, output="sos"), rows, axis=0)
    signal = rows @ np.linalg.svd(rows - rows.mean(0), full_matrices=False)[2][0]
    found, begin, lags = [], None, []
    for end in list(range(8 * HERTZ, len(signal) + 1, HERTZ)) + [None]:
        lag = None
        if end is not None:
            window = signal[end - 8 * HERTZ:end] - signal[end - 8 * HERTZ:end].mean()
            full = np.correlate(window, window, "full")[len(window) - 1:]
            height = full / full[0] * len(window) / np.arange(len(window), 0, -1) if full[0] > 0 else full
            peaks = [p for p in find_peaks(height[:6 * HERTZ])[0] if p >= 0.7 * HERTZ and height[p] > 0.5]
            lag = peaks[0] if peaks and window.std() > 0.05 else None
        if lag is not None:
            begin = end - 8 * HERTZ if begin is None else begin
            lags.append(lag)
            last = end
        elif begin is not None:
            part = signal[begin:last]
            count = len(find_peaks(part, distance=max(1, int(np.median(lags) / 2)), prominence=part.std() / 2)[0])
            found += [count] if count >= 3 else []
            begin, lags = None, []
    return found


def row(data, metric, figure):
    print(f"set | {data} | {metric} | {figure:.2f}" if metric != "false an hour" else f"set | {data} | {metric} | {figure:.1f}")


def false_sets(data, recordings):
    count = sum(len(sets(*recording)) for recording in recordings)
    row(data, "false an hour", count / (sum(time[-1] - time[0] for time, _ in recordings) / 3600))


def main(folder):
    spar = [read(path) for path in sorted(glob.glob(os.path.join(folder, "people/spar/*.gz")))]
    errors = np.array([sum(sets(rows[:, 0], rows[:, 1:4])) - 20 for rows in spar])
    row("people/spar", "exact", (errors == 0).mean())
    row("people/spar", "within one", (abs(errors) <= 1).mean())
    row("people/spar", "mean error", abs(errors).mean())
    for kind in ["walk", "brush_teeth", "comb_hair", "drink_glass", "pour_water"]:
        rows = read(os.path.join(folder, f"people/hmp/{kind}.csv.gz"))
        trials = [rows[rows[:, 0] == trial] for trial in np.unique(rows[:, 0])]
        false_sets(f"people/hmp {kind}", [(trial[:, 1], trial[:, 2:5]) for trial in trials])
    walks = [path for path in glob.glob(os.path.join(folder, "second-half/steps/*.gz")) if "pocket" not in path]
    false_sets("second-half walks, no pocket", [(rows[:, 0], rows[:, 1:4]) for rows in map(read, walks)])
    for name, isWalk in [("walks", True), ("other", False)]:
        paths = [p for p in glob.glob(os.path.join(folder, "people/sensorwatch/*.gz")) if ("walking" in p) == isWalk]
        false_sets(f"people/sensorwatch {name}", [(rows[:, 0], rows[:, 1:]) for rows in map(read, paths)])


if __name__ == "__main__":
    main(sys.argv[1])
