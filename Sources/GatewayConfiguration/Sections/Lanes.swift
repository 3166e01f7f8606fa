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
        }

        private var safety = Lane(
            streams: ["submersion", "status", "workout"], checkpointMilliseconds: 100, gatherMilliseconds: 5,
            waitingMebibytes: 64)
        private var motion = Lane(
            streams: ["headphone-motion", "headphone-connection", "device-motion", "pedometer", "altimeter", "command"],
            checkpointMilliseconds: 100, gatherMilliseconds: 20, waitingMebibytes: 64)
        private var bulk = Lane(
            streams: ["batched-imu", "recorded-accelerometer", "movement-disorder"], checkpointMilliseconds: 250,
            gatherMilliseconds: 100, waitingMebibytes: 128)

        /// Streams that later versions added, each with the one whose lane it is on where no list names it: a file that lists all streams
        /// of an earlier version stays valid.
        private static let later = ["movement-disorder": "recorded-accelerometer"]

        /// Makes a section in which every setting has its default.
        package init() {}

        /// Puts streams that no lane has on the lane of another.
        mutating func placeLaterStreams() {
            for (stream, companion) in Self.later
            where !Name.allCases.contains(where: { self[$0].streams.names.contains(stream) }) {
                guard let lane = Name.allCases.first(where: { self[$0].streams.names.contains(companion) }) else { continue }
                self[lane].streams.names.append(stream)
            }
        }

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
        /// The streams on the lane; a lane without any is not connected.
        package var streams: StreamList
        /// How long a processed frame may wait for that while others keep coming, in milliseconds, 0 to 5,000; at 0 every batch is committed
        /// as it was read.
        package var checkpointMilliseconds: Int
        /// How long the lane reads nothing after it has read all there was, in milliseconds, 0 to 1,000; default 5 for safety, 20 for
        /// motion, 100 for bulk, whose messages hold a second each.
        package var gatherMilliseconds: Int
        /// How much of all devices together may wait for missing frames, units or workouts, in MiB, 1 to 16,384; then the oldest
        /// waits end.
        package var waitingMebibytes: Int
        /// The account of the lane's connection; without a user name and certificate it is that of the safety lane.
        package var account = MQTT.Identity()

        init(streams: [String], checkpointMilliseconds: Int, gatherMilliseconds: Int, waitingMebibytes: Int) {
            self.gatherMilliseconds = gatherMilliseconds
            self.waitingMebibytes = waitingMebibytes
            self.streams = StreamList(names: streams)
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
                "lanes.\(name.rawValue).streams", \.lanes[name].streams,
                "The streams on this lane, which has a session of its own"),
            Setting(
                "lanes.\(name.rawValue).checkpointMilliseconds", \.lanes[name].checkpointMilliseconds, in: .from(0, to: 5_000),
                unit: "milliseconds",
                "How long a processed frame may wait to be committed while others keep coming; at 0 every batch is committed as it was read"
            ),
            Setting(
                "lanes.\(name.rawValue).gatherMilliseconds", \.lanes[name].gatherMilliseconds, in: .from(0, to: 1_000),
                unit: "milliseconds",
                """
                How long the lane reads nothing after it has read all there was: frames that come meanwhile are processed together, which \
                costs less, and are late by as much at the most
                """),
            Setting(
                "lanes.\(name.rawValue).waitingMebibytes", \.lanes[name].waitingMebibytes, in: .from(1, to: 16_384), unit: "MiB",
                """
                How much of all devices together may wait for missing frames; then waits of the device with most end, its oldest first and \
                those for depth last
                """),
        ] + GatewayConfiguration.MQTT.Identity.settings(.lane(name))
    }
}
