"""Which frames are missing by messages on `out/gap`.

A gap that stands for several has `ranges`. A gateway that was killed, or a replay, may join gaps otherwise, so messages are not counted: what they
cover is united.
"""

import collections


def covered(body):
    """The ranges of `seq` of one gap in which nothing was received, as pairs of the first and the last.

    Where there were more ranges than a message holds the nearest are joined, and some of the frames in them were received: which ones is not known,
    so such a message accounts for nothing.
    """
    source = body.get("source")
    if body["unit"] != "frames" or not source or body["receivedCount"]:
        return []
    ranges = body.get("ranges")
    return [(first, last) for first, last in ranges] if ranges else [tuple(source["seq"])]


def missing(gaps):
    """{(device, stream, boot, run): {seq}} of all gaps, as pairs of an arrival and its content."""
    found = collections.defaultdict(set)
    for arrival, body in gaps:
        for first, last in covered(body):
            source = body["source"]
            found[arrival.device, body["stream"], source["boot"], source.get("run", 1)].update(range(first, last + 1))
    return found
