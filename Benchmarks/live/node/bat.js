// Impacts, swings and strokes of a watch on the left wrist.
'use strict'

const { Strokes } = require('./strokes')

const WARPED = Math.tan(Math.PI * 20 / 800) // a corner of 20 Hz at 800 Hz
const B0 = 1 / (1 + Math.SQRT2 * WARPED + WARPED * WARPED)
const A1 = 2 * (WARPED * WARPED - 1) * B0
const A2 = (1 - Math.SQRT2 * WARPED + WARPED * WARPED) * B0
const PATIENCE = 0.025 - 0.0025 // s

class Bat {
  constructor (publish) {
    this.publish = publish
    this.reset()
  }

  reset () {
    this.filter = null
    this.cluster = null
    this.lastImpact = -Infinity
    this.impacts = []
    this.run = null
    this.waiting = []
    this.newest = -Infinity
    this.strokes = new Strokes(this.publish)
  }

  take ({ accelerometer, deviceMotion }) {
    if (accelerometer) this.accelerate(accelerometer)
    if (deviceMotion) this.rotate(deviceMotion)
    while (this.waiting.length && this.newest >= this.waiting[0].end + 0.025 &&
      !(this.cluster && this.cluster.time <= this.waiting[0].end + 0.025)) this.decide(this.waiting.shift())
    while (this.impacts.length && this.impacts[0].time < this.newest - 5) this.impacts.shift()
  }

  accelerate ({ timestamp, x, y, z }) {
    for (let index = 0; index < timestamp.length; index++) {
      const time = timestamp[index]
      const value = Math.sqrt(x[index] * x[index] + y[index] * y[index] + z[index] * z[index])
      if (!this.filter || time - this.newest > 0.01) this.filter = { first: -B0 * value, second: B0 * value, start: time }
      this.newest = time
      const filter = this.filter
      const output = B0 * value + filter.first
      filter.first = filter.second - 2 * B0 * value - A1 * output
      filter.second = B0 * value - A2 * output
      if (this.cluster && time - this.cluster.start >= 0.3) this.strike()
      if (!(output > 5) || time - filter.start < 0.05 || time - this.lastImpact < 0.3) continue
      if (!this.cluster) this.cluster = { start: time, time, value }
      else if (value > this.cluster.value) Object.assign(this.cluster, { time, value })
    }
  }

  strike () {
    const { time, value } = this.cluster
    this.cluster = null
    this.lastImpact = time
    this.impacts.push({ time, value })
    this.publish('impact', time, 'valid', { impactAt: time, peakAcceleration: value, axis: 'magnitude' })
  }

  rotate ({ timestamp, rotationRate, gravity }) {
    for (let index = 0; index < timestamp.length; index++) {
      const time = timestamp[index]
      const rate = rotationRate.x[index] * gravity.x[index] + rotationRate.y[index] * gravity.y[index] +
        rotationRate.z[index] * gravity.z[index]
      const size = Math.abs(rate)
      if (!this.run && size > 1) this.run = { start: time, end: time, peak: size, peakAt: time, times: [], rates: [] }
      this.strokes.step(time, rate)
      const run = this.run
      if (!run) continue
      run.times.push(time)
      run.rates.push(rate)
      if (size > 1) run.end = time
      if (size > run.peak) Object.assign(run, { peak: size, peakAt: time })
      if (time - run.end <= PATIENCE && run.times.length < 800) continue
      if (run.peak > 8) this.waiting.push(run)
      this.run = null
    }
  }

  decide (run) {
    const inside = this.impacts.filter(({ time }) => time >= run.start && time <= run.end + 0.025)
    const best = inside.reduce((a, b) => (b.value > (a?.value ?? 0) ? b : a), null)
    const swing = best ? this.approach(run, best.time) : { start: run.start, rotation: this.integral(run, 0, run.times.indexOf(run.end)) }
    const rotation = Math.abs(swing.rotation)
    if (!(rotation >= 0.8 && rotation <= 7)) return
    const clear = (ratio) => Math.min(1, Math.max(0, ratio - 1))
    const confidence = (clear(run.peak / 8) + clear(Math.min(rotation / 0.8, 7 / rotation))) / 2
    this.publish('swing', best ? best.time : run.peakAt, 'valid', {
      contact: best !== null, impactAt: best ? best.time : null, startAt: swing.start,
      timeToContact: best ? best.time - swing.start : null, peakAcceleration: best ? best.value : null,
      peakRotationRate: run.peak, accumulatedRotation: rotation, confidence, coverage: 1
    })
  }

  // Walks back from the impact, at most 0.8 s, to where the rate fails 1 rad/s for 25 ms.
  approach (run, time) {
    let last = run.times.length - 1
    while (last > 0 && run.times[last] > time) last--
    const sense = Math.sign(run.rates[last]) || 1
    let first = last
    for (let index = last; index >= 0 && time - run.times[index] <= 0.8; index--) {
      if (sense * run.rates[index] > 1) first = index
      else if (run.times[first] - run.times[index] > PATIENCE) break
    }
    return { start: run.times[first], rotation: this.integral(run, first, last) }
  }

  integral ({ times, rates }, first, last) {
    let sum = 0
    for (let index = first + 1; index <= last; index++) sum += (times[index] - times[index - 1]) * (rates[index] + rates[index - 1]) / 2
    return sum
  }
}

module.exports = { Bat }
