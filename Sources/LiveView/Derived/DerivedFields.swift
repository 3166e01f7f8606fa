import FoundationEssentials

/// The fields of derived messages that are shown, all kinds in one: whatever is absent, or not of its type, is nil.
struct DerivedFields: Decodable {
    var at: Double?
    var quality: String?
    var state: String?
    var previous: String?
    var cause: String?
    var rawValue: Int?
    var depth: Double?
    var maximumDepth: Double?
    var temperature: Double?
    var converged: Bool?
    var duration: Double?
    var deepest: Double?
    var ascentRate: Double?
    var contact: Bool?
    var timeToContact: Double?
    var peakAcceleration: Double?
    var peakRotationRate: Double?
    var stroke: String?
    var forehandCount: Int?
    var backhandCount: Int?
    var sensorLocation: String?
    var previousLocation: String?
    var roll: Double?
    var pitch: Double?
    var yaw: Double?
    var allowed: Bool?
    var reason: String?
    var code: Int?
    var stream: String?
    var unit: String?
    var expected: Int?
    var receivedCount: Int?
    var detail: String?
    var topic: String?
    var count: Int?

    /// Reads a payload; nil if it is no JSON object.
    init?(_ payload: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(DerivedFields.self, from: Data(payload)) else { return nil }
        self = fields
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func read<Value: Decodable>(_ key: String) -> Value? {
            try? container.decodeIfPresent(Value.self, forKey: Key(stringValue: key))
        }
        at = read("at")
        quality = read("quality")
        state = read("state")
        previous = read("previous")
        cause = read("cause")
        rawValue = read("rawValue")
        depth = read("depth")
        maximumDepth = read("maximumDepth")
        temperature = read("temperature")
        converged = read("converged")
        duration = read("duration")
        deepest = read("deepest")
        ascentRate = read("ascentRate")
        contact = read("contact")
        timeToContact = read("timeToContact")
        peakAcceleration = read("peakAcceleration")
        peakRotationRate = read("peakRotationRate")
        stroke = read("stroke")
        forehandCount = read("forehandCount")
        backhandCount = read("backhandCount")
        sensorLocation = read("sensorLocation")
        previousLocation = read("previousLocation")
        roll = read("roll")
        pitch = read("pitch")
        yaw = read("yaw")
        allowed = read("allowed")
        reason = read("reason")
        code = read("code")
        stream = read("stream")
        unit = read("unit")
        expected = read("expected")
        receivedCount = read("receivedCount")
        detail = read("detail")
        topic = read("topic")
        count = read("count")
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
