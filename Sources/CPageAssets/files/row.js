// What a row of the table says. Cells are lists of [class, text].

import { isOpen } from "./alarms.js";
import { dash, fixed, isCurrent, shown, span, zones } from "./text.js";

// 0 past the limit or any critical alarm, 1 contact lost under water, 2 caution, 3 under water, 4 silent after it had a depth, 5 refused, 6 anything else,
// 7 not connected or never seen. The same as `Danger` of the terminal's view.
export function rank(row, at, isLive) {
  const water = row.water;
  if (isPastLimit(row, at, isLive)) return 0;
  if (isContactLost(row, at, isLive)) return 1;
  if (water?.quality === "fault") return hasCritical(row) ? 0 : 2;
  return hasCritical(row) ? 0 : calmRank(row);
}

function calmRank(row) {
  const { water } = row;
  if (water?.zone === 400) return 2;
  if (water?.zone > 100) return 3;
  if (row.connection === "disconnected" || isNeverSeen(row)) return 7;
  if (row.connection === "silent" && water) return 4;
  return row.refused.length || row.error ? 5 : 6;
}

// Whether the gateway has raised a critical alarm that is not cleared.
function hasCritical(row) {
  return row.alarms.some((alarm) => isOpen(alarm) && alarm.severity === "critical");
}

// The deeper of the state of a diver and the one that was last known; 0 where none was.
function worst(water) {
  return Math.max(water.zone, water.known?.zone ?? 0);
}

// Whether a device reports its depth at present, be its sensor in doubt or not.
function isReporting(water, at, isLive) {
  return isLive && water.zone !== 0 && water.quality !== "stale" && (water.validUntil === null || at < water.validUntil);
}

// Past the limit, or deeper than can be measured, or it was when it was last known.
function isPastLimit({ water }, at, isLive) {
  if (water === null) return false;
  const isKnown = water.quality === "valid" && isReporting(water, at, isLive);
  return water.zone >= 500 || (!isKnown && worst(water) >= 500);
}

// Under water when it last reported, or it never did: an unknown depth of which nothing was known may be any.
function isContactLost({ water }, at, isLive) {
  return water !== null && !isReporting(water, at, isLive) && worst(water) !== 100;
}

function isUnderWater({ water }) {
  return water !== null && water.zone !== 100 && worst(water) > 100;
}

// Whether the page has only what the gateway itself published of a device, such as a refusal.
function isNeverSeen(row) {
  return row.connection === null && row.heardAt === null && row.water === null;
}

// What is true of a device, as the words that the filter finds it by. More than one may be: of those past the limit all are under water.
export function states(row, at, isLive) {
  const { water } = row;
  return Object.entries({
    alarm: isPastLimit(row, at, isLive) || hasCritical(row),
    "contact lost": isContactLost(row, at, isLive),
    caution: water !== null && (water.quality === "fault" || water.zone === 400 || worst(water) === 400),
    "under water": isUnderWater(row),
    silent: row.connection === "silent",
    "not connected": row.connection === "disconnected",
    "never seen": isNeverSeen(row),
    refused: row.refused.length > 0 || Boolean(row.error),
    "no gateway": !row.hasGateway,
  }).filter(([, isTrue]) => isTrue).map(([name]) => name);
}

// Of these states of a device a person must know: it is shown whatever the filter, and announced.
export const alarms = ["alarm", "contact lost"];

// What devices do, in the order of the table.
export const groups = [
  { name: "alarm", title: "Alarm" }, { name: "under", title: "Under water" }, { name: "workout", title: "In a workout" },
  { name: "idle", title: "Idle" }, { name: "away", title: "Not connected or never seen" },
];

export function groupOf(row, rank) {
  if (rank < 2) return "alarm";
  if (rank < 4) return "under";
  if (rank === 7) return "away";
  return row.session && row.session.end === null ? "workout" : "idle";
}

// By rank: a symbol, and what it says.
export const marks = [["▲", "alarm"], ["◌", "contact lost"], ["▲", "caution"], ["●", "under water"], ["", ""], ["✕", "refused"], ["", ""], ["", ""]];
export const classes = ["alarm", "contact", "caution", "under", "unheard", "unable", "", "away"];

export function link(row, at) {
  if (!row.hasGateway) return `no gateway${row.connection === null ? "" : `, was ${row.connection}`}`;
  if (row.connection === null) return dash;
  const since = row.connection === "connected" || row.connectionAt === null ? "" : ` ${span(at - row.connectionAt)}`;
  return row.connection + since;
}

export function depth(row, at, isLive) {
  const refusal = row.refused.find((reason) => reason.startsWith("submersion")) ?? row.error;
  // A diver whose depth is refused from now on stays in sight.
  if (refusal && !isUnderWater(row)) return [["refused", refusal]];
  if (!row.water) return [["", ""]];
  return [...waterCell(row.water, at, isLive), ["refused", refusal ? ` ${refusal}` : ""]];
}

function waterCell(water, at, isLive) {
  if (isLive && isCurrent(water, at) && water.zone !== 0) {
    const parts = [[`pill z${water.zone}`, zones[water.zone]]];
    if (water.zone === 100) return parts;
    parts.push(["strong", water.depth === null ? "" : fixed(water.depth, 1, " m")]);
    if (water.underWaterSince !== null) parts.push(["quiet", ` ${span(at - water.underWaterSince)}`]);
    return parts;
  }
  // A fault never makes a depth safer: the state stays, its depth is shown as one that was.
  const isFault = water.quality === "fault";
  const state = isFault ? [`pill z${water.zone}`, `${zones[water.zone]}, sensor fault`] : ["pill z0", "unknown"];
  return [state, ["was", `? ${was(water)}`]];
}

function was(water) {
  if (!water.known) return "";
  if (water.known.zone === 100) return "was at the surface";
  return `was ${water.known.depth === null ? zones[water.known.zone] : fixed(water.known.depth, 1, " m")}`;
}

// What the kinds of a column say: those of the greatest precedence that say something at present; and what stands before it where all
// columns are one.
function found(row, column, at, isLive) {
  const texts = [];
  for (const cell of row.cells[column] ?? []) {
    if (texts.length && cell.precedence < texts[0].precedence) break;
    const parts = (isLive && isCurrent(cell, at) ? cell.now : cell.was).map((part) => shown(part, at)).filter(([, text]) => text !== "");
    if (parts.length) texts.push({ ...cell, parts });
  }
  return { label: texts[0]?.label ?? "", parts: texts.flatMap(({ parts }, index) => (index ? [["", " · "], ...parts] : parts)) };
}

// The cell of a column that kinds declare.
export function cell(row, column, at, isLive) {
  const { parts } = found(row, column, at, isLive);
  return parts.length ? parts : [["", ""]];
}

// Everything that is known of a device, where there is no room for columns: a list of cells.
export function everything(row, columns, at, isLive) {
  const declared = columns.map(({ name }) => found(row, name, at, isLive)).filter(({ parts }) => parts.length > 0);
  return [
    depth(row, at, isLive).filter(([, text]) => text !== ""),
    ...declared.map(({ label, parts }) => (label ? [["quiet", label], ...parts] : parts)),
  ].filter((each) => each.length > 0);
}

// What the columns say that the narrowest table has no room for.
export function remarks(row, at) {
  return [
    row.hasGateway && (row.connection === null || row.connection === "connected") ? "" : link(row, at),
    row.gaps ? `${row.gaps} ${row.gaps === 1 ? "gap" : "gaps"}` : "", row.rejected ? `${row.rejected} rejected` : "",
  ].filter(Boolean).map((text) => [["quiet", text]]);
}
