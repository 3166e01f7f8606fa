"""A simulated recording of the accelerometer, as frames of a minute each."""

import random

FIRST = 1000  # identifier of the first sample


class Recording:
    """Acceleration of a walking wrist with pauses, in units of 1/2048 G: what can be stored exactly."""

    def __init__(self, start, hours, rate, seed):
        self.start, self.rate, self.count = start, rate, int(hours * 3600 * rate)
        chance = random.Random(seed)
        cycle = 3 * rate * 60  # three minutes that repeat: two still, one of walking
        self.axes = [[], [], []]
        for index in range(cycle):
            walks = index >= cycle * 2 // 3
            for axis, still in zip(self.axes, (100, -60, -2040)):
                axis.append(still + round(chance.gauss(0, 300 if walks else 3)))
        self.texts = [[repr(value / 2048) for value in axis] for axis in self.axes]

    def time(self, index):
        return round(self.start + index / self.rate, 6)

    def frame(self, seq, sent):
        """A minute of samples."""
        size = 60 * self.rate
        first, last = seq * size, min((seq + 1) * size, self.count)
        offset, cycle = first % len(self.texts[0]), len(self.texts[0])
        columns = []
        for name, texts in zip("xyz", self.texts):
            part = texts[offset:offset + last - first]
            assert len(part) == last - first or offset + last - first > cycle
            columns.append(f'"{name}":[{",".join(part)}]')
        dates = ",".join(map(repr, (self.time(index) for index in range(first, last))))
        identifiers = ",".join(map(str, range(FIRST + first, FIRST + last)))
        return (f'{{"schema":"wearables/1","boot":"b","seq":{seq},"uptime":{1e6 + seq / 100!r},"sent":{sent!r},'
                f'"samples":{{"identifier":[{identifiers}],"startDate":[{dates}],{",".join(columns)}}}}}')

    @property
    def frames(self):
        return -(-self.count // (60 * self.rate))
