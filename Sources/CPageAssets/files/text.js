// Numbers, times and states as text, and the rule for values that are no longer current.

export const zones = {
  0: "unknown", 100: "surface", 200: "shallow", 300: "deep", 400: "approaching limit", 500: "past limit", 600: "too deep to measure",
};

export const dash = "–";

export function fixed(value, digits, unit = "") {
  if (!Number.isFinite(value)) return dash;
  const text = value.toFixed(digits);
  // No minus before a zero.
  return (Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−")) + unit;
}

// Seconds as 0:37, 12:03 or 3:05:10.
export function span(seconds) {
  if (!Number.isFinite(seconds)) return dash;
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

// Unix seconds as the viewer's clock time.
export function clock(at) {
  return Number.isFinite(at) ? new Date(at * 1000).toLocaleTimeString([], { hourCycle: "h23" }) : dash;
}

// Unix seconds as the viewer's clock time, or as a date where it is of another day.
export function moment(at, now = new Date()) {
  const then = new Date(at * 1000);
  if (then.toDateString() === now.toDateString()) return clock(at);
  return then.toLocaleDateString([], { day: "numeric", month: "short" });
}

// Whether a value of a message may be shown as current.
export function isCurrent(value, now) {
  return (value.quality ?? "valid") === "valid" && (value.validUntil == null || now < value.validUntil);
}

// A pace in s/m as minutes and seconds for a kilometre.
export function perKilometer(pace) {
  if (!Number.isFinite(pace) || pace <= 0 || pace > 60) return dash;
  const seconds = Math.round(pace * 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min/km`;
}

// A part of a cell or a fact as its class and text: [class, text], or an instant with how it is shown.
export function shown([className, value, form], at) {
  return [className, form === "since" ? span(at - value) : form === "clock" ? clock(value) : form === "moment" ? moment(value) : value];
}

// A name in the style of Core Motion as words.
export function words(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function degrees(radians) {
  return Number.isFinite(radians) ? `${Math.round((radians * 180) / Math.PI)}°`.replace("-", "−") : dash;
}

// The text that a rejected frame began with, as far as it can be shown.
export function decoded(base64) {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return base64;
  }
}

// An element with classes and a text, which is never read as HTML.
export function element(name, classes = "", text = "") {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}
