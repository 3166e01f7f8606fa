package import GatewayConfiguration
package import GatewayPipeline
import TelemetryModel

extension Producers {
    /// Reads the producers file that `configuration` names: the producers, none if no file is named, and every problem at once.
    package static func load(_ configuration: GatewayConfiguration) -> (producers: Producers, problems: [ConfigurationProblem]) {
        guard let file = configuration.producers.file else { return (Producers(), []) }
        let (tree, problems) = configuration.loadProducers()
        guard let tree else { return (Producers(), problems) }
        var found: [TreeProblem] = []
        let producers = Producers(tree, problems: &found)
        let own = producers.subscriptions.filter { subscription in
            configuration.ownTopics.contains { subscription.overlaps($0) }
        }
        found += own.map {
            TreeProblem(path: "", line: nil, message: "has a topic, \($0.filter), that takes in the gateway's own")
        }
        return (
            producers,
            problems + found.map { ConfigurationProblem($0.path, line: $0.line, source: .file(file), $0.message) }
        )
    }
}

extension GatewayConfiguration {
    /// The topics of the contract and of the gateway itself.
    fileprivate var ownTopics: [String] {
        let own = "fathom/\(gateway.name)"
        return gateway.prefixes.map { "\($0)/+/in/+" } + [
            "\(gateway.root)/+/out/#", "\(own)/status", "\(own)/rejected", "\(own)/heartbeat/+", "\(own)/claim",
        ]
    }

    /// Reads the registry that this configuration names; its devices may be bound to senders of `producers`.
    package func loadRegistry(
        for producers: Producers
    ) -> (registry: Registry?, problems: [ConfigurationProblem]) {
        let (registry, problems) = loadRegistry()
        guard let registry, let file = self.registry.file else { return (registry, problems) }
        let faults = registry.devices.sorted { $0.key < $1.key }.compactMap { device, entry in
            entry.from.flatMap { from in
                producers.fault(of: from).map {
                    ConfigurationProblem("devices.\(device).from", line: from.line, source: .file(file), $0)
                }
            }
        }
        return (faults.isEmpty ? registry : nil, problems + faults)
    }
}

extension Producers {
    /// The problem with a device's sender, as the rest of a sentence; nil when there is none.
    fileprivate func fault(of from: RegistryEntry.From) -> String? {
        guard names.contains(from.producer) else {
            return "names \(from.producer.debugDescription), which has no section in the producers file"
        }
        guard name(claiming: from.topic) == from.producer else {
            return "names the topic \(from.topic.debugDescription), which is none of \(from.producer)'s"
        }
        return nil
    }
}
