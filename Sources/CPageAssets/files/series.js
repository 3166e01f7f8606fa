// Values of a kind over time that are more than a line: tremor by the minute, and the sway of a pose.

import { canvas, heading, label, set } from "./parts.js";
import { plot } from "./plot.js";
import { Line } from "./run.js";
import { clock, element, isCurrent, span } from "./text.js";

const grades = [["slight", "shallow"], ["mild", "deep"], ["moderate", "approaching"], ["severe", "past"]];

// A bar for each minute: how much of it had a tremor of each grade; hatched where nothing is known.
export class Tremor {
  name = "tremor";
  kinds = ["tremor"];

  constructor() {
    this.title = element("span", "", "Tremor by the minute");
    const legend = element("span", "legend");
    for (const [grade, color] of grades) legend.append(element("span", `key-${color}`, grade));
    this.canvas = canvas("Tremor by the minute");
    this.parts = [heading(this.title, legend), this.canvas];
  }

  has(data) {
    return data.plots.tremor?.at.length > 0;
  }

  draw(data) {
    const { at, fields, values } = data.plots.tremor;
    const column = (name) => values[fields.indexOf(name)];
    // A minute is published again when late data change it: the last one counts.
    const minutes = [...new Map(at.map((end, index) => [end, index]))].sort(([a], [b]) => a - b);
    const [areas, bands] = [[], []];
    for (const [end, index] of minutes) {
      let top = 0;
      // From the whole to the part below it: a bar covers those before.
      const bars = grades.map(([grade, color]) => ({ color, value: (top += column(grade)[index] ?? 0) })).reverse();
      for (const { color, value } of bars) if (value > 0) areas.push({ color, isSolid: true, points: [[end - 58, value * 100], [end - 2, value * 100]] });
      if ((column("unknown")[index] ?? 0) > 0.5) bands.push({ from: end - 60, to: end, color: "unknown", hatched: true });
    }
    const [first, last] = [minutes[0][0] - 60, minutes.at(-1)[0]];
    label(this.canvas, `Tremor by the minute, ${clock(first)} to ${clock(last)}`);
    const drawn = plot(this.canvas, {
      x: { low: Math.min(first, last - 600), high: last, label: clock },
      left: { low: 0, high: 100, label: (value) => `${value} %` }, areas, bands,
    });
    return { ...drawn, points: minutes.length };
  }
}

// How far the arm sways while a pose is held.
export class Poses extends Line {
  constructor() {
    super("pose");
    this.name = "pose";
  }

  draw(data, row, now, isLive) {
    const { pose, since, sway } = row.latest.pose ?? {};
    const isHeld = pose && isLive && isCurrent(row.latest.pose, now);
    set(this.title, `Sway of the pose${isHeld ? `: ${pose}, ${span(now - since)}, ${((sway * 180) / Math.PI).toFixed(1)}°` : ""}`);
    return this.line(data, [0], "°", 180 / Math.PI);
  }
}
