/// The readings of one sensor in an export of Sensor Logger as JSON, as the table that its export as CSV has.
///
/// The export is one array of readings of all sensors: `[{"sensor": "Headphone", "time": "1700000000000000000", "x": "0.1"}, ...]`.
final class SensorTable: ByteSource {
    /// More sensors than any phone has.
    private static let mostSensors = 256
    private static let pieceBytes = 1 << 16
    private static let ending = ".csv"

    private let sensor: String
    private let onFault: (String) -> Void
    private var objects: JSONObjects
    /// What the readings of the first piece have.
    private var columns: [String] = []
    private var known: Set<String> = [SensorTable.key]
    private var isSurplusReported = false

    /// The readings that `source` has of the sensor whose file has the name `name`; `onFault` is called with what is damaged.
    init(_ name: String, of source: any ByteSource, onFault: @escaping (String) -> Void) {
        sensor = name.hasSuffix(Self.ending) ? String(name.dropLast(Self.ending.count)) : name
        self.onFault = onFault
        objects = JSONObjects(source, onFault: onFault)
    }

    func next() throws(ImportProblem) -> [UInt8] {
        var readings: [JSONObjects.Object] = []
        var bytes = 0
        while bytes < Self.pieceBytes, let object = try objects.next() {
            guard Self.sensor(of: object) == sensor else { continue }
            readings.append(object)
            bytes += object.reduce(0) { $0 + $1.value.utf8.count + 1 }
        }
        guard !readings.isEmpty else { return [] }
        var piece: [UInt8] = []
        if columns.isEmpty {
            for member in readings.joined() where known.insert(member.name).inserted { columns.append(member.name) }
            piece = Self.row(columns)
        }
        for object in readings {
            if !isSurplusReported, let surplus = object.first(where: { !known.contains($0.name) }) {
                isSurplusReported = true
                let name = ImportProblem.quoted(surplus.name)
                onFault("\(name) is in a reading of \(ImportProblem.quoted(sensor)) and in none of the first: it is not read")
            }
            piece += Self.row(columns.map { name in object.first { $0.name == name }?.value ?? "" })
        }
        return piece
    }

    private static let key = "sensor"

    private static func sensor(of object: JSONObjects.Object) -> String? { object.first { $0.name == key }?.value }

    private static func row(_ cells: [String]) -> [UInt8] {
        let quoted = cells.map { cell in
            cell.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
                ? "\"" + cell.map { $0 == "\"" ? "\"\"" : $0.isNewline ? " " : String($0) }.joined() + "\"" : cell
        }
        return Array((quoted.joined(separator: ",") + "\n").utf8)
    }

    /// Whether a file that begins so is such an export.
    static func recognizes(_ beginning: [UInt8]) -> Bool {
        var text = beginning[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else { return false }
        var objects = JSONObjects(Beginning(Array(text)))
        return ((try? objects.next()) ?? nil).map { sensor(of: $0) != nil } ?? false
    }

    /// The names of the files that its export as CSV has.
    static func names(in source: any ByteSource) throws(ImportProblem) -> [String] {
        var objects = JSONObjects(source)
        var sensors: Set<String> = []
        do throws(ImportProblem) {
            while sensors.count < mostSensors, let object = try objects.next() {
                if let sensor = sensor(of: object), !sensor.contains("/") { sensors.insert(sensor) }
            }
        } catch {
            // It is reported when the readings before it are read.
            if sensors.isEmpty { throw error }
        }
        return sensors.map { $0 + ending }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private final class Beginning: ByteSource {
        private var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func next() -> [UInt8] { exchange(&bytes, with: []) }
    }
}
