"""Simulated devices whose clock or application is wrong: they set the clock back, use a boot again, repeat what they measured, or mix what
they stored with what they measure.

Each does so `FIRST` seconds after its start and then every `EVERY` seconds, until it is told to be quiet.
"""

import json

from devices import Batter, Diver

FIRST, EVERY = 10.0, 25.0  # s of the device's schedule
SETTLED = 15.0  # s after which the latest of it has led to what it leads to
# No multiple of an interval between samples, so that no two instants are the same.
BACK, HOUR, LITTLE = 60.00137, 3600.00137, 20.00137


class Script:
    """A device that misbehaves at times: it sends nothing for `PAUSE` seconds, and `misbehave` is called before its next frame."""

    PAUSE = 0.0

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        self.next, self.until, self.is_next = FIRST, 0.0, False

    @property
    def elapsed(self):
        return self.made * self.period

    @property
    def is_due(self):
        return self.elapsed >= self.next and not self.quiet

    @property
    def at_work(self):
        """Whether it still does what it began."""
        return self.elapsed < self.until

    @property
    def ready(self):
        return True

    def frame(self, note=""):
        if self.is_next and not self.quiet:
            self.misbehave()
        self.is_next = False
        text = super().frame(note)
        if self.is_due and self.ready:
            self.next, self.is_next = self.elapsed + EVERY, True
            self.made += round(self.PAUSE / self.period)
        return text

    def set_back(self, seconds):
        """Its clock. An uptime is then another one at the same unix time; unix time itself is wrong."""
        self.base -= seconds
        if self.sequenced:
            self.offset += seconds


class SetBackAtDepth(Script, Diver):
    """Its uptime falls while its sequence goes on."""

    @property
    def ready(self):
        return self.level >= 2

    def misbehave(self):
        self.set_back(BACK)


class SetBackAtSurface(Script, Diver):
    """The same out of the water, to which it comes in time."""

    @property
    def ready(self):
        return self.level < 0

    def _move(self):
        if self.is_due and self.level >= 0:
            self.level -= 1
            self.goal, self.surface = 0, 30
        else:
            super()._move()

    def misbehave(self):
        self.set_back(BACK)


class SetBackBatter(Script, Batter):
    """The same of another stream, on another lane."""

    @property
    def ready(self):
        return self.calm > 5 and not self.pending

    def misbehave(self):
        self.set_back(BACK)
        self.calm, self.countdown = 0, 4000  # the filter settles, and no impact lies across the step


class SetBackForAMoment(Script, Diver):
    """Is right again after some seconds: the frames between are late, and no new run begins."""

    def misbehave(self):
        self.right = (self.base, self.offset)
        self.set_back(BACK)
        self.until = self.elapsed + 3.0

    def _move(self):
        if not self.at_work:
            super()._move()

    def frame(self, note=""):
        if self.until and not self.at_work:
            self.until = 0.0
            self.base, self.offset = self.right
        return super().frame(note)


class Reused(Script, Diver):
    """An application with a fixed boot that is started again: its sequence begins anew, its uptime goes on."""

    PAUSE = 2.0

    @property
    def ready(self):
        return self.level >= 1

    def misbehave(self):
        self.seq = 0


class ReusedSoon(Reused):
    """The same of an application that ran for seconds: its sequence has passed that of before while nobody knows what it is."""

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        self.next, self.goal = 2.0, 2


class ReusedWithClock(Reused):
    """The same with an uptime of its own, which begins anew too."""

    PAUSE = 8.0

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        self.next = 4.0

    def misbehave(self):
        self.seq, self.starts = 0, getattr(self, "starts", 0) + 1
        self.set_back(self.base + self.elapsed - 300 * self.starts - 0.00137)


class Frozen:
    """Sends the samples of its last frame again in each new one."""

    def misbehave(self):
        self.until = self.elapsed + 11.0

    def body(self, uptime):
        if not self.at_work:
            self.last = super().body(uptime)
        return self.last


class Repeating(Frozen, Script, Diver):
    """A frozen sensor: each new frame has the samples of the last one again."""

    @property
    def ready(self):
        return self.level >= 1


class Mixing(Script, Diver):
    """Is offline for some seconds, and then publishes what it stored between what it measures; all of it before a missing frame is given up."""

    def misbehave(self):
        self.until = self.elapsed + 2.0

    def route(self, frame):
        if self.at_work and not self.quiet:
            self.stored.append(frame)
            return []
        first, self.stored = (self.stored, []) if self.quiet else (self.stored[:2], self.stored[2:])
        return [frame] + first


class Mapped(Diver):
    """Another application's device under water, which a mapping reads: no boot and no sequence, and unix time as its clock."""

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        self.base, self.offset = self.base + self.offset, 0.0

    sequenced = False
    topic = property(lambda self: f"pool/{self.name}/raw")

    def _move(self):
        super()._move()
        self.level, self.surface = max(self.level, 0), 0

    def frame(self, note=""):
        """As the second implementation reads it. The gateway gets the `payload`."""
        text = super().frame(note)
        frame = json.loads(text)
        frame.update(boot="unix", seq=None)
        return json.dumps(frame)

    def body(self, uptime):
        self._move()
        depth = round(0.45 + 0.7 * self.level, 2)
        return f'"measurements":[{{"timestamp":{uptime!r},"depth":{{"value":{depth!r},"unit":"m"}}}}]'

    def payload(self, text):
        measurement = json.loads(text)["measurements"][0]
        return json.dumps({"t": measurement["timestamp"], "depth": measurement["depth"]["value"]})


class MappedSetBack(Script, Mapped):
    """Its clock is set back by an hour: summer time, or the first answer of a time server."""

    def misbehave(self):
        self.set_back(HOUR)


class MappedSetBackALittle(Script, Mapped):
    """Its clock is set back by less than it ran: the times of the new run are those of the old one again."""

    def misbehave(self):
        self.set_back(LITTLE)


class MappedRepeating(Frozen, Script, Mapped):
    """A bridge that publishes its last message again and again."""

    def frame(self, note=""):
        frame = json.loads(super().frame(note))
        frame["uptime"] = frame["sent"] = frame["measurements"][0]["timestamp"]
        return json.dumps(frame)


class MappedMixing(Mixing, Mapped):
    """Without a sequence: what it stored is late."""

    def misbehave(self):
        self.until = self.elapsed + 12.0


KINDS = {
    "setBackAtDepth": SetBackAtDepth, "setBackAtSurface": SetBackAtSurface, "setBackBatter": SetBackBatter,
    "setBackForAMoment": SetBackForAMoment, "reused": Reused, "reusedSoon": ReusedSoon,
    "reusedWithClock": ReusedWithClock, "repeating": Repeating, "mixing": Mixing,
    "mappedSetBack": MappedSetBack, "mappedSetBackALittle": MappedSetBackALittle, "mappedRepeating": MappedRepeating,
    "mappedMixing": MappedMixing,
}
