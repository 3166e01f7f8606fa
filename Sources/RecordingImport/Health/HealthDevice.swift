/// What one source of an export of Apple Health wrote: it is a device.
struct HealthDevice {
    /// The streams that an export has, in the order of a device's series.
    static let streams: [ImportStream] = [.submersion, .pedometer, .workout]
    private static let longestID = 64

    /// The id in the topics.
    let id: String
    /// What was read for each stream.
    var reports: [FileReport]
    /// Unix microseconds of the first and last sample of each stream.
    private(set) var spans: [ClosedRange<Int64>?] = [nil, nil, nil]
    /// Whether a distance is among its samples.
    private(set) var hasDistance = false
    /// The hash of its samples.
    private(set) var hash = ContentHash()

    /// A device without samples.
    init(id: String, file: String) {
        self.id = id
        reports = Self.streams.map { FileReport(file: file, device: id, stream: $0) }
    }

    /// Takes note of a sample on the stream of that place.
    mutating func note(_ sample: HealthSample, stream: Int) {
        spans[stream].include(sample.micros)
        if sample.kind == .distance { hasDistance = true }
        withUnsafeBytes(of: (sample.micros, sample.value.bitPattern)) { hash.add(Array($0) + [sample.kind.rawValue]) }
    }

    /// The id for a source: its letters and digits after the request's id, with a number where another source has the same.
    static func id(of source: String, request: String, taken: [String]) -> String {
        let words = source.lowercased().utf8.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        let whole = request + "-" + (name.isEmpty ? "source" : name)
        var id = String(whole.prefix(longestID))
        var number = 1
        while taken.contains(id) {
            number += 1
            id = whole.prefix(longestID - "-\(number)".count) + "-\(number)"
        }
        return id
    }
}
