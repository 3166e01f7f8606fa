// What a row of the table says. Cells are lists of [class, text].

import { dash, degrees, fixed, hours, isCurrent, percent, perKilometer, span, zones } from "./text.js";

// 0 alarm, 1 contact lost under water, 2 caution, 3 under water, 4 silent after it had a depth, 5 refused, 6 anything else,
// 7 not connected or never seen. The same as `Danger` of the terminal's view.
export function rank(row, at, isLive) {
  const water = row.water;
  if (isPastLimit(row, at, isLive)) return 0;
  if (water?.quality === "fault") return 2;
  if (isContactLost(row, at, isLive)) return 1;
  if (water?.zone === 400) return 2;
  if (water?.zone > 100) return 3;
  if (row.connection === "disconnected" || isNeverSeen(row)) return 7;
  if (row.connection === "silent" && water) return 4;
  return row.refused.length || row.error ? 5 : 6;
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
    alarm: isPastLimit(row, at, isLive),
    "contact lost": isContactLost(row, at, isLive),
    caution: water !== null && (water.quality === "fault" || water.zone === 400 || worst(water) === 400),
    "under water": isUnderWater(row),
    silent: row.connection === "silent",
    "not connected": row.connection === "disconnected",
    "never seen": isNeverSeen(row),
    refused: row.refused.length > 0 || Boolean(row.error),
  }).filter(([, isTrue]) => isTrue).map(([name]) => name);
}

// Of these states of a device a person must know: it is shown whatever the filter, and announced.
export const alarms = ["alarm", "contact lost"];

// By rank: a symbol, and what it says.
export const marks = [["▲", "alarm"], ["◌", "contact lost"], ["▲", "caution"], ["●", "under water"], ["", ""], ["✕", "refused"], ["", ""], ["", ""]];
export const classes = ["alarm", "contact", "caution", "under", "unheard", "unable", "", "away"];

export function link(row, at) {
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

export function swing(bat, at) {
  if (!bat || bat.swingAt === null) return [["", ""]];
  const time = bat.contact ? `${Math.round(bat.timeToContact * 1000)} ms ` : "";
  return [["strong", time], ["", bat.contact ? "hit" : "miss"], ["quiet", ` ${fixed(bat.confidence, 2)} · ${span(at - bat.swingAt)} ago`]];
}

export function head(row, at, isLive) {
  if (!row.head) return [["", ""]];
  if (row.head.connection === "disconnected") return [["quiet", "taken out"]];
  if (row.head.yaw === null) return [["quiet", dash]];
  const yaw = degrees(row.head.yaw);
  return isLive && isCurrent(row.head, at) ? [["", yaw]] : [["was", `? was ${yaw}`]];
}

// The temperature of the water.
export function temperature(row, at, isLive) {
  const water = row.water;
  if (!water || water.temperature === null) return [["", ""]];
  const text = fixed(water.temperature, 1, " °C");
  return isLive && isCurrent(water, at) ? [["", text]] : [["was", `was ${text}`]];
}

// State and pace of somebody who walks or runs, and the distance.
export function pace({ run }, at, isLive) {
  if (!run || run.state === null) return [["", ""]];
  const distance = run.distance === null ? "" : ` ${fixed(run.distance, 0, " m")}`;
  if (!isLive || run.state === "unknown" || !isCurrent(run, at)) return [["was", distance ? `? was at${distance}` : "? no steps received"]];
  if (run.state === "paused") return [["quiet", "stands"], ["", distance]];
  return [["strong", run.pace === null ? "moves" : perKilometer(run.pace)], ["", distance]];
}

// Metres over the start, and up in all.
export function climb({ run }, at, isLive) {
  if (!run || run.climb.height === null) return [["", ""]];
  const text = `${fixed(run.climb.height, 0, " m")}`;
  if (!isLive || !isCurrent(run.climb, at)) return [["was", `was ${text}`]];
  return [["", text], ["quiet", ` ↑ ${fixed(run.climb.ascent, 0)}`]];
}

// The set that is under way, else the pose that is held, else what there was.
export function exercise({ exercise }, at, isLive) {
  if (!exercise) return [["", ""]];
  const { set, pose } = exercise;
  if (set && isLive && isCurrent(set, at)) return [["strong", `${set.count} ×`], ["quiet", ` set ${set.number}`]];
  if (pose && isLive && isCurrent(pose, at)) {
    return [["strong", pose.name], ["", pose.since === null ? "" : ` ${span(at - pose.since)}`], ["quiet", ` sway ${fixed((pose.sway * 180) / Math.PI, 1, "°")}`]];
  }
  const parts = [
    exercise.sets ? `${exercise.repetitions} × in ${exercise.sets} ${exercise.sets === 1 ? "set" : "sets"}` : "",
    exercise.punches ? `${exercise.punches} ${exercise.punches === 1 ? "punch" : "punches"}, ${fixed(exercise.punch, 1, " G")}` : "",
    exercise.holds ? `${exercise.holds} ${exercise.holds === 1 ? "pose" : "poses"}` : "",
  ].filter(Boolean);
  return [["", parts.join(" · ")]];
}

// The last night, else how long the watch was worn. It is a report, so it is current as long as there is no later one.
export function sleep({ night }) {
  if (!night) return [["", ""]];
  if (night.asleep === null) return night.worn === null ? [["", ""]] : [["quiet", "worn "], ["", hours(night.worn)]];
  return [["", hours(night.asleep)], ["quiet", ` / ${hours(night.duration)}`]];
}

// The latest minute of tremor, else of dyskinesia. A report like `sleep`.
export function tremor({ tremor }) {
  if (!tremor) return [["", ""]];
  if (tremor.share === null) return [["quiet", "dyskinesia "], ["", percent(tremor.likely)]];
  return [["", percent(tremor.share)], ["quiet", tremor.grade === null ? "" : ` ${tremor.grade}`]];
}

// Everything that is known of a device, where there is no room for columns: a list of cells.
export function everything(row, at, isLive) {
  const { bat } = row;
  const strokes = bat && bat.forehands + bat.backhands ? [["quiet", "fore / back "], ["", `${bat.forehands} / ${bat.backhands}`]] : [];
  const labelled = (label, cell) => (cell[0][1] ? [["quiet", label], ...cell] : cell);
  return [
    depth(row, at, isLive), temperature(row, at, isLive), swing(bat, at), strokes, labelled("head ", head(row, at, isLive)),
    pace(row, at, isLive), labelled("climb ", climb(row, at, isLive)), exercise(row, at, isLive), row.night?.asleep == null ? sleep(row) : labelled("slept ", sleep(row)),
    labelled(row.tremor?.share == null ? "" : "tremor ", tremor(row)),
  ].map((cell) => cell.filter(([, text]) => text !== "")).filter((cell) => cell.length > 0);
}

// What the columns say that the narrowest table has no room for.
export function remarks(row, at) {
  return [
    row.connection === null || row.connection === "connected" ? "" : link(row, at),
    row.gaps ? `${row.gaps} ${row.gaps === 1 ? "gap" : "gaps"}` : "", row.rejected ? `${row.rejected} rejected` : "",
  ].filter(Boolean).map((text) => [["quiet", text]]);
}
