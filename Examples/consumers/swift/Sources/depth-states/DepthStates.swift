import Foundation

/// What a consumer knows: which messages it has seen, and until when the state of each device holds.
struct DepthStates {
    struct Message: Decodable {
        var id, state, quality: String
        var depth, validUntil: Double?
        var epoch: Int?
    }

    /// Ids: more than a gateway publishes again after a crash.
    private static let remembered = 10_000
    private var seen: Set<String> = []
    private var order: [String] = []
    private var validUntil: [String: Double] = [:]
    /// The highest epoch of each device: of one kind here, so it is that of the topic.
    private var epochs: [String: Int] = [:]

    /// The line for a message; nil for one that was seen before, or that cannot be read.
    mutating func take(_ payload: Data, of device: String, at now: Double) -> String? {
        guard !payload.isEmpty else {  // the topic was cleared: the device is gone
            validUntil[device] = nil
            return "\(device): removed"
        }
        guard let message = try? JSONDecoder().decode(Message.self, from: payload) else { return nil }
        if let epoch = message.epoch {
            // Late, of a gateway that another has replaced.
            guard epoch >= epochs[device] ?? 0 else { return nil }
            epochs[device] = epoch
        }
        guard seen.insert(message.id).inserted else { return nil }  // at least once: the same message again
        order.append(message.id)
        if order.count > Self.remembered { seen.remove(order.removeFirst()) }
        let until = message.validUntil ?? .infinity
        validUntil[device] = until
        let depth = message.depth.map { String(format: "%.2f m", $0) } ?? "?"
        guard message.quality == "valid", now <= until else { return "\(device): unknown, was \(message.state) \(depth)" }
        return "\(device): \(message.state) \(depth)"
    }

    /// The lines for devices whose state nothing has confirmed in time.
    mutating func expire(at now: Double) -> [String] {
        let expired = validUntil.filter { $0.value < now }.keys
        for device in expired { validUntil[device] = nil }
        return expired.sorted().map { "\($0): unknown, no message in time" }
    }
}
