extension Components {
    /// The entities of the gateway itself, which read its status.
    static let gateway = [
        // Always available: an offline gateway is what it shows.
        Component(
            id: "status", platform: .binarySensor, kind: nil, name: "Gateway",
            template: "{{ 'ON' if value_json is defined and value_json.state == 'online' else 'OFF' }}",
            deviceClass: "connectivity", category: "diagnostic", availability: .always),
        Component(
            id: "problem", platform: .binarySensor, kind: nil, name: "Problem",
            template: "{{ 'ON' if value_json is defined and (\(isImpaired)) else 'OFF' }}",
            deviceClass: "problem", attributes: Template.object(problems), category: "diagnostic", availability: .gateway,
            expiry: { $0.status }),
        Component(
            id: "active_devices", platform: .sensor, kind: nil, name: "Active devices",
            template: Template.guarded("value_json.activeDevices | default(none)", otherwise: "None"),
            stateClass: "measurement", category: "diagnostic", availability: .gateway, expiry: { $0.status }),
    ]

    private static let problems = ["ingress", "storageProblem", "registryProblem"]

    private static let isImpaired =
        "value_json.ingress != 'connected' or value_json.storageProblem is defined or value_json.registryProblem is defined"
}
