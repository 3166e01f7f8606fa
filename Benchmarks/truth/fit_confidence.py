"""Fits the confidence of strokes and punches on simulated people with noise.

Prints the coefficients that the sources hold, and what a confidence of at least 0.9 is worth on people that were not used:
python3 fit_confidence.py
"""
import numpy as np


class Picker:
    """The greatest of what qualifies within a time of the first."""

    def __init__(self, key):
        self.key, self.pending, self.since, self.last = key, None, 0.0, -1e9

    def step(self, time, item, seconds):
        picked = None
        if self.pending is not None and time - self.since >= seconds:
            picked, self.last, self.pending = self.pending, self.pending[0], None
        if item is None or item[0] - self.last < seconds:
            return picked
        if self.pending is None:
            self.pending, self.since = item, time
        elif self.key(item) > self.key(self.pending) or (item[0] == self.pending[0] and item[2] > self.pending[2]):
            self.pending = item
        return picked


def pulse(signal, hertz, start, seconds, peak):
    first, count = int(start * hertz), int(round(seconds * hertz))
    last = min(len(signal), first + count)
    if last > first:
        signal[first:last] += peak * np.sin(np.pi * (np.arange(last - first) + 0.5) / count)


def player(seed, game, seconds=300, hertz=50):
    """Rotation about gravity of a player, and the strokes: time, sign."""
    random = np.random.default_rng(seed)
    signal = random.normal(0, 0.4, int(seconds * hertz))
    strength, truth, time = random.uniform(0.5, 1.4), [], 2.0
    table = game == "tableTennis"
    while time < seconds - 5:
        if random.random() < 0.3:  # An arm that does something else.
            pulse(signal, hertz, time, random.uniform(0.15, 0.7), random.choice([-1, 1]) * random.uniform(3, 14 if table else 9))
            time += random.uniform(0.9, 2)
            continue
        sign, share = random.choice([-1, 1]), random.uniform(0.7, 1.2)
        peak = (18 if table else 11) * strength * share
        length = random.uniform(0.16, 0.26) if table else random.uniform(0.3, 0.55)
        pulse(signal, hertz, time, 0.26, -sign * peak * random.uniform(0.2, 0.6))
        pulse(signal, hertz, time + 0.26, length, sign * peak)
        truth.append((time + 0.26 + length / 2, sign))
        pulse(signal, hertz, time + 0.26 + length, 0.44, -sign * peak * random.uniform(0.15, 0.35))
        time += 0.7 + length + (random.uniform(0.3, 1.5) if table else random.uniform(1.5, 4))
    return np.arange(len(signal)) / hertz, signal, truth


