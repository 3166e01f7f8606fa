import GatewayPipeline
import TelemetryModel

/// Everything that gateways of one sequence have published, and what must hold for it.
struct PublishedEvents {
    private let splitter = JSONSplitter()
    private var contents: [String: [UInt8]] = [:]
    /// More messages of a short sequence than this are endless.
    private static let most = 20_000
    private var count = 0

    /// Checks messages.
    mutating func check(_ messages: [OutboundMessage], against devices: [FuzzDevice]) {
        count += messages.count
        require(count < Self.most, "\(count) messages are published")
        for message in messages where !message.payload.isEmpty {
            let fields = PublishedFields(message.payload, splitter)
            if let id = fields.id, !fields.dependsOnRun {
                let content = fields.content
                if let known = contents[id] {
                    require(
                        known == content,
                        "id \(id) has two contents:\n\(String(decoding: known, as: UTF8.self))\n\(String(decoding: content, as: UTF8.self))"
                    )
                }
                contents[id] = content
            }
            if message.topic.hasSuffix("/out/depth-state") { checkDepth(fields, devices) }
        }
    }

    /// A published depth was measured then, and the state is not above it.
    private func checkDepth(_ fields: PublishedFields, _ devices: [FuzzDevice]) {
        guard let depth = fields.depth, let device = devices.first(where: { $0.id == fields.device }), let boot = fields.boot,
            let time = fields.deviceTime
        else { return }
        require(
            device.measured(depth, boot: boot, microseconds: Int((time * 1e6).rounded())),
            "a depth that was not measured: \(fields.description)")
        if depth >= 2, fields.quality == "valid" {
            require(
                fields.state != "notSubmerged" && fields.state != "submergedShallow",
                "a state above the depth: \(fields.description)")
        }
    }
}
