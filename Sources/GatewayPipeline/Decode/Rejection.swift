package import TelemetryModel

/// Why a message was rejected; the closed list of `rejected.reason`.
package enum RejectionReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The payload is empty on a stream where an empty payload has no meaning.
    case emptyPayload
    /// The payload is larger than the limit.
    case payloadTooLarge
    /// The content type is neither JSON nor Protocol Buffers; or there is none, and the payload is neither.
    case unsupportedContentType
    /// The payload is not valid UTF-8, or starts with a byte order mark.
    case invalidUTF8
    /// The payload is not one well-formed JSON value.
    case malformedJSON
    /// The payload is not one well-formed message of Protocol Buffers.
    case malformedProtobuf
    /// A number is not finite: NaN, an infinity, or too large to represent.
    case notFinite
    /// Objects and arrays are nested deeper than the limit.
    case nestedTooDeep
    /// An object names a key twice.
    case duplicateKey
    /// The `schema` is missing or not one this gateway reads.
    case unknownSchema
    /// A field that must be there is not.
    case missingField
    /// Fields stand together that are two forms of the same.
    case conflictingFields
    /// A field holds another kind of value.
    case wrongType
    /// A value is out of its range, or not one of its list.
    case invalidValue
    /// A quantity has no unit, or one that is not read.
    case unknownUnit
    /// The columns of a series differ in length, or hold too many samples.
    case columnLength
    /// Timestamps of a series do not increase.
    case timestampOrder
    /// A time is impossible: negative, beyond the clock's own reading, or not representable.
    case timeOutOfRange
    /// The frame is older than the configured limit.
    case tooOld
    /// The topic's last level is no stream.
    case unknownStream
    /// The stream is kept on disk, and the gateway has no state directory.
    case notStored
    /// The topic is not `{root}/{device}/in/{stream}`, or its device id is invalid.
    case invalidTopic
    /// The device is not in the registry.
    case unknownDevice
    /// The device is in a partition that another gateway owns.
    case otherPartition
    /// The limit of devices that are not in the registry is reached.
    case deviceLimit
    /// Two devices publish under one id; a report, no message is rejected for it.
    case identityConflict
    /// A device's clock runs so fast that its cost counts by arrival; a report, no message is rejected for it.
    case clockTooFast
    /// A device's clock was set back, so that a new run of its boot began; a report, no message is rejected for it.
    case clockSetBack
    /// A device's app began its `seq` again under the boot id it had before; a report, no message is rejected for it.
    case bootReused
    /// What a device sends leads to more messages than are published; a report, no message is rejected for it.
    case messageLimit
    /// The broker refuses a message of the gateway; a report, no message of a device is rejected for it.
    case publishRefused
    /// A message that the broker refused was discarded to make room; a report, no message of a device is rejected for it.
    case publishDiscarded

    /// Those that one or a few messages of a device lead to.
    package static let ofFrames = allCases.filter { ![.publishRefused, .publishDiscarded, .messageLimit].contains($0) }
}

/// The rejection of a message: the reason, the place in the frame, and what was found there.
package struct Rejection: Error, Sendable, Equatable {
    /// The reason, from a closed list.
    package var reason: RejectionReason
    /// A JSON pointer to the place; empty for the whole payload.
    package var pointer: String
    /// One sentence: what was found and what was expected. Holds no control characters.
    package var detail: String
    /// The boot of the message; nil where it cannot be read.
    package private(set) var boot: BootID?
    /// The message's `seq`; nil where it has none or it cannot be read.
    package private(set) var sequence: UInt64?

    /// A rejection of the value at `pointer`.
    package init(_ reason: RejectionReason, at pointer: String = "", _ detail: String) {
        self.reason = reason
        self.pointer = pointer
        self.detail = detail
    }

    /// Whether it is about a value that is well-formed.
    var concernsOneValue: Bool {
        [.notFinite, .missingField, .wrongType, .invalidValue, .unknownUnit, .timeOutOfRange].contains(reason)
    }

    /// The rejection of a message with this header, as far as it could be read.
    func of(boot: BootID?, sequence: UInt64?) -> Rejection {
        var rejection = self
        rejection.boot = boot
        rejection.sequence = sequence
        return rejection
    }

    /// The rejection of a message with this header.
    func of(_ header: FrameHeader) -> Rejection { of(boot: header.boot, sequence: header.sequence) }
}
