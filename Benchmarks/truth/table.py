"""The table of `make truth`: the rows that the tests print, each beside an independent baseline.

A baseline is a program in this folder that is given the folder of the recordings and prints lines `kind | data | metric | figure`. They need
numpy and scipy; without these, or without the recordings, their column is empty.
"""

import argparse
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["kind", "data", "people", "hours", "metric", "figure", "goal", "baseline"]
START, END = "<!-- rows of make truth -->\n", "<!-- end of rows -->\n"


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(log):
    """The rows in a log of tests, by kind."""
    found = {}
    for line in log:
        line = line.partition("truth: | ")[2]
        if not line:
            continue
        row = cells(line)
        if len(row) == len(COLUMNS) - 1:
            found[row[0], row[1], row[4]] = row
    return sorted(found.values(), key=lambda row: row[0])


def baselines(data):
    """Figures by (kind, data, metric)."""
    figures = {}
    programs = [name for name in sorted(os.listdir(FOLDER)) if name.startswith("baseline_") and name.endswith(".py")]
    for name in programs if data else []:
        run = subprocess.run([sys.executable, os.path.join(FOLDER, name), data], capture_output=True, text=True)
        if run.returncode != 0:
            reason = (run.stderr.strip().splitlines() or ["no reason"])[-1]
            print(f"truth: {name} failed: {reason}", file=sys.stderr)
        for line in run.stdout.splitlines():
            row = cells(line)
            if len(row) == 4:
                figures[row[0], row[1], row[2]] = row[3]
    return figures


def table(rows, pads):
    """The rows as Markdown, in columns of one width where `pads`."""
    lines = [COLUMNS] + rows
    widths = [max(len(line[index]) for line in lines) if pads else 0 for index in range(len(COLUMNS))]
    texts = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (width + 2) if pads else "---" for width in widths) + "|"
    return "\n".join([re.sub(" +$", "", text) for text in [texts[0], rule] + texts[1:]]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", help="what the tests printed")
    parser.add_argument("--data", help="the folder of the recordings")
    parser.add_argument("--write", metavar="PAGE", help="put the rows into a page, between its two marks")
    options = parser.parse_args()
    with open(options.log, encoding="utf-8", errors="replace") as log:
        found = rows(log)
    try:
        import scipy  # noqa: F401
        figures = baselines(options.data)
    except ImportError:
        print("truth: no baselines: they need python3-numpy and python3-scipy", file=sys.stderr)
        figures = {}
    found = [row + [figures.get((row[0], row[1], row[4]), "")] for row in found]
    print(table(found, pads=True), end="")
    if options.write:
        with open(options.write, encoding="utf-8") as page:
            text = page.read()
        head, _, rest = text.partition(START)
        tail = rest.partition(END)[2]
        with open(options.write, "w", encoding="utf-8") as page:
            page.write(head + START + "\n" + table(found, pads=False) + "\n" + END + tail)


if __name__ == "__main__":
    main()
