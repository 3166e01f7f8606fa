// One device: its dive profile, run, sets, swings, head pose and timeline. Or one gateway.

import { divePlot } from "./dive.js";
import { drawHead } from "./head.js";
import { button, canvas, fillTimeline, heading, label, set, table } from "./parts.js";
import { plot } from "./plot.js";
import { climb } from "./row.js";
import { fillSets, sessionText, setsTitle } from "./sets.js";
import { clock, dash, degrees, element, fixed, hours, isCurrent, moment, percent, perKilometer, span, zones } from "./text.js";

export class Detail {
  id = null;
  plots = {};

  // page: row(id), gateway(name), isLive(), close().
  constructor(root, page) {
    this.root = root;
    this.page = page;
  }

  open(id) {
    if (id === this.id) return;
    this.id = id;
    this.data = null;
    this.plots = {};
    this.chosen = null;
    this.revision = null;
    this.parts = null;
    this.root.hidden = id === null;
    this.root.replaceChildren();
    if (id !== null) this.load();
  }

  // Everything may have changed: the server was restarted, or events were missed.
  reload() {
    if (this.id !== null) this.load();
  }

  async load() {
    const id = this.id;
    if (id.startsWith("gateway:") || this.isLoading) return;
    this.isLoading = true;
    const answer = await fetch(`api/devices/${encodeURIComponent(id)}`).catch(() => null);
    const data = answer?.ok ? await answer.json() : null;
    this.isLoading = false;
    if (id !== this.id) return this.id === null ? undefined : this.load();
    if (!data) return;
    this.data = data;
    this.revision = data.row.revision;
    this.isStale = true;
  }

  // A row has changed: its depth is added to the profile; the rest of the history is loaded again.
  note(row) {
    if (row.id !== this.id || !this.data) return;
    const { depths } = this.data;
    if (row.water && row.water.at !== null && row.water.at > (depths.at.at(-1) ?? 0)) {
      depths.at.push(row.water.at);
      depths.depth.push(row.water.depth);
      depths.zone.push(row.water.zone);
      depths.valid.push(row.water.quality === "valid" ? 1 : 0);
      if (depths.at.length > 600) for (const column of Object.values(depths)) column.shift();
    }
    const { heights } = this.data;
    const climb = row.run?.climb;
    if (climb && climb.at !== null && climb.at > (heights.at.at(-1) ?? 0)) {
      heights.at.push(climb.at);
      heights.height.push(climb.quality === "valid" ? climb.height : null);
      heights.distance.push(row.run.distance);
      if (heights.at.length > 600) for (const column of Object.values(heights)) column.shift();
    }
    if (row.revision !== this.revision && !this.isLoading) this.load();
  }

  refresh(now) {
    if (this.id === null) return;
    if (this.id.startsWith("gateway:")) return this.showGateway(now);
    if (!this.data) return;
    const row = this.page.row(this.id) ?? this.data.row;
    const parts = (this.parts ??= this.build());
    set(parts.state, [row.connection, sessionText(row.session, now), ...row.refused, row.error].filter(Boolean).join(" · "));
    const hasDepths = this.data.depths.at.length > 0;
    parts.dive.hidden = !hasDepths;
    if (hasDepths) this.drawDive(row, now);
    parts.run.hidden = this.data.heights.at.length < 2;
    if (!parts.run.hidden) this.drawRun(row, now);
    const going = this.going(row, now);
    parts.sets.hidden = !this.data.sets.length && !going;
    if (!parts.sets.hidden) this.drawSets(going);
    parts.swing.hidden = !this.data.swings.length;
    if (this.data.swings.length) this.drawSwing();
    parts.night.hidden = !row.night;
    if (row.night) this.showNight(row.night);
    parts.tremor.hidden = !row.tremor;
    if (row.tremor) this.showTremor(row.tremor);
    parts.pose.hidden = !row.head || row.head.yaw === null;
    if (!parts.pose.hidden) this.drawPose(row.head, now);
    if (this.isStale) {
      this.isStale = false;
      fillTimeline(parts.timeline, this.data.timeline);
    }
  }

