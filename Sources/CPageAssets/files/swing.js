// The swings of a device, and the samples around one of them.

import { button, canvas, heading, label, set, table } from "./parts.js";
import { plot } from "./plot.js";
import { clock, dash, element, fixed } from "./text.js";

export class Swings {
  name = "swing";
  kinds = ["swing", "trace/swing"];
  chosen = null;

  constructor() {
    this.title = element("span");
    this.earlier = button("‹ earlier", () => this.choose(-1));
    this.later = button("later ›", () => this.choose(1));
    const pair = element("span", "pair");
    pair.append(this.earlier, this.later);
    const keys = element("span", "legend");
    for (const [name, text] of [["acceleration", "acceleration, G"], ["rotation", "rotation, rad/s"]]) keys.append(element("span", `key-${name}`, text));
    this.canvas = canvas("Acceleration and rotation around a swing");
    this.text = element("p", "quiet");
    this.rows = element("tbody");
    this.parts = [
      heading(this.title, pair, keys), this.canvas, this.text,
      table(["", "Time", "To contact", "Peak", "Rotation", "Confidence", "Coverage"], this.rows, ["Confidence", "Coverage"]),
    ];
  }

  has(data) {
    return "swing" in data.messages;
  }

  draw(data) {
    this.data = data;
    this.show();
    return this.plot;
  }

  choose(step) {
    const { swing: swings } = this.data.messages;
    const index = Math.min(Math.max(this.index() + step, 0), swings.length - 1);
    this.chosen = index === swings.length - 1 ? null : swings[index].at;
    this.show();
  }

  // The chosen swing, else the latest.
  index() {
    const { swing: swings } = this.data.messages;
    const index = swings.findIndex((swing) => swing.at === this.chosen);
    return index < 0 ? swings.length - 1 : index;
  }

  show() {
    const { swing: swings } = this.data.messages;
    const traces = (this.data.messages["trace/swing"] ?? []).filter((each) => [each.acceleration, each.rotationRate].every(isSignal));
    const index = this.index();
    const swing = swings[index];
    const trace = traces.find((candidate) => Math.abs(candidate.swingAt - swing.at) < 1e-5);
    set(this.title, `Swing ${index + 1} of ${swings.length}, ${clock(swing.at)}`);
    this.earlier.disabled = index === 0;
    this.later.disabled = index === swings.length - 1;
    this.canvas.hidden = !trace;
    const result = swing.contact ? `hit, ${Math.round(swing.timeToContact * 1000)} ms, ${fixed(swing.peakAcceleration, 1, " G")}` : "miss";
    label(this.canvas, `Acceleration and rotation around a swing: ${result}`);
    set(this.text, trace ? "" : "No samples of this swing were published. derive.swingTrace.enabled: true publishes those of new ones.");
    this.text.hidden = Boolean(trace);
    const key = JSON.stringify([index, swings]);
    if (key !== this.key) {
      this.key = key;
      this.rows.replaceChildren(...swings.map((each, position) => this.swingRow(each, position === index)).reverse());
    }
    this.plot = trace ? { ...this.drawTrace(trace), swing } : null;
  }

  drawTrace(trace) {
    const { from, startAt, impactAt } = trace;
    const points = (signal) => signal.values.map((value, index) => [from + index * signal.interval, value === null ? null : value * signal.scale]);
    const acceleration = points(trace.acceleration);
    const rotation = points(trace.rotationRate);
    const greatest = (list) => list.reduce((most, [, value]) => Math.max(most, Math.abs(value ?? 0)), 0);
    const end = Math.max(acceleration.at(-1)?.[0] ?? from, rotation.at(-1)?.[0] ?? from, from + 0.1);
    const reach = Math.max(greatest(rotation) * 1.1, 1);
    const marks = [{ x: startAt, text: "start", color: "muted", dashed: true }];
    if (impactAt != null) marks.push({ x: impactAt, text: `impact ${Math.round((impactAt - startAt) * 1000)} ms`, color: "danger" });
    const milliseconds = (value) => `${Math.round((value - startAt) * 1000)} ms`.replace("-", "−");
    const ticks = [];
    // Two labels are 64 pixels apart at least.
    const step = [0.2, 0.4, 0.8].find((each) => (each / (end - from)) * this.canvas.clientWidth > 76) ?? 1.6;
    for (let at = Math.ceil((from - startAt) / step) * step; startAt + at < end; at += step) ticks.push(startAt + at);
    const drawn = plot(this.canvas, {
      x: { low: from, high: end, label: milliseconds, ticks },
      left: { low: 0, high: Math.max(greatest(acceleration) * 1.12, 2), label: (value) => `${value} G`, color: "acceleration" },
      right: { low: -reach, high: reach, label: (value) => fixed(value, 0), color: "rotation" },
      series: [
        { axis: "right", color: "rotation", width: 1.4, points: rotation },
        { color: "acceleration", width: 1.4, points: acceleration },
      ],
      marks,
    });
    return { ...drawn, from, end, startPixel: drawn.x(startAt), impactPixel: impactAt == null ? null : drawn.x(impactAt) };
  }

  swingRow(swing, isChosen) {
    const row = element("tr", isChosen ? "selected" : "");
    const cells = [
      swing.contact ? "● hit" : "○ miss", clock(swing.at), swing.contact ? `${Math.round(swing.timeToContact * 1000)} ms` : dash,
      swing.contact ? fixed(swing.peakAcceleration, 1, " G") : dash, fixed(swing.peakRotationRate, 1, " rad/s"),
      fixed(swing.confidence, 2), fixed(swing.coverage, 2),
    ];
    row.append(...cells.map((text, column) => element("td", column > 4 ? "extra" : "", text)));
    row.addEventListener("click", () => {
      this.chosen = swing.at;
      this.show();
    });
    return row;
  }
}

function isSignal(signal) {
  return Number.isFinite(signal.interval) && Number.isFinite(signal.scale) && Array.isArray(signal.values);
}
