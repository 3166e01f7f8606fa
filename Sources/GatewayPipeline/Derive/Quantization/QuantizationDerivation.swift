import TelemetryModel

/// `quantization/{stream}`: how far samples may be off that a device sends as scaled integers (Protocol Buffers, `PackedVectors`).
///
/// Published when it differs from what was published last of the stream. A device that never sends a scaled column has no state.
package struct QuantizationDerivation: UntimedDerivation {
    /// `quantization`.
    package static let declaration = DerivationDeclaration(
        "quantization", version: 1, streams: [.headphoneMotion, .deviceMotion, .batchedIMU], kinds: [StreamQuantization.self],
        "How far samples may be off that a device sends as scaled integers.")

    private var published: [StreamName: Quantization] = [:]

    /// Nothing published.
    package init() {}

    /// The frame, if a column of it is scaled.
    package static func input(of frame: NormalizedFrame, settings: QuantizationSettings) -> NormalizedFrame? {
        frame.quantization.isEmpty ? nil : frame
    }

    /// Takes every frame once one was scaled: the device may stop scaling.
    package mutating func take(_ occurrence: Occurrence, settings: QuantizationSettings, into output: inout DerivationOutput) {
        guard case .frame(let frame) = occurrence else { return }
        consume(frame, settings: settings, into: &output.events)
    }

    /// Publishes an error that has changed, at the first sample of the frame.
    package mutating func consume(
        _ frame: NormalizedFrame, settings: QuantizationSettings, into events: inout [DerivedEvent]
    ) {
        guard published[frame.stream] ?? Quantization() != frame.quantization else { return }
        published[frame.stream] = frame.quantization
        events.append(
            DerivedEvent(
                time: frame.body.timeSpan?.lowerBound ?? frame.header.uptime,
                body: StreamQuantization(stream: frame.stream, error: frame.quantization)))
    }

    /// The state: an app that starts again scales as before.
    package func continued() -> Self? { self }
}
