package import TelemetryModel

/// The streams one pipeline tells of, where several share them.
package struct StreamShare: Sendable, Equatable {
    /// The streams.
    package var streams: Set<StreamName>
    /// Whether messages on topics of no stream are told of by it.
    package var takesUnknown: Bool

    /// A share of the streams.
    package init(streams: Set<StreamName>, takesUnknown: Bool) {
        self.streams = streams
        self.takesUnknown = takesUnknown
    }

    /// Everything, for a pipeline that shares with none.
    package static let whole = StreamShare(streams: Set(StreamName.allCases), takesUnknown: true)
}
