// The table of devices, kept current by server-sent events.

import { Detail } from "./detail.js";
import { set } from "./parts.js";
import { alarms, cell, classes, depth, everything, link, marks, rank, remarks, states } from "./row.js";
import { clock, dash, element, span } from "./text.js";

const lostAfter = 4000; // ms without an event; the server sends a beat every 2,000
const away = 7; // the rank of devices that are not in use
const silentGateway = 60; // s without a status of a gateway
const devices = new Map(); // id: {row, cells, line, rank, states}
const gateways = new Map();
const page = { problem: "connecting", brokerProblem: null, lastEvent: -Infinity, lastTime: null, offset: 0, filter: "", redraws: 0 };
const byName = new Intl.Collator("en", { numeric: true });
const find = (id) => document.getElementById(id);
const body = document.querySelector("#devices tbody");
const detail = new Detail(find("detail"), {
  row: (id) => devices.get(id)?.row ?? null,
  gateway: (name) => gateways.get(name) ?? null,
  isLive: () => page.problem === null,
  close: () => open(null),
});

// The server's clock, unix seconds.
const now = () => performance.now() / 1000 + page.offset;

// --- Events
let source = null;

function connect() {
  source?.close();
  source = new EventSource("events");
  source.addEventListener("snapshot", (event) => {
    const all = JSON.parse(event.data);
    for (const { line } of devices.values()) line.remove();
    devices.clear();
    gateways.clear();
    showColumns(all.columns);
    receive(all);
    detail.reload();
  });
  source.addEventListener("derived", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("beat", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("error", async () => {
    // The browser tries again by itself, unless the server refused.
    if (source.readyState !== EventSource.CLOSED) return;
    const answer = await fetch("api/devices", { method: "HEAD" }).catch(() => null);
    page.signedOut = answer?.status === 401;
    refresh();
    setTimeout(connect, 3000);
  });
}

function receive(message) {
  page.lastEvent = performance.now();
  page.lastTime = message.at;
  page.offset = message.at - performance.now() / 1000;
  page.signedOut = false;
  if ("brokerProblem" in message) {
    page.brokerProblem = message.brokerProblem;
    find("live").querySelector(".dot").getAnimations().forEach((animation) => { animation.cancel(); animation.play(); });
  }
  for (const gateway of message.gateways ?? []) gateways.set(gateway.name, gateway);
  for (const id of message.removed ?? []) {
    devices.get(id)?.line.remove();
    devices.delete(id);
  }
  for (const row of message.devices ?? []) {
    const device = devices.get(row.id) ?? add(row);
    device.row = row;
    detail.note(row);
  }
  isStale = true;
}

const isLive = () => page.problem === null;

// --- The table

let columns = []; // those that kinds declare: {name, title, hint, isNumber}
let absent = new Set(); // the names of columns in which no device has anything

function showColumns(declared) {
  columns = declared;
  absent = new Set();
  room.has = "";
  const heads = columns.map(({ title, hint, isNumber }) => {
    const made = element("th", isNumber ? "column number" : "column", title);
    if (hint) made.title = hint;
    return made;
  });
  for (const old of document.querySelectorAll("#devices th.column:not(.depth)")) old.remove();
  document.querySelector("#devices th.depth").after(...heads);
}

function hide(names) {
  absent = new Set(names);
  const heads = [...document.querySelectorAll("#devices th.column")];
  ["depth", ...columns.map(({ name }) => name)].forEach((name, index) => {
    heads[index].hidden = absent.has(name);
    for (const { cells } of devices.values()) cells[name].hidden = absent.has(name);
  });
}

function add(row) {
  const line = element("tr");
  const cells = {};
  for (const [name, classNames] of [
    ["mark", "mark"], ["device", "device"], ["link", "link"], ["now", "now"], ["depth", "column"],
    ...columns.map(({ name, isNumber }) => [name, isNumber ? "column number" : "column"]),
    ["gaps", "number lost"], ["rejected", "number lost"], ["heard", "number heard"],
  ]) {
    cells[name] = element("td", classNames);
    cells[name].hidden = absent.has(name);
    line.append(cells[name]);
  }
  const button = element("button", "", row.id);
  button.type = "button";
  cells.device.append(button);
  line.addEventListener("click", () => open(detail.id === row.id ? null : row.id));
  const device = { row, line, cells, rank: away, states: [], isApart: false, written: {} };
  devices.set(row.id, device);
  return device;
}

// Replaces the content of the cell of everything where it differs; each of its parts stays on one line.
function writeAll(device, at) {
  const groups = [...everything(device.row, columns, at, isLive()).map((each) => ["part", each]), ...remarks(device.row, at).map((each) => ["part remark", each])];
  const key = JSON.stringify(groups);
  if (device.written.now === key) return;
  device.written.now = key;
  device.cells.now.replaceChildren(...groups.map(([classNames, parts]) => {
    const part = element("span", classNames);
    part.append(...parts.map(([inner, text]) => element("span", inner, text)));
    return part;
  }));
}

// Replaces the content of a cell where it differs.
function write(device, name, ...parts) {
  const key = JSON.stringify(parts);
  if (device.written[name] === key) return;
  device.written[name] = key;
  const made = parts.map(([classNames, text]) => (classNames ? element("span", classNames, text) : document.createTextNode(text)));
  device.cells[name].replaceChildren(...made);
}

function writeMark(device) {
  const [symbol, words] = marks[device.rank];
  if (device.written.mark === words) return;
  device.written.mark = words;
  const mark = element("span", "", symbol);
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", words);
  device.cells.mark.replaceChildren(...(symbol ? [mark] : []));
}

function update(device, at) {
  const { row, line } = device;
  device.rank = rank(row, at, isLive());
  device.states = states(row, at, isLive());
  const className = [classes[device.rank], detail.id === row.id ? "selected" : "", device.isApart ? "apart" : ""].filter(Boolean).join(" ");
  if (line.className !== className) line.className = className;
  writeMark(device);
  write(device, "link", ["", link(row, at)]);
  if (room.isShort) writeAll(device, at);
  else writeColumns(device, at);
  write(device, "gaps", [row.gaps ? "" : "quiet", String(row.gaps)]);
  write(device, "rejected", [row.rejected ? "refused" : "quiet", String(row.rejected)]);
  write(device, "heard", ["", row.heardAt === null ? dash : span(at - row.heardAt)]);
}

function writeColumns(device, at) {
  const { row } = device;
  write(device, "depth", ...depth(row, at, isLive()));
  for (const { name } of columns) write(device, name, ...cell(row, name, at, isLive()));
}

// --- The room for columns: where they do not fit, one column has everything

const room = { isShort: false, needed: 0, has: "" };

function fit() {
  const [width, space] = [find("devices").offsetWidth, find("fleet").clientWidth];
  if (!room.isShort && width > space) {
    room.needed = width;
    setShort(true);
  } else if (room.isShort && space >= room.needed) {
    setShort(false);
  }
}

function setShort(isShort) {
  room.isShort = isShort;
  // What is not shown must not be found either.
  for (const { cells, written } of devices.values()) {
    for (const name of isShort ? ["depth", ...columns.map((each) => each.name)] : ["now"]) {
      cells[name].replaceChildren();
      delete written[name];
    }
  }
  find("devices").classList.toggle("short", isShort);
  isStale = true;
}

// --- Redraws: at most ten a second, only what changed

let isStale = true;
let lastRefresh = 0;

function refresh() {
  const at = now();
  lastRefresh = performance.now();
  isStale = false;
  page.problem = problem(at);
  document.documentElement.classList.toggle("quiet-page", page.problem !== null);
  const text = find("live-text");
  const words = page.problem === null ? "live" : page.lastTime === null ? "connecting" : "not live";
  if (text.textContent !== words) text.textContent = words;
  notice();
  for (const device of devices.values()) update(device, at);
  order();
  chips(at);
  announce();
  detail.refresh(at);
  page.redraws += 1;
}

// Why nothing that is shown is current; null when it is.
function problem(at) {
  if (page.signedOut) return "Signed out: open the page again with its token.";
  if (performance.now() - page.lastEvent > lostAfter) {
    return page.lastTime === null ? "Connecting to the page's server." : `Not live since ${clock(page.lastTime)}: no connection to the page's server.`;
  }
  if (page.brokerProblem) return `Not live: no connection to the broker (${page.brokerProblem}).`;
  const known = [...gateways.values()];
  const working = known.filter((gateway) => gateway.state === "online" && at - gateway.at < silentGateway);
  if (known.length && !working.length) {
    return `Not live: ${known.map((gateway) => `gateway ${gateway.name} is ${gatewayState(gateway, at)}`).join(", ")}.`;
  }
  return null;
}

function gatewayState(gateway, at) {
  if (page.brokerProblem || performance.now() - page.lastEvent > lostAfter) return "not known";
  if (gateway.state !== "online") return `${gateway.state ?? "unknown"} since ${clock(gateway.at)}`;
  if (at - gateway.at >= silentGateway) return `silent for ${span(at - gateway.at)}`;
  if (gateway.ingress && gateway.ingress !== "connected") return `not receiving: ${gateway.ingress}`;
  return gateway.storageProblem || gateway.registryProblem ? "has a problem" : "ok";
}

function notice() {
  const note = find("notice");
  const text = page.problem ?? "";
  if (note.textContent !== text) note.textContent = text;
  note.hidden = text === "" || (page.lastTime === null && performance.now() < lostAfter);
  note.classList.toggle("danger", page.lastTime !== null);
}

function order() {
  const wanted = page.filter.toLowerCase();
  let hasMain = false;
  const lines = [...devices.values()].sort((a, b) => a.rank - b.rank || byName.compare(a.row.id, b.row.id));
  const has = { depth: false, lost: false };
  for (const { name } of columns) has[name] = false;
  // A line that is moved loses the focus.
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  let previous = null;
  let shown = 0;
  for (const device of lines) {
    const { row, line } = device;
    has.depth ||= row.water !== null || depth(row, 0, false)[0][1] !== "";
    for (const name of Object.keys(row.cells)) has[name] = true;
    has.lost ||= row.gaps + row.rejected > 0;
    const isShown = !wanted || alarmsOf(device).length > 0 || text(device).toLowerCase().includes(wanted);
    if (line.hidden === isShown) line.hidden = !isShown;
    if (isShown) shown += 1;
    const isAway = device.rank === away;
    // The first device that is not in use has a line above it.
    device.isApart = isAway && isShown && hasMain;
    line.classList.toggle("apart", device.isApart);
    if (isShown) hasMain = !isAway;
    let next = previous ? previous.nextSibling : body.firstChild;
    // A line that goes down is moved itself, not those that rise.
    if (next !== line && next?.nextSibling === line) {
      body.append(next);
      next = line;
    }
    if (next !== line) body.insertBefore(line, next);
    previous = line;
  }
  if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
  const found = JSON.stringify(has);
  if (found !== room.has) {
    find("devices").classList.toggle("no-lost", !has.lost);
    hide(Object.keys(has).filter((name) => !has[name]));
    // With other columns it may fit.
    if (room.isShort) setShort(false);
  }
  room.has = found;
  const empty = find("empty");
  empty.hidden = shown > 0;
  empty.textContent = devices.size ? "No device matches the filter." : "No device has published anything yet.";
}

// What the filter looks in.
function text({ row, states, line }) {
  return [row.id, row.role, ...states, line.textContent].join("\n");
}

function alarmsOf(device) {
  return device.states.filter((state) => alarms.includes(state));
}

// What has become an alarm, for screen readers. While the page is not live, its notice says so once for all devices.
let announced = new Set();

function announce() {
  if (!isLive()) return;
  const all = [...devices.values()].filter((device) => alarmsOf(device).length > 0).map((device) => `${device.row.id}: ${alarmsOf(device).join(", ")}`);
  const news = all.filter((text) => !announced.has(text));
  if (news.length || !all.length) set(find("news"), news.join("; "));
  announced = new Set(all);
}

function chips(at) {
  const count = (state) => [...devices.values()].filter((device) => device.states.includes(state)).length;
  const [alarm, lost, silent] = ["alarm", "contact lost", "silent"].map(count);
  const summary = [
    ["", "", `${devices.size} ${devices.size === 1 ? "device" : "devices"}`],
    ["", "under water", `${count("under water")} under water`],
  ];
  if (alarm) summary.push(["danger", "alarm", `${alarm} ${alarm === 1 ? "alarm" : "alarms"}`]);
  if (lost) summary.push(["warning", "contact lost", `${lost} contact lost`]);
  if (silent) summary.push(["warning", "silent", `${silent} silent`]);
  document.title = alarm ? `(${alarm}) Fathom` : "Fathom";
  fillChips(find("summary"), summary, (filter) => {
    page.filter = find("filter").value = page.filter === filter ? "" : filter;
    refresh();
  }, (filter) => filter !== "" && filter === page.filter);
  const states = [...gateways.values()].map((gateway) => {
    const state = gatewayState(gateway, at);
    return [state === "ok" ? "" : "danger", gateway.name, `${gateway.name} ${state}${gateway.rejected ? ` · ${gateway.rejected} rejected` : ""}`];
  });
  fillChips(find("gateways"), states, (name) => open(`gateway:${name}`), () => false);
}

function fillChips(parent, wanted, act, isPressed) {
  while (parent.children.length > wanted.length) parent.lastChild.remove();
  wanted.forEach(([classNames, value, text], index) => {
    let chip = parent.children[index];
    if (!chip) {
      chip = element("button", "chip");
      chip.type = "button";
      chip.addEventListener("click", () => act(chip.value));
      parent.append(chip);
    }
    const className = `chip ${classNames}`.trim();
    if (chip.className !== className) chip.className = className;
    if (chip.textContent !== text) chip.textContent = text;
    chip.value = value;
    chip.setAttribute("aria-pressed", String(isPressed(value)));
  });
}

// --- What the viewer does

// The device or gateway that the address names; null without one, or where it is not encoded rightly.
function named() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null;
  }
}

