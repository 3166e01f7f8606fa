internal import TelemetryModel

/// What the readers of a body need of the frame around it.
struct FrameContext {
    /// The frame's clock.
    let clock: FrameClock
    /// The limits of decoding.
    let limits: DecodeLimits

    /// Throws `timeOutOfRange` at `node` unless the frame's clock admits `seconds`.
    func check(_ seconds: Double, at node: @autoclosure () -> some FrameValue) throws(Rejection) {
        guard clock.admits(DeviceTime(seconds)) else {
            throw node().rejection(
                .timeOutOfRange, "\(seconds) s is not between the device's start and its uptime, \(clock.uptime.seconds) s")
        }
    }

    /// The device time that `node` gives in seconds; throws `wrongType` or `timeOutOfRange`.
    func deviceTime(_ node: some FrameValue) throws(Rejection) -> DeviceTime {
        let seconds = try node.number()
        try check(seconds, at: node)
        return DeviceTime(seconds + 0)
    }
}

extension FrameValue {
    /// Throws `missingField` unless the frame has at least one of `keys`; a similar key of the frame is suggested.
    func requireAny(of keys: [String]) throws(Rejection) {
        for key in keys where try optional(key) != nil { return }
        for key in keys {
            if let question = misspelling(of: key) {
                throw rejection(.missingField, key: key, "the field is missing; \(question)")
            }
        }
        throw rejection(.missingField, "the frame has none of \(keys.joined(separator: ", "))")
    }

    /// The unix time in seconds, between 2001 and 2100; throws `wrongType` or `timeOutOfRange`.
    func unixTime() throws(Rejection) -> UnixTime {
        let seconds = try number()
        guard FrameClock.wallClock.contains(seconds) else {
            throw rejection(.timeOutOfRange, "\(seconds) is no unix time in seconds between 2001 and 2100")
        }
        return UnixTime(seconds)
    }
}
