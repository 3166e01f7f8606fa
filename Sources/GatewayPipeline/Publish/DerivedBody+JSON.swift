import TelemetryModel

extension DerivedBody {
    /// Writes the fields of the kind; `offset` turns device time into unix time.
    func encode(into json: inout JSONWriter, offset: Double) {
        func unix(_ time: DeviceTime?) -> Double? { time.map { $0.seconds + offset } }
        switch self {
        case .depthState(let change):
            json.field("state", change.state.name)
            json.field("rawValue", change.state.rawValue)
            json.field("previous", change.previous.name)
            json.field("cause", change.cause.rawValue)
            json.field("depth", change.depth)
            json.field("maximumDepth", change.maximumDepth)
            json.field("surfacePressure", change.surfacePressure)
        case .waterTemperature(let water):
            json.field("temperature", water.temperature)
            json.field("uncertainty", water.uncertainty)
            json.field("converged", water.converged)
        case .dive(let dive):
            json.seconds("start", unix(dive.start))
            json.seconds("end", unix(dive.end))
            json.seconds("duration", dive.duration)
            json.field("deepest", dive.deepest)
            json.field("averageDepth", dive.averageDepth)
            json.field("minimumTemperature", dive.minimumTemperature)
            json.field("ascentRate", dive.ascentRate)
            json.seconds("surfaceInterval", dive.surfaceInterval)
        case .impact(let impact):
            json.seconds("impactAt", unix(impact.impactAt))
            json.field("peakAcceleration", impact.peakAcceleration)
            json.field("axis", impact.axis.rawValue)
        case .swing(let swing):
            json.field("contact", swing.contact)
            json.seconds("impactAt", unix(swing.impactAt))
            json.seconds("startAt", unix(swing.startAt))
            json.seconds("timeToContact", swing.timeToContact)
            json.field("peakAcceleration", swing.peakAcceleration)
            json.field("peakRotationRate", swing.peakRotationRate)
            json.field("accumulatedRotation", swing.accumulatedRotation)
            json.field("confidence", swing.confidence)
            json.field("coverage", swing.coverage)
        case .stroke(let stroke):
            json.field("stroke", stroke.stroke.rawValue)
            json.field("accumulatedRotation", stroke.accumulatedRotation)
            json.field("peakRotationRate", stroke.peakRotationRate)
            json.field("forehandCount", stroke.forehandCount)
            json.field("backhandCount", stroke.backhandCount)
        case .convention(let report):
            json.field("stream", report.stream.rawValue)
            json.field("standardised", report.standardised)
            json.field("gravityScale", report.gravityScale)
            json.field("accelerationScale", report.accelerationScale)
            json.field("turnsAttitude", report.turnsAttitude)
        case .connection(let change):
            json.field("state", change.state.rawValue)
            json.field("previous", change.previous?.rawValue)
            json.field("cause", change.cause.rawValue)
            if change.cause == .handover {
                json.field("sensorLocation", change.sensorLocation?.name)
                json.field("previousLocation", change.previousLocation?.name)
            }
        case .headPose(let pose):
            json.object("attitude") { json in
                json.field("x", pose.attitude.x)
                json.field("y", pose.attitude.y)
                json.field("z", pose.attitude.z)
                json.field("w", pose.attitude.w)
            }
            json.field("roll", pose.roll)
            json.field("pitch", pose.pitch)
            json.field("yaw", pose.yaw)
            json.field("sensorLocation", pose.sensorLocation.name)
            json.seconds("referenceAt", unix(pose.referenceAt))
        case .access(let decision):
            json.field("allowed", decision.allowed)
            json.field("reason", decision.reason.rawValue)
            json.field("code", decision.code?.rawValue)
            json.seconds("since", decision.since.seconds)
            if !decision.refusedHalves.isEmpty { json.field("refusedHalves", decision.refusedHalves.map(\.rawValue)) }
        case .gap(let gap):
            json.field("stream", gap.stream.rawValue)
            json.field("unit", gap.unit.rawValue)
            json.field("expected", gap.expected)
            json.field("receivedCount", gap.received)
            json.seconds("from", unix(gap.from))
            json.seconds("to", unix(gap.to))
        }
    }
}
