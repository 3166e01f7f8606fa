// The table of devices: its columns, groups and order, and a drawing of the last minutes.

import { choice, isOpen, needsSomebody } from "./alarms.js";
import { fillFresh, set } from "./parts.js";
import { alarms, cell, classes, depth, everything, groupOf, groups, link, marks, rank, remarks, states } from "./row.js";
import { Trend } from "./trend.js";
import { dash, element, span } from "./text.js";

const away = 7; // the rank of devices that are not in use
const byName = new Intl.Collator("en", { numeric: true });

export class Table {
  devices = new Map(); // id: {row, cells, line, rank, states, group, trend}
  columns = []; // those that kinds declare: {name, title, hint, isNumber}
  trends = []; // the fields that are drawn: {kind, field}
  absent = new Set(); // the names of columns in which no device has anything
  filter = "";
  room = { isShort: false, needed: 0, has: "" }; // where columns do not fit, one column has everything
  collapsed = new Set((choice.get("collapsed") ?? "").split(",").filter(Boolean));
  sort = { column: null, isDescending: false };

  // page: isLive(row), open(id), chosen() is the id of the device that is open, changed() has the page drawn anew.
  constructor(root, page) {
    Object.assign(this, { root, page, body: root.querySelector("tbody") });
    this.heads = new Map(groups.map(({ name, title }) => [name, this.groupHead(name, title)]));
    for (const head of root.querySelectorAll("thead th[data-sort]")) this.makeSortable(head, head.dataset.sort);
    // Only lines of the last minutes that are in sight are drawn.
    this.sight = new IntersectionObserver((changes) => { for (const { target, isIntersecting } of changes) target.trend.isSeen = isIntersecting; });
    const fitting = new ResizeObserver(() => this.fit());
    fitting.observe(root.parentElement);
    fitting.observe(root);
  }

  // --- Columns

  showColumns(declared) {
    this.columns = declared;
    this.absent = new Set();
    this.room.has = "";
    const heads = declared.map(({ name, title, hint, isNumber }) => {
      const made = element("th", isNumber ? "column number" : "column", title);
      if (hint) made.title = hint;
      this.makeSortable(made, name);
      return made;
    });
    for (const old of this.root.querySelectorAll("th.column:not(.depth):not(.trend)")) old.remove();
    this.root.querySelector("th.depth").after(...heads);
  }

  get columnNames() {
    return ["depth", ...this.columns.map(({ name }) => name), "trend"];
  }

  hide(names) {
    this.absent = new Set(names);
    const heads = [...this.root.querySelectorAll("thead th.column")];
    this.columnNames.forEach((name, index) => {
      heads[index].hidden = this.absent.has(name);
      for (const { cells } of this.devices.values()) cells[name].hidden = this.absent.has(name);
    });
  }

  fit() {
    const [width, space] = [this.root.offsetWidth, this.root.parentElement.clientWidth];
    if (!this.room.isShort && width > space) {
      this.room.needed = width;
      this.setShort(true);
    } else if (this.room.isShort && space >= this.room.needed) {
      this.setShort(false);
    }
  }

  setShort(isShort) {
    this.room.isShort = isShort;
    // What is not shown must not be found either.
    for (const { cells, written } of this.devices.values()) {
      for (const name of isShort ? ["depth", ...this.columns.map((each) => each.name)] : ["now"]) {
        cells[name].replaceChildren();
        delete written[name];
      }
    }
    this.root.classList.toggle("short", isShort);
    // At once: no cell is empty until the next refresh.
    if (this.at !== undefined) for (const device of this.devices.values()) this.update(device, this.at);
    this.page.changed();
  }

  // --- Sorting, within groups: by danger and name, or by a column up and down

  makeSortable(head, name) {
    const act = element("button", "", head.textContent);
    act.type = "button";
    head.replaceChildren(act);
    head.dataset.sort = name;
    act.addEventListener("click", () => {
      const { column, isDescending } = this.sort;
      if (column !== name) this.sort = { column: name, isDescending: false };
      else this.sort = isDescending ? { column: null, isDescending: false } : { column: name, isDescending: true };
      for (const each of this.root.querySelectorAll("thead th[data-sort]")) {
        if (each.dataset.sort !== this.sort.column) each.removeAttribute("aria-sort");
        else each.setAttribute("aria-sort", this.sort.isDescending ? "descending" : "ascending");
      }
      this.page.changed();
    });
  }

  // What a device is sorted by: a number, a text, or null for nothing, which comes last.
  value(device, at) {
    const { row } = device;
    switch (this.sort.column) {
      case "device": return row.id;
      case "link": return row.connection;
      case "depth": return row.water === null ? null : row.water.zone > 100 || row.water.zone === 0 ? row.water.depth ?? row.water.known?.depth ?? 1e9 : -1;
      case "gaps": return row.gaps;
      case "rejected": return row.rejected;
      case "heard": return row.heardAt === null ? null : at - row.heardAt;
      default: return measure(cell(row, this.sort.column, at, this.page.isLive(row)).map(([, text]) => text).join(""));
    }
  }

