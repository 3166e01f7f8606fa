"""Which alarms follow from depth states: the shipped rules past-limit and near-limit, written from docs/alarms.md.

Instants are unix times here: an alarm goes on over the boots of a device, each with a clock of its own.
"""

CLEAR, FLAP, MOST = 10.0, 60.0, 5  # s until an alarm is cleared; more than 5 changes within a minute are one alarm
RULES = {"past-limit": ("critical", {"pastMaxDepth", "sensorDepthError"}), "near-limit": ("warning", {"approachingMaxDepth"})}
KINDS = {f"alarm/{name}" for name in RULES}


class Alarm:
    """One alarm of one device."""

    def __init__(self, name):
        self.name, (self.severity, self.states) = name, RULES[name]
        self.raised = self.active = False  # as published, and by the rule alone
        self.turn = self.release = self.recount = None
        self.changes, self.count, self.value, self.cleared, self.told = [], 0, None, None, 0.0

    def step(self, at, state):
        """A depth state that is known and valid; yields (instant, fields) of what is published."""
        yield from self.advance(at, before=True)
        if state in self.states:
            if self.active:
                self.turn = None
            else:
                self.value = state
                yield from self._change(at)
        elif self.active and self.turn is None:
            self.turn = at + CLEAR
        elif not self.active and self.release == float("inf"):
            self.release = at + FLAP

    def doubt(self):
        """The state is not known any more: nothing is cleared by that."""
        if self.active:
            self.turn = None
        elif self.release is not None:
            self.release = float("inf")

    def advance(self, to, before=False):
        """What is due at `to`, or only before it."""
        while True:
            due = [(at, what) for what, at in enumerate((self.turn, self.release, self.recount)) if at is not None]
            if not due or min(due)[0] > to or (before and min(due)[0] == to):
                return
            at, what = min(due)
            if what == 0:
                yield from self._change(at)
            elif what == 1:
                yield from self._clear(at)
            else:
                yield self._tell(at)

    def _change(self, at):
        self.turn, self.active = None, not self.active
        self.changes = [change for change in self.changes if change > at - FLAP][-MOST:] + [at]
        if self.active:
            yield from self._raise(at)
        elif len(self.changes) > MOST:
            self.release = at + FLAP
        else:
            yield from self._clear(at)

    def _raise(self, at):
        if self.release is not None:
            self.release, self.count = None, self.count + 1
            self.recount = self.recount if self.recount is not None else max(at, self.told + FLAP)
            return
        self.count = self.count + 1 if self.cleared is not None and len(self.changes) > 1 else 1
        self.raised, self.shown = True, self.value
        yield self._tell(at)

    def _clear(self, at):
        self.release, self.raised, self.cleared = None, False, at
        yield self._tell(at)

    def _tell(self, at):
        self.recount, self.told = None, at
        return at, {"alarm": self.name, "severity": self.severity, "state": "raised" if self.raised else "cleared", "value": self.shown,
                    "count": self.count, "sourceKind": "depth-state", "field": "state"}


class AlarmReference:
    """The alarms of one device, over all of its boots."""

    def __init__(self):
        self.alarms = [Alarm(name) for name in RULES]

    def step(self, at, state):
        for alarm in self.alarms:
            for instant, fields in alarm.step(at, state):
                yield f"alarm/{alarm.name}", instant, fields

    def advance(self, to):
        for alarm in self.alarms:
            for instant, fields in alarm.advance(to):
                yield f"alarm/{alarm.name}", instant, fields

    def doubt(self):
        for alarm in self.alarms:
            alarm.doubt()
