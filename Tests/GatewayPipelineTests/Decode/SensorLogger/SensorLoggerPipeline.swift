import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel

/// A gateway with one registered phone with the app, as device `anna`.
enum SensorLoggerPipeline {
    static let start = 1_782_303_632.0

    static func make(
        standardised: Bool? = nil, streams: Set<StreamName>? = nil, configure: (inout PipelineSettings) -> Void = { _ in }
    ) throws -> PipelineHarness {
        var settings = try PipelineHarness.settings(producer: "sensorLogger", ["topic": "sensor-logger/{user}"])
        settings.derive[HeadPoseDerivation.self].rateHertz = 10
        settings.derive[StrokeDerivation.self].wrist = .right
        settings.derive[StrokeDerivation.self].always = true
        configure(&settings)
        let app = SensorLoggerApp()
        let policy = DevicePolicy.with { ($0.isStandardised, $0.streams) = (standardised, streams) }
        return PipelineHarness(
            settings: settings, policy: PipelineHarness.policy("anna", topic: app.topic, id: app.id, policy))
    }

    /// A head that is calm for a second and then turns to and fro, at 50 Hz.
    static func head(from start: Double = start, seconds: Double, rate: Double = 50) -> [AppReading] {
        (0..<Int(seconds * rate)).map { index in
            let time = Double(index) / rate
            let phase = max(0, time - 1)
            return AppReading(
                time: start + time, yaw: 0.6 * (1 - cos(phase)), rate: phase > 0 ? 0.6 * sin(phase) : 0)
        }
    }

    static func poses(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "head-pose" } }

    /// The transitions of the headphones as `state@seconds since the start`.
    static func transitions(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { $0.kind == "connection/headphone" }.map { message in
            let seconds = ((message.number("at") ?? 0) - start) * 1000
            return "\(message.text("state") ?? "")@\(seconds.rounded() / 1000)"
        }
    }
}
