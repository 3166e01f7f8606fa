import SignalProcessing
import TelemetryModel

/// Reads samples of motion from a mapped payload.
extension Mapping {
    /// The samples for which nothing is null; throws when there is none.
    func motion(_ payload: MappedPayload, _ times: [Double?]) throws(Rejection) -> DecodedBody {
        var columns: [MappedComponent: [Double]] = [:]
        var isWhole = times.map { $0 != nil }
        for component in MappedComponent.motion {
            guard let field = fields[component] else { continue }
            let scale = field.sign * MappedDimension.scale(of: field.unit)
            let column = try payload.column(field, count: times.count, layout: layout)
            for index in isWhole.indices where column[index] == nil { isWhole[index] = false }
            columns[component] = column.map { ($0 ?? 0) * scale + 0 }
        }
        let kept = isWhole.indices.filter { isWhole[$0] }
        guard !kept.isEmpty else { throw Rejection(.missingField, "every sample has a value that is null") }
        let pick = { (component: MappedComponent) in
            let column = columns[component] ?? []
            return kept.count == column.count ? column : kept.map { column[$0] }
        }
        let samples = MotionSamples(
            timestamp: kept.compactMap { times[$0] },
            attitude: QuaternionColumns(x: pick(.attitudeX), y: pick(.attitudeY), z: pick(.attitudeZ), w: pick(.attitudeW)),
            rotationRate: VectorColumns(x: pick(.rotationRateX), y: pick(.rotationRateY), z: pick(.rotationRateZ)),
            userAcceleration: VectorColumns(
                x: pick(.userAccelerationX), y: pick(.userAccelerationY), z: pick(.userAccelerationZ)),
            gravity: VectorColumns(x: pick(.gravityX), y: pick(.gravityY), z: pick(.gravityZ)),
            sensorLocation: try locations(payload, count: times.count, kept: kept))
        try check(samples)
        guard isMeasured else {
            return .model(stream == .headphoneMotion ? .headphoneMotion(samples) : .deviceMotion(samples))
        }
        return .motion(
            DecodedMotion(stream: stream, samples: samples, convention: .measured(accelerationIsInUnitOfGravity: true)))
    }

    private func locations(_ payload: MappedPayload, count: Int, kept: [Int]) throws(Rejection) -> [SensorLocation] {
        guard let field = fields[.sensorLocation],
            let words = try payload.words(field, count: count, in: WireNames.sensorLocation)
        else { return [.default] }
        return words.count == count && count > 1 ? kept.map { words[$0] } : words
    }

    private func check(_ samples: MotionSamples) throws(Rejection) {
        try checkOrder(samples.timestamp)
        for index in 0..<samples.count {
            let attitude = samples.attitude[index]
            let squared = (attitude * attitude).sum()
            guard squared >= 0.81, squared <= 1.21 else {
                throw Rejection(
                    .invalidValue, "the quaternion of sample \(index) is \(squared.squareRoot()) long, expected about 1")
            }
        }
        let largest = [samples.rotationRate, samples.userAcceleration, samples.gravity].flatMap { [$0.x, $0.y, $0.z] }
        guard largest.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
            throw Rejection(.notFinite, "a value is too large for its unit")
        }
    }
}
