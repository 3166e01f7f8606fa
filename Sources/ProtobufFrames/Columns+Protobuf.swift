import TelemetryModel
import WearableProtobuf

extension Wearables_V1_Timestamps {
    /// Times in seconds: as differences where each fits into 32 bits of microseconds.
    init(_ seconds: [Double]) {
        self.init()
        guard let start = seconds.first, let deltas = differences(of: seconds.map { ($0 - start) * 1e6 }) else {
            value = seconds
            return
        }
        self.start = start
        deltaMicroseconds = deltas
    }
}

extension Wearables_V1_PackedVectors {
    /// Columns as multiples of `scale`; nil where a difference does not fit into 32 bits.
    init?(_ columns: VectorColumns, scale: Double) {
        guard let x = differences(of: columns.x.map { $0 / scale }), let y = differences(of: columns.y.map { $0 / scale }),
            let z = differences(of: columns.z.map { $0 / scale })
        else { return nil }
        self.init()
        self.scale = scale
        (self.x, self.y, self.z) = (x, y, z)
    }
}

/// The numbers rounded, each as the difference from the one before; nil where one does not fit.
private func differences(of numbers: [Double]) -> [Int32]? {
    var last = 0
    var differences: [Int32] = []
    differences.reserveCapacity(numbers.count)
    for number in numbers {
        guard let rounded = Int(exactly: number.rounded()), let difference = Int32(exactly: rounded &- last) else { return nil }
        differences.append(difference)
        last = rounded
    }
    return differences
}

/// A message with columns as floats or packed.
protocol VectorMessage {
    var x: [Float] { get set }
    var y: [Float] { get set }
    var z: [Float] { get set }
    var packed: Wearables_V1_PackedVectors { get set }
}

extension Wearables_V1_Vectors: VectorMessage {}
extension Wearables_V1_BatchedIMU.Accelerometer: VectorMessage {}
extension Wearables_V1_RecordedAccelerometer: VectorMessage {}

extension VectorMessage {
    /// The step of packed columns: 0.5 mG and 0.5 mrad/s, below the noise of the sensors.
    private static var scale: Double { 0.0005 }

    /// Writes the columns.
    mutating func set(_ values: VectorColumns, _ columns: ProtobufFrameEncoder.Columns) {
        if columns == .packed, let packed = Wearables_V1_PackedVectors(values, scale: Self.scale) {
            self.packed = packed
        } else {
            x = values.x.map { Float($0) }
            y = values.y.map { Float($0) }
            z = values.z.map { Float($0) }
        }
    }
}

extension Wearables_V1_Vectors {
    init(_ values: VectorColumns, _ columns: ProtobufFrameEncoder.Columns) {
        self.init()
        set(values, columns)
    }
}
