// A line of the last minutes in a row of the table.

const seconds = 300; // the minutes that are drawn
const step = 4; // s between two points at least
const setBack = 3600; // s by which a point is earlier than the one before where a clock was corrected
const space = "http://www.w3.org/2000/svg";

export class Trend {
  series = new Map(); // kind: [[at, value or null]]
  isSeen = false;
  offset = Math.random() * step; // so that the lines of a table are not all drawn at one time

  constructor() {
    this.node = document.createElementNS(space, "svg");
    this.node.setAttribute("viewBox", "0 0 100 20");
    this.node.setAttribute("preserveAspectRatio", "none");
    this.node.setAttribute("aria-hidden", "true");
    this.line = document.createElementNS(space, "path");
    this.node.append(this.line);
    this.node.trend = this;
  }

  get hasPoints() {
    return this.series.size > 0;
  }

  // Takes what a row says of the fields that are drawn.
  take(row, declared) {
    for (const { kind, field } of declared) {
      for (const point of row.trends?.[kind] ?? []) this.add(kind, point);
      const latest = row.latest[kind];
      if (latest?.at) this.add(kind, [latest.at, (latest.quality ?? "valid") === "valid" && Number.isFinite(latest[field]) ? latest[field] : null]);
    }
  }

  add(kind, [at, value]) {
    let points = this.series.get(kind) ?? [];
    // Of a clock that was corrected: what was drawn before lies ahead.
    if (points.length && at < points.at(-1)[0] - setBack) points = [];
    const last = points.at(-1);
    if (last && at < last[0] + step && !(value === null && last[1] !== null && at > last[0])) return;
    if (!last && value === null) return;
    points.push([at, value]);
    while (points[0][0] < at - seconds) points.shift();
    this.series.set(kind, points);
  }

  // Draws the kind that has a value in these minutes; of several the first that is declared. A depth goes down.
  draw(at) {
    const due = Math.floor((at + this.offset) / step);
    if (!this.isSeen || due === this.drawnAt) return;
    this.drawnAt = due;
    const [kind, points] = [...this.series].find(([, each]) => each.at(-1)[0] > at - seconds && each.some(([, value]) => value !== null)) ?? [null, []];
    const values = points.map(([, value]) => value).filter((value) => value !== null);
    const isDepth = kind === "depth-state";
    const low = isDepth ? 0 : Math.min(...values);
    const high = Math.max(...values, low + (isDepth ? 2 : 1e-9));
    let path = "";
    let isDrawing = false;
    for (const [time, value] of points) {
      if (value === null || time < at - seconds) {
        isDrawing = false;
        continue;
      }
      const part = (value - low) / (high - low);
      const [x, y] = [(100 * (time - at + seconds)) / seconds, 1 + 18 * (isDepth ? part : 1 - part)];
      path += `${isDrawing ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      // A point of its own is a dot.
      if (!isDrawing) path += "h.1";
      isDrawing = true;
    }
    this.node.setAttribute("class", kind ?? "");
    this.line.setAttribute("d", path);
  }
}
