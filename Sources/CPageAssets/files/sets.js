// The sets of a workout, and the workout itself.

import { canvas, heading, label, set, table } from "./parts.js";
import { plot } from "./plot.js";
import { clock, dash, degrees, element, fixed, isCurrent, span, words } from "./text.js";

export class Sets {
  name = "sets";
  kinds = ["repetition", "set"];
  chosen = null; // the start of the set that is drawn; null for the latest

  constructor() {
    this.title = element("span");
    this.rows = element("tbody");
    this.canvas = canvas("Repetitions over time");
    this.canvas.className = "low";
    this.parts = [
      heading(this.title), this.canvas, table(["Set", "Time", "Repetitions", "Took", "Each", "Range of motion"], this.rows, ["Range of motion"]),
    ];
  }

  has(data, row, now, isLive) {
    return "set" in data.messages || going(row, now, isLive) !== null;
  }

  draw(data, row, now, isLive) {
    const sets = data.messages.set ?? [];
    const open = going(row, now, isLive);
    set(this.title, setsTitle(sets, open));
    const key = JSON.stringify([sets, open?.set, open?.count, this.chosen]);
    if (key !== this.key) {
      this.key = key;
      fillSets(this.rows, sets, open, this.chosen, (start) => { this.chosen = start === this.chosen ? null : start; });
    }
    const shown = sets.find((each) => each.start === this.chosen) ?? (open ? null : sets.at(-1));
    return this.drawRepetitions(data.plots.repetition, shown, open);
  }

  // Each repetition of a set, of the one that is under way where none is given: published messages have their instants.
  drawRepetitions(repetitions, shown, open) {
    const number = shown?.set ?? open?.set;
    const points = [];
    for (const [index, at] of (repetitions?.at ?? []).entries()) {
      const [count, of] = [repetitions.values[0][index], repetitions.values[1][index]];
      const isIn = shown ? at >= shown.start - 30 && at <= shown.end + 30 : true;
      if (of === number && isIn && count !== null) points.push([at, count]);
    }
    const begin = points.findLastIndex(([, count], index) => index > 0 && count < points[index - 1][1]);
    const own = points.slice(Math.max(0, begin));
    this.canvas.hidden = own.length < 2;
    if (this.canvas.hidden) return null;
    const [first, last] = [shown?.start ?? own[0][0], Math.max(shown?.end ?? 0, own.at(-1)[0])];
    const most = Math.max(own.at(-1)[1], shown?.repetitions ?? 0);
    const steps = own.flatMap(([at, count], index) => (index ? [[at, own[index - 1][1]], [at, count]] : [[at, count]]));
    label(this.canvas, `Set ${number}: ${most} repetitions from ${clock(first)} to ${clock(last)}`);
    const drawn = plot(this.canvas, {
      x: { low: first - 1, high: Math.max(last + 1, first + 10), label: clock },
      left: { low: 0, high: most + 1, label: (value) => (Number.isInteger(value) ? `${value} ×` : "") },
      series: [{ color: "accent", width: 2, points: steps }],
    });
    return { ...drawn, points: own.length };
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
function fillSets(body, sets, going, chosen, choose) {
  const rows = sets.map((each) => choosable(each.start, chosen, choose, line([
    String(each.set), clock(each.end), `${each.repetitions} ×${each.exercise ? ` ${words(String(each.exercise))}` : ""}`, span(each.end - each.start),
    fixed(each.period, 1, " s") + (each.periodSpread == null ? "" : ` ± ${Math.round(each.periodSpread * 100)} %`),
    each.rangeOfMotion == null ? dash : degrees(each.rangeOfMotion),
  ])));
  if (going) rows.push(line([String(going.set), "now", `${going.count} ×`, dash, dash, dash], "going"));
  body.replaceChildren(...rows.reverse());
}

function choosable(start, chosen, choose, row) {
  row.classList.toggle("selected", start === chosen);
  row.addEventListener("click", () => choose(start));
  return row;
}

function line(texts, classNames = "") {
  const row = element("tr", classNames);
  row.append(...texts.map((text, column) => element("td", column === 5 ? "extra" : "", text)));
  return row;
}
