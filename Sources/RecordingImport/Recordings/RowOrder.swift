/// How far the rows of a table are from the order of time.
enum RowOrder {
    /// Every row is at or after the one before.
    case inOrder
    /// Every row has its place among the `window` rows around it.
    case nearly
    /// Rows are further away from their place.
    case shuffled

    /// How many readings are held back so that later rows can come before them.
    static let window = 4096
}

/// Finds how far times are from their order.
struct RowOrderSurvey {
    /// The greatest times up to the last rows: a ring.
    private var greatest: [Int64] = []
    private var count = 0
    private var maximum = Int64.min

    /// The order so far.
    private(set) var order = RowOrder.inOrder

    /// Adds the time of the next row.
    mutating func add(_ micros: Int64) {
        defer { remember(max(maximum, micros)) }
        guard micros < maximum else { return }
        // What is not held back any more when the row comes is at most as late as the row so many before.
        let isFar = greatest.count == RowOrder.window && greatest[count % RowOrder.window] > micros
        if isFar { order = .shuffled } else if case .inOrder = order { order = .nearly }
    }

    private mutating func remember(_ value: Int64) {
        maximum = value
        if greatest.count < RowOrder.window { greatest.append(value) } else { greatest[count % RowOrder.window] = value }
        count += 1
    }
}
