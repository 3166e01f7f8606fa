package import TelemetryModel

/// The partitions of the devices that one gateway owns: some of the numbers from 0 below a count.
///
/// A device is in the partition that NATS's subject mapping `{{partition(count,1)}}` gives for its id: the hash FNV-1a of 32 bits, modulo
/// the count.
package struct PartitionSet: Sendable, Equatable {
    /// The most partitions there may be.
    package static let most = 4_096

    /// The partitions that are owned, in ascending order; at least one.
    package let owned: [Int]
    /// How many partitions there are.
    package let count: Int
    private let isOwned: [Bool]

    /// Reads partitions and their count, such as `3/64`, `0-15/64` or `0-3,8/64`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Self.number(parts[1]), (1...Self.most).contains(count) else { return nil }
        var isOwned = Array(repeating: false, count: count)
        for item in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last, last < count
            else { return nil }
            for number in first...last { isOwned[number] = true }
        }
        self.count = count
        self.isOwned = isOwned
        owned = isOwned.indices.filter { isOwned[$0] }
    }

    /// Whether a device is in one of the partitions.
    package func owns(_ device: DeviceID) -> Bool { isOwned[number(of: device)] }

    /// The partition of a device.
    package func number(of device: DeviceID) -> Int {
        var hash = FNV1a32()
        hash.add(device.rawValue)
        return Int(hash.value % UInt32(count))
    }

    /// The owned partitions as they stand in the names of gateways and folders: `3`, `0-15` or `0-3_8`.
    package var label: String { ranges.joined(separator: "_") }

    private var ranges: [String] {
        var ranges: [ClosedRange<Int>] = []
        for number in owned {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    }

    private static func number(_ text: Substring) -> Int? {
        (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

extension PartitionSet: CustomStringConvertible {
    /// The partitions and their count, as they are read.
    package var description: String { "\(ranges.joined(separator: ","))/\(count)" }
}
