"""The results of a run, by section, load and gateway."""

import statistics


class Figures:
    def __init__(self, results):
        self.results = results

    def of(self, section, load=None, gateway=None, **fields):
        """The results of that kind."""
        return [each for each in self.results if each["section"] == section and load in (None, each["load"])
                and gateway in (None, each["gateway"]) and all(each.get(key) == value for key, value in fields.items())]

    def names(self, section, load):
        """The gateways that were measured under a load, in the order in which they were measured."""
        return list(dict.fromkeys(each["gateway"] for each in self.of(section, load)))

    def median(self, key, section, load=None, gateway=None, **fields):
        """The median over the rounds; None where nothing was measured."""
        values = [each[key] for each in self.of(section, load, gateway, **fields) if each.get(key) is not None]
        return statistics.median(values) if values else None


def ratio(value, base):
    return value / base if value is not None and base else None


def cell(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"