function open(id) {
  const target = id === null ? location.pathname + location.search : `#${encodeURIComponent(id)}`;
  if (named() !== id) history.pushState(null, "", target);
  const before = detail.id;
  detail.open(id);
  document.querySelector("main").classList.toggle("open", id !== null);
  refresh();
  if (id !== null) find("detail").focus({ preventScroll: matchMedia("(min-width: 1181px)").matches });
  else devices.get(before)?.line.querySelector("button").focus();
}

const openHash = () => open(named());
window.addEventListener("popstate", openHash);
find("filter").addEventListener("input", (event) => {
  page.filter = event.target.value.trim();
  refresh();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    find("filter").focus();
  } else if (event.key === "Escape") {
    if (isTyping && page.filter) page.filter = find("filter").value = "";
    else if (detail.id !== null) open(null);
    refresh();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.closest?.("#devices")) {
    const lines = [...body.children].filter((line) => !line.hidden);
    const step = event.key === "ArrowDown" ? 1 : -1;
    const next = lines[lines.indexOf(event.target.closest("tr")) + step];
    if (next) {
      event.preventDefault();
      next.querySelector("button").focus();
    }
  }
});

// Times advance twice a second; events are shown at once, but at most ten times a second.
let due = 0;

function frame() {
  const at = performance.now();
  if (at - lastRefresh >= 500 || (isStale && at >= due)) {
    // From when it was due: frames come at 60 a second, and each that is waited for would add to the interval.
    due = Math.max(due + 100, at + 80);
    refresh();
  }
  requestAnimationFrame(frame);
}

// For tests: what is shown, and where.
window.fathom = {
  devices: () => Object.fromEntries([...devices].map(([id, device]) => [id, { ...device.row, rank: device.rank }])),
  get problem() { return page.problem; },
  get redraws() { return page.redraws; },
  get plots() { return detail.plots; },
  now,
};

const fitting = new ResizeObserver(fit);
fitting.observe(find("fleet"));
fitting.observe(find("devices"));
connect();
openHash();
// A page in the background gets no frames, but must not claim to be live when it is looked at again.
setInterval(() => { if (document.hidden) refresh(); }, 1000);
requestAnimationFrame(frame);
