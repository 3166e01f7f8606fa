// The depth of a device over time.

import { canvas, heading, label, set } from "./parts.js";
import { plot } from "./plot.js";
import { clock, element, fixed, isCurrent, zones } from "./text.js";

const profileSeconds = 600;
const zoneColors = { 0: "unknown", 100: "surface-water", 200: "shallow", 300: "deep", 400: "approaching", 500: "past", 600: "withheld" };

export class Dive {
  name = "dive";
  kinds = ["depth-state"];

  constructor() {
    this.title = element("span", "", "Depth");
    const legend = element("span", "legend");
    for (const zone of [200, 300, 400, 500]) legend.append(element("span", `z${zone}`, zones[zone]));
    this.canvas = canvas("Depth over time");
    this.parts = [heading(this.title, legend), this.canvas];
  }

  has(data) {
    return "depth-state" in data.plots;
  }

  draw(data, row, now, isLive) {
    const { water } = row;
    const isNow = water && isLive && isCurrent(water, now) && water.zone !== 0;
    const figure = isNow ? `${zones[water.zone]}${water.zone > 100 && water.depth !== null ? ` ${fixed(water.depth, 1, " m")}` : ""}` : "not current";
    const deepest = water?.deepest != null ? `, ${water.wasTooDeep ? "deeper than" : "deepest"} ${fixed(water.deepest, 1, " m")}` : "";
    set(this.title, `Depth: ${figure}${deepest}`);
    label(this.canvas, `Depth over time: ${figure}${deepest}`);
    return { ...plot(this.canvas, profile(data, water, now, isLive)), points: data.plots["depth-state"].at.length };
  }
}

// What plot.js draws of a device's history; water is its row's, null where nothing is known.
function profile(data, water, now, isLive) {
  const { at, values: [depth, zone], valid } = data.plots["depth-state"];
  const from = Math.max(at[0], now - profileSeconds);
  const to = Math.max(now, from + 30);
  const points = at.map((time, index) => ({ at: time, depth: zone[index] === 100 ? 0 : depth[index], zone: zone[index], isValid: valid[index] === 1 }));
  const areas = [];
  const bands = [];
  const line = [];
  points.forEach((point, index) => {
    const next = points[index + 1];
    const end = next?.at ?? endOf(point, water, now, isLive);
    if (end < from) return;
    const isKnown = point.isValid && point.depth !== null && point.zone !== 0;
    if (!isKnown) {
      const last = bands.at(-1);
      const color = zoneColors[point.zone];
      if (last?.to === point.at && last.color === color) last.to = end;
      else bands.push({ from: Math.max(point.at, from), to: end, color, hatched: true });
      if (line.length) line.push([point.at, null]);
      return;
    }
    line.push([point.at, point.depth]);
    // At the surface, and after the last measurement while it holds, the depth stays as it is.
    const isStep = point.zone === 100 || !next;
    const value = isStep ? point.depth : next.isValid && next.depth !== null && next.zone !== 0 ? next.depth : point.depth;
    if (isStep) line.push([end, point.depth]);
    if (point.zone > 100 || value > 0) {
      const color = zoneColors[point.zone === 100 ? next?.zone ?? 100 : point.zone];
      const last = areas.at(-1);
      const added = [[point.at, point.depth], [end, isStep ? point.depth : value]];
      if (last?.color === color && last.points.at(-1)[0] === point.at) last.points.push(...added);
      else areas.push({ color, points: added });
    }
    if (!next && end < now && point.zone > 100) bands.push({ from: end, to: now, color: "unknown", hatched: true });
  });
  const limit = water?.maximumDepth ?? null;
  const deepest = Math.max(...points.filter((point) => point.at >= from && point.depth !== null).map((point) => point.depth), 0);
  const low = Math.max(deepest * 1.15, limit !== null && deepest > limit * 0.4 ? limit * 1.12 : 0, 2);
  for (const entry of data.timeline) if (entry.kind === "gap") bands.push({ from: entry.at, to: entry.at + 0.5, color: "approaching" });
  // A hatch of a moment is a few dots: the break of the line shows the place.
  const isShown = (band) => band.to - band.from > 0.5 || !band.hatched
    || bands.some((other) => other.hatched && (other.to === band.from || other.from === band.to));
  return {
    x: { low: from, high: to, label: clock },
    left: { low: 0, high: low, inverted: true, label: (value) => `${value} m` },
    bands: bands.filter(isShown), areas, series: [{ color: "ink", width: 1.6, points: line }],
    lines: limit !== null && limit <= low ? [{ y: limit, text: `limit ${limit} m`, color: "danger" }] : [],
    strip: connectionStrip(data.timeline, from, to),
  };
}

// Until when the last point may be drawn as it is.
function endOf(point, water, now, isLive) {
  const until = water?.validUntil ?? (point.zone === 100 && isLive ? now : point.at);
  return Math.min(now, until);
}

// Connected, silent and disconnected, below the profile.
function connectionStrip(timeline, from, to) {
  const colors = { connected: "good", silent: "approaching", disconnected: "unknown" };
  const changes = timeline.filter((entry) => entry.kind === "connection/device" && entry.state);
  return changes.map((entry, index) => ({
    from: Math.max(from, entry.at), to: changes[index + 1]?.at ?? to, color: colors[entry.state] ?? "unknown",
  })).filter((part) => part.to > from);
}
