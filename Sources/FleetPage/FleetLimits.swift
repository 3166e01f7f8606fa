/// How much the page keeps. Whatever is published, it keeps no more.
package struct FleetLimits: Sendable, Equatable {
    /// Devices; of more, those whose last messages are oldest are removed, a fiftieth of them at once; those in danger last, one by one.
    package var devices = 1_000
    /// Gateways.
    package var gateways = 256
    /// Plots of a device, and kinds of which messages are kept: a level of a path may be any text.
    package var paths = 64
    /// Points of a plot.
    package var points = 600
    /// Points of the drawing in a row of the table, at least `trendSeconds` apart.
    package var trendPoints = 60
    /// Seconds between two of them.
    package var trendSeconds = 5.0
    /// Messages of a kind of a device, where the kind declares no fewer.
    package var messages = 20
    /// Events of a device.
    package var timeline = 200
    /// Events of a gateway.
    package var gatewayTimeline = 20
    /// Bytes of a payload that is read; a longer one is counted as unreadable.
    package var payloadBytes = 32_768
    /// Characters of the payload of a rejected frame, in base64.
    package var rejectedPayload = 400

    /// Creates the defaults.
    package init() {}
}
