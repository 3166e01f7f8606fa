internal import JSONText

/// The contract's limit of samples in a column.
private let maximumSamples = 4096

extension Array<Motion> {
    /// Throws unless the samples can be written as the series `field`.
    func check(_ field: String, _ rule: TimeRule, _ encoding: FrameEncoding) throws(FrameError) {
        guard count <= maximumSamples else { throw .tooMany(field: field, count: count, limit: maximumSamples) }
        try rule.check(lazy.map(\.timestamp), field)
        for (index, sample) in enumerated() {
            try sample.attitude.check(field, index, encoding)
            try sample.rotationRate.check("\(field).rotationRate[\(index)]")
            try sample.userAcceleration.check("\(field).userAcceleration[\(index)]")
            try sample.gravity.check("\(field).gravity[\(index)]")
            try sample.heading?.checkFinite("\(field).heading[\(index)]")
        }
    }
}

extension Array<RawMotion> {
    /// Throws unless the samples can be written as the series `field`.
    func check(_ field: String, _ rule: TimeRule) throws(FrameError) {
        guard count <= maximumSamples else { throw .tooMany(field: field, count: count, limit: maximumSamples) }
        try rule.check(lazy.map(\.timestamp), field)
        let hasField = contains { $0.magneticField != nil }
        for (index, sample) in enumerated() {
            try sample.acceleration.check("\(field).acceleration[\(index)]")
            try sample.rotationRate.check("\(field).rotationRate[\(index)]")
            try sample.magneticField?.check("\(field).magneticField[\(index)]")
            guard sample.magneticField != nil || !hasField else { throw .missing(field: "\(field).magneticField[\(index)]") }
        }
    }
}

extension Array<Acceleration> {
    /// Throws unless the samples can be written as the series `field`.
    func check(_ field: String, _ rule: TimeRule) throws(FrameError) {
        guard count <= maximumSamples else { throw .tooMany(field: field, count: count, limit: maximumSamples) }
        try rule.check(lazy.map(\.timestamp), field)
        for (index, sample) in enumerated() { try sample.acceleration.check("\(field)[\(index)]") }
    }
}

extension Vector3 {
    fileprivate func check(_ field: @autoclosure () -> String) throws(FrameError) {
        guard x.isFinite, y.isFinite, z.isFinite else { throw .notFinite(field: field()) }
    }
}

extension Quaternion {
    /// The gateway accepts lengths from 0.9 to 1.1; 0.01 is kept for rounding.
    private static let lengths = 0.91...1.09

    fileprivate func check(_ field: String, _ index: Int, _ encoding: FrameEncoding) throws(FrameError) {
        guard x.isFinite, y.isFinite, z.isFinite, w.isFinite else { throw .notFinite(field: "\(field).attitude[\(index)]") }
        var squared = 0.0
        for component in [x, y, z, w] {
            let written = component.rounded(decimals: encoding.attitude)
            squared += written * written
        }
        guard Self.lengths.contains(squared.squareRoot()) else {
            throw .notUnitLength(field: "\(field).attitude", index: index)
        }
    }
}

extension Double {
    fileprivate func rounded(decimals: Int) -> Double {
        var power = 1.0
        for _ in 0..<decimals { power *= 10 }
        return (self * power).rounded() / power
    }
}

extension JSONWriter {
    /// Device motion as columns.
    mutating func motion(
        _ key: StaticString, _ samples: [Motion], _ referenceFrame: ReferenceFrame?, _ encoding: FrameEncoding
    ) {
        object(key) { json in
            json.column("timestamp", samples, decimals: FrameEncoding.time) { $0.timestamp }
            json.object("attitude") { json in
                json.column("x", samples, decimals: encoding.attitude) { $0.attitude.x }
                json.column("y", samples, decimals: encoding.attitude) { $0.attitude.y }
                json.column("z", samples, decimals: encoding.attitude) { $0.attitude.z }
                json.column("w", samples, decimals: encoding.attitude) { $0.attitude.w }
            }
            json.object("rotationRate") { $0.axes(samples, decimals: encoding.rotationRate) { $0.rotationRate } }
            json.object("userAcceleration") { $0.axes(samples, decimals: encoding.acceleration) { $0.userAcceleration } }
            json.object("gravity") { $0.axes(samples, decimals: encoding.gravity) { $0.gravity } }
            json.sensorLocation(samples.map(\.sensorLocation))
            if let referenceFrame { json.field("referenceFrame", referenceFrame.rawValue) }
            if samples.contains(where: { $0.heading != nil }) {
                json.column("heading", samples, decimals: encoding.heading) { $0.heading ?? -1 }
            }
        }
    }

    /// Raw motion as columns.
    mutating func motion(_ key: StaticString, _ samples: [RawMotion], _ encoding: FrameEncoding) {
        object(key) { json in
            json.column("timestamp", samples, decimals: FrameEncoding.time) { $0.timestamp }
            json.object("acceleration") { $0.axes(samples, decimals: encoding.acceleration) { $0.acceleration } }
            json.object("rotationRate") { $0.axes(samples, decimals: encoding.rotationRate) { $0.rotationRate } }
            let fields = samples.compactMap(\.magneticField)
            if !fields.isEmpty { json.object("magneticField") { $0.axes(fields, decimals: encoding.magneticField) { $0 } } }
            json.sensorLocation(samples.map(\.sensorLocation))
        }
    }

    /// Accelerations as columns.
    mutating func acceleration(_ key: StaticString, _ samples: [Acceleration], _ encoding: FrameEncoding) {
        object(key) { json in
            json.column("timestamp", samples, decimals: FrameEncoding.time) { $0.timestamp }
            json.axes(samples, decimals: encoding.acceleration) { $0.acceleration }
        }
    }

    private mutating func axes<Sample>(_ samples: [Sample], decimals: Int, _ vector: (Sample) -> Vector3) {
        column("x", samples, decimals: decimals) { vector($0).x }
        column("y", samples, decimals: decimals) { vector($0).y }
        column("z", samples, decimals: decimals) { vector($0).z }
    }

    /// One location where all samples have the same, else a column.
    private mutating func sensorLocation(_ locations: [SensorLocation]) {
        let first = locations[0]
        if locations.allSatisfy({ $0 == first }) {
            field("sensorLocation", first.name)
        } else {
            field("sensorLocation", locations.map(\.name))
        }
    }
}
