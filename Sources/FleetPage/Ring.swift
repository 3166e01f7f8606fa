/// The latest elements, at most as many as its capacity.
struct Ring<Element: Sendable>: Sendable {
    private let capacity: Int
    private(set) var elements: [Element] = []

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ element: Element) {
        if elements.count >= capacity { elements.removeFirst(elements.count - capacity + 1) }
        elements.append(element)
    }
}
