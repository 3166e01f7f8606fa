/// The metadata keys of this module's log lines.
enum LogKey {
    static let client = "mqtt.client"
    static let version = "mqtt.library_version"
    static let broker = "mqtt.broker"
    static let reason = "mqtt.reason"
    static let sessionPresent = "mqtt.session_present"
    static let retrySeconds = "mqtt.retry_seconds"
    static let topic = "mqtt.topic"
    static let count = "mqtt.count"
    static let seconds = "mqtt.seconds"
    static let numbers = "mqtt.numbers"
}
