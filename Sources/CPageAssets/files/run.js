// The altitude of somebody who walks or runs over time, or any other value of a kind.

import { canvas, heading, label, set } from "./parts.js";
import { plot } from "./plot.js";
import { cell } from "./row.js";
import { clock, element, fixed, isCurrent, perKilometer, span } from "./text.js";

// The first field of a kind over time, between its least and its greatest value.
export class Line {
  constructor(kind) {
    const title = kind[0].toUpperCase() + kind.slice(1).replace(/[-/]/g, " ");
    this.name = title;
    this.kinds = [kind];
    this.title = element("span", "", title);
    this.canvas = canvas(`${title} over time`);
    this.parts = [heading(this.title), this.canvas];
  }

  has(data) {
    return data.plots[this.kinds[0]]?.at.length >= 2;
  }

  draw(data) {
    const { unit } = data.plots[this.kinds[0]];
    set(this.title, `${this.name}${unit ? `, ${unit}` : ""}`);
    return this.line(data, [], "");
  }

  // The range of the plot includes some values. They are drawn in a unit, times a factor.
  line(data, included, unit, factor = 1) {
    const { at, values: [values], valid } = data.plots[this.kinds[0]];
    const shown = values.map((value, index) => (valid[index] === 1 && value !== null ? value * factor : null));
    const known = [...shown.filter((value) => value !== null), ...included];
    const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 0];
    const margin = Math.max((high - low) * 0.1, included.length && factor === 1 ? 1 : 0.01);
    const drawn = plot(this.canvas, {
      x: { low: at[0], high: Math.max(at.at(-1), at[0] + 30), label: clock },
      left: { low: low - margin, high: high + margin, label: (value) => `${Number(value.toPrecision(6))}${unit}` },
      series: [{ color: "ink", width: 1.6, points: at.map((time, index) => [time, shown[index]]) }],
    });
    return { ...drawn, points: at.length };
  }
}

export class Run extends Line {
  constructor() {
    super("altitude");
    this.name = "run";
  }

  draw(data, row, now, isLive) {
    const { pace, altitude } = row.latest;
    const count = [
      pace?.distance == null ? "" : fixed(pace.distance, 0, " m"), pace?.movingTime == null ? "" : `${span(pace.movingTime)} moving`,
      pace?.movingPace == null ? "" : perKilometer(pace.movingPace),
    ].filter(Boolean).join(", ");
    const climb = altitude?.ascent == null ? "" : `${fixed(altitude.ascent, 0, " m")} up`;
    const said = (text, message) => text && `${isLive && message.state !== "unknown" && isCurrent(message, now) ? "" : "? was "}${text}`;
    const facts = [said(count, pace), said(climb, altitude)].filter(Boolean).join(", ");
    set(this.title, `Run${facts ? `: ${facts}` : ""}`);
    label(this.canvas, `Altitude over time: ${cell(row, "climb", now, isLive).map(([, text]) => text).join("")}`);
    return this.line(data, [0], " m");
  }
}
