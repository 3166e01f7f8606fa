// Earlier days: of one device as a calendar strip, a list and drawings; of all devices as a table with a column for each day.

import { button, heading, refusal, set } from "./parts.js";
import { countsOf, dayOf, itemsOf, shownItem } from "./episodes.js";
import { clock, element } from "./text.js";

const atOnce = 4; // requests of a browser at one time
const devicesAtOnce = 20; // further ones are asked for by a click
const mostColumns = 8; // days of all devices
const mostDays = 400; // of one
const day = 86_400; // s
const byName = new Intl.Collator("en", { numeric: true });

// The episodes of a device; a document with only a problem where there are none.
async function ask(id) {
  const answer = await fetch(`api/devices/${encodeURIComponent(id)}/earlier`).catch(() => null);
  const data = answer?.ok ? await answer.json().catch(() => null) : null;
  return data ?? { problem: await refusal(answer), episodes: [], isComplete: true, from: Date.now() / 1000 - 7 * day, to: Date.now() / 1000 };
}

// The days of a document on the viewer's calendar, the earliest first.
function daysOf({ from, to }, most) {
  const days = [];
  for (let at = to; at > from - day / 2 && days.length < most; at -= day) if (!days.includes(dayOf(at))) days.unshift(dayOf(at));
  return days;
}

function dayName(name) {
  const today = dayOf(Date.now() / 1000);
  if (name === today) return "Today";
  return new Date(`${name}T12:00`).toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" });
}

// The earlier days of one device.
export class DeviceDays {
  chosen = null; // the day; null until one is chosen
  opened = null; // the key of the item that is open

  constructor(id) {
    this.id = id;
    this.title = element("span", "", "Earlier days");
    this.again = button("Ask again", () => this.load());
    this.strip = element("div", "strip");
    this.strip.setAttribute("role", "group");
    this.strip.setAttribute("aria-label", "Days");
    this.problem = element("p", "quiet");
    this.list = element("ul", "episodes");
    this.root = element("section", "earlier");
    this.root.append(heading(this.title, this.again), this.strip, this.problem, this.list);
    this.load();
  }

  async load() {
    this.again.disabled = true;
    set(this.problem, "Asking the gateway…");
    this.data = await ask(this.id);
    this.again.disabled = false;
    const { problem, isComplete, episodes } = this.data;
    this.items = itemsOf(this.data);
    set(this.problem, problem ? `Earlier days: ${problem}` : (isComplete ? (episodes.length ? "" : "Nothing is kept of these days.") : "Not everything that is kept could be read or shown."));
    this.problem.hidden = this.problem.textContent === "";
    this.chosen ??= this.items.at(-1)?.day ?? null;
    this.fill();
  }

  // Shows a day, and its item where it has only one.
  show(name) {
    this.chosen = name;
    if (this.data) this.fill();
    this.root.scrollIntoView({ block: "start" });
    this.strip.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  fill() {
    // The latest first: the strip is laid out from the right, where it begins to scroll.
    this.strip.replaceChildren(...daysOf(this.data, mostDays).reverse().map((name) => {
      const counts = countsOf(this.items.filter((item) => item.day === name));
      const made = button("", () => this.show(name));
      made.append(element("span", "date", dayName(name)), ...counts.map((text) => element("span", "count", text)));
      made.className = counts.length ? "day" : "day empty";
      made.setAttribute("aria-pressed", String(name === this.chosen));
      return made;
    }));
    this.strip.hidden = this.items.length === 0;
    const items = this.items.filter((item) => item.day === this.chosen);
    const drawn = [];
    this.list.replaceChildren(...items.map((item) => {
      const line = element("li");
      const act = button("", () => {
        this.opened = this.opened === item.key ? null : item.key;
        this.fill();
      });
      const isOpen = this.opened === item.key;
      act.className = "episode";
      act.setAttribute("aria-expanded", String(isOpen));
      act.append(element("time", "", item.heading === "Days" ? "" : clock(item.start)), element("span", "kind", item.heading.replace(/s$/, "")), element("span", "", item.text));
      line.append(act);
      if (isOpen) {
        const shown = shownItem(item, this.data);
        line.append(...shown.nodes);
        drawn.push(shown);
      }
      return line;
    }));
    this.plot = drawn[0]?.draw() ?? null;
  }
}

// The earlier days of all devices.
export class Earlier {
  shown = devicesAtOnce;
  known = new Map(); // device: its document

  // page: names() of the devices, open(device, day).
  constructor(root, page) {
    Object.assign(this, { root, page });
    this.table = element("table");
    this.problem = element("p", "quiet");
    this.more = button("", () => {
      this.shown += devicesAtOnce;
      this.load();
    });
    root.append(this.table, this.problem, this.more);
  }

  async load() {
    const run = (this.run = (this.run ?? 0) + 1);
    const names = this.page.names().sort(byName.compare);
    const wanted = names.slice(0, this.shown);
    // Of devices that were removed meanwhile nothing is kept.
    for (const name of this.known.keys()) if (!wanted.includes(name)) this.known.delete(name);
    this.started = performance.now();
    this.pending = wanted.length;
    this.fill(wanted, names.length);
    const waiting = [...wanted];
    await Promise.all(Array.from({ length: atOnce }, async () => {
      while (waiting.length && run === this.run) {
        const name = waiting.shift();
        this.known.set(name, await ask(name));
        this.pending -= 1;
        if (run === this.run) this.fill(wanted, names.length);
      }
    }));
    this.took = (performance.now() - this.started) / 1000;
  }

  fill(names, all) {
    const documents = names.map((name) => this.known.get(name)).filter(Boolean);
    // A day in which no device did anything has no column.
    const used = new Set(documents.flatMap(itemsOf).filter(({ heading: kind }) => kind !== "Days").map((item) => item.day));
    const days = documents.length ? daysOf(documents.reduce((a, b) => (a.from < b.from ? a : b)), mostDays).filter((name) => used.has(name)).slice(-mostColumns) : [];
    const head = element("tr");
    head.append(element("th", "", "Device"), ...days.map((name) => element("th", "", dayName(name))));
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    body.append(...names.map((name) => this.row(name, days)));
    this.table.replaceChildren(top, body);
    const problems = new Set(documents.map(({ problem }) => problem).filter(Boolean));
    set(this.problem, this.pending ? `Asking the gateway: ${names.length - this.pending} of ${names.length} devices` : [...problems].join("; "));
    this.more.hidden = names.length >= all;
    set(this.more, `${Math.min(devicesAtOnce, all - names.length)} more of ${all} devices`);
  }

  row(name, days) {
    const line = element("tr");
    const title = element("td", "device");
    title.append(button(name, () => this.page.open(name, null)));
    const data = this.known.get(name);
    const items = data ? itemsOf(data) : [];
    line.append(title, ...days.map((each) => {
      const cell = element("td");
      const counts = countsOf(items.filter((item) => item.day === each));
      if (counts.length) {
        const act = button(counts.join(", "), () => this.page.open(name, each));
        act.setAttribute("aria-label", `${name}, ${dayName(each)}: ${counts.join(", ")}`);
        cell.append(act);
      }
      return cell;
    }));
    return line;
  }
}