  build() {
    const parts = { state: element("p") };
    for (const name of ["dive", "run", "sets", "swing", "pose", "night", "tremor"]) parts[name] = element("section");
    this.root.replaceChildren(this.title(this.id, parts.state), parts.dive, parts.run, parts.sets, parts.swing, parts.pose, parts.night, parts.tremor);

    parts.diveTitle = element("span", "", "Depth");
    const legend = element("span", "legend");
    for (const zone of [200, 300, 400, 500]) legend.append(element("span", `z${zone}`, zones[zone]));
    parts.diveCanvas = canvas("Depth over time");
    parts.dive.append(heading(parts.diveTitle, legend), parts.diveCanvas);

    parts.runTitle = element("span", "", "Run");
    parts.runCanvas = canvas("Altitude over time");
    parts.run.append(heading(parts.runTitle), parts.runCanvas);

    parts.setsTitle = element("span");
    parts.setRows = element("tbody");
    parts.sets.append(
      heading(parts.setsTitle), table(["Set", "Time", "Repetitions", "Took", "Each", "Range of motion"], parts.setRows, ["Range of motion"]));

    parts.swingTitle = element("span");
    parts.earlier = button("‹ earlier", () => this.choose(-1));
    parts.later = button("later ›", () => this.choose(1));
    const pair = element("span", "pair");
    pair.append(parts.earlier, parts.later);
    const keys = element("span", "legend");
    for (const [name, text] of [["acceleration", "acceleration, G"], ["rotation", "rotation, rad/s"]]) {
      const key = element("span", `key-${name}`, text);
      keys.append(key);
    }
    parts.swingCanvas = canvas("Acceleration and rotation around a swing");
    parts.swingText = element("p", "quiet");
    parts.swingRows = element("tbody");
    parts.swing.append(
      heading(parts.swingTitle, pair, keys), parts.swingCanvas, parts.swingText,
      table(["", "Time", "To contact", "Peak", "Rotation", "Confidence", "Coverage"], parts.swingRows, ["Confidence", "Coverage"]));

    parts.dial = canvas("The head from above");
    parts.dial.className = "dial";
    parts.angles = element("dl");
    const pose = element("div", "pose");
    pose.append(parts.dial, parts.angles);
    parts.pose.append(heading(element("span", "", "Head, from above")), pose);

    parts.nightFacts = element("dl");
    parts.night.append(heading(element("span", "", "Last night and day")), parts.nightFacts);
    parts.tremorFacts = element("dl");
    parts.tremor.append(heading(element("span", "", "Tremor, for research")), parts.tremorFacts);

    parts.timeline = element("ol", "timeline");
    this.root.append(heading(element("span", "", "What happened")), parts.timeline);
    return parts;
  }

  title(text, state) {
    const line = element("div", "title");
    const close = button("Close", this.page.close);
    close.title = "Escape";
    line.append(element("h2", "", text), state, close);
    return line;
  }

  drawDive(row, now) {
    const water = row.water;
    const isLive = this.page.isLive();
    this.plots.dive = plot(this.parts.diveCanvas, divePlot(this.data, water, now, isLive));
    this.plots.dive.points = this.data.depths.at.length;
    const isNow = water && isLive && isCurrent(water, now) && water.zone !== 0;
    const figure = isNow ? `${zones[water.zone]}${water.zone > 100 && water.depth !== null ? ` ${fixed(water.depth, 1, " m")}` : ""}` : "not current";
    const deepest = water?.deepest != null ? `, ${water.wasTooDeep ? "deeper than" : "deepest"} ${fixed(water.deepest, 1, " m")}` : "";
    set(this.parts.diveTitle, `Depth: ${figure}${deepest}`);
    label(this.parts.diveCanvas, `Depth over time: ${figure}${deepest}`);
  }

