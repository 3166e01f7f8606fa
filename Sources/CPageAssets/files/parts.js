// Parts of the detail of a device.

import { decoded, element, moment } from "./text.js";

// The latest first; what is derived later than the rest stands where it happened.
export function fillTimeline(list, entries) {
  const ordered = [...entries].sort((a, b) => a.at - b.at);
  list.replaceChildren(...ordered.map((entry) => {
    const item = element("li", entry.tone);
    const what = element("div", "what", entry.text);
    if (entry.pointer || entry.payload || entry.topic) {
      const more = element("details");
      const text = [
        entry.topic && `topic    ${entry.topic}`, entry.pointer && `pointer  ${entry.pointer}`, entry.payload && `payload  ${decoded(entry.payload)}`,
      ].filter(Boolean).join("\n");
      more.append(element("summary", "", entry.pointer ? `at ${entry.pointer}` : "the frame"), element("pre", "", text));
      what.append(more);
    }
    item.append(element("time", "", moment(entry.at)), element("span", "bead"), what);
    return item;
  }).reverse());
  if (!entries.length) list.append(element("li", "quiet", "Nothing yet."));
}

export function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// What the page's server said when it refused; where it could not be reached, or went away within its answer, that.
export async function refusal(answer) {
  const text = await answer?.text().catch(() => "");
  return text?.trim() || "no connection to the page's server";
}

// Has a node have these children in this order, without moving those that are right: one that is moved loses the focus.
export function fillFresh(parent, nodes) {
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

export function heading(...parts) {
  const made = element("h3");
  made.append(...parts);
  return made;
}

export function canvas(text) {
  const made = element("canvas");
  made.setAttribute("role", "img");
  label(made, text);
  return made;
}

// For those who do not see the node.
export function label(node, text) {
  if (node.getAttribute("aria-label") !== text) node.setAttribute("aria-label", text);
}

export function button(text, act) {
  const made = element("button", "act", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// names: the columns; of those in extra a narrow table is without.
export function table(names, rows, extra = []) {
  const made = element("table");
  const head = element("thead");
  const line = element("tr");
  line.append(...names.map((name) => element("th", extra.includes(name) ? "extra" : "", name)));
  head.append(line);
  made.append(head, rows);
  return made;
}
