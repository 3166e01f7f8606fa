import NatsKeyValue

extension ConnectionCheck {
    /// Whether the key-value store can be used, which makes the bucket where there is none; nothing where none is set. Each server is tried.
    func keyValue() async -> [Finding] {
        guard let all = NatsSettings(configuration) else { return [] }
        var findings: [Finding] = []
        for server in all.servers {
            var settings = all
            settings.servers = [server]
            let bucket = KeyValueBucket(configuration, at: settings)
            do {
                try await BlockingCall.run { try bucket.make() }
                findings.append(Finding(.ok, "keyValue.servers", "the bucket \(bucket.name) at \(server) can be used"))
            } catch {
                findings.append(Finding(.problem, "keyValue.servers", "\(error)"))
            }
        }
        return findings
    }
}
