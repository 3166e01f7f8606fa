"""Tremor of a baseline on the recordings of `make truth`: baseline_tremor.py DATAFOLDER

Windows of 4 s in which 3.5 to 7.5 Hz hold more than half of the power from 0.5 to 12 Hz, and more than 10 mG (a threshold of band power,
as in Salarian et al., IEEE Trans. Biomed. Eng. 2007). Prints lines `kind | data | metric | figure`, named as the rows of `make truth`.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.signal import periodogram

SECONDS = 4


def trembles(window, rate):
    lines, powers = periodogram(window, fs=rate, window="hann", detrend="linear", axis=0)
    powers = powers.sum(axis=1) * (lines[1] - lines[0])

    def power(low, high):
        return powers[(lines >= low) & (lines <= high)].sum()

    return power(3.5, 7.5) > max(0.5 * power(0.5, 12), 0.01**2)


def main(folder):
    for kind in ("brush_teeth", "comb_hair", "drink_glass", "pour_water", "walk"):
        table = np.genfromtxt(folder / f"{kind}.csv.gz", delimiter=",", skip_header=1)
        found, minutes, hours = [], set(), 0
        for trial in np.unique(table[:, 0]):
            rows = table[table[:, 0] == trial, 1:]
            rate = (len(rows) - 1) / (rows[-1, 0] - rows[0, 0])
            size = round(SECONDS * rate)
            for start in range(0, len(rows) - size, size // 2):
                found.append(trembles(rows[start : start + size, 1:4], rate))
                if found[-1]:
                    minutes.add(int((3600 * hours + rows[start, 0]) / 60))
            hours += rows[-1, 0] / 3600
        if kind == "brush_teeth":
            print(f"tremor | hmp {kind} | share of windows with tremor | {np.mean(found):.2f}")
        print(f"tremor | hmp {kind} | minutes with tremor an hour | {len(minutes) / hours:.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) / "people/hmp")
