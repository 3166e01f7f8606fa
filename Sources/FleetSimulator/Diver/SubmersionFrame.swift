import JSONText

/// What a watch has gathered for its next `submersion` frame.
struct SubmersionFrame: Sendable {
    struct Event: Sendable {
        /// Device time.
        var seconds: Double
        var isSubmerged: Bool
    }

    let reportsState: Bool
    var event: Event?
    var measurements: [DepthReading] = []
    var temperatures: [TemperatureReading] = []
    /// The limit of the entitlement, m, to be sent with the next frame.
    var maximumDepth: Double?

    init(reportsState: Bool) {
        self.reportsState = reportsState
    }

    var isEmpty: Bool { event == nil && measurements.isEmpty }

    mutating func clear() {
        self = SubmersionFrame(reportsState: reportsState)
    }

    @Sendable func write(into writer: inout JSONWriter) {
        if let event {
            writer.array("events") {
                $0.object {
                    $0.field("timestamp", event.seconds, decimals: 6)
                    $0.field("state", event.isSubmerged ? "submerged" : "notSubmerged")
                }
            }
        }
        if !measurements.isEmpty {
            writer.array("measurements") {
                for measurement in measurements { measurement.write(into: &$0, withState: reportsState) }
            }
        }
        if !temperatures.isEmpty {
            writer.array("temperatures") {
                for temperature in temperatures { temperature.write(into: &$0) }
            }
        }
        if let maximumDepth { writer.quantity("maximumDepth", maximumDepth, decimals: 1, unit: "m") }
    }
}