  compare(a, b) {
    if (a.place !== b.place) return a.place - b.place;
    const { column, isDescending } = this.sort;
    if (column !== null && a.value !== b.value) {
      if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
      const order = typeof a.value === "number" && typeof b.value === "number" ? a.value - b.value : byName.compare(a.value, b.value);
      if (order !== 0) return isDescending ? -order : order;
    }
    return a.rank - b.rank || byName.compare(a.row.id, b.row.id);
  }

  // --- Groups

  groupHead(name, title) {
    const line = element("tr", "group");
    const head = element("th");
    const act = element("button");
    const [mark, count] = [element("span", "fold"), element("span", "count")];
    head.colSpan = 100;
    head.scope = "rowgroup";
    act.type = "button";
    act.append(mark, element("span", "", title), count);
    act.addEventListener("click", () => {
      if (!this.collapsed.delete(name)) this.collapsed.add(name);
      choice.set("collapsed", [...this.collapsed].join(","));
      this.page.changed();
    });
    head.append(act);
    line.append(head);
    return { line, act, mark, count };
  }

  // --- Rows

  clear() {
    for (const id of [...this.devices.keys()]) this.remove(id);
  }

  remove(id) {
    const device = this.devices.get(id);
    if (!device) return;
    this.sight.unobserve(device.trend.node);
    device.line.remove();
    this.devices.delete(id);
  }

  // A row as the server sends it; of a snapshot with its last minutes.
  receive(row) {
    const device = this.devices.get(row.id) ?? this.add(row);
    device.row = row;
    device.trend.take(row, this.trends);
  }

  add(row) {
    const line = element("tr", "device");
    const cells = {};
    for (const [name, classNames] of [
      ["mark", "mark"], ["device", "device"], ["link", "link"], ["now", "now"], ["depth", "column"],
      ...this.columns.map(({ name, isNumber }) => [name, isNumber ? "column number" : "column"]),
      ["trend", "column trend"], ["gaps", "number lost"], ["rejected", "number lost"], ["heard", "number heard"],
    ]) {
      cells[name] = element("td", classNames);
      cells[name].hidden = this.absent.has(name);
      line.append(cells[name]);
    }
    const button = element("button", "", row.id);
    button.type = "button";
    const badge = element("span", "badge");
    cells.device.append(button, badge);
    line.addEventListener("click", () => this.page.open(this.page.chosen() === row.id ? null : row.id));
    const trend = new Trend();
    cells.trend.append(trend.node);
    this.sight.observe(trend.node);
    const device = { row, line, cells, badge, trend, rank: away, states: [], group: "idle", written: {} };
    this.devices.set(row.id, device);
    return device;
  }

  // Replaces the content of the cell of everything where it differs; each of its parts stays on one line.
  writeAll(device, at) {
    const { row } = device;
    const parts = [...everything(row, this.columns, at, this.page.isLive(row)).map((each) => ["part", each]), ...remarks(row, at).map((each) => ["part remark", each])];
    const key = JSON.stringify(parts);
    if (device.written.now === key) return;
    device.written.now = key;
    device.cells.now.replaceChildren(...parts.map(([classNames, texts]) => {
      const part = element("span", classNames);
      part.append(...texts.map(([inner, text]) => element("span", inner, text)));
      return part;
    }));
  }

  // Replaces the content of a cell where it differs.
  write(device, name, ...parts) {
    const key = JSON.stringify(parts);
    if (device.written[name] === key) return;
    device.written[name] = key;
    const made = parts.map(([classNames, text]) => (classNames ? element("span", classNames, text) : document.createTextNode(text)));
    device.cells[name].replaceChildren(...made);
  }

  writeMark(device) {
    const [symbol, words] = marks[device.rank];
    if (device.written.mark === words) return;
    device.written.mark = words;
    const mark = element("span", "", symbol);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", words);
    device.cells.mark.replaceChildren(...(symbol ? [mark] : []));
  }

