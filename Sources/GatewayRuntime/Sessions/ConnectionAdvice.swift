import GatewayConfiguration
import Mosquitto

/// Which settings to change when a connection of an account fails.
struct ConnectionAdvice {
    let configuration: GatewayConfiguration
    /// The section of the account, such as `mqtt.out`.
    let path: String
    let identity: GatewayConfiguration.MQTT.Identity

    /// What to change, as a clause; nil where the reason's own description says so.
    func text(for reason: DisconnectReason) -> String? {
        let mqtt = configuration.mqtt
        let place = "mqtt.host (\(mqtt.host)) and mqtt.port (\(mqtt.port))"
        let name = mqtt.brokers.first?.host ?? mqtt.host
        switch reason {
        case .refused(_, advice: .some):
            return nil
        case .subscriptionRefused(let subscription, _):
            return subscription.adviceIfRefused != nil ? nil : "let the account read \(subscription.filter) in the broker's ACL"
        case .connectFailed where mqtt.tls.enabled:
            return "check \(place), that this is a listener with TLS, that mqtt.tls.caFile is the authority of the broker's "
                + "certificate, and that the certificate is for \(name)"
        case .connectFailed:
            return "start the broker, or check \(place); a listener with TLS needs mqtt.tls.enabled"
        case .timedOut, .lost, .closedByBroker:
            return mqtt.tls.enabled
                ? "check \(place): a listener without TLS does not answer"
                : "check \(place): a listener with TLS needs mqtt.tls.enabled"
        case .refused, .sessionTakenOver, .lostRepeatedly, .batchReleased, .silent:
            return "see the broker's log"
        }
    }

    /// What to change where the broker refuses the account.
    var account: String {
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
