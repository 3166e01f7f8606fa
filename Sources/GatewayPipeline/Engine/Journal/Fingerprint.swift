package import TelemetryModel

/// A number that identifies values by what they hold: equal values give the same number on every machine and in every run.
///
/// It reads every stored property, so that a property that is added later counts too. Functions, and what objects hide, do not count.
package struct Fingerprint: Sendable {
    private var hash = FNV1a64()

    /// The number.
    var value: UInt64 { hash.value }

    /// The fingerprint of `values`, in their order.
    init(of values: Any...) {
        for value in values { add(value) }
    }

    /// What the messages of a journal were processed by, but for the device's policy: `settings`, the streams of the lane and the versions
    /// of the derivations. It costs milliseconds.
    package init(of settings: PipelineSettings, streams: Set<StreamName>) {
        self.init(of: settings, streams, Derivations.declarations.map { "\($0.name) \($0.version)" })
    }

    /// Adds a value.
    mutating func add(_ value: Any) { hash.add(Self.text(of: value)) }

    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        var parts = mirror.children.map { "\($0.label ?? ""):\(text(of: $0.value))" }
        // Their order differs from run to run.
        if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
        return "(\(parts.joined(separator: ",")))"
    }
}