  // The altitude over the start, over time.
  drawRun(row, now) {
    const { at, height } = this.data.heights;
    const known = height.filter((value) => value !== null);
    const [low, high] = [Math.min(...known, 0), Math.max(...known, 0)];
    const margin = Math.max((high - low) * 0.1, 1);
    this.plots.run = plot(this.parts.runCanvas, {
      x: { low: at[0], high: Math.max(at.at(-1), at[0] + 30), label: clock },
      left: { low: low - margin, high: high + margin, label: (value) => `${value} m` },
      series: [{ color: "ink", width: 1.6, points: at.map((time, index) => [time, height[index]]) }],
    });
    this.plots.run.points = at.length;
    const run = row.run;
    const facts = run && [
      run.distance === null ? "" : fixed(run.distance, 0, " m"), run.movingTime === null ? "" : `${span(run.movingTime)} moving`,
      run.movingPace === null ? "" : perKilometer(run.movingPace), run.climb.ascent === null ? "" : `${fixed(run.climb.ascent, 0, " m")} up`,
    ].filter(Boolean).join(", ");
    set(this.parts.runTitle, `Run${facts ? `: ${facts}` : ""}`);
    label(this.parts.runCanvas, `Altitude over time: ${climb(row, now, this.page.isLive()).map(([, text]) => text).join("")}`);
  }

  // --- Sets

  // The set that is under way; null where there is none, or its count is no longer valid.
  going(row, now) {
    const found = row.exercise?.set;
    return found && this.page.isLive() && isCurrent(found, now) ? found : null;
  }

  drawSets(going) {
    const { sets } = this.data;
    set(this.parts.setsTitle, setsTitle(sets, going));
    const key = JSON.stringify([sets, going?.number, going?.count]);
    if (key === this.setsKey && this.parts.setRows.children.length) return;
    this.setsKey = key;
    fillSets(this.parts.setRows, sets, going);
  }

  // --- Swings

  choose(step) {
    const { swings } = this.data;
    const index = Math.min(Math.max(this.index() + step, 0), swings.length - 1);
    this.chosen = index === swings.length - 1 ? null : swings[index].at;
    this.drawSwing();
  }

  // The chosen swing, else the latest.
  index() {
    const { swings } = this.data;
    const index = swings.findIndex((swing) => swing.at === this.chosen);
    return index < 0 ? swings.length - 1 : index;
  }

