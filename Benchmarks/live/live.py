#!/usr/bin/env python3
"""Fathom beside small gateways in Node and Python and a relay in C: processor time per frame, frames per second at saturation, latency,
context switches, memory, bytes written and system calls; then a table beside the goals.

    python3 Benchmarks/live/live.py --binary .build/release/fathom [--only SECTION...] [--json FILE] [--markdown FILE]

Every measurement has a broker, a gateway and a generator of its own, all on loopback. Gateways take turns within a round, and tables
hold the median over the rounds. Each result is written to the file of --json at once; what that file has is not measured again. See
README.md.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time

import goals
import page
import table
from rig import Rig
from sections import SECTIONS


class Results:
    """The results of all measurements, kept in a file."""

    def __init__(self, path, binary):
        self.path = path
        with open(binary, "rb") as file:
            self.document = {"binary": hashlib.file_digest(file, "sha256").hexdigest(), "results": []}
        if path and os.path.exists(path):
            with open(path) as file:
                earlier = json.load(file)
            if earlier["binary"] != self.document["binary"]:
                raise SystemExit(f"{path} has the results of another program: remove it or name another file")
            self.document = earlier

    @property
    def all(self):
        return self.document["results"]

    def has(self, section, turn, number):
        return any((each["section"], each["turn"], each["round"]) == (section, turn, number) for each in self.all)

    def add(self, result):
        self.all.append(result)
        if self.path:
            with open(self.path + ".new", "w") as file:
                json.dump(self.document, file, indent=1)
            os.replace(self.path + ".new", self.path)


def measure(rig, options, results):
    for section in [section for section in SECTIONS if not options.only or section.name in options.only]:
        turns = [turn for turn in section.turns(rig)
                 if (not options.loads or turn.load in options.loads) and (not options.gateways or turn.gateway in options.gateways)]
        for number in range(options.rounds if section.repeats else 1):
            for turn in turns if number % 2 == 0 else reversed(turns):
                if results.has(section.name, turn.name, number):
                    continue
                began = time.monotonic()
                found = turn.measure()
                results.add({"section": section.name, "turn": turn.name, "round": number, "load": turn.load, "gateway": turn.gateway,
                             **found})
                print(f"{section.name}, round {number + 1}: {turn.name}: {section.line(found)} ({time.monotonic() - began:.0f} s)",
                      file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--only", nargs="*", choices=[section.name for section in SECTIONS], help="these sections")
    parser.add_argument("--loads", nargs="*", help="these loads")
    parser.add_argument("--gateways", nargs="*", help="these gateways, as the tables name them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement, after the warm-up")
    parser.add_argument("--warmup", type=float, default=4, help="s at four times the pace before each measurement")
    parser.add_argument("--json", help="where results are kept; a file that is there is continued")
    parser.add_argument("--markdown", help="where the tables go; without this and --page standard output")
    parser.add_argument("--page", help="a page whose generated part is replaced by the tables")
    options = parser.parse_args()
    results = Results(options.json, options.binary)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as directory:
        measure(Rig(options, directory), options, results)
    print(f"measured for {(time.monotonic() - began) / 60:.0f} minutes", file=sys.stderr)
    text = page.machine() + "\n" + goals.markdown(results.all) + "\n" + table.markdown(results.all)
    if options.page:
        page.write(options.page, text)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)
    if not (options.page or options.markdown):
        print(text)


if __name__ == "__main__":
    main()
