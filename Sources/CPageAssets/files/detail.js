// One device: what is drawn of it, its facts and its timeline. Or one gateway.

import { Dive } from "./dive.js";
import { DeviceDays } from "./earlier.js";
import { Head } from "./head.js";
import { button, fillTimeline, heading, refusal, set } from "./parts.js";
import { link } from "./row.js";
import { Line, Run } from "./run.js";
import { Poses, Tremor } from "./series.js";
import { sessionText, Sets } from "./sets.js";
import { Swings } from "./swing.js";
import { element, isCurrent, moment, shown, span } from "./text.js";

const mostPoints = 600;

export class Detail {
  id = null;
  drawings = [];

  // page: row(id), gateway(name), isLive(row), close().
  constructor(root, page) {
    this.root = root;
    this.page = page;
  }

  // What is drawn, for tests.
  get plots() {
    return Object.fromEntries(this.drawings.map(({ name, plot }) => [name, plot]));
  }

  open(id) {
    if (id === this.id) return;
    this.id = id;
    this.data = null;
    this.drawings = [];
    this.revision = null;
    this.parts = null;
    this.earlier = id === null || id.startsWith("gateway:") ? null : new DeviceDays(id);
    this.root.hidden = id === null;
    this.root.replaceChildren();
    if (id !== null) this.load();
  }

  // Everything may have changed: the server was restarted, or events were missed.
  reload() {
    this.revision = -1;
    if (this.id !== null) this.load();
    this.earlier?.load();
  }

  // A device that was removed to make room for others begins anew when it returns.
  forget(id) {
    if (id === this.id) this.revision = -1;
  }

  async load() {
    const id = this.id;
    if (id.startsWith("gateway:") || this.isLoading) return;
    this.isLoading = true;
    const answer = await fetch(`api/devices/${encodeURIComponent(id)}`).catch(() => null);
    const data = answer?.ok ? await answer.json().catch(() => null) : null;
    const problem = data ? "" : answer?.status === 404 ? "not known" : await refusal(answer);
    this.isLoading = false;
    if (id !== this.id) return this.id === null ? undefined : this.load();
    if (!data) {
      if (!this.data) this.root.replaceChildren(this.title(id, element("p", "", problem)));
      return;
    }
    this.data = data;
    this.revision = data.row.revision;
    this.isStale = true;
    // A row that was received meanwhile.
    const row = this.page.row(id);
    if (row) this.note(row);
  }

  // A row has changed: its values are added to the plots; the rest of the history is loaded again.
  note(row) {
    if (row.id !== this.id) return;
    if (!this.data) return this.load();
    for (const [kind, { at, valid, fields, values }] of Object.entries(this.data.plots)) {
      const latest = row.latest[kind];
      if (!(latest?.at > (at.at(-1) ?? 0))) continue;
      at.push(latest.at);
      valid.push((latest.quality ?? "valid") === "valid" ? 1 : 0);
      fields.forEach((field, index) => values[index].push(Number.isFinite(latest[field]) ? latest[field] : null));
      if (at.length > mostPoints) for (const column of [at, valid, ...values]) column.shift();
    }
    if (row.revision > this.revision && !this.isLoading) this.load();
  }

  refresh(now) {
    if (this.id === null) return;
    if (this.id.startsWith("gateway:")) return this.showGateway(now);
    if (!this.data) return;
    const known = this.page.row(this.id);
    const row = known ?? this.data.row;
    const isLive = known !== null && this.page.isLive(row);
    this.parts ??= this.build();
    set(this.parts.state, [row.hasGateway ? row.connection : link(row, now), sessionText(row.session, now), ...row.refused, row.error].filter(Boolean).join(" · "));
    // A kind without a drawing of its own is a line.
    for (const kind of Object.keys(this.data.plots)) if (!this.drawings.some(({ kinds }) => kinds.includes(kind))) this.add(new Line(kind));
    for (const drawing of this.drawings) {
      drawing.section.hidden = !drawing.has(this.data, row, now, isLive);
      if (!drawing.section.hidden) drawing.plot = drawing.draw(this.data, row, now, isLive);
    }
    this.showAlarms(row.alarms);
    this.showFacts(row.facts, now, isLive);
    if (this.isStale) {
      this.isStale = false;
      fillTimeline(this.parts.timeline, this.data.timeline);
    }
  }

  build() {
    const parts = { state: element("p"), alarms: element("ul", "alarms"), facts: element("div"), timeline: element("ol", "timeline") };
    this.root.replaceChildren(
      this.title(this.id, parts.state), parts.alarms, parts.facts, this.earlier.root, heading(element("span", "", "What happened")), parts.timeline);
    this.parts = parts;
    for (const drawing of [new Dive(), new Run(), new Sets(), new Poses(), new Swings(), new Head(), new Tremor()]) this.add(drawing);
    return parts;
  }

  add(drawing) {
    drawing.section = element("section");
    drawing.section.append(...drawing.parts);
    this.drawings.push(drawing);
    this.parts.facts.before(drawing.section);
  }

  showAlarms(alarms) {
    const texts = alarms.map(({ alarm, severity, state, since, reason, acknowledgedBy }) => [`${severity} ${state}`, `${alarm} since ${moment(since)}: ${[
      reason, state === "raised" ? "not acknowledged" : state, acknowledgedBy && `by ${acknowledgedBy}`].filter(Boolean).join(", ")}`]);
    const key = JSON.stringify(texts);
    if (key === this.parts.alarmsKey) return;
    this.parts.alarmsKey = key;
    this.parts.alarms.replaceChildren(...texts.map(([classNames, text]) => element("li", classNames, text)));
  }

  // Names and values below their headings, written anew where they differ; a value that is no longer current as one that was.
  showFacts(groups, now, isLive) {
    const isNow = (fact) => isCurrent(fact, now) && (isLive || fact.validUntil === null);
    const texts = groups.map(({ heading, facts }) => [heading, facts.map((fact) => [
      fact.name, `${isNow(fact) ? "" : "? was: "}${fact.parts.map((part) => shown(part, now)[1]).join("")}`])]);
    const key = JSON.stringify(texts);
    if (key === this.parts.factsKey) return;
    this.parts.factsKey = key;
    this.parts.facts.replaceChildren(...texts.map(([title, facts]) => {
      const section = element("section");
      const list = element("dl");
      list.append(...facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]));
      section.append(heading(element("span", "", title)), list);
      return section;
    }));
  }

  title(text, state) {
    const line = element("div", "title");
    const close = button("Close", this.page.close);
    close.title = "Escape";
    line.append(element("h2", "", text), state, close);
    return line;
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
      ["state", gateway.state], ["receives", gateway.problem ?? gateway.ingress], ["last status", `${span(now - gateway.at)} ago`],
      ["storage", gateway.storageProblem], ["registry", gateway.registryProblem], ["rejected", String(gateway.rejected)],
    ]) if (value) facts.append(element("dt", "", name), element("dd", "", value));
    const timeline = element("ol", "timeline");
    fillTimeline(timeline, gateway.timeline ?? []);
    this.root.replaceChildren(
      this.title(`Gateway ${gateway.name}`, element("p")), facts,
      heading(element("span", "", "Frames of no known device, and changes of state")), timeline);
  }
}
