// The fleet page, kept current by server-sent events.

import { Alarms, isOpen, needsSomebody } from "./alarms.js";
import { Detail } from "./detail.js";
import { Earlier } from "./earlier.js";
import { set } from "./parts.js";
import { alarms } from "./row.js";
import { isAlarm, Table } from "./table.js";
import { clock, element } from "./text.js";

const mostBehind = 5; // s by which events may come late
const lostAfter = 4000; // ms without an event; the server sends a beat every 2,000
const earlierName = "earlier:"; // in the address, in place of a device
const gateways = new Map();
const page = { problem: "connecting", brokerProblem: null, lastEvent: -Infinity, lastTime: null, offset: 0, delay: null, behind: 0, askedAt: -Infinity, silentSeconds: 60, isFull: false, redraws: 0 };
const find = (id) => document.getElementById(id);
const changed = () => { isStale = true; };
// Whether what is valid is current: of all devices, or of that of a row.
const isLive = (row = null) => page.problem === null && row?.hasGateway !== false;

// The server's clock, unix seconds.
const now = () => performance.now() / 1000 + page.offset;

const table = new Table(find("devices"), { isLive, open: (id) => open(id), chosen: () => detail.id, changed });
const { devices } = table;
const detail = new Detail(find("detail"), {
  row: (id) => devices.get(id)?.row ?? null,
  gateway: (name) => gateways.get(name) ?? null,
  isLive,
  close: () => open(find("earlier").hidden ? null : earlierName),
});
const alarmList = new Alarms(find("alarms"), (id) => open(id), changed);
const earlier = new Earlier(find("earlier"), { names: () => [...devices.keys()], open: (id, day) => { open(id); detail.earlier?.show(day); } });

// --- Events
let source = null;

