import TelemetryModel

/// The settings of all derivations, and which of them run.
package struct DeriveSettings: Sendable, Equatable {
    /// Each derivation as it is configured, in the order of the list.
    private(set) var configured: [any ConfiguredDerivation]
    /// By the places of streams.
    private var takers: [[Int]] = []
    /// The derivations that follow the device's activity.
    private(set) var followers: [Int] = []
    private var summers: [ObjectIdentifier: [Int]] = [:]
    /// The derivations that run.
    private(set) var running: [Int] = []

    /// The defaults.
    package init() {
        configured = Derivations.all.map { $0.configured() }
        adoptAll()
        arrange()
    }

    /// The settings of one derivation.
    package subscript<D: Derivation>(derivation: D.Type) -> D.Settings {
        get { D.settings(of: configured[Derivations.index(of: derivation)]) }
        set {
            let index = Derivations.index(of: derivation)
            configured[index] = Configured<D>(isEnabled: configured[index].isEnabled, settings: newValue)
            adoptAll()
            arrange()
        }
    }

    /// Whether a derivation runs.
    package func isEnabled<D: Derivation>(_ derivation: D.Type) -> Bool {
        configured[Derivations.index(of: derivation)].isEnabled
    }

    /// Switches a derivation on or off.
    package mutating func setEnabled<D: Derivation>(_ derivation: D.Type, _ isEnabled: Bool) {
        configured[Derivations.index(of: derivation)] = Configured<D>(isEnabled: isEnabled, settings: self[derivation])
        arrange()
    }

    /// The derivations that run and process frames of `stream`.
    func takers(of stream: StreamName) -> [Int] { takers[Int(stream.place)] }

    /// The derivations that run and sum events of a kind.
    func summers(of body: any DerivedBody) -> [Int] { summers[ObjectIdentifier(type(of: body))] ?? [] }

    /// Whether a message with this path after `out/` belongs to a derivation that does not run, and to none that does.
    package func isSwitchedOff(_ path: String) -> Bool {
        // Asked for each kind of each restored device.
        guard running.count < configured.count else { return false }
        let publishers = configured.filter { $0.declaration.publishes(path) }
        return !publishers.isEmpty && !publishers.contains(where: \.isEnabled)
    }

    private mutating func adoptAll() {
        let others = self
        for index in configured.indices { configured[index] = configured[index].adopting(from: others) }
    }

    private mutating func arrange() {
        running = configured.indices.filter { configured[$0].isEnabled }
        followers = running.filter { configured[$0].declaration.followsActivity }
        takers = Array(repeating: [], count: StreamName.allCases.count)
        summers = [:]
        for index in running {
            for kind in Set(configured[index].sums.map { ObjectIdentifier($0) }) {
                summers[kind, default: []].append(index)
            }
            for stream in configured[index].declaration.streams { takers[Int(stream.place)].append(index) }
        }
    }

    /// Whether all settings are equal.
    package static func == (left: Self, right: Self) -> Bool {
        zip(left.configured, right.configured).allSatisfy { $0.isEqual(to: $1) }
    }
}

/// One derivation as it is configured; the same for all devices.
protocol ConfiguredDerivation: AnyObject, Sendable {
    var declaration: DerivationDeclaration { get }
    var isEnabled: Bool { get }
    /// The streams without whose waiting samples its timers may fire.
    var awaitedStreams: Set<StreamName> { get }
    func makeState() -> any Derivation
    /// The kinds whose events it receives.
    var sums: [any DerivedBody.Type] { get }
    /// Whether a derivation without a state creates one for `occurrence`.
    func begins(with occurrence: Occurrence, facts: DeviceFacts) -> Bool
    func adopting(from others: DeriveSettings) -> any ConfiguredDerivation
    func announcement(of state: (any Derivation)?, facts: DeviceFacts, changesOwner: Bool) -> (any DerivedBody)?
    /// What reads recorded minutes for it.
    func pass(over days: HistoryDays, facts: DeviceFacts) -> (any HistoryPass)?
    func isEqual(to other: any ConfiguredDerivation) -> Bool
}

/// The configuration of `D`.
final class Configured<D: Derivation>: ConfiguredDerivation {
    let declaration = D.declaration
    let isEnabled: Bool
    let settings: D.Settings
    let awaitedStreams =
        D.declaration.followsActivity || D.declaration.homeStreams.isEmpty
        ? Set(StreamName.allCases) : Set(D.declaration.homeStreams)

    init(isEnabled: Bool = D.declaration.isOnByDefault, settings: D.Settings = D.Settings()) {
        self.isEnabled = isEnabled
        self.settings = settings
    }

    func makeState() -> any Derivation { D() }

    var sums: [any DerivedBody.Type] { D.sums(settings: settings) }

    func begins(with occurrence: Occurrence, facts: DeviceFacts) -> Bool {
        D.begins(with: occurrence, settings: settings.resolved(for: facts))
    }

    func adopting(from others: DeriveSettings) -> any ConfiguredDerivation {
        var adopted = settings
        adopted.adopt(from: others)
        return adopted == settings ? self : Configured(isEnabled: isEnabled, settings: adopted)
    }

    func announcement(of state: (any Derivation)?, facts: DeviceFacts, changesOwner: Bool) -> (any DerivedBody)? {
        D.announcement(of: state as? D, settings: settings.resolved(for: facts), changesOwner: changesOwner)
    }

    func pass(over days: HistoryDays, facts: DeviceFacts) -> (any HistoryPass)? {
        D.pass(over: days, settings: settings.resolved(for: facts))
    }

    func isEqual(to other: any ConfiguredDerivation) -> Bool {
        guard let other = other as? Self else { return false }
        return isEnabled == other.isEnabled && settings == other.settings
    }
}

extension Derivation {
    static func configured() -> any ConfiguredDerivation { Configured<Self>() }

    /// The settings in `configured`, which is at this derivation's index in the list and therefore of its type.
    static func settings(of configured: any ConfiguredDerivation) -> Settings {
        // A checked cast looks up generic metadata, several times for each frame.
        unsafe unsafeDowncast(configured, to: Configured<Self>.self).settings
    }

    mutating func take(
        _ occurrence: Occurrence, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into output: inout DerivationOutput
    ) {
        take(occurrence, settings: Self.settings(of: configured).resolved(for: facts), into: &output)
    }

    func due(as configured: any ConfiguredDerivation) -> DeviceTime? { due(settings: Self.settings(of: configured)) }

    mutating func fire(
        until now: DeviceTime, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into events: inout [DerivedEvent]
    ) {
        fire(until: now, settings: Self.settings(of: configured).resolved(for: facts), into: &events)
    }

    func isEqual(to other: any Derivation) -> Bool { other as? Self == self }
}
