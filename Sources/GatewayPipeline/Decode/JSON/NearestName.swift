extension String {
    private static let longestName = 64

    /// The one of `names` that is most likely meant to be this one: differs from it in case, or in at most a third of its
    /// characters; nil where none does.
    func nearest(among names: some Sequence<String>) -> String? {
        let wanted = Array(lowercased().utf8)
        var nearest: (name: String, distance: Int)?
        for name in names where name != self && name.utf8.count <= Self.longestName {
            let distance = Self.distance(Array(name.lowercased().utf8), wanted)
            guard distance * 3 <= wanted.count, distance < nearest?.distance ?? .max else { continue }
            nearest = (name, distance)
        }
        return nearest?.name
    }

    /// How many characters are to be inserted, left out or replaced to make one of the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
