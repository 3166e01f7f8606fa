// A head from above.

import { canvas, heading, label } from "./parts.js";
import { colors } from "./plot.js";
import { degrees, element, isCurrent } from "./text.js";

export class Head {
  name = "head";
  kinds = ["head-pose"];

  constructor() {
    this.dial = canvas("The head from above");
    this.dial.className = "dial";
    this.angles = element("dl");
    const pose = element("div", "pose");
    pose.append(this.dial, this.angles);
    this.parts = [heading(element("span", "", "Head, from above")), pose];
  }

  has(data, row) {
    return Number.isFinite(row.latest["head-pose"]?.yaw);
  }

  draw(data, row, now, isLive) {
    const pose = row.latest["head-pose"];
    const isNow = isLive && isCurrent(pose, now);
    drawHead(this.dial, pose, isNow);
    const values = [
      ["yaw", degrees(pose.yaw)], ["pitch", degrees(pose.pitch)], ["roll", degrees(pose.roll)],
      ["measured in", { headphoneLeft: "left bud", headphoneRight: "right bud" }[pose.sensorLocation] ?? "headphones"],
    ];
    const key = JSON.stringify([values, isNow]);
    if (key === this.key) return;
    this.key = key;
    label(this.dial, `The head from above: ${isNow ? "" : "? was "}${values.map((each) => each.join(" ")).join(", ")}`);
    this.angles.replaceChildren(...values.flatMap(([name, value]) => [element("dt", "", name), element("dd", isNow ? "" : "was", isNow ? value : `? was ${value}`)]));
  }
}

// Draws a head turned by its yaw, and the bud that measures; pale where the pose is not current.
function drawHead(dial, head, isNow) {
  const size = 120;
  const ratio = window.devicePixelRatio || 1;
  if (dial.width !== size * ratio) dial.width = dial.height = size * ratio;
  const draw = dial.getContext("2d");
  const color = colors(dial);
  draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw.clearRect(0, 0, size, size);
  draw.translate(size / 2, size / 2);
  draw.strokeStyle = color("line");
  draw.lineWidth = 1.5;
  draw.beginPath();
  draw.arc(0, 0, 54, 0, 2 * Math.PI);
  draw.stroke();
  draw.fillStyle = color("muted");
  for (const turn of [-90, -45, 0, 45, 90]) {
    draw.save();
    draw.rotate((turn * Math.PI) / 180);
    draw.fillRect(-0.75, -54, 1.5, turn ? 5 : 9);
    draw.restore();
  }
  // Core Motion counts yaw counterclockwise: positive is to the left.
  draw.rotate(-head.yaw);
  draw.globalAlpha = isNow ? 1 : 0.4;
  draw.fillStyle = draw.strokeStyle = color(isNow ? "accent" : "muted");
  draw.lineWidth = 2;
  draw.beginPath();
  draw.ellipse(0, 0, 20, 24, 0, 0, 2 * Math.PI);
  draw.stroke();
  draw.beginPath();
  draw.moveTo(-6, -24);
  draw.lineTo(0, -35);
  draw.lineTo(6, -24);
  draw.fill();
  for (const side of [-1, 1]) {
    draw.beginPath();
    draw.arc(side * 22, 0, 3.5, 0, 2 * Math.PI);
    const bud = side < 0 ? "headphoneLeft" : "headphoneRight";
    if (head.sensorLocation === bud) draw.fill(); else draw.stroke();
  }
  draw.globalAlpha = 1;
}
