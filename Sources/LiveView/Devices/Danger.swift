import GatewayPipeline
import TelemetryModel

/// How much a device needs a look, the most first; by it the terminal and the page order devices.
package enum Danger: Int, Sendable, Hashable, Comparable {
    /// Past the limit, or deeper than can be measured, or it was when it was last known; or any critical alarm that is not cleared.
    case alarm
    /// Under water, and not known how deep; or nothing at all is known of its depth.
    case contactLost
    /// Near the limit, or a sensor in doubt.
    case caution
    /// Under water.
    case underWater
    /// A device that has reported a depth, and was streaming, sends nothing.
    case silent
    /// A stream is refused.
    case refused
    /// Anything else.
    case ordinary
    /// Not connected, or never seen.
    case notInUse

    /// Whether it must be seen whatever else there is to show.
    package var isAlarm: Bool { self <= .contactLost }

    package static func < (left: Danger, right: Danger) -> Bool { left.rawValue < right.rawValue }
}

extension WaterState {
    /// The danger of a diver at `now`, unix seconds; nil out of the water. Where nothing is received (`isLive` is false), no depth is known.
    func danger(at now: Double, isLive: Bool) -> Danger? {
        guard let zone else { return nil }
        let worst = max(zone, known?.zone ?? .unknown)
        let isKnown = isKnown(at: now, isLive: isLive)
        if zone >= .pastMaxDepth || (!isKnown && worst >= .pastMaxDepth) { return .alarm }
        // An unknown depth of which nothing was known may be any.
        if !isReporting(at: now, isLive: isLive), worst != .notSubmerged { return .contactLost }
        if isDoubtful || zone == .approachingMaxDepth { return .caution }
        return zone > .notSubmerged ? .underWater : nil
    }
}

extension LiveDevice {
    /// How much the device needs a look at `now`, unix seconds; `isLive` is false where nothing is received.
    package func danger(at now: Double, isLive: Bool = true) -> Danger {
        let own = dangerWithoutAlarms(at: now, isLive: isLive)
        return alarms.hasOpenCritical && !own.isAlarm ? .alarm : own
    }

    private func dangerWithoutAlarms(at now: Double, isLive: Bool) -> Danger {
        if let danger = water.danger(at: now, isLive: isLive) { return danger }
        if connection == "silent", water.zone != nil { return .silent }
        if connection == "disconnected" { return .notInUse }
        guard access.refusals.isEmpty else { return .refused }
        return isNeverSeen ? .notInUse : .ordinary
    }
}

extension String {
    /// Whether this name comes before another, numbers by their value: `diver-2` before `diver-10`.
    func precedesNaturally(_ other: String) -> Bool {
        var (left, right) = (self[...], other[...])
        while let first = left.first, let second = right.first {
            if first.isDigit, second.isDigit {
                let (number, otherNumber) = (left.takeDigits(), right.takeDigits())
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if number != otherNumber { return number < otherNumber }
            } else {
                if first != second { return first < second }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty && !right.isEmpty
    }
}

extension Character {
    fileprivate var isDigit: Bool { "0"..."9" ~= self }
}

extension Substring {
    /// Removes the digits at the front; returns them without leading zeros.
    fileprivate mutating func takeDigits() -> Substring {
        let digits = prefix(while: \.isDigit)
        removeFirst(digits.count)
        return digits.drop { $0 == "0" }
    }
}
