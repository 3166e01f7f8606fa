"""The faults. Each is a function that takes the options and returns an Outcome; FAULTS names them in order.

A letter behind the number names one of several forms of a fault; the number alone means all of them.
"""

from scenarios import (
    activity, brokers, clock, cluster, damage, handover, identity, kills, load, network, ownership, partitions, recorded, refusals,
    repartition, replays, runs, sessions, stored, upgrade, windows)

FAULTS = {
    "none": kills.baseline,
    "control": kills.control,
    "F1": kills.random_kills,
    "F1d": kills.disordered,
    "F1o": kills.older_protocol,
    "F2": kills.named_points,
    "H": activity.activity,
    "H36": recorded.recorded,
    "F3": damage.state_files,
    "F5": brokers.restart,
    "F6g": brokers.kill,
    "F6r": brokers.kill_with_resend,
    "F6s": brokers.state_lost,
    "F7": brokers.pause,
    "F8": network.partitions,
    "F8b": network.elsewhere,
    "F8c": network.cut,
    "F8l": network.lossy,
    "F9": network.stopped_subscriber,
    "F10": damage.full_disk,
    "F11": clock.jumps,
    "F12": load.overload,
    "F16": load.poison,
    "F18": identity.refused,
    "F19t": identity.takeover,
    "F19u": identity.unknown_devices,
    "F20m": ownership.twins,
    "F20n": ownership.twins_on_nats,
    "F20s": ownership.frozen,
    "F20l": ownership.restarted_loser,
    "F20r": ownership.beside_a_copy,
    "F20c": ownership.copies,
    "F20d": ownership.copies_on_nats,
    "F21n": partitions.on_nats,
    "F21p": partitions.many_on_nats,
    "F21w": partitions.late_redelivery,
    "F22m": repartition.on_mosquitto,
    "F22n": repartition.on_nats,
    "F23s": handover.restored,
    "F23k": handover.replicated,
    "F24r": windows.rabbitmq,
    "F24p": windows.rabbitmq_with_large_window,
    "F24e": windows.ejabberd,
    "F25s": cluster.steady,
    "F25a": cluster.alone,
    "F25k": cluster.kills,
    "F25n": cluster.node_killed,
    "F25e": cluster.restored,
    "F25v": cluster.replicated,
    "F25f": cluster.frozen,
    "F25t": cluster.twins,
    "F25r": cluster.handed_over,
    "F25p": cluster.node_cut_off,
    "F26d": refusals.denied,
    "F26k": refusals.killed,
    "F26s": refusals.from_the_start,
    "F26b": refusals.too_large,
    "F26c": refusals.closed,
    "F27": clock.stepped,
    "F28": replays.replayed,
    "F29": runs.misbehaved,
    "F29k": runs.killed,
    "F30": stored.beside_divers,
    "F31": sessions.changed,
    "U": upgrade.from_fixture,
}
# They take the whole machine. In F21p, NATS has more than a thousand consumers: beside another fault its own calls time out.
ALONE = {"F12", "F19u", "F21p", "F21w", "F30", "F31", "H36"}
SHORT = ["none", "control", "H", "F1", "F2", "F3", "F5", "F6g", "F6r", "F6s", "F16", "F18", "F20m", "F20s", "F26d", "F28", "F29"]


def chosen(names):
    """The faults that a comma-separated list names, in order; None when a name means nothing."""
    picked = set()
    for name in names.split(","):
        matches = [fault for fault in FAULTS if fault == name or fault.rstrip("abcdefghijklmnopqrstuvwxyz") == name]
        if not matches:
            return None
        picked.update(matches)
    return [fault for fault in FAULTS if fault in picked]
