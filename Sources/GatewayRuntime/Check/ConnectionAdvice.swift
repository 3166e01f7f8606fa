import GatewayConfiguration
import Mosquitto

/// Which settings to change when a connection of an account fails.
struct ConnectionAdvice {
    /// Reasons of MQTT 5 and return codes of 3.1.1 that concern the account: bad user name or password, not authorized, banned.
    private static let accountReasons: Set<Int32> = [0x86, 0x87, 0x8A, 0x8C]
    private static let accountReturnCodes: Set<Int32> = [4, 5]

    let configuration: GatewayConfiguration
    /// The section of the account, such as `mqtt.out`.
    let path: String
    let identity: GatewayConfiguration.MQTT.Identity

    /// What to change, as a clause.
    func text(for reason: DisconnectReason) -> String {
        let mqtt = configuration.mqtt
        let place = "mqtt.host (\(mqtt.host)) and mqtt.port (\(mqtt.port))"
        switch reason {
        case .refused(let error) where isOfAccount(error):
            return account
        case .subscriptionRefused(let subscription, _):
            return subscription.adviceIfRefused ?? "let the account read \(subscription.filter) in the broker's ACL"
        case .connectFailed where mqtt.tls.enabled:
            return "check \(place), that mqtt.tls.caFile is the authority of the broker's certificate, and that the certificate "
                + "is for \(mqtt.host)"
        case .connectFailed:
            return "start the broker, or check \(place); a listener with TLS needs mqtt.tls.enabled"
        case .timedOut, .lost, .closedByBroker:
            return mqtt.tls.enabled
                ? "check \(place): a listener without TLS does not answer"
                : "check \(place): a listener with TLS needs mqtt.tls.enabled"
        case .refused, .sessionTakenOver, .batchReleased, .silent:
            return "see the broker's log"
        }
    }

    private func isOfAccount(_ error: MosquittoError) -> Bool {
        switch error.origin {
        case .reasonCode: Self.accountReasons.contains(error.code)
        case .returnCode: Self.accountReturnCodes.contains(error.code)
        case .library, .client: false
        }
    }

    private var account: String {
        guard let user = identity.username else {
            return identity.certificateFile == nil
                ? "the broker wants an account: set \(path).username and \(path).passwordFile"
                : "the broker does not take the certificate of \(path).certificateFile as an account"
        }
        let setting = identity.passwordFile == nil ? "\(path).password" : "\(path).passwordFile (\(identity.passwordFile ?? ""))"
        return identity.password == nil
            ? "set \(path).passwordFile to the file with the password of \(user)"
            : "\(setting) is not the password of \(user), or the broker has no account \(user) (mosquitto_passwd, then reload it)"
    }
}
