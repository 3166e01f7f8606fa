// Depth states with hysteresis, faults by speed and range, silence, and dives.
'use strict'

const STATES = ['unknown', 'notSubmerged', 'submergedShallow', 'submergedDeep', 'approachingMaxDepth', 'pastMaxDepth', 'sensorDepthError']
const LIMIT = 6 // m
const HYSTERESIS = 0.2 // m
const UNITS = { m: 1, ft: 0.3048 }

function rank (depth) {
  if (!(depth <= 1.1 * LIMIT)) return 6
  if (!(depth <= LIMIT)) return 5
  if (!(depth <= 0.875 * LIMIT)) return 4
  return depth < 1 ? 2 : 3
}

class Depth {
  constructor (publish) {
    this.publish = publish
    this.reset()
  }

  reset () {
    this.state = 0
    this.quality = 'valid'
    this.last = null
    this.dive = null
    this.shallowSince = null
  }

  take (frame) {
    for (const measurement of frame.measurements ?? []) this.measure(measurement)
  }

  measure ({ timestamp, depth, submersionState }) {
    if (!depth || !(depth.unit in UNITS) || !Number.isFinite(timestamp)) return
    const metres = depth.value * UNITS[depth.unit]
    let quality = 'valid'
    if (!Number.isFinite(metres) || metres < -1) quality = 'fault'
    if (this.last && Math.abs(metres - this.last.depth) / Math.max(0.25, timestamp - this.last.timestamp) > 4) quality = 'fault'
    const state = Math.max(this.next(timestamp, metres), STATES.indexOf(submersionState))
    this.last = { timestamp, depth: metres }
    this.follow(timestamp, metres, state)
    this.change(timestamp, state, quality, metres, 'sample')
  }

  next (timestamp, metres) {
    if (metres < 0.2) this.shallowSince ??= timestamp
    else this.shallowSince = null
    if (this.state < 2 && metres < 0.2) return 1
    if (this.shallowSince !== null && timestamp - this.shallowSince >= 2) return 1
    return Math.max(rank(metres), Math.min(this.state, rank(metres + HYSTERESIS)))
  }

  change (time, state, quality, depth, cause) {
    if (state === this.state && quality === this.quality) return
    const previous = STATES[this.state]
    this.state = state
    this.quality = quality
    const known = depth <= 1.1 * LIMIT ? depth : null
    this.publish('depth-state', time, quality,
      { state: STATES[state], rawValue: 100 * state, previous, cause, depth: known, maximumDepth: LIMIT, surfacePressure: null })
  }

  follow (time, depth, state) {
    if (!this.dive && depth >= 1) this.dive = { start: time, deepest: depth, sum: 0, count: 0 }
    if (!this.dive) return
    const dive = this.dive
    dive.deepest = Math.max(dive.deepest, depth)
    dive.sum += depth
    dive.count += 1
    if (state !== 1) return
    this.dive = null
    this.publish('dive', time, 'valid',
      { start: dive.start, end: time, duration: time - dive.start, deepest: dive.deepest, averageDepth: dive.sum / dive.count })
  }

  silence (seconds) {
    if (seconds > 5 && this.state > 1) this.change(this.last.timestamp + 5, 0, 'stale', null, 'silence')
  }
}

module.exports = { Depth }