  drawSwing() {
    const { swings, traces } = this.data;
    const { parts } = this;
    const index = this.index();
    const swing = swings[index];
    const trace = traces.find((candidate) => Math.abs(candidate.swingAt - swing.at) < 1e-5);
    set(parts.swingTitle, `Swing ${index + 1} of ${swings.length}, ${clock(swing.at)}`);
    parts.earlier.disabled = index === 0;
    parts.later.disabled = index === swings.length - 1;
    parts.swingCanvas.hidden = !trace;
    const result = swing.contact ? `hit, ${Math.round(swing.timeToContact * 1000)} ms, ${fixed(swing.peakAcceleration, 1, " G")}` : "miss";
    label(parts.swingCanvas, `Acceleration and rotation around a swing: ${result}`);
    set(parts.swingText, trace ? "" : "No samples of this swing were published. derive.swingTrace.enabled: true publishes those of new ones.");
    parts.swingText.hidden = Boolean(trace);
    this.plots.swing = trace ? { ...this.drawTrace(trace), swing } : null;
    const key = JSON.stringify([index, swings]);
    if (key === this.swingKey && parts.swingRows.children.length) return;
    this.swingKey = key;
    parts.swingRows.replaceChildren(...swings.map((each, position) => this.swingRow(each, position === index)).reverse());
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
    if (impactAt !== null) marks.push({ x: impactAt, text: `impact ${Math.round((impactAt - startAt) * 1000)} ms`, color: "danger" });
    const milliseconds = (value) => `${Math.round((value - startAt) * 1000)} ms`.replace("-", "−");
    const ticks = [];
    // Two labels are 64 pixels apart at least.
    const step = [0.2, 0.4, 0.8].find((each) => (each / (end - from)) * this.parts.swingCanvas.clientWidth > 76) ?? 1.6;
    for (let at = Math.ceil((from - startAt) / step) * step; startAt + at < end; at += step) ticks.push(startAt + at);
    const drawn = plot(this.parts.swingCanvas, {
      x: { low: from, high: end, label: milliseconds, ticks },
      left: { low: 0, high: Math.max(greatest(acceleration) * 1.12, 2), label: (value) => `${value} G`, color: "acceleration" },
      right: { low: -reach, high: reach, label: (value) => fixed(value, 0), color: "rotation" },
      series: [
        { axis: "right", color: "rotation", width: 1.4, points: rotation },
        { color: "acceleration", width: 1.4, points: acceleration },
      ],
      marks,
    });
    return { ...drawn, from, end, startPixel: drawn.x(startAt), impactPixel: impactAt === null ? null : drawn.x(impactAt) };
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
      this.drawSwing();
    });
    return row;
  }

  // --- Head

  drawPose(head, now) {
    const { dial, angles } = this.parts;
    const isNow = this.page.isLive() && isCurrent(head, now) && head.connection !== "disconnected";
    drawHead(dial, head, isNow);
    const values = [
      ["yaw", degrees(head.yaw)], ["pitch", degrees(head.pitch)], ["roll", degrees(head.roll)],
      ["measured in", { headphoneLeft: "left bud", headphoneRight: "right bud" }[head.bud] ?? "headphones"],
    ];
    const text = JSON.stringify([values, isNow]);
    if (text === this.poseText && angles.children.length) return;
    this.poseText = text;
    label(dial, `The head from above: ${isNow ? "" : "? was "}${values.map((each) => each.join(" ")).join(", ")}`);
    angles.replaceChildren(...values.flatMap(([name, value]) => [element("dt", "", name), element("dd", isNow ? "" : "was", isNow ? value : `? was ${value}`)]));
  }

  // --- Night

  showNight(night) {
    const facts = [
      ["asleep", night.asleep === null ? "" : `${hours(night.asleep)} of ${hours(night.duration)}`],
      ["from", night.start === null ? "" : `${clock(night.start)} to ${clock(night.end)}`],
      ["awakenings", night.awakenings === null ? "" : String(night.awakenings)],
      ["day", night.date ?? ""], ["worn on it", night.worn === null ? "" : hours(night.worn)],
      ["steps", night.steps === null ? "" : String(night.steps)],
      ["the watch", { worn: "is worn", notWorn: "is not worn" }[night.wear] ?? ""],
    ].filter(([, text]) => text);
    this.showFacts(this.parts.nightFacts, facts);
  }

  // --- Tremor

  showTremor(tremor) {
    const facts = [
      ["tremor", tremor.share === null ? "" : `${percent(tremor.share)} of a minute${tremor.grade === null ? "" : `, mostly ${tremor.grade}`}`],
      ["frequency", tremor.frequency === null ? "" : fixed(tremor.frequency, 1, " Hz")],
      ["found by", { spectral: "the gateway", apple: "Apple's movement disorder manager" }[tremor.method] ?? ""],
      ["minute", tremor.at === null ? "" : `until ${moment(tremor.at)}`],
      ["dyskinesia", tremor.likely === null ? "" : `likely in ${percent(tremor.likely)} of a minute`],
      ["minute", tremor.dyskinesiaAt === null || tremor.dyskinesiaAt === tremor.at ? "" : `until ${moment(tremor.dyskinesiaAt)}`],
    ].filter(([, text]) => text);
    this.showFacts(this.parts.tremorFacts, facts);
  }

  // Names and texts as a list, written anew where they differ.
  showFacts(list, facts) {
    const key = JSON.stringify(facts);
    if (key === list.dataset.key) return;
    list.dataset.key = key;
    list.replaceChildren(...facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]));
  }

  // --- A gateway

  showGateway(now) {
    const gateway = this.page.gateway(this.id.slice("gateway:".length));
    const key = JSON.stringify([gateway, Math.floor(now)]);
    if (key === this.gatewayKey && this.parts) return;
    this.gatewayKey = key;
    this.parts = {};
    if (!gateway) return this.root.replaceChildren(this.title(this.id, element("p", "", "not known")));
    const facts = element("dl");
    for (const [name, value] of [
      ["state", gateway.state], ["receives", gateway.ingress], ["last status", `${span(now - gateway.at)} ago`],
      ["storage", gateway.storageProblem], ["registry", gateway.registryProblem], ["rejected", String(gateway.rejected)],
    ]) if (value) facts.append(element("dt", "", name), element("dd", "", value));
    const timeline = element("ol", "timeline");
    fillTimeline(timeline, gateway.timeline ?? []);
    this.root.replaceChildren(
      this.title(`Gateway ${gateway.name}`, element("p")), facts,
      heading(element("span", "", "Frames of no known device, and changes of state")), timeline);
  }
}
