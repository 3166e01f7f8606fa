import SignalProcessing
import TelemetryModel

/// Reads samples of motion from a mapped payload.
extension Mapping {
    /// The samples for which nothing is null, but for the magnetic field; throws when there is none.
    func motion(
        _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> DecodedBody {
        let isRaw = fields[.accelerationX] != nil
        var columns: [MappedComponent: [Double]] = [:]
        var isWhole = times.map { $0 != nil }
        var blank: MappedField?
        for component in isRaw ? MappedComponent.rawMotion : MappedComponent.fusedMotion {
            guard let field = fields[component] else { continue }
            let column = try payload.column(field, count: times.count, layout: layout)
            for index in isWhole.indices where column[index] == nil {
                isWhole[index] = false
                blank = field
            }
            let scale = field.scale
            columns[component] = column.map { ($0 ?? 0) * scale + 0 }
        }
        let kept = isWhole.indices.filter { isWhole[$0] }
        guard !kept.isEmpty else {
            throw Rejection(.missingField, at: blank?.pointer ?? "", "every sample has a value that is null")
        }
        let pick = { (component: MappedComponent) in
            let column = columns[component] ?? []
            return kept.count == column.count ? column : kept.map { column[$0] }
        }
        let vectors = { (axes: [MappedComponent]) in VectorColumns(x: pick(axes[0]), y: pick(axes[1]), z: pick(axes[2])) }
        var samples = MotionSamples(
            timestamp: kept.compactMap { times[$0] }, rotationRate: vectors(MappedComponent.rotationRate),
            sensorLocation: try locations(payload, count: times.count, kept: kept))
        if isRaw {
            let field = passedOver.reading { () throws(Rejection) -> VectorColumns? in
                try magneticField(payload, count: times.count, kept: kept)
            }
            samples.source = .sensors(
                RawMotion(acceleration: vectors(MappedComponent.acceleration), magneticField: field))
        } else {
            samples.attitude = QuaternionColumns(
                x: pick(.attitudeX), y: pick(.attitudeY), z: pick(.attitudeZ), w: pick(.attitudeW))
            samples.userAcceleration = vectors(MappedComponent.userAcceleration)
            samples.gravity = vectors(MappedComponent.gravity)
        }
        try check(samples)
        guard isMeasured else {
            return .model(stream == .headphoneMotion ? .headphoneMotion(samples) : .deviceMotion(samples))
        }
        return .motion(
            DecodedMotion(stream: stream, samples: samples, convention: .measured(accelerationIsInUnitOfGravity: true)))
    }

    /// The magnetic field of the samples that are kept; nil where the message lacks a value of it, as magnetometers are slower than the rest.
    private func magneticField(_ payload: MappedPayload, count: Int, kept: [Int]) throws(Rejection) -> VectorColumns? {
        var axes: [[Double]] = []
        let fields = MappedComponent.magneticField.compactMap { self.fields[$0] }
        var isThere = false
        for field in fields where try payload.has(field) { isThere = true }
        guard isThere, !fields.contains(where: payload.isBlank) else { return nil }
        for field in fields {
            let column = try payload.column(field, count: count, layout: layout)
            let scale = field.scale
            axes.append(kept.compactMap { column[$0].map { $0 * scale + 0 } })
        }
        guard axes.count == 3, axes.allSatisfy({ $0.count == kept.count }) else { return nil }
        guard axes.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
            throw Rejection(.notFinite, at: fields[0].pointer, "a value is too large for its unit")
        }
        return VectorColumns(x: axes[0], y: axes[1], z: axes[2])
    }

    private func locations(_ payload: MappedPayload, count: Int, kept: [Int]) throws(Rejection) -> [SensorLocation] {
        guard let field = fields[.sensorLocation],
            let words = try payload.words(field, count: count, in: WireNames.sensorLocation)
        else { return [.default] }
        return words.count == count && count > 1 ? kept.map { words[$0] } : words
    }

    private func check(_ samples: MotionSamples) throws(Rejection) {
        try checkOrder(samples.timestamp)
        for index in 0..<samples.attitude.count {
            let attitude = samples.attitude[index]
            let squared = (attitude * attitude).sum()
            guard squared >= 0.81, squared <= 1.21 else {
                throw Rejection(
                    .invalidValue, "the quaternion of sample \(index) is \(squared.squareRoot()) long, expected about 1")
            }
        }
        let vectors = [samples.rotationRate, samples.userAcceleration, samples.gravity, samples.raw?.acceleration]
        let largest = vectors.compactMap(\.self).flatMap { [$0.x, $0.y, $0.z] }
        guard largest.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
            throw Rejection(.notFinite, "a value is too large for its unit")
        }
    }
}
