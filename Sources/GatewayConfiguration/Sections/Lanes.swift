package import TelemetryModel

extension GatewayConfiguration {
    /// The classes of streams that do not wait for each other, each with a session and checkpoints of its own.
    package struct Lanes: Sendable, Equatable {
        /// A class of streams.
        package enum Name: String, Sendable, CaseIterable {
            /// Depth and presence, which are urgent.
            case safety
            /// Motion sample by sample.
            case motion
            /// Batches of about a second, and messages on topics of no stream.
            case bulk

            /// The lane of a stream. Streams that one derivation needs together are on one.
            package init(of stream: StreamName) {
                switch stream {
                case .submersion, .status, .workout: self = .safety
                case .headphoneMotion, .headphoneConnection, .deviceMotion, .pedometer, .altimeter, .command: self = .motion
                case .batchedIMU, .recordedAccelerometer, .movementDisorder: self = .bulk
                }
            }

            /// Its streams.
            package var streams: Set<StreamName> { Set(StreamName.allCases.filter { Self(of: $0) == self }) }
        }

        private var safety = Lane(checkpointMilliseconds: 100, waitingMebibytes: 64)
        private var motion = Lane(checkpointMilliseconds: 100, waitingMebibytes: 64)
        private var bulk = Lane(checkpointMilliseconds: 250, waitingMebibytes: 128)

        /// The settings of one lane.
        package subscript(name: Name) -> Lane {
            get {
                switch name {
                case .safety: safety
                case .motion: motion
                case .bulk: bulk
                }
            }
            set {
                switch name {
                case .safety: safety = newValue
                case .motion: motion = newValue
                case .bulk: bulk = newValue
                }
            }
        }
    }

    /// One class of streams.
    package struct Lane: Sendable, Equatable {
        /// How long a processed frame may wait for that while others keep coming, in milliseconds, 0 to 5,000; at 0 every batch is committed
        /// as it was read.
        package var checkpointMilliseconds: Int
        /// How much of all devices together may wait for missing frames, units or workouts, in MiB, 1 to 16,384; then the oldest
        /// waits end.
        package var waitingMebibytes: Int
        /// The account of the lane's connection; without a user name and certificate it is that of the safety lane.
        package var account = MQTT.Identity()

        init(checkpointMilliseconds: Int, waitingMebibytes: Int) {
            self.waitingMebibytes = waitingMebibytes
            self.checkpointMilliseconds = checkpointMilliseconds
        }
    }

    /// Names of streams, each at most once: a list in YAML; elsewhere a text with commas, in which `none` is the empty list.
    package struct StreamList: Sendable, Equatable, SettingValue {
        /// Every stream, in the order of the contract.
        package static let all = StreamList(names: Registry.streamNames)

        /// The names in the order they were written.
        package var names: [String]

        /// A list of `names`.
        package init(names: [String]) { self.names = names }

        static let kind = "a list of names of streams"
        static let isList = true

        init(_ input: SettingInput) throws(SettingFault) {
            guard let items = input.items else { throw Self.fault(input) }
            if let unknown = items.first(where: { !Self.all.names.contains($0) }) {
                let hint = NearestKey.hint(for: unknown, in: Self.all.names)
                throw SettingFault(message: "lists \(SettingInput(text: unknown, form: .flat).shown), which is no stream\(hint)")
            }
            guard Set(items).count == items.count else { throw SettingFault(message: "lists a stream more than once") }
            names = items
        }

        var yaml: String { "[\(names.joined(separator: ", "))]" }
    }
}

extension GatewayConfiguration.Lanes {
    static let settings: [Setting] = Name.allCases.flatMap { name in
        [
            Setting(
                "lanes.\(name.rawValue).checkpointMilliseconds", \.lanes[name].checkpointMilliseconds, in: .from(0, to: 5_000),
                unit: "milliseconds",
                "How long a processed frame may wait to be committed while others keep coming; at 0 every batch is committed as it was read"
            ),
            Setting(
                "lanes.\(name.rawValue).waitingMebibytes", \.lanes[name].waitingMebibytes, in: .from(1, to: 16_384), unit: "MiB",
                """
                How much of all devices together may wait for missing frames; then waits of the device with most end, its oldest first and \
                those for depth last
                """),
        ] + GatewayConfiguration.MQTT.Identity.settings(.lane(name))
    }
}