def strokes(times, signal, game):
    """Strokes as the gateway finds them: time, signed peak, rotation, threshold."""
    table = game == "tableTennis"
    width, least_turn, interval = (0.25, 0.85, times[1] - times[0]) if table else (1.0, 1.95, times[1] - times[0])
    count = int(round(width / interval))
    sums = np.concatenate([[0], np.cumsum(signal)]) * interval
    recent, found, held = [], [], False
    picker, learner = Picker(lambda item: abs(item[1])), Picker(lambda item: abs(item[1]))
    start = 0
    for index in range(len(times)):
        rate = 5.5 if not table else 9 if len(recent) < 3 else max(6, 0.5 * np.percentile(recent, 75))
        turn = None
        first = max(start, index + 1 - count)
        if index + 1 - first == count:
            yaw = sums[index + 1] - sums[first]
            if abs(yaw) > least_turn:
                window = signal[first:index + 1] * np.sign(yaw)
                best = int(np.argmax(window))
                if window[best] > (6 if table else rate):
                    turn = (times[first + best], window[best] * np.sign(yaw), abs(yaw), rate)
        if table:
            learned = learner.step(times[index], turn, 0.5)
            if learned:
                recent = (recent + [abs(learned[1])])[-10:]
            picked = picker.step(times[index], turn if turn and abs(turn[1]) > rate else None, 0.5)
            if picked:
                found.append(picked)
        else:
            if turn and not held:
                held = True
                found.append(turn)
            if held and abs(signal[max(start, index + 1 - count // 2):index + 1].mean()) < 0.275:
                held, start = False, index + 1
    return found


def boxer(seed, seconds=180, hertz=100):
    """Acceleration of a boxer's wrist without gravity, in G, and the instants of the punches."""
    random = np.random.default_rng(seed)
    count = int(seconds * hertz)
    signal = random.normal(0, 0.05, count)
    strength, truth, time = random.uniform(0.25, 1.3), [], 2.0
    while time < seconds - 5:
        kind = random.random()
        if kind < 0.25:  # A block, a clap, a hop.
            pulse(signal, hertz, time, random.uniform(0.05, 0.2), random.choice([-1, 1]) * random.uniform(0.6, 5))
            time += random.uniform(0.5, 1.5)
            continue
        if kind < 0.4:  # Footwork.
            beats = random.integers(3, 9)
            height, pace = random.uniform(0.4, 1.6), random.uniform(0.3, 0.5)
            for beat in range(beats):
                pulse(signal, hertz, time + beat * pace, 0.15, height * random.uniform(0.7, 1.2))
            time += beats * pace + 0.5
            continue
        peak = 10 * strength * random.uniform(0.6, 1.4)
        pulse(signal, hertz, time, 0.16, 0.2 * peak)
        pulse(signal, hertz, time + 0.16, 0.04, -peak)
        pulse(signal, hertz, time + 0.2, 0.16, 0.1 * peak)
        truth.append((time + 0.18, 0))
        time += 0.5 + random.exponential(0.5)
    return np.arange(count) / hertz, np.abs(signal), truth


def punches(times, size, smooth=False):
    """Punches as the gateway finds them: time, peak, least peak of a punch."""
    share, apart = (0.6, 0.5) if smooth else (0.4, 0.35)
    picker, recent, found = Picker(lambda item: item[1]), [], []
    for index in range(len(times)):
        least = max(1, share * np.median(recent)) if recent else 1
        item = (times[index], size[index], 0, least) if size[index] >= least else None
        picked = picker.step(times[index], item, apart)
        if picked and picked[1] >= least:
            found.append((picked[0], picked[1], least))
            recent = (recent + [picked[1]])[-10:]
    return found


def events(kind, seeds):
    """The logarithm of each value over its threshold, whether it is right, and how many are missed."""
    rows, right, missed = [], [], 0
    for seed in seeds:
        if kind == "punch":
            times, size, truth = boxer(seed)
            found = [(time, 0, np.log(peak / least)) for time, peak, least in punches(times, size)]
        else:
            times, signal, truth = player(seed, kind)
            found = [(time, np.sign(peak), np.log(abs(peak) / rate)) for time, peak, _, rate in strokes(times, signal, kind)]
        left = list(truth)
        for time, sign, *features in found:
            match = next((item for item in left if abs(item[0] - time) < (0.06 if kind == "punch" else 0.3)), None)
            if match:
                left.remove(match)
            rows.append(features)
            right.append(bool(match) and (kind == "punch" or match[1] == sign))
        missed += len(left)
    return np.array(rows), np.array(right), missed


def fit(rows, right, rounds=30):
    """Logistic regression by Newton's method, a little ridge."""
    design, weights = np.column_stack([np.ones(len(rows)), rows]), np.zeros(rows.shape[1] + 1)
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-design @ weights))
        curvature = design.T @ (design * (chance * (1 - chance))[:, None]) + 1e-2 * np.eye(len(weights))
        weights += np.linalg.solve(curvature, design.T @ (right - chance) - 1e-2 * weights)
    return weights


if __name__ == "__main__":
    for kind in ("tennis", "tableTennis", "punch"):
        rows, right, missed = events(kind, range(1, 41))
        weights = fit(rows, right)
        print(kind, "fit on", len(rows), "right %.3f missed %d" % (right.mean(), missed), "coefficients", np.round(weights, 2))
        rows, right, missed = events(kind, range(101, 141))
        chance = 1 / (1 + np.exp(-(np.round(weights[0], 2) + rows @ np.round(weights[1:], 2))))
        for low, high in ((0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
            inside = (chance >= low) & (chance < high)
            if inside.any():
                print("  %.1f-%.1f n %d right %.3f" % (low, min(1, high), inside.sum(), right[inside].mean()))
