extension Dictionary where Key == Int {
    /// Drops all but the values of the `count` greatest keys.
    mutating func keepLast(_ count: Int) {
        for key in keys.sorted().dropLast(count) { self[key] = nil }
    }
}
