// The alarms above the table: what, who, since when, who has acknowledged them; and the sound and the notification of critical ones.

import { button, fillFresh, refusal, set } from "./parts.js";
import { element, moment, span } from "./text.js";

const soundEvery = 15; // s between two sounds while a critical alarm is raised and nobody has acknowledged it
const longestAnswer = 30_000; // ms; the server answers an acknowledgement within 25 s
const mostRows = 100; // of each list; 500 devices may have any number
const mostNotifications = 5; // at one time
const severities = ["critical", "warning", "info"];

// What a viewer has chosen, on this browser; where it keeps nothing, until the page is closed.
export const choice = {
  get(name) {
    try {
      return localStorage.getItem(`fathom.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`fathom.${name}`, value);
    } catch {
      // A browser may forbid it.
    }
  },
};

export const isOpen = (alarm) => alarm.state !== "cleared";

// Whether a person must know of it, whatever is filtered: raised, not acknowledged, and more than information.
export const needsSomebody = (alarm) => alarm.state === "raised" && alarm.severity !== "info";

// Two tones by the browser's own synthesizer. Browsers let a page sound once its viewer has clicked or typed in it.
class Sound {
  isOn = choice.get("sound") === "on";
  count = 0; // for tests
  lastAt = -Infinity;

  constructor(changed) {
    this.changed = changed;
    for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, () => this.isOn && this.start(), { passive: true });
  }

  get isReady() {
    return this.context?.state === "running";
  }

  toggle() {
    this.isOn = !this.isOn;
    choice.set("sound", this.isOn ? "on" : "off");
    if (this.isOn) this.start().then(() => this.beep());
    this.changed();
  }

  async start() {
    if (this.isReady) return;
    this.context ??= new AudioContext();
    await this.context.resume().catch(() => null);
    this.changed();
  }

  // Sounds now where critical alarms are new, else from time to time while there are any.
  follow(hasNew, count, at) {
    if (!this.isOn || !count || (!hasNew && at - this.lastAt < soundEvery)) return;
    this.lastAt = at;
    this.beep();
  }

  beep() {
    if (!this.isReady) return;
    this.count += 1;
    [880, 660, 880].forEach((frequency, index) => {
      const from = this.context.currentTime + index * 0.22;
      const [tone, volume] = [this.context.createOscillator(), this.context.createGain()];
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0, from);
      volume.gain.linearRampToValueAtTime(0.4, from + 0.02);
      volume.gain.linearRampToValueAtTime(0, from + 0.18);
      tone.connect(volume).connect(this.context.destination);
      tone.start(from);
      tone.stop(from + 0.2);
    });
  }
}

// Messages of the browser outside of the page. Browsers allow them on this machine and over HTTPS only.
class Notices {
  isPossible = "Notification" in window && window.isSecureContext;
  isOn = this.isPossible && choice.get("notices") === "on" && Notification.permission === "granted";
  count = 0; // for tests

  async toggle() {
    this.isOn = !this.isOn && (await Notification.requestPermission()) === "granted";
    choice.set("notices", this.isOn ? "on" : "off");
  }

  show(alarms, open) {
    if (!this.isOn) return;
    const texts = alarms.slice(0, mostNotifications).map((alarm) => [`${alarm.device}: ${alarm.alarm}`, alarm.reason, alarm.key, alarm.device]);
    const more = alarms.length - texts.length;
    if (more > 0) texts.push([`${more} more critical alarms`, "", "more", null]);
    for (const [title, body, tag, device] of texts) {
      try {
        const shown = new Notification(title, { body, tag, requireInteraction: true, renotify: true });
        this.count += 1;
        shown.addEventListener("click", () => {
          window.focus();
          if (device) open(device);
        });
      } catch {
        // Some browsers have the name and not the thing.
      }
    }
  }
}

export class Alarms {
  known = new Map(); // key: since, of critical alarms that are raised
  notified = new Map(); // the same, when the page was live last
  rows = new Map(); // key: {json, node}
  answers = new Map(); // key: what became of an acknowledgement here
  mayAcknowledge = false;
  all = [];

  // open(device) shows a device; changed() has the page drawn anew.
  constructor(root, open, changed) {
    Object.assign(this, { root, open, changed });
    this.sound = new Sound(changed);
    this.notices = new Notices();
    this.title = element("h2", "", "Alarms");
    this.name = element("input");
    Object.assign(this.name, { type: "text", placeholder: "Your name", maxLength: 64, autocomplete: "name", value: choice.get("name") ?? "" });
    this.name.setAttribute("aria-label", "Your name, with which you acknowledge alarms");
    this.name.addEventListener("input", () => {
      choice.set("name", this.name.value.trim());
      changed();
    });
    this.soundSwitch = button("", () => this.sound.toggle());
    this.noticeSwitch = button("", () => this.notices.toggle().then(changed));
    this.noticeSwitch.disabled = !this.notices.isPossible;
    const bar = element("div", "bar");
    bar.append(this.title, this.name, this.soundSwitch, this.noticeSwitch);
    this.lists = Object.fromEntries(["open", "info", "cleared"].map((name) => {
      const list = element("ul");
      const frame = element(name === "open" ? "div" : "details", name);
      if (name !== "open") frame.append(element("summary"));
      frame.append(list);
      return [name, { frame, list, summary: frame.querySelector("summary") }];
    }));
    root.replaceChildren(bar, ...Object.values(this.lists).map(({ frame }) => frame));
  }

  // Alarms that are raised and not acknowledged; of devices that are past the limit without an alarm, one each is counted beside them.
  get raised() {
    return this.all.filter(needsSomebody);
  }

  // rows: those of all devices. at: the server's clock, unix seconds.
  refresh(rows, at, isLive) {
    this.all = rows.flatMap((row) => row.alarms.map((alarm) => ({ ...alarm, device: row.id, key: `${row.id}/${alarm.alarm}` })));
    this.all.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.since - a.since || (a.key < b.key ? -1 : 1));
    const open = this.all.filter((alarm) => isOpen(alarm) && alarm.severity !== "info");
    const shown = {
      open: [...open.filter(needsSomebody), ...open.filter((alarm) => !needsSomebody(alarm))],
      info: this.all.filter((alarm) => isOpen(alarm) && alarm.severity === "info"),
      cleared: this.all.filter((alarm) => !isOpen(alarm)).sort((a, b) => b.clearedAt - a.clearedAt),
    };
    this.warn(this.all.filter((alarm) => needsSomebody(alarm) && alarm.severity === "critical"), isLive);
    const raised = this.raised.length;
    set(this.title, raised ? `${raised} ${raised === 1 ? "alarm" : "alarms"}` : open.length ? "Alarms, all acknowledged" : "No alarms");
    this.root.classList.toggle("raised", raised > 0);
    const { info, cleared } = this.lists;
    set(info.summary, `${shown.info.length} for information`);
    set(cleared.summary, `${shown.cleared.length} cleared`);
    for (const [name, { frame, list }] of Object.entries(this.lists)) {
      frame.hidden = shown[name].length === 0;
      if (!frame.hidden && frame.open !== false) this.fill(list, shown[name], at);
    }
    const keys = new Set(this.all.map(({ key }) => key));
    for (const known of [this.rows, this.answers]) for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    this.name.hidden = !this.mayAcknowledge;
    this.showSwitches();
  }

  warn(critical, isLive) {
    const fresh = critical.filter(({ key, since }) => this.known.get(key) !== since);
    this.known = new Map(critical.map(({ key, since }) => [key, since]));
    this.sound.follow(fresh.length > 0, critical.length, performance.now() / 1000);
    if (!isLive) return;
    const unseen = critical.filter(({ key, since }) => this.notified.get(key) !== since);
    this.notified = this.known;
    if (unseen.length) this.notices.show(unseen, this.open);
  }

  showSwitches() {
    const { isOn, isReady } = this.sound;
    set(this.soundSwitch, !isOn ? "Sound off" : isReady ? "Sound on" : "Sound on: click once");
    this.soundSwitch.title = "A sound for each critical alarm, until somebody has acknowledged it. Browsers allow it once you have clicked in the page.";
    this.soundSwitch.setAttribute("aria-pressed", String(isOn));
    set(this.noticeSwitch, this.notices.isOn ? "Notifications on" : "Notifications off");
    this.noticeSwitch.title = this.notices.isPossible ? "A notification of the browser for each critical alarm" : "Browsers allow notifications on this machine and over HTTPS only.";
    this.noticeSwitch.setAttribute("aria-pressed", String(this.notices.isOn));
  }

  fill(list, alarms, at) {
    const nodes = alarms.slice(0, mostRows).map((alarm) => this.row(alarm, at));
    if (alarms.length > mostRows) nodes.push(this.more(list, alarms.length - mostRows));
    fillFresh(list, nodes);
  }

  more(list, count) {
    list.more ??= element("li", "quiet");
    set(list.more, `and ${count} more`);
    return list.more;
  }

  row(alarm, at) {
    const answer = this.answers.get(alarm.key);
    const mayAct = alarm.state === "raised" && this.mayAcknowledge;
    const json = JSON.stringify([alarm, answer, mayAct, mayAct && !this.name.value.trim()]);
    let row = this.rows.get(alarm.key);
    if (row?.json !== json) {
      if (alarm.state !== "raised") this.answers.delete(alarm.key);
      row = { json, node: this.build(alarm, answer, mayAct, row?.node) };
      this.rows.set(alarm.key, row);
    }
    set(row.node.age, isOpen(alarm) ? `for ${span(at - alarm.since)}` : "");
    return row.node;
  }

  build(alarm, answer, mayAct, before) {
    const row = before ?? element("li");
    row.className = `${alarm.severity} ${alarm.state}`;
    const device = button(alarm.device, () => this.open(alarm.device));
    device.className = "name";
    device.setAttribute("aria-label", `Show ${alarm.device}`);
    const mark = element("span", "mark", alarm.severity === "info" ? "·" : isOpen(alarm) ? "▲" : "△");
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", alarm.severity);
    row.age = element("span", "quiet");
    const since = element("span", "since", `since ${moment(alarm.since)} `);
    since.append(row.age);
    const what = element("span", "what", [alarm.alarm, alarm.reason && `: ${alarm.reason}`, alarm.count > 1 && `, ${alarm.count} times`].filter(Boolean).join(""));
    row.replaceChildren(mark, device, what, since, this.end(alarm, answer, mayAct));
    return row;
  }

  // What became of it, or the button.
  end(alarm, answer, mayAct) {
    const end = element("span", "end");
    const who = alarm.acknowledgedBy ? `acknowledged by ${alarm.acknowledgedBy}${alarm.acknowledgedAt ? ` at ${moment(alarm.acknowledgedAt)}` : ""}` : "nobody has acknowledged it";
    if (alarm.state === "cleared") end.append(element("span", "quiet", `cleared at ${moment(alarm.clearedAt)}, ${who}`));
    else if (alarm.state === "acknowledged") end.append(element("span", "good", who));
    else if (mayAct) {
      const act = button("Acknowledge", () => this.acknowledge(alarm));
      const name = this.name.value.trim();
      act.disabled = !name || answer === "sending";
      act.title = name ? `As ${name}` : "Type your name above first";
      act.setAttribute("aria-label", `Acknowledge ${alarm.alarm} of ${alarm.device}`);
      end.append(act);
    } else end.append(element("span", "quiet", "not acknowledged"));
    if (answer && answer !== "sending" && alarm.state === "raised") end.append(element("span", "refused", answer));
    return end;
  }

  async acknowledge({ device, alarm, key }) {
    this.answers.set(key, "sending");
    this.changed();
    const query = new URLSearchParams({ device, alarm, by: this.name.value.trim() });
    // The header field is what a page of another site cannot send. A browser whose connections are all taken by tabs does not send it at all.
    const answer = await fetch(`api/acknowledge?${query}`, {
      method: "POST", headers: { "X-Fathom": "1" }, signal: AbortSignal.timeout(longestAnswer),
    }).catch(() => null);
    if (answer?.ok) this.answers.delete(key);
    else this.answers.set(key, await refusal(answer));
    this.changed();
  }
}
