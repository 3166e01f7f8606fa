/// How far a derived value can be trusted.
public enum Quality: String, Sendable, Codable {
    /// Confirmed by data.
    case valid
    /// The data stopped, or a restart is unconfirmed.
    case stale
    /// The sensor contradicts itself.
    case fault
}

/// What a derivation found, in device time; the publish stage turns it into a message.
public struct DerivedEvent: Sendable, Equatable, Codable {
    /// The instant of the event itself, not of its discovery.
    public var time: DeviceTime
    /// The device times of the samples it rests on; `time` alone when nil.
    public var span: ClosedRange<DeviceTime>?
    /// The frames it rests on, first and last inclusive, where the derivation knows better than `span` can tell.
    public var sequence: ClosedRange<UInt64>?
    /// How far it can be trusted.
    public var quality: Quality
    /// From when on silence makes a retained value untrue; nil where silence is normal.
    public var validUntil: DeviceTime?
    /// What was found.
    public var body: DerivedBody

    /// An event at `time`; valid, with no expiry, unless said otherwise.
    public init(
        time: DeviceTime, span: ClosedRange<DeviceTime>? = nil, sequence: ClosedRange<UInt64>? = nil,
        quality: Quality = .valid, validUntil: DeviceTime? = nil, body: DerivedBody
    ) {
        self.time = time
        self.span = span
        self.sequence = sequence
        self.quality = quality
        self.validUntil = validUntil
        self.body = body
    }
}

/// What was found, by kind.
public enum DerivedBody: Sendable, Equatable, Codable {
    /// `depth-state`.
    case depthState(DepthStateChange)
    /// `water-temperature`.
    case waterTemperature(WaterTemperature)
    /// `dive`.
    case dive(Dive)
    /// `impact`.
    case impact(Impact)
    /// `swing`.
    case swing(Swing)
    /// `stroke`.
    case stroke(Stroke)
    /// `convention/{stream}`.
    case convention(MotionConventionReport)
    /// `connection/headphone` or `connection/device`.
    case connection(ConnectionChange)
    /// `head-pose`.
    case headPose(HeadPose)
    /// `access/{stream}`.
    case access(AccessDecision)
    /// `gap`.
    case gap(Gap)
}
