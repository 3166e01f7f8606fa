"""The page that holds the tables of the last whole run."""

import datetime
import os
import platform
import re

BEGIN, END = "<!-- generated: bench -->\n", "<!-- end of generated part -->"


def machine():
    """A sentence on where the figures come from."""
    with open("/proc/cpuinfo") as file:
        name = re.search(r"model name\s*: (.*)", file.read())
    processors = f"{os.cpu_count()} x {name[1].strip() if name else platform.machine()}"
    return f"Measured on {datetime.date.today()}: {processors}, Linux {platform.release()}.\n"


def write(path, text):
    """Replaces the generated part of a page."""
    with open(path) as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END, 1)[1]
    with open(path, "w") as file:
        file.write(before + BEGIN + text + END + after)
