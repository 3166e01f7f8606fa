// The sets of a workout as text and as rows, and the workout itself.

import { clock, dash, degrees, element, fixed, span } from "./text.js";

// A workout: what, and for how long; empty without one.
export function sessionText(session, now) {
  if (!session) return "";
  const activity = session.activity ?? "workout";
  if (session.end !== null) return `${activity} ended at ${clock(session.end)} after ${span(session.end - session.start)}`;
  return `${activity}${session.state === "paused" ? " paused" : ""}, ${span(now - session.start)}`;
}

// The set that is under way, else the last one, and what all have.
export function setsTitle(sets, going) {
  const last = sets.at(-1);
  const now = going ? `set ${going.number}, ${going.count} × so far` : `last ${last.repetitions} × in ${span(last.end - last.start)}`;
  return `Sets: ${now}`;
}

// The latest first.
export function fillSets(body, sets, going) {
  const rows = sets.map((each) => line([
    String(each.number), clock(each.end), `${each.repetitions} ×${each.exercise === null ? "" : ` ${each.exercise}`}`, span(each.end - each.start),
    fixed(each.period, 1, " s") + (each.spread === null ? "" : ` ± ${Math.round(each.spread * 100)} %`),
    each.rangeOfMotion === null ? dash : degrees(each.rangeOfMotion),
  ]));
  if (going) rows.push(line([String(going.number), "now", `${going.count} ×`, dash, dash, dash], "going"));
  body.replaceChildren(...rows.reverse());
}

function line(texts, classNames = "") {
  const row = element("tr", classNames);
  row.append(...texts.map((text, column) => element("td", column === 5 ? "extra" : "", text)));
  return row;
}
