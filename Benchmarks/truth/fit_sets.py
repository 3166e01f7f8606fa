"""Fits the coefficients of `SetCoefficients`: whether a set is one of an exercise, and whether its count is right as well.

    fit_sets.py FEATURES.csv

FEATURES.csv is written by `FATHOM_SET_FEATURES=$PWD/FEATURES.csv swift test --filter SetTruthTests`, so that features are computed in one
place. It holds, by the names in shared/data: people/spar (5 people; each set of 20, and two parts of it at other speeds, forces and rates),
simulated sets, people/hmp (walk, brush_teeth, comb_hair, drink_glass, pour_water; five parts by trial, as people are not named) and the phone
walks of second-half/steps (2 people), these also smoothed over 0.2 s, as some devices do. Steps do not hide walks from it.

Prints the kept and the false sets with each part left out, and the Swift table fitted without the people of `SetRecording.others`, with what it
does on those. A logistic regression; each kind has its weight, whatever its number of sets; a penalty keeps coefficients small.
"""
import csv
import sys

import numpy as np
from scipy.optimize import minimize

COLUMNS = ["steps", "autocorrelation", "fast", "quality", "count", "spread"]
THRESHOLD = 0.25
# The penalty of each regression: a confidence has to hold on others, and few of them are wrong.
PENALTIES = {"exercise": 5.0, "right": 20.0}
FOLDS = {"s1": 0, "s2": 1, "s3": 2, "s4": 3, "s5": 4, "user1": 0, "user2": 1}
WEIGHTS = {"spar": 100, "varied": 100, "simulated": 150, "walk": 80, "walk smoothed": 40}


def fit(features, labels, weights, penalty):
    """The constant and the coefficients."""
    mean, deviation = features.mean(0), features.std(0)
    deviation[deviation == 0] = 1
    scaled, sign = (features - mean) / deviation, np.where(labels, 1, -1)

    def loss(b):
        score = sign * (scaled @ b[1:] + b[0])
        slope = -sign * weights / (1 + np.exp(np.clip(score, -50, 50)))
        return ((weights * np.logaddexp(0, -score)).sum() + penalty * (b[1:] ** 2).sum() / 2,
                np.concatenate([[slope.sum()], scaled.T @ slope + penalty * b[1:]]))

    b = minimize(loss, np.zeros(features.shape[1] + 1), jac=True).x
    return b[0] - (b[1:] / deviation * mean).sum(), b[1:] / deviation


def probability(model, features):
    return 1 / (1 + np.exp(-np.clip(model[0] + features @ model[1], -30, 30)))


def main(path):
    rows = list(csv.DictReader(open(path)))
    features = np.array([[float(row[name]) for name in COLUMNS] for row in rows])
    kinds = np.array([row["kind"] for row in rows])
    others = np.array([row["isOther"] == "1" for row in rows])
    truth = np.array([int(row["repetitions"]) for row in rows])
    exercise = truth > 0
    right = exercise & (abs(np.array([int(row["counted"]) for row in rows]) - truth) <= 1)
    weights = np.array([WEIGHTS.get(kind, 20) / (kinds == kind).sum() for kind in kinds])
    fold = np.array([FOLDS.get(row["person"], int(row["person"][-1]) - 1) for row in rows])

    left = np.zeros(len(rows))
    for part in range(5):
        model = fit(features[fold != part], exercise[fold != part], weights[fold != part], PENALTIES["exercise"])
        left[fold == part] = probability(model, features[fold == part])
    print("each part left out: kind, sets, those taken for exercise")
    for kind in dict.fromkeys(kinds):
        print(f"  {kind:22} {(kinds == kind).sum():5} {(left[kinds == kind] > THRESHOLD).sum():5}")

    used = ~others
    models = {"exercise": fit(features[used], exercise[used], weights[used], PENALTIES["exercise"]),
              "right": fit(features[used], right[used], np.ones(used.sum()), PENALTIES["right"])}
    for name, (constant, coefficients) in models.items():
        table = ", ".join(f"{value:.2f}" for value in coefficients)
        print(f"    private static let {name} = ({constant:.2f}, [{table}])")
    taken = probability(models["exercise"], features)
    confidence = np.minimum(taken, probability(models["right"], features))
    print("people not used: kind, sets, those taken for exercise")
    for kind in dict.fromkeys(kinds):
        chosen = others & (kinds == kind)
        print(f"  {kind:22} {chosen.sum():5} {(taken[chosen] > THRESHOLD).sum():5}")
    print("people not used: confidence, sets, right")
    for low, high in [(0, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)]:
        chosen = others & (taken > THRESHOLD) & (confidence >= low) & (confidence < high)
        print(f"  {low} to {min(high, 1)}: {chosen.sum():4} {right[chosen].mean() if chosen.any() else float('nan'):.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
