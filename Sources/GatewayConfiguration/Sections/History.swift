import GatewayPipeline

extension GatewayConfiguration {
    /// How recorded histories, and messages for the query `events`, are kept in the state directory.
    package struct History: Sendable, Equatable {
        /// How many days are kept, 3 to 3,650.
        package var days = HistorySettings().days
        /// How old a sample may be when its frame is sent, in hours, 1 to 72.
        package var windowHours = HistorySettings().windowHours
        /// The least time between two derivations of one device's history, in s, 0 to 86,400.
        package var reportSeconds = HistorySettings().reportSeconds
        /// How much room samples and messages may take on disk, in MB, 1 to 1,048,576; default 1,024. Then the oldest of the device that uses
        /// most are deleted.
        package var maximumMegabytes = 1_024
        /// What a device's history may cost, in units a second as a mean over five minutes of its clock, 0 to 1,000,000; 0 for no limit.
        package var unitsPerSecond = BudgetSettings().historyUnitsPerSecond

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.History {
    static let settings: [Setting] = [
        Setting(
            "history.days", \.history.days, in: .from(3, to: 3_650), unit: "days",
            "How many days of samples, and of messages for the query events, are kept"),
        Setting(
            "history.windowHours", \.history.windowHours, in: .from(1, to: 72), unit: "hours",
            "How old a sample may be when its frame is sent; after as long a missing frame is given up"),
        Setting(
            "history.reportSeconds", \.history.reportSeconds, in: .from(0, to: 86_400), unit: "seconds",
            "The least time between two derivations of a device's history, but for midnight UTC and noon; each reads three days"),
        Setting(
            "history.maximumMegabytes", \.history.maximumMegabytes, in: .from(1, to: 1_048_576), unit: "MB",
            "How much room samples and stored messages may take on disk; then the oldest of the device that uses most are deleted"
        ),
        Setting(
            "history.unitsPerSecond", \.history.unitsPerSecond, in: .from(0, to: 1e6), unit: "units a second",
            "What a device's history may cost, mean of five minutes; a unit is 1,000 bytes or 100 samples; 0 for no limit"),
    ]
}
