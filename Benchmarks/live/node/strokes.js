// Forehand and backhand: the rotation about gravity in a window of 1 s, of every other sample of 200 Hz.
'use strict'

class Strokes {
  constructor (publish) {
    this.publish = publish
    this.times = []
    this.rates = []
    this.sum = 0
    this.newest = -Infinity
    this.held = false
    this.counts = { forehand: 0, backhand: 0 }
  }

  step (time, rate) {
    const interval = time - this.newest
    if (!(interval >= 0.007) || !Number.isFinite(rate)) return
    if (interval > 0.125) this.clear()
    this.newest = time
    this.times.push(time)
    this.rates.push(rate)
    this.sum += rate
    while (this.times.length > 1 && time - this.times[0] >= 1 - interval / 2) {
      this.sum -= this.rates.shift()
      this.times.shift()
    }
    const duration = time - this.times[0] + interval
    if (duration < 1 - interval / 2) return
    const yaw = this.sum / this.rates.length * duration
    if (!this.held && Math.abs(yaw) > 1.95) this.turn(time, yaw)
    if (!this.held) return
    const half = this.rates.slice(-Math.round(this.rates.length / 2))
    if (Math.abs(half.reduce((sum, value) => sum + value, 0) / half.length) < 0.275) this.clear()
  }

  turn (time, yaw) {
    const peak = yaw > 0 ? Math.max(...this.rates) : Math.min(...this.rates)
    if (!(peak * Math.sign(yaw) > 5.5)) return
    this.held = true
    const stroke = yaw > 0 ? 'forehand' : 'backhand'
    this.counts[stroke] += 1
    this.publish('stroke', this.times[this.rates.indexOf(peak)], 'valid', {
      stroke, accumulatedRotation: yaw, peakRotationRate: peak, forehandCount: this.counts.forehand, backhandCount: this.counts.backhand
    })
  }

  clear () {
    this.times = []
    this.rates = []
    this.sum = 0
    this.held = false
  }
}

module.exports = { Strokes }