function connect() {
  source?.close();
  source = new EventSource("events");
  source.addEventListener("snapshot", (event) => {
    const all = JSON.parse(event.data);
    table.clear();
    gateways.clear();
    table.trends = all.trends;
    page.silentSeconds = all.silentSeconds;
    table.showColumns(all.columns);
    receive(all);
    detail.reload();
    if (!find("earlier").hidden) earlier.load();
    askViewer();
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

// Whether the viewer is an operator, and the server's time: by a request of its own, as events may wait in a connection that is too slow.
function askViewer() {
  page.askedAt = performance.now();
  fetch("api/viewer").then((answer) => answer.json()).then((viewer) => {
    alarmList.mayAcknowledge = viewer.mayAcknowledge;
    page.delay = performance.now() / 1000 - viewer.at;
    changed();
  }).catch(() => null);
}

function receive(message) {
  page.lastEvent = performance.now();
  page.lastTime = message.at;
  page.offset = message.at - performance.now() / 1000;
  page.behind = page.delay === null ? 0 : -page.offset - page.delay;
  // The server's clock may have been set, or this machine may have slept.
  if (page.lastEvent - page.askedAt > 1000 * (page.behind > mostBehind ? mostBehind : 60)) askViewer();
  page.signedOut = false;
  page.isFull = message.isFull ?? page.isFull;
  if ("brokerProblem" in message) {
    page.brokerProblem = message.brokerProblem;
    find("live").querySelector(".dot").getAnimations().forEach((animation) => { animation.cancel(); animation.play(); });
  }
  for (const name of message.removedGateways ?? []) gateways.delete(name);
  for (const gateway of message.gateways ?? []) gateways.set(gateway.name, gateway);
  for (const id of message.removed ?? []) {
    table.remove(id);
    detail.forget(id);
  }
  for (const row of message.devices ?? []) {
    table.receive(row);
    detail.note(row);
  }
  isStale = true;
  // A page in the background gets no frames, and browsers delay its timers by up to a minute.
  if (document.hidden) refresh();
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
  const shown = table.refresh(at);
  find("empty").hidden = shown > 0;
  set(find("empty"), devices.size ? "No device matches the filter." : "No device has published anything yet.");
  alarmList.refresh([...devices.values()].map(({ row }) => row), at, isLive());
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
  if (page.behind > mostBehind) return `Not live: what is received is over ${mostBehind} s old, as the connection to the page's server is too slow.`;
  if (page.brokerProblem) return `Not live: no connection to the broker (${page.brokerProblem}).`;
  const known = [...gateways.values()];
  const working = known.filter((gateway) => gateway.state === "online" && at - gateway.at < page.silentSeconds && !gateway.problem);
  if (known.length && !working.length) {
    return `Not live: ${known.map((gateway) => `gateway ${gateway.name} is ${gatewayState(gateway, at)}`).join(", ")}.`;
  }
  return null;
}

// As words that do not change by themselves: screen readers announce the notice anew with every change.
function gatewayState(gateway, at) {
  if (page.brokerProblem || performance.now() - page.lastEvent > lostAfter) return "not known";
  if (gateway.state !== "online") return `${gateway.state ?? "unknown"} since ${clock(gateway.at)}`;
  if (at - gateway.at >= page.silentSeconds) return `silent since ${clock(gateway.at)}`;
  const reason = gateway.problem ?? gateway.ingress;
  if (reason && reason !== "connected") return `not receiving: ${reason}`;
  return gateway.storageProblem || gateway.registryProblem ? "has a problem" : "ok";
}

function notice() {
  const note = find("notice");
  const count = [...devices.values()].filter(({ row }) => !row.hasGateway).length;
  const text = page.problem ?? [
    count && `${count} ${count === 1 ? "device is" : "devices are"} not current: no working gateway derives ${count === 1 ? "it" : "them"}.`,
    page.isFull && "There are more devices than the page has room for: not all are shown.",
  ].filter(Boolean).join(" ");
  if (note.textContent !== text) note.textContent = text;
  note.hidden = text === "" || (page.lastTime === null && performance.now() < lostAfter);
  note.classList.toggle("danger", page.lastTime !== null);
}

// What has become an alarm, for screen readers. While the page is not live, its notice says so once for all devices.
let announced = new Set();

function announce() {
  if (!isLive()) return;
  const raised = alarmList.raised.map(({ device, alarm, severity, reason }) => `${device}: ${severity} alarm ${alarm}${reason && `, ${reason}`}`);
  const all = [...raised, ...unraised().map((device) => `${device.row.id}: ${device.states.filter((state) => alarms.includes(state)).join(", ")}`)];
  const news = all.filter((text) => !announced.has(text));
  if (news.length || !all.length) set(find("news"), news.join("; "));
  announced = new Set(all);
}

// Devices that are an alarm by what they report, of which the gateway has raised none: it may be told not to.
function unraised() {
  const hasRaised = (row) => row.alarms.some((alarm) => needsSomebody(alarm) || (isOpen(alarm) && alarm.severity === "critical"));
  return [...devices.values()].filter((device) => isAlarm(device) && !hasRaised(device.row));
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
  const waiting = alarmList.raised.length + unraised().length;
  const title = waiting ? `(${waiting}) Fathom` : "Fathom";
  if (document.title !== title) document.title = title;
  fillChips(find("summary"), summary, (filter) => {
    table.filter = find("filter").value = table.filter === filter ? "" : filter;
    refresh();
  }, (filter) => filter !== "" && filter === table.filter);
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
  // Beside a device the view that it was opened from stays.
  if (id === null || id === earlierName) showEarlier(id === earlierName);
  const device = id === earlierName ? null : id;
  const before = detail.id;
  detail.open(device);
  document.querySelector("main").classList.toggle("open", device !== null);
  refresh();
  if (device !== null) find("detail").focus({ preventScroll: matchMedia("(min-width: 1181px)").matches });
  else devices.get(before)?.line.querySelector("button").focus();
}

// The earlier days of all devices, in place of the table.
function showEarlier(isShown) {
  find("earlier").hidden = !isShown;
  find("fleet").hidden = isShown;
  find("earlier-switch").setAttribute("aria-pressed", String(isShown));
  if (isShown) earlier.load();
}

const openHash = () => open(named());
window.addEventListener("popstate", openHash);
find("earlier-switch").addEventListener("click", () => open(find("earlier").hidden ? earlierName : null));
find("filter").addEventListener("input", (event) => {
  table.filter = event.target.value.trim();
  refresh();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    find("filter").focus();
  } else if (event.key === "Escape") {
    if (isTyping && table.filter) table.filter = find("filter").value = "";
    else if (detail.id !== null) open(find("earlier").hidden ? null : earlierName);
    refresh();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.closest?.("#devices")) {
    const next = table.neighbour(event.target.closest("tr"), event.key === "ArrowDown" ? 1 : -1);
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
  get alarms() { return alarmList.all; },
  get sounds() { return alarmList.sound.count; },
  get notices() { return alarmList.notices.count; },
  now,
};

connect();
openHash();
// A page in the background gets no frames, but must not claim to be live when it is looked at again.
setInterval(() => { if (document.hidden) refresh(); }, 1000);
requestAnimationFrame(frame);
