import FoundationEssentials

/// The fields of derived messages that are shown, all kinds in one: whatever is absent, or not of its type, is nil.
package struct DerivedFields: Decodable, Sendable {
    package var at: Double?
    package var quality: String?
    package var state: String?
    package var early: Bool?
    package var previous: String?
    package var cause: String?
    package var rawValue: Int?
    package var depth: Double?
    package var maximumDepth: Double?
    package var temperature: Double?
    package var converged: Bool?
    package var duration: Double?
    package var deepest: Double?
    package var ascentRate: Double?
    package var contact: Bool?
    package var timeToContact: Double?
    package var peakAcceleration: Double?
    package var peakRotationRate: Double?
    package var stroke: String?
    package var forehandCount: Int?
    package var backhandCount: Int?
    package var sensorLocation: String?
    package var previousLocation: String?
    package var roll: Double?
    package var pitch: Double?
    package var yaw: Double?
    package var allowed: Bool?
    package var reason: String?
    package var code: Int?
    package var stream: String?
    package var unit: String?
    package var expected: Int?
    package var receivedCount: Int?
    package var detail: String?
    package var topic: String?
    package var count: Int?
    package var id: String?
    package var received: Double?
    package var validUntil: Double?
    package var swingAt: Double?
    package var startAt: Double?
    package var impactAt: Double?
    package var confidence: Double?
    package var coverage: Double?
    package var pointer: String?
    package var payload: String?
    package var name: String?
    package var from: Double?
    package var to: Double?
    package var pace: Double?
    package var movingPace: Double?
    package var averagePace: Double?
    package var distance: Double?
    package var movingTime: Double?
    package var relativeAltitude: Double?
    package var altitude: Double?
    package var ascent: Double?
    package var netClimb: Double?
    package var attempt: Int?
    package var rank: Int?
    package var set: Int?
    package var repetitions: Int?
    package var period: Double?
    package var periodSpread: Double?
    package var rangeOfMotion: Double?
    package var exercise: String?
    package var activity: String?
    package var pose: String?
    package var since: Double?
    package var sway: Double?
    package var sleepDuration: Double?
    package var awakenings: Int?
    package var start: Double?
    package var end: Double?
    package var date: String?
    package var worn: Double?
    package var estimatedSteps: Int?
    package var slight: Double?
    package var mild: Double?
    package var moderate: Double?
    package var severe: Double?
    package var frequency: Double?
    package var likely: Double?
    package var method: String?
    package var registryProblem: String?
    package var storageProblem: String?
    package var ingress: String?

    /// Reads a payload; nil if it is no JSON object.
    package init?(_ payload: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(DerivedFields.self, from: Data(payload)) else { return nil }
        self = fields
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func read<Value: Decodable>(_ key: String) -> Value? {
            try? container.decodeIfPresent(Value.self, forKey: Key(stringValue: key))
        }
        at = read("at")
        quality = read("quality")
        state = read("state")
        early = read("early")
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
        id = read("id")
        received = read("received")
        validUntil = read("validUntil")
        swingAt = read("swingAt")
        startAt = read("startAt")
        impactAt = read("impactAt")
        confidence = read("confidence")
        coverage = read("coverage")
        pointer = read("pointer")
        payload = read("payload")
        name = read("name")
        from = read("from")
        to = read("to")
        pace = read("pace")
        movingPace = read("movingPace")
        averagePace = read("averagePace")
        distance = read("distance")
        movingTime = read("movingTime")
        relativeAltitude = read("relativeAltitude")
        altitude = read("altitude")
        ascent = read("ascent")
        netClimb = read("netClimb")
        attempt = read("attempt")
        rank = read("rank")
        set = read("set")
        repetitions = read("repetitions")
        period = read("period")
        periodSpread = read("periodSpread")
        rangeOfMotion = read("rangeOfMotion")
        exercise = read("exercise")
        activity = read("activity")
        pose = read("pose")
        since = read("since")
        sway = read("sway")
        sleepDuration = read("sleepDuration")
        awakenings = read("awakenings")
        start = read("start")
        end = read("end")
        date = read("date")
        worn = read("worn")
        estimatedSteps = read("estimatedSteps")
        slight = read("slight")
        mild = read("mild")
        moderate = read("moderate")
        severe = read("severe")
        frequency = read("frequency")
        likely = read("likely")
        method = read("method")
        registryProblem = read("registryProblem")
        storageProblem = read("storageProblem")
        ingress = read("ingress")
    }

    /// How many occurrences a `gap` or a `rejected` stands for, 1 to 1,000,000.
    package var occurrences: Int { max(1, min(count ?? 1, 1_000_000)) }

    /// When the message's value was measured, and until when it holds.
    package var validity: Validity { Validity(at: at, validUntil: validUntil, isValid: (quality ?? "valid") == "valid") }

    private struct Key: CodingKey {
        let stringValue: String
        package var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
