// Head pose relative to the first calm attitude: so many a second, and all of a frame together where that is asked for.
'use strict'

const CALM_SECONDS = 0.3 - 1e-6
const CALM_ACCELERATION = 0.15 // G
const AGREEMENT = 2 * Math.PI / 180
const SILENCE = 2 // s

const product = (a, b) => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]]
const conjugate = (q) => [-q[0], -q[1], -q[2], q[3]]

function turn (x, y, z) {
  const angle = Math.hypot(x, y, z)
  const scale = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5
  return [x * scale, y * scale, z * scale, Math.cos(angle / 2)]
}

function angles ([x, y, z, w]) {
  return {
    roll: Math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)),
    pitch: Math.asin(Math.min(1, Math.max(-1, 2 * (w * x + y * z)))),
    yaw: Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
  }
}

class HeadPose {
  constructor (publish, { rate, series }) {
    this.publish = publish
    this.rate = rate
    this.hasSeries = series
    this.reset()
  }

  reset () {
    this.previous = this.reference = this.calmSince = null
    this.held = false
    this.period = -1
  }

  take ({ samples, sent, uptime }) {
    const times = samples.timestamp
    const { attitude, rotationRate, userAcceleration } = samples
    this.rows = []
    for (let index = 0; index < times.length; index++) {
      const q = [attitude.x[index], attitude.y[index], attitude.z[index], attitude.w[index]]
      const norm = Math.hypot(...q)
      const acceleration = Math.hypot(userAcceleration.x[index], userAcceleration.y[index], userAcceleration.z[index])
      if (!(norm >= 0.9 && norm <= 1.1) || !Number.isFinite(acceleration)) continue
      this.step({
        time: times[index], attitude: q.map((part) => part / norm), acceleration,
        rate: [rotationRate.x[index], rotationRate.y[index], rotationRate.z[index]]
      }, samples.sensorLocation)
    }
    if (this.rows.length > 0) this.publishSeries(samples.sensorLocation, sent - uptime)
  }

  publishSeries (location, offset) {
    const rows = this.rows
    const column = (value) => rows.map((row) => Math.round(value(row) * 1e6) / 1e6)
    const turned = rows.map(({ pose }) => angles(pose))
    const angle = (name) => turned.map((each) => Math.round(each[name] * 1e6) / 1e6)
    this.publish('head-pose/series', rows[rows.length - 1].time, 'valid', {
      timestamp: column(({ time }) => time + offset),
      attitude: {
        x: column(({ pose }) => pose[0]), y: column(({ pose }) => pose[1]), z: column(({ pose }) => pose[2]), w: column(({ pose }) => pose[3])
      },
      roll: angle('roll'), pitch: angle('pitch'), yaw: angle('yaw'), sensorLocation: location, referenceAt: this.reference.time,
      sampleQuality: rows.map(({ agrees }) => agrees ? 1 : 0)
    })
  }

  step (sample, location) {
    const previous = this.previous
    if (previous && sample.time <= previous.time) return
    const agrees = previous !== null && this.agrees(previous, sample)
    if (previous && sample.time - previous.time > SILENCE) this.held = true
    else if (agrees) this.held = false
    this.previous = sample
    if (sample.acceleration >= CALM_ACCELERATION) this.calmSince = null
    else if (!agrees || this.calmSince === null) this.calmSince = sample.time
    if (!this.reference && this.calmSince !== null && sample.time - this.calmSince > CALM_SECONDS) this.reference = sample
    if (this.held || !this.reference) return
    const period = Math.floor(Math.round(sample.time * 1e6) * this.rate / 1e6)
    const isLatest = period > this.period
    if (!isLatest && !this.hasSeries) return
    const pose = product(conjugate(this.reference.attitude), sample.attitude)
    if (this.hasSeries) this.rows.push({ time: sample.time, pose, agrees })
    if (!isLatest) return
    this.period = period
    this.publish('head-pose', sample.time, 'valid', {
      attitude: { x: pose[0], y: pose[1], z: pose[2], w: pose[3] }, ...angles(pose), sensorLocation: location,
      referenceAt: this.reference.time
    })
  }

  agrees (previous, { time, attitude, rate }) {
    const half = (time - previous.time) / 2
    const [x, y, z] = rate.map((value, axis) => (value + previous.rate[axis]) * half)
    const error = product(conjugate(product(previous.attitude, turn(x, y, z))), attitude)
    return 2 * Math.atan2(Math.hypot(error[0], error[1], error[2]), Math.abs(error[3])) <= AGREEMENT
  }
}

module.exports = { HeadPose }
