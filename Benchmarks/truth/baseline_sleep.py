"""Sleep of a baseline on the recordings of `make truth`: baseline_sleep.py DATAFOLDER

The longest time of rests of 5 min or more with breaks of less than an hour. The arm rests while its angle does not change by more than 5
degrees from one epoch of 5 s to the next (van Hees, PLoS ONE 2015). Prints lines `kind | data | metric | figure`, named as the rows of `make truth`.
"""

import sys
from pathlib import Path

import numpy as np

# Onset and length by the independent script that `make truth` compares with, in min.
NIGHTS = {"p1n2": (60.4, 387.2), "p6n1": (3.2, 412.4)}
EPOCH, SHORTEST, LONGEST_BREAK = 5, 60, 720


def period(times, axes):
    """The first and the last minute of the longest rest."""
    epochs = (times // EPOCH).astype(int)
    medians = np.array([np.median(axes[epochs == epoch], axis=0) for epoch in range(epochs[-1] + 1)])
    angle = np.degrees(np.arctan2(medians[:, 2], np.hypot(medians[:, 0], medians[:, 1])))
    moves = np.flatnonzero(np.abs(np.diff(angle)) > 5)
    edges = np.concatenate([[0], moves + 1, [len(angle)]])
    blocks = []
    for start, end in zip(edges, edges[1:]):
        if end - start < SHORTEST:
            continue
        if blocks and start - blocks[-1][1] < LONGEST_BREAK:
            blocks[-1][1] = end
        else:
            blocks.append([start, end])
    start, end = max(blocks, key=lambda block: block[1] - block[0])
    return start * EPOCH / 60, end * EPOCH / 60


def main(folder):
    for name, (onset, length) in NIGHTS.items():
        table = np.genfromtxt(folder / f"{name}.csv.gz", delimiter=",", skip_header=1)
        times, axes = table[:, 0], table[:, 1:4]
        start, end = period(times, axes)
        print(f"sleep | night {name} | onset after an independent script's, min | {start - onset:.1f}")
        print(f"sleep | night {name} | period longer than an independent script's, min | {end - start - length:.1f}")
        short = []
        for cut in range(185, 415, 35):
            kept = times < 60 * cut
            short.append(cut - period(times[kept], axes[kept])[1])
        data = f"night {name}, cut at {len(short)} places"
        print(f"sleep | {data} | ends before its samples, min, the greatest | {max(short):.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) / "second-half/nights")
