// Draws one plot on a canvas: series on one or two axes, filled bands, marks and lines.

const margin = { left: 46, right: 14, top: 16, bottom: 24 };

// Reads the page's colours by name, as the present appearance has them.
export function colors(canvas) {
  const style = getComputedStyle(canvas);
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      canvas.style.color = `var(--${name})`;
      known.set(name, style.color);
    }
    return known.get(name);
  };
}

function steps(low, high, most) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const values = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-6; index += 1) values.push(index * step);
  return values;
}

// Seconds between two instants of an axis: what clocks have.
const intervals = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600];

function instants(low, high, most) {
  const step = intervals.find((candidate) => (high - low) / candidate <= most) ?? 7200 * Math.ceil((high - low) / most / 7200);
  const values = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) values.push(at);
  return values;
}

// spec: x {low, high, label(value), ticks? (else instants in unix seconds)}, left and right {low, high, label(value), color?, inverted?},
// bands [{from, to, color, hatched?, depth?}], series [{axis, color, points [[x, y or null]], width?}],
// areas [{color, points [[x, y]], isSolid?}], lines [{y, text, color}], marks [{x, text, color}], strip [{from, to, color}].
// Returns the scales: x(value) and left(value) in CSS pixels of the canvas.
export function plot(canvas, spec) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const draw = canvas.getContext("2d");
  draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw.clearRect(0, 0, width, height);
  const color = colors(canvas);
  const strip = spec.strip ? 14 : 0;
  const box = {
    left: margin.left, right: width - (spec.right ? margin.left - 4 : margin.right), top: margin.top,
    bottom: height - margin.bottom - strip,
  };
  const x = (value) => box.left + ((value - spec.x.low) / (spec.x.high - spec.x.low)) * (box.right - box.left);
  const scale = (axis) => (value) => {
    const part = (value - axis.low) / (axis.high - axis.low);
    return axis.inverted ? box.top + part * (box.bottom - box.top) : box.bottom - part * (box.bottom - box.top);
  };
  const y = { left: scale(spec.left), right: spec.right ? scale(spec.right) : null };
  // Lines cover whole pixels: half of one would mix with what is below it.
  const pixels = Math.max(1, Math.round(ratio));
  const whole = (value) => (Math.round(value * ratio - pixels / 2) + pixels / 2) / ratio;

  draw.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  draw.lineWidth = pixels / ratio;
  draw.textBaseline = "middle";
  for (const side of ["left", "right"]) {
    const axis = spec[side];
    if (!axis) continue;
    draw.textAlign = side === "left" ? "right" : "left";
    for (const value of steps(axis.low, axis.high, 4)) {
      const at = y[side](value);
      draw.fillStyle = axis.color ? color(axis.color) : color("muted");
      draw.fillText(axis.label(value).replace("-", "−"), side === "left" ? box.left - 7 : box.right + 7, at);
      if (side === "right") continue;
      draw.strokeStyle = color("line");
      line(draw, box.left, whole(at), box.right, whole(at));
    }
  }
  draw.textAlign = "center";
  draw.fillStyle = color("muted");
  for (const value of spec.x.ticks ?? instants(spec.x.low, spec.x.high, Math.max(2, Math.floor(width / 75)))) {
    draw.fillText(spec.x.label(value), Math.min(Math.max(x(value), box.left + 12), box.right - 12), height - margin.bottom / 2 + 2);
  }

  draw.save();
  draw.beginPath();
  draw.rect(box.left, 0, box.right - box.left, height);
  draw.clip();
  for (const band of spec.bands ?? []) fill(draw, x(band.from), box.top, x(band.to), box.bottom, color(band.color), band.hatched);
  for (const part of spec.strip ?? []) {
    draw.fillStyle = color(part.color);
    draw.fillRect(x(part.from), box.bottom + 6, Math.max(1, x(part.to) - x(part.from)), 6);
  }
  for (const area of spec.areas ?? []) {
    draw.globalAlpha = area.isSolid ? 1 : 0.32;
    draw.fillStyle = color(area.color);
    draw.beginPath();
    draw.moveTo(x(area.points[0][0]), y.left(0));
    for (const [at, value] of area.points) draw.lineTo(x(at), y.left(value));
    draw.lineTo(x(area.points.at(-1)[0]), y.left(0));
    draw.fill();
    draw.globalAlpha = 1;
  }
  for (const series of spec.series ?? []) {
    draw.strokeStyle = color(series.color);
    draw.lineWidth = series.width ?? 1.5;
    draw.lineJoin = "round";
    draw.beginPath();
    let isDrawing = false;
    for (const [at, value] of series.points) {
      if (value === null) { isDrawing = false; continue; }
      if (isDrawing) draw.lineTo(x(at), y[series.axis ?? "left"](value));
      else draw.moveTo(x(at), y[series.axis ?? "left"](value));
      isDrawing = true;
    }
    draw.stroke();
  }
  draw.restore();

  draw.lineWidth = pixels / ratio;
  for (const limit of spec.lines ?? []) {
    const at = y.left(limit.y);
    draw.strokeStyle = color(limit.color);
    draw.setLineDash([5, 4]);
    line(draw, box.left, whole(at), box.right, whole(at));
    draw.setLineDash([]);
    label(draw, limit.text, box.right - 4, at - 8, "right", color(limit.color), color("surface"));
  }
  for (const mark of spec.marks ?? []) {
    if (mark.x < spec.x.low || mark.x > spec.x.high) continue;
    const at = x(mark.x);
    draw.strokeStyle = color(mark.color);
    draw.setLineDash(mark.dashed ? [3, 3] : []);
    line(draw, whole(at), box.top, whole(at), box.bottom);
    draw.setLineDash([]);
    const isRight = at > (box.left + box.right) / 2;
    label(draw, mark.text, at + (isRight ? 5 : -5), box.top - 7 + (mark.level ?? 0) * 14, isRight ? "left" : "right", color(mark.color), null);
  }
  return { x, left: y.left, right: y.right, box };
}

function line(draw, fromX, fromY, toX, toY) {
  draw.beginPath();
  draw.moveTo(fromX, fromY);
  draw.lineTo(toX, toY);
  draw.stroke();
}

function label(draw, text, atX, atY, align, ink, ground) {
  draw.textAlign = align;
  if (ground) {
    const width = draw.measureText(text).width + 6;
    draw.globalAlpha = 0.8;
    draw.fillStyle = ground;
    draw.fillRect(align === "right" ? atX - width + 3 : atX - 3, atY - 8, width, 15);
    draw.globalAlpha = 1;
  }
  draw.fillStyle = ink;
  draw.fillText(text, atX, atY);
}

function fill(draw, left, top, right, bottom, ink, isHatched) {
  draw.save();
  draw.beginPath();
  draw.rect(left, top, Math.max(1, right - left), bottom - top);
  draw.clip();
  if (isHatched) {
    draw.strokeStyle = ink;
    draw.globalAlpha = 0.55;
    for (let at = left - (bottom - top); at < right; at += 7) line(draw, at, bottom, at + bottom - top, top);
  } else {
    draw.globalAlpha = 0.22;
    draw.fillStyle = ink;
    draw.fillRect(left, top, right - left, bottom - top);
  }
  draw.restore();
}
