// The sets of a workout, and the workout itself.

import { heading, set, table } from "./parts.js";
import { clock, dash, degrees, element, fixed, isCurrent, span, words } from "./text.js";

export class Sets {
  name = "sets";
  kinds = ["repetition", "set"];

  constructor() {
    this.title = element("span");
    this.rows = element("tbody");
    this.parts = [
      heading(this.title), table(["Set", "Time", "Repetitions", "Took", "Each", "Range of motion"], this.rows, ["Range of motion"]),
    ];
  }

  has(data, row, now, isLive) {
    return "set" in data.messages || going(row, now, isLive) !== null;
  }

  draw(data, row, now, isLive) {
    const sets = data.messages.set ?? [];
    const open = going(row, now, isLive);
    set(this.title, setsTitle(sets, open));
    const key = JSON.stringify([sets, open?.set, open?.count]);
    if (key === this.key) return;
    this.key = key;
    fillSets(this.rows, sets, open);
  }
}

// The set that is under way; null where there is none, or its count is no longer valid.
function going(row, now, isLive) {
  const found = row.latest.repetition;
  return found && isLive && isCurrent(found, now) ? found : null;
}

// A workout: what, and for how long; empty without one.
export function sessionText(session, now) {
  if (!session) return "";
  const activity = session.activity ?? "workout";
  if (session.end !== null) return `${activity} ended at ${clock(session.end)} after ${span(session.end - session.start)}`;
  return `${activity}${session.state === "paused" ? " paused" : ""}, ${span(now - session.start)}`;
}

// The set that is under way, else the last one, and what all have.
function setsTitle(sets, going) {
  const last = sets.at(-1);
  const now = going ? `set ${going.set}, ${going.count} × so far` : `last ${last.repetitions} × in ${span(last.end - last.start)}`;
  return `Sets: ${now}`;
}

// The latest first.
function fillSets(body, sets, going) {
  const rows = sets.map((each) => line([
    String(each.set), clock(each.end), `${each.repetitions} ×${each.exercise ? ` ${words(String(each.exercise))}` : ""}`, span(each.end - each.start),
    fixed(each.period, 1, " s") + (each.periodSpread == null ? "" : ` ± ${Math.round(each.periodSpread * 100)} %`),
    each.rangeOfMotion == null ? dash : degrees(each.rangeOfMotion),
  ]));
  if (going) rows.push(line([String(going.set), "now", `${going.count} ×`, dash, dash, dash], "going"));
  body.replaceChildren(...rows.reverse());
}

function line(texts, classNames = "") {
  const row = element("tr", classNames);
  row.append(...texts.map((text, column) => element("td", column === 5 ? "extra" : "", text)));
  return row;
}
