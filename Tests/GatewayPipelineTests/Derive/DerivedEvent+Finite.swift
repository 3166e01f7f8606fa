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
            case .columns(let columns): columns.isFinite
            case .profile(_, let values): values.allSatisfy { $0?.isFinite ?? true }
            case .signal(let signal): signal.interval.isFinite && signal.scale.isFinite
            case .message(_, let time, _): time.seconds.isFinite
            case .text, .integer, .flag, .texts, .ranges, .absent: true
            }
        }
    }
}

extension FieldColumns {
    fileprivate var isFinite: Bool {
        switch self {
        case .instants(let times): times.allSatisfy(\.isFinite)
        case .numbers(let numbers): numbers.allSatisfy { $0?.isFinite ?? true }
        case .bits: true
        case .row(let vector): (vector * 0).sum() == 0
        case .vectors(let columns): [columns.x, columns.y, columns.z].joined().allSatisfy(\.isFinite)
        case .quaternions(let columns): [columns.x, columns.y, columns.z, columns.w].joined().allSatisfy(\.isFinite)
        }
    }
}
