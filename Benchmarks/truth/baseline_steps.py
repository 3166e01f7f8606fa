"""Steps of a baseline on the recordings of `make truth`: baseline_steps.py DATAFOLDER

Peaks of the low-passed magnitude over its mean by 0.1 G or more, at least 0.3 s apart (windowed peak detection, as in Brajdic and
Harle, UbiComp 2013). Prints lines `kind | data | metric | figure`, named as the rows of `make truth`.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.signal import butter, find_peaks, sosfiltfilt

HAND_WORK = ("brush_teeth", "comb_hair", "drink_glass", "pour_water")


def read(path):
    return np.genfromtxt(path, delimiter=",", skip_header=1)


def steps(times, magnitude):
    rate = (len(times) - 1) / (times[-1] - times[0])
    low = sosfiltfilt(butter(2, min(3, 0.45 * rate), fs=rate, output="sos"), magnitude)
    peaks, _ = find_peaks(low, height=magnitude.mean() + 0.1, distance=max(1, round(0.3 * rate)))
    return len(peaks)


def row(data, metric, figure):
    print(f"day | {data} | {metric} | {figure}")


def sensorwatch(folder):
    walks, others, false, hours = [], [], 0, 0
    for line in (folder / "steps.csv").read_text().split()[1:]:
        name, truth = line.split(",")
        table = read(folder / f"{name}.csv.gz")
        found = steps(table[:, 0], table[:, 1])
        (walks if "walking" in name else others).append(abs(found - int(truth)))
        if "walking" not in name:
            false += found
            hours += table[-1, 0] / 3600
    row("sensorwatch set 1", "balanced error of the steps", f"{(np.mean(walks) + np.mean(others)) / 2:.1f}")
    row("sensorwatch, no walks", "steps an hour", f"{false / hours:.0f}")


def hmp(folder):
    total, minutes = 0, 0
    for kind in HAND_WORK + ("walk",):
        table = read(folder / f"{kind}.csv.gz")
        trials = [table[table[:, 0] == trial, 1:] for trial in np.unique(table[:, 0])]
        found = sum(steps(trial[:, 0], np.linalg.norm(trial[:, 1:4], axis=1)) for trial in trials)
        hours = sum(trial[-1, 0] for trial in trials) / 3600
        if kind == "walk":
            row("hmp walk", "steps a minute", f"{found / hours / 60:.1f}")
            continue
        row(f"hmp {kind}", "steps an hour", f"{found / hours:.0f}")
        total, minutes = total + found, minutes + 60 * hours
    row("hmp hand work", "steps a minute", f"{total / minutes:.1f}")


def oxford(folder):
    errors = []
    for path in sorted(folder.glob("*.csv.gz")):
        table = read(path)
        truth = table[-1, 4] - table[0, 4]
        errors.append(abs(steps(table[:, 0], np.linalg.norm(table[:, 1:4], axis=1)) - truth) / truth)
    row("Oxford walks", "mean error of the steps, %", f"{100 * np.mean(errors):.2f}")


if __name__ == "__main__":
    data = Path(sys.argv[1])
    sensorwatch(data / "people/sensorwatch")
    hmp(data / "people/hmp")
    oxford(data / "second-half/steps")
