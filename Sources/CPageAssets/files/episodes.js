// What a dive, a workout, a set, a night or a day of earlier was: its sums, and its drawing where the messages hold one.

import { canvas, label } from "./parts.js";
import { plot } from "./plot.js";
import { clock, element, fixed } from "./text.js";

const hour = 3600;

// The day of an instant on the viewer's calendar: 2025-11-21.
export function dayOf(at) {
  const date = new Date(at * 1000);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

// The episodes of a device as what is listed: the parts of a workout are one. A night is of the day on which it ended, a day of its date.
export function itemsOf(data) {
  const items = new Map();
  for (const episode of data.episodes) {
    if (episode.heading === null || episode.text === null) continue;
    const day = episode.message.date ?? dayOf(episode.kind === "sleep" ? episode.end : episode.start);
    const key = `${episode.heading} ${episode.start}`;
    const item = items.get(key) ?? { key, day, heading: episode.heading, start: episode.start, end: episode.end, text: episode.text, parts: [] };
    item.parts.push(episode);
    items.set(key, item);
  }
  return [...items.values()].sort((a, b) => a.start - b.start);
}

// 2 dives, 1 workout: what a day holds; without days, which every day has one of.
export function countsOf(items) {
  const counts = new Map();
  for (const { heading } of items) if (heading !== "Days") counts.set(heading, (counts.get(heading) ?? 0) + 1);
  return [...counts].map(([heading, count]) => `${count} ${(count === 1 ? heading.replace(/s$/, "") : heading).toLowerCase()}`);
}

// The nodes that show an item; draw() is called once they are in the page.
export function shownItem(item, data) {
  const nodes = [];
  const drawing = drawings[item.parts[0].kind]?.(item, data) ?? null;
  const made = drawing ? canvas(item.text) : null;
  if (made) nodes.push(made);
  for (const { kind, facts } of item.parts) {
    if (item.parts.length > 1) nodes.push(element("h4", "", kind.slice(kind.indexOf("/") + 1)));
    const list = element("dl");
    list.append(...facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]));
    nodes.push(list);
  }
  return {
    nodes,
    draw() {
      if (!made) return null;
      label(made, `${item.text}, from ${clock(item.start)} to ${clock(item.end)}`);
      return plot(made, drawing);
    },
  };
}

// What plot.js draws of a kind; null where its message has nothing to draw.
const drawings = {
  dive({ start, end, parts: [{ message }] }) {
    const { interval, depth } = message.profile ?? {};
    if (!depth?.length || !(interval > 0)) return null;
    const points = depth.map((value, index) => [start + (index + 0.5) * interval, value]);
    const line = [[start, 0], ...points, [end, 0]];
    const known = line.filter(([, value]) => value !== null);
    const deepest = Math.max(...known.map(([, value]) => value));
    // Nothing is filled where a depth was withheld.
    const areas = [];
    line.forEach(([at, value], index) => {
      if (value === null) return;
      if (index === 0 || line[index - 1][1] === null) areas.push({ color: "deep", points: [] });
      areas.at(-1).points.push([at, value]);
    });
    return {
      x: { low: start, high: Math.max(end, start + 1), label: clock },
      left: { low: 0, high: Math.max(deepest * 1.15, 2), inverted: true, label: (value) => `${value} m` },
      areas, series: [{ color: "ink", width: 1.6, points: line }],
      bands: points.filter(([, value]) => value === null).map(([at]) => ({ from: at - interval / 2, to: at + interval / 2, color: "withheld", hatched: true })),
      lines: [{ y: deepest, text: `${known.length < line.length ? "deeper than" : "deepest"} ${fixed(deepest, 1, " m")}`, color: "muted" }],
    };
  },

  // The sleep period, and below it when the watch was worn.
  sleep({ start, end }, data) {
    const [low, high] = [start - 2 * hour, end + 2 * hour];
    const strip = worn(data).filter((part) => part.to > low && part.from < high);
    return {
      x: { low, high, label: (at) => clock(at).slice(0, 5) }, left: { low: 0, high: 1, label: () => "" },
      bands: [{ from: start, to: end, color: "deep" }], strip,
      marks: [{ x: start, text: `asleep ${clock(start).slice(0, 5)}`, color: "muted", dashed: true }, { x: end, text: `awake ${clock(end).slice(0, 5)}`, color: "muted", dashed: true }],
    };
  },

  // Steps by the hour, from the segments of that day, each spread over its time; and when the watch was worn.
  day({ start }, data) {
    const steps = new Array(24).fill(0);
    for (const { kind, message } of data.episodes) {
      if (kind !== "segment" || !(message.steps > 0)) continue;
      for (let index = 0; index < 24; index += 1) {
        const [from, to] = [start + index * hour, start + (index + 1) * hour];
        const length = Math.max(message.end - message.start, 1e-3);
        steps[index] += message.steps * Math.max(0, Math.min(message.end, to) - Math.max(message.start, from)) / length;
      }
    }
    const strip = worn(data).map((part) => ({ ...part, from: Math.max(part.from, start), to: Math.min(part.to, start + 24 * hour) })).filter((part) => part.to > part.from);
    const most = Math.max(...steps);
    if (most === 0 && strip.length === 0) return null;
    return {
      x: { low: start, high: start + 24 * hour, label: (at) => clock(at).slice(0, 5) },
      left: { low: 0, high: Math.max(most * 1.1, 10), label: (value) => (most ? `${value}` : "") }, strip,
      areas: steps.map((count, index) => ({ color: "accent", isSolid: true, points: [[start + index * hour + 180, count], [start + (index + 1) * hour - 180, count]] })),
    };
  },
};

// Times in which a watch was worn and was not, from its changes: each has the state before it with its time.
function worn(data) {
  const colors = { worn: "good", notWorn: "unknown" };
  const changes = data.episodes.filter(({ kind }) => kind === "wear").map(({ message }) => message).sort((a, b) => a.since - b.since);
  const parts = changes.filter(({ start, end }) => start != null && end != null).map(({ start, end, previous }) => ({ from: start, to: end, color: colors[previous] }));
  const last = changes.at(-1);
  if (last) parts.push({ from: last.since, to: data.to, color: colors[last.state] });
  return parts.filter(({ color }) => color);
}
