import Foundation
import GatewayConfiguration
package import GatewayPipeline
import Mosquitto
import TelemetryModel

/// One message on `out/alarm/{level}`, as far as it is needed to tell somebody.
package struct AlarmMessage: Sendable, Equatable {
    /// Where the message was published.
    package var topic: String
    /// The device, of the topic.
    package var device: String
    /// The levels of the topic after `alarm/`, by which it is acknowledged.
    package var level: String
    /// The id of the message: the same one after a kill and in a replay.
    package var id: String
    package var severity: AlarmSeverity
    package var state: Alarm.State
    /// All fields, by name.
    package var fields: [String: MessageValue]

    /// When it was raised, as the message has it: what distinguishes an alarm from the one before on its topic.
    package var since: String { fields["since"]?.json ?? "" }
}

extension AlarmMessage {
    /// Why a message is not read.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The longest payload that is read, in bytes: a command gets it by a pipe, which holds as much without a reader.
    static let mostBytes = 60_000
    private static let longestID = 200

    /// The device and the level of a topic of alarms below `root`; nil for any other.
    static func place(of topic: String, root: String) -> (device: String, level: String)? {
        guard topic.hasPrefix("\(root)/") else { return nil }
        let parts = topic.dropFirst(root.count + 1).split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, !parts[0].isEmpty, parts[1] == "out", parts[2] == "alarm", !parts[3].isEmpty else { return nil }
        return (String(parts[0]), String(parts[3]))
    }

    /// Reads a message that is not empty; the error names the field.
    package init(topic: String, payload: [UInt8], root: String) throws(Fault) {
        guard let (device, level) = Self.place(of: topic, root: root) else { throw Fault(description: "no topic of an alarm") }
        guard payload.count <= Self.mostBytes else { throw Fault(description: "more than \(Self.mostBytes) bytes") }
        guard let fields = try? JSONDecoder().decode([String: MessageValue].self, from: Data(payload)) else {
            throw Fault(description: "no JSON object")
        }
        func text(_ name: String) throws(Fault) -> String {
            guard let text = fields[name]?.text, !text.isEmpty else { throw Fault(description: "\(name) is no text") }
            return text
        }
        let (id, severity, state) = (try text("id"), try text("severity"), try text("state"))
        guard id.utf8.count <= Self.longestID, !id.contains("\n") else { throw Fault(description: "id is too long") }
        guard let severity = AlarmSeverity(rawValue: severity) else {
            throw Fault(description: "severity \(severity) is not known")
        }
        guard let state = Alarm.State(rawValue: state) else { throw Fault(description: "state \(state) is not known") }
        self.init(topic: topic, device: device, level: level, id: id, severity: severity, state: state, fields: fields)
    }
}

extension AlarmMessage {
    /// What a command gets in its environment. Nothing in it has a character that does not print.
    package var environment: [String: String] {
        Dictionary(uniqueKeysWithValues: AlarmVariable.allCases.map { ($0.name, value(of: $0)) })
    }

    private func value(of variable: AlarmVariable) -> String {
        switch variable {
        case .device: device.escaped
        case .level: level.escaped
        case .topic: topic.escaped
        case .text: text
        case .id, .alarm, .severity, .state, .since, .clearedAt, .value, .sourceKind, .field, .count:
            switch fields["\(variable)"] {
            case .text(let text): text
            case .number(let number): number.shortest
            case .flag(let flag): flag ? "true" : "false"
            case .null, .list, .object, nil: ""
            }
        }
    }

    /// The alarm in one line for a person, such as `critical: ultra-1: past-limit raised at 14:03:22 UTC (depth-state: pastMaxDepth)`.
    package var text: String {
        let instant = state == .cleared ? fields["clearedAt"] ?? fields["since"] : fields["since"]
        let time = instant?.number.flatMap(Self.clock).map { " at \($0)" } ?? ""
        let value = fields["value"].flatMap { value in value.text ?? value.number?.shortest }
        let cause = [fields["sourceKind"]?.text, value].compactMap(\.self).joined(separator: ": ")
        return "\(severity.rawValue): \(device.escaped): \(level.escaped) \(state.rawValue)\(time)"
            + (cause.isEmpty ? "" : " (\(cause))")
    }

    /// An instant in unix seconds as a time of day; nil for one that no calendar has.
    private static func clock(_ unix: Double) -> String? {
        guard unix.isFinite, abs(unix) < 1e11 else { return nil }
        let style = Date.VerbatimFormatStyle(
            format:
                "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
            timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return "\(Date(timeIntervalSince1970: unix).formatted(style)) UTC"
    }
}

/// What was last received on a topic of alarms.
struct SeenAlarm: Sendable, Equatable {
    /// How many ids are kept: more than the broker sends before it waits for acknowledgements, and so can deliver again.
    static let mostIDs = 2 * Int(MosquittoConfiguration.noticeWindow)

    /// What the alarm was.
    var state: String
    /// When that alarm was raised.
    var since: String
    /// The ids of the last messages, the newest last.
    var ids: [String]
}

extension SeenAlarm? {
    /// Takes a message; returns whether it raises or clears an alarm that somebody is to be told of. One that was received before does not,
    /// nor one that only changes how often an alarm was raised, nor the end of an alarm of which nothing was received.
    mutating func take(_ message: AlarmMessage) -> Bool {
        var ids = self?.ids ?? []
        if ids.contains(message.id) { return false }
        ids = (ids + [message.id]).suffix(SeenAlarm.mostIDs)
        let isUnseenEnd = self == nil && message.state == .cleared
        let changes = self?.state != message.state.rawValue || !Self.isSame(self?.since ?? "", message.since)
        self = SeenAlarm(state: message.state.rawValue, since: message.since, ids: ids)
        return changes && !isUnseenEnd && message.state != .acknowledged
    }

    /// Whether two texts are one instant: what it is on the wall clock is computed for each message, and may differ a little.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        guard let one = Double(first), let other = Double(second) else { return first == second }
        return abs(one - other) < 1
    }
}
