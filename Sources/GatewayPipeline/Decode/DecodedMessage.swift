package import TelemetryModel

/// What one message of a device holds: frames of one order and one clock, or word that the device came or went.
package struct DecodedMessage: Sendable, Equatable {
    /// The ways in which a message can concern its device.
    package enum Content: Sendable, Equatable {
        /// Frames, of one stream or several; none where everything in it is passed over.
        case frames([DecodedFrame])
        /// A last will of the contract: exempt from `seq`, effective on arrival, if it is of the current boot.
        case lastWill(DecodedFrame)
        /// Somebody else's word that the device came or went, effective on arrival, whatever the boot.
        case presence(DeviceStatus.State)
    }

    /// What orders it: `seq` counts in it.
    package var scope: SequenceScope
    /// The boot, the `seq` and the clocks that all its frames share.
    package var header: FrameHeader
    /// What it holds.
    package var content: Content
    /// What of it is not used, to be counted.
    package var passedOver = PassedOver()

    /// A message of `scope`.
    package init(scope: SequenceScope, header: FrameHeader, content: Content) {
        self.scope = scope
        self.header = header
        self.content = content
    }

    /// A message of the contract's own, which holds one frame.
    init(_ frame: DecodedFrame, stream: StreamName) {
        self.init(
            scope: SequenceScope(stream), header: frame.header, content: frame.isLastWill ? .lastWill(frame) : .frames([frame]))
    }

    /// Its frames, if it holds any.
    package var frames: [DecodedFrame] { if case .frames(let frames) = content { frames } else { [] } }
}
