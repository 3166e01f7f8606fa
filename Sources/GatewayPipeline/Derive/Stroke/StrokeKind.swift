extension Stroke: DerivedBody {
    /// `stroke`.
    package static let kind = DerivedKind<Self>(
        "stroke", retained: false, perStream: true, "One forehand or backhand, and the counts after it.",
        fields: [
            .choice("stroke", "Which of the two.", \.stroke),
            .number(
                "accumulatedRotation", unit: "rad", "The rotation about gravity in the window; clockwise from above is positive.",
                \.accumulatedRotation),
            .number(
                "peakRotationRate", unit: "rad/s", "The fastest rotation about gravity, with the same sign.", \.peakRotationRate),
            .number("confidence", "How likely it is a stroke of that name; calibrated on simulated people only.", \.confidence),
            .integer("forehandCount", "Forehands since the counts were zero, this one included.", \.forehandCount),
            .integer("backhandCount", "Backhands since the counts were zero, this one included.", \.backhandCount),
        ],
        view: KindView(
            .bat, row: phrase, event: phrase,
            cell: .init(.strokes, label: "fore / back ") { fields in
                let counts = [fields.tallies["forehand"] ?? 0, fields.tallies["backhand"] ?? 0]
                return counts == [0, 0] ? [] : [.text("\(counts[0]) / \(counts[1])")]
            },
            tallies: [.latest("forehandCount", "forehand"), .latest("backhandCount", "backhand")],
            entities: [
                .init(
                    "stroke", "Stroke",
                    .event(types: Name.allCases.map(\.rawValue), type: "value_json.stroke", without: ["stroke"]),
                    icon: "mdi:tennis"),
                .init("forehands", "Forehands", .field("forehandCount"), stateClass: "total_increasing", icon: "mdi:tennis"),
                .init("backhands", "Backhands", .field("backhandCount"), stateClass: "total_increasing", icon: "mdi:tennis"),
            ])
    ) { "\($0.stroke.rawValue):\($0.forehandCount):\($0.backhandCount)" }

    private static let phrase: KindView.Text = { fields in
        fields.text("stroke").map { stroke in
            let (forehands, backhands) = (fields.tallies["forehand"] ?? 0, fields.tallies["backhand"] ?? 0)
            let confidence = fields.number("confidence").map { " \($0.text(2))" } ?? ""
            return Phrase("\(stroke)\(confidence), \(forehands) forehand, \(backhands) backhand so far", .good)
        }
    }
}

extension ViewColumn {
    /// Forehands and backhands.
    static let strokes = ViewColumn("strokes", "Fore / back", hint: "Forehands and backhands", isNumber: true, place: 2)
}
