import TelemetryModel

extension ConnectionChange: DerivedBody {
    /// `connection/headphone` and `connection/device`.
    package static let kind = DerivedKind<Self>(
        "connection/{subject}", retained: true,
        "Whether headphones (`connection/headphone`) or the device (`connection/device`) are connected.",
        levels: ConnectionSubject.allCases.map(\.rawValue), level: { $0.subject.rawValue },
        fields: [
            .choice("state", "The state from now on.", \.state),
            .text("previous", "The state until now; null where none was known.", \.previous?.rawValue),
            .text("cause", "How it came to be known.", \.cause.rawValue),
            .init("sensorLocation", type: .text, "On a handover, the headphone that data come from now; else absent.") {
                $0.cause == .handover ? .text($0.sensorLocation?.name) : .absent
            },
            .init("previousLocation", type: .text, "On a handover, the headphone that data came from before; else absent.") {
                $0.cause == .handover ? .text($0.previousLocation?.name) : .absent
            },
        ],
        view: KindView(
            .head,
            cell: .init(.head, label: "head ") { fields in
                guard let state = fields.text("state") else { return [] }
                return [.text(state == ConnectionState.disconnected.rawValue ? "taken out" : "–", .quiet)]
            })
    ) {
        "\($0.previous?.rawValue ?? "")>\($0.state.rawValue):\($0.cause.rawValue)"
            + ":\($0.previousLocation?.name ?? "")>\($0.sensorLocation?.name ?? "")"
    }
}
