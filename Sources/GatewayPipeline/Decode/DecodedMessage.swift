package import TelemetryModel

/// What one message of a device holds: frames of one scope and one clock, or a report of the device's presence.
package struct DecodedMessage: Sendable, Equatable {
    /// The kinds of content.
    package enum Content: Sendable, Equatable {
        /// Frames, of one stream or several; none where nothing in it is used.
        case frames([DecodedFrame])
        /// A last will of the contract: exempt from `seq`, effective on arrival, if it is of the current boot.
        case lastWill(DecodedFrame)
        /// A report by another party that the device is online or offline, effective on arrival, whatever the boot.
        case presence(DeviceStatus.State)
    }

    /// What its `seq` is counted in.
    package var scope: SequenceScope
    /// The boot, the `seq` and the clocks that all its frames share.
    package var header: FrameHeader
    /// What it holds.
    package var content: Content
    /// What of it is not used, for the counters.
    package var passedOver = PassedOver()

    /// A message of `scope`.
    package init(scope: SequenceScope, header: FrameHeader, content: Content) {
        self.scope = scope
        self.header = header
        self.content = content
    }

    /// A message of the contract, which holds one frame.
    init(_ frame: DecodedFrame, stream: StreamName) {
        self.init(
            scope: SequenceScope(stream), header: frame.header, content: frame.isLastWill ? .lastWill(frame) : .frames([frame]))
    }

    /// Its frames, if it holds any.
    package var frames: [DecodedFrame] { if case .frames(let frames) = content { frames } else { [] } }
}
