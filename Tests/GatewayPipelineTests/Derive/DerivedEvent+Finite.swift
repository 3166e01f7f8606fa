import GatewayPipeline
import TelemetryModel

extension DerivedEvent {
    /// Whether every number that would be published is one.
    var isFinite: Bool {
        let times = [time, span?.lowerBound, span?.upperBound, validUntil].compactMap(\.self)
        return times.allSatisfy(\.seconds.isFinite) && body.hasFiniteFields
    }
}

extension DerivedBody {
    fileprivate var hasFiniteFields: Bool {
        Self.kind.fields.allSatisfy { field in
            switch field.value(self) {
            case .number(let number), .seconds(let number): number?.isFinite ?? true
            case .instant(let time): time?.seconds.isFinite ?? true
            case .quaternion(let quaternion): (quaternion * 0).sum() == 0
            case .text, .integer, .flag, .texts, .absent: true
            }
        }
    }
}
