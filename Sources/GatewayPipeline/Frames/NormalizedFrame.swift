package import TelemetryModel

/// A frame in order, in the model's units and on one clock, before the access checks.
package struct NormalizedFrame: Sendable, Equatable {
    /// The stream it came on.
    package var stream: StreamName
    /// Its header.
    package var header: FrameHeader
    /// What it holds.
    package var body: FrameBody {
        didSet { span = body.timeSpan }
    }
    /// How far scaled columns may be off.
    package let quantization: Quantization
    /// Seconds to add to device time to get unix time.
    package var offset: Double
    /// How far ahead of the gateway's the device's wall clock ran, beyond the allowance; nil when it did not.
    package var skew: Double?
    /// When it arrived.
    package var received: GatewayTime
    /// The number of its run, as its scope counts, from 1.
    package var run = 1
    /// Whether no later frame of the stream has arrived, as far as derivations need that.
    package var isLast = true
    /// Whether none of its samples was later than those accepted before: it shows nothing but that the device sends.
    package var isRepeated = false
    /// The device times of the first and last sample; nil where the frame has none.
    private var span: ClosedRange<DeviceTime>?

    /// The device time of the first sample; the uptime where the frame has none.
    package var start: DeviceTime { span?.lowerBound ?? header.uptime }

    /// The device time of the last sample; the uptime where the frame has none.
    package var end: DeviceTime { span?.upperBound ?? header.uptime }

    /// Its entry in the history, for the publish stage.
    package var historyEntry: FrameHistory.Entry {
        FrameHistory.Entry(sequence: header.sequence, first: start, last: end, offset: offset, skew: skew)
    }

    /// One of the frames of a message, brought to the model's units and to device time; rejects a `date` that its clock does not admit.
    package init(
        _ decoded: DecodedBody, of message: DecodedMessage, clock: DeviceClock,
        conventions: KeyedTable<StreamName, ConventionTrack>, futureSkewSeconds: Double
    ) throws(Rejection) {
        let header = message.header
        let offset = clock.offset(for: header)
        stream = decoded.stream
        self.header = header
        quantization = message.quantization
        self.offset = offset
        received = message.received
        let ahead = (header.sent?.seconds ?? -.infinity) - message.received.unix.seconds
        skew = ahead > futureSkewSeconds ? ahead : nil
        switch decoded {
        case .model(let body): self.body = body
        case .motion(let motion): body = motion.body(conventions[stream]?.convention)
        case .submersion(let samples):
            body = .submersion(try samples.samples(clockOffset: offset, clock: FrameClock(uptime: header.uptime)))
        case .pedometer(let samples):
            body = .pedometer(try samples.samples(clockOffset: offset, clock: FrameClock(uptime: header.uptime)))
        }
        span = body.timeSpan
    }
}
