internal import TelemetryModel

/// The frame that was read last, as a tree with the names of the JSON contract.
///
/// Entries stand in one array in the order in which they were read; it is kept for the next frame. Not to be shared between threads.
final class ProtobufDocument {
    /// A value of the tree.
    enum Value {
        /// A message; its members are the children.
        case object
        /// Repeated messages or texts; its elements are the children.
        case list
        /// A column of numbers, all finite.
        case numbers([Double])
        /// A column of numbers of an enumeration.
        case integers([Int])
        /// A column of numbers without sign.
        case naturals([UInt64])
        case number(Double)
        case integer(Int)
        case natural(UInt64)
        case text(String)
        case flag(Bool)

        /// The column of numbers; nil for any other value.
        var numbers: [Double]? { if case .numbers(let column) = self { column } else { nil } }
        /// The column of numbers of an enumeration; nil for any other value.
        var integers: [Int]? { if case .integers(let column) = self { column } else { nil } }
        /// The column of numbers without sign; nil for any other value.
        var naturals: [UInt64]? { if case .naturals(let column) = self { column } else { nil } }
    }

    /// A value and its place. Places are indices into `entries`, -1 for none.
    struct Entry {
        /// What it is.
        var value: Value
        /// Its name; empty for an element of a list.
        let key: String
        /// What it is in.
        let parent: Int
        /// Its position in a list.
        let index: Int
        /// The next member or element of the parent.
        var next = -1
        /// The first and the last of its own.
        var first = -1
        var last = -1
        /// How many it has.
        var count = 0
    }

    /// All values; the frame is the first.
    private(set) var entries: [Entry] = []
    /// The first fault of the content; the rest of the frame was read all the same.
    private(set) var fault: Rejection?
    /// How far its scaled columns may be off.
    private(set) var quantization = Quantization()

    /// Forgets the frame, so that nothing shares its columns.
    func clear() {
        entries.removeAll(keepingCapacity: true)
        fault = nil
        quantization = Quantization()
    }

    // MARK: Building

    /// Adds a value to `parent`, -1 for the frame itself, and returns its place.
    func add(_ value: Value, _ key: String, to parent: Int) -> Int { Self.add(value, key, to: parent, in: &entries) }

    // One access to the array for all that is done to it: the compiler checks each at run time.
    private static func add(_ value: Value, _ key: String, to parent: Int, in entries: inout [Entry]) -> Int {
        let place = entries.count
        guard parent >= 0 else {
            entries.append(Entry(value: value, key: key, parent: -1, index: 0))
            return place
        }
        entries.append(Entry(value: value, key: key, parent: parent, index: entries[parent].count))
        if entries[parent].first < 0 {
            entries[parent].first = place
        } else {
            entries[entries[parent].last].next = place
        }
        entries[parent].last = place
        entries[parent].count += 1
        return place
    }

    /// Puts `value` in the place of a message, whose members are dropped.
    func replace(_ place: Int, by value: Value) {
        entries[place].value = value
        entries[place].first = -1
        entries[place].last = -1
        entries[place].count = 0
    }

    /// Calls `body` with the value at `place`, which nothing else shares meanwhile; `body` does not use the document.
    func update(_ place: Int, _ body: (inout Value) -> Void) {
        body(&entries[place].value)
    }

    /// Notes the scale of the columns at the member `key` of a series.
    func note(scale: Double, of key: String) {
        switch key {
        // A batch may have both.
        case "accelerometer", "acceleration": quantization.acceleration = max(quantization.acceleration ?? 0, scale / 2)
        case "rotationRate": quantization.rotationRate = scale / 2
        case "userAcceleration": quantization.userAcceleration = scale / 2
        case "gravity": quantization.gravity = scale / 2
        default: break
        }
    }

    /// Notes a fault of the content, if it is the first.
    func note(_ fault: @autoclosure () -> Rejection) {
        if self.fault == nil { self.fault = fault() }
    }

    // MARK: Reading

    /// The place of the member `key` of an object; nil where there is none.
    func member(_ key: String, of object: Int) -> Int? { Self.member(key, of: object, in: entries) }

    private static func member(_ key: String, of object: Int, in entries: [Entry]) -> Int? {
        var place = entries[object].first
        while place >= 0 {
            if entries[place].key == key { return place }
            place = entries[place].next
        }
        return nil
    }

    /// The column at the member `key` of an object; nil where there is none.
    func column(_ key: String, of object: Int) -> [Double]? {
        member(key, of: object).flatMap { entries[$0].value.numbers }
    }

    /// The number at the member `key` of an object; nil where there is none.
    func number(_ key: String, of object: Int) -> Double? {
        guard let place = member(key, of: object), case .number(let number) = entries[place].value else { return nil }
        return number
    }

    /// The JSON pointer to the value at `place`.
    func pointer(of place: Int) -> String {
        var steps: [String] = []
        var place = place
        while place > 0 {
            let entry = entries[place]
            steps.append(entry.key.isEmpty ? "\(entry.index)" : entry.key.pointerToken)
            place = entry.parent
        }
        return steps.reversed().map { "/" + $0 }.joined()
    }
}
