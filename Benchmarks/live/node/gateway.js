// A small gateway with MQTT.js: the derivations of Fathom that the benchmark's loads reach, without order, access and stored state.
//
//     NODE_PATH=/usr/share/nodejs node gateway.js PORT [POSES A SECOND] [series]
'use strict'

const mqtt = require('mqtt')
const { Depth } = require('./depth')
const { HeadPose } = require('./headpose')
const { Bat } = require('./bat')

const DERIVATIONS = { submersion: Depth, 'headphone-motion': HeadPose, 'batched-imu': Bat }
const SETTINGS = { rate: Number(process.argv[3] || 1), series: process.argv[4] === 'series' }
const RETAINED = new Set(['depth-state', 'head-pose'])

const client = mqtt.connect(`mqtt://127.0.0.1:${process.argv[2]}`, {
  protocolVersion: 5, clean: true, clientId: 'node', keepalive: 60, properties: { receiveMaximum: 200 }
})
const devices = new Map()

class Device {
  constructor (name, stream) {
    this.name = name
    this.stream = stream
    this.derivation = new DERIVATIONS[stream]((kind, time, quality, fields) => this.publish(kind, time, quality, fields), SETTINGS)
  }

  take (frame) {
    if (frame.boot === this.boot && frame.seq <= this.seq) return
    if (frame.boot !== this.boot) this.derivation.reset()
    this.boot = frame.boot
    this.seq = frame.seq
    this.offset = frame.sent - frame.uptime
    this.received = Date.now() / 1000
    this.derivation.take(frame)
  }

  publish (kind, time, quality, fields) {
    const message = {
      schema: 'wearables/1', id: `${this.name}/${kind}/${this.boot}/${time}`, device: this.name, kind,
      at: Math.round((time + this.offset) * 1e6) / 1e6, deviceTime: time, received: this.received,
      source: { stream: this.stream, boot: this.boot, seq: [this.seq, this.seq] },
      derivation: { version: 1 }, quality, ...fields
    }
    client.publish(`wearables/${this.name}/out/${kind}`, JSON.stringify(message), { qos: 1, retain: RETAINED.has(kind) })
  }
}

function isFrame (frame) {
  return frame !== null && frame.schema === 'wearables/1' && typeof frame.boot === 'string' &&
    Number.isSafeInteger(frame.seq) && Number.isFinite(frame.uptime) && Number.isFinite(frame.sent)
}

client.on('message', (topic, payload) => {
  const [, name, , stream] = topic.split('/')
  if (!(stream in DERIVATIONS)) return
  let frame
  try { frame = JSON.parse(payload) } catch { return }
  if (!isFrame(frame)) return
  const key = `${name}/${stream}`
  let device = devices.get(key)
  if (!device) devices.set(key, device = new Device(name, stream))
  device.take(frame)
})

client.on('connect', () => {
  client.stream.setNoDelay(true)
  client.subscribe('wearables/+/in/+', { qos: 1 }, () => console.log('ready'))
})

setInterval(() => {
  const now = Date.now() / 1000
  for (const device of devices.values()) {
    if (device.derivation.silence) device.derivation.silence(now - device.received)
  }
}, 1000)