  update(device, at) {
    const { row, line } = device;
    const isLive = this.page.isLive(row);
    device.rank = rank(row, at, isLive);
    device.states = states(row, at, isLive);
    device.group = groupOf(row, device.rank);
    device.place = groups.findIndex(({ name }) => name === device.group);
    device.value = this.sort.column === null ? null : this.value(device, at);
    const className = ["device", classes[device.rank], this.page.chosen() === row.id ? "selected" : "", row.alarms.some(needsSomebody) ? "raised" : "", row.hasGateway ? "" : "quiet"].filter(Boolean).join(" ");
    if (line.className !== className) line.className = className;
    this.writeMark(device);
    // A line may end behind a slash.
    set(device.badge, row.alarms.filter((alarm) => isOpen(alarm) && alarm.severity !== "info")
        .map(({ alarm }) => alarm.replaceAll("/", "/\u200B")).join(", "));
    this.write(device, "link", ["", link(row, at)]);
    if (this.room.isShort) this.writeAll(device, at);
    else {
      this.write(device, "depth", ...depth(row, at, isLive));
      for (const { name } of this.columns) this.write(device, name, ...cell(row, name, at, isLive));
    }
    this.write(device, "gaps", [row.gaps ? "" : "quiet", String(row.gaps)]);
    this.write(device, "rejected", [row.rejected ? "refused" : "quiet", String(row.rejected)]);
    this.write(device, "heard", ["", row.heardAt === null ? dash : span(at - row.heardAt)]);
  }

  // Brings everything up to date; returns how many devices are shown.
  refresh(at) {
    this.at = at;
    for (const device of this.devices.values()) this.update(device, at);
    const wanted = this.filter.toLowerCase();
    const counts = Object.fromEntries(groups.map(({ name }) => [name, { all: 0, shown: 0 }]));
    const has = { depth: false, lost: false, trend: false };
    for (const { name } of this.columns) has[name] = false;
    const ordered = [...this.devices.values()].sort((a, b) => this.compare(a, b));
    let shown = 0;
    for (const device of ordered) {
      const { row, line, group } = device;
      has.depth ||= row.water !== null || depth(row, 0, false)[0][1] !== "";
      for (const name of Object.keys(row.cells)) has[name] = true;
      has.trend ||= device.trend.hasPoints;
      has.lost ||= row.gaps + row.rejected > 0;
      const isFound = !wanted || isAlarm(device) || this.text(device).toLowerCase().includes(wanted);
      const isShown = isFound && (isAlarm(device) || !this.collapsed.has(group));
      if (line.hidden === isShown) line.hidden = !isShown;
      counts[group].all += isFound ? 1 : 0;
      counts[group].shown += isShown ? 1 : 0;
      shown += isShown ? 1 : 0;
      if (isShown && !this.absent.has("trend") && !this.room.isShort) device.trend.draw(at);
    }
    this.place(ordered, counts);
    const found = JSON.stringify(has);
    if (found !== this.room.has) {
      this.root.classList.toggle("no-lost", !has.lost);
      this.hide(Object.keys(has).filter((name) => !has[name] && name !== "lost"));
      // With other columns it may fit.
      if (this.room.isShort) this.setShort(false);
    }
    this.room.has = found;
    return Object.values(counts).reduce((sum, { all }) => sum + all, 0);
  }

  // The lines below the heads of their groups; a single group has none.
  place(ordered, counts) {
    const known = groups.filter(({ name }) => counts[name].all > 0);
    const nodes = [];
    let current = null;
    for (const { line, group } of ordered) {
      if (group !== current) {
        current = group;
        const { line: head, act, mark, count } = this.heads.get(group);
        const isCollapsed = this.collapsed.has(group);
        const isHidden = counts[group].all === 0 || (known.length < 2 && !isCollapsed);
        if (head.hidden !== isHidden) head.hidden = isHidden;
        set(mark, isCollapsed ? "▸" : "▾");
        const more = counts[group].all - counts[group].shown;
        set(count, `${counts[group].all}${isCollapsed && more ? `, ${more} folded` : ""}`);
        act.setAttribute("aria-expanded", String(!isCollapsed));
        nodes.push(head);
      }
      nodes.push(line);
    }
    // A line that is moved loses the focus.
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    fillFresh(this.body, nodes);
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
  }

  // What the filter looks in.
  text({ row, states: known, line }) {
    return [row.id, row.role, ...known, ...row.alarms.filter(isOpen).map(({ alarm }) => alarm), line.textContent].join("\n");
  }

  // The line above or below the one that has the focus; null where there is none.
  neighbour(line, step) {
    const lines = [...this.body.querySelectorAll("tr")].filter((each) => !each.hidden);
    return lines[lines.indexOf(line) + step] ?? null;
  }
}

// A device that is shown whatever the filter, and whether its group is folded.
export function isAlarm(device) {
  return device.states.some((state) => alarms.includes(state)) || device.row.alarms.some(needsSomebody);
}

// The first number of a text, with minutes and seconds as one; the text where it has none, null where it is empty.
function measure(text) {
  const found = /(-|−)?(\d+):(\d\d)|(-|−)?\d+(\.\d+)?/.exec(text);
  if (!found) return text || null;
  if (found[2] !== undefined) return Number(found[2]) * 60 + Number(found[3]);
  return Number(found[0].replace("−", "-"));
}
