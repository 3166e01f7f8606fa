"""Quantities of the wire contract in m, kPa and C."""

LENGTHS = {"m": 1.0, "ft": 0.3048}
PRESSURES = {"Pa": 1e-3, "hPa": 0.1, "mbar": 0.1, "kPa": 1.0, "bar": 100.0, "psi": 6.894757293168361}
DEGREES = {"C": 1.0, "K": 1.0, "F": 5 / 9}
ZEROS = {"C": 0.0, "K": 273.15, "F": 32.0}


def convert(key, quantity):
    """The value of a quantity of the field `key`; None where it is absent. Raises KeyError for an unknown unit."""
    if quantity is None:
        return None
    value, unit = float(quantity["value"]), quantity["unit"]
    if key in ("depth", "maximumDepth"):
        return value * LENGTHS[unit]
    if key == "temperature":
        return (value - ZEROS[unit]) * DEGREES[unit]
    if key == "temperatureUncertainty":  # a difference: only the scale counts
        return value * DEGREES[unit]
    return value * PRESSURES[unit]
