/// What is derived from a device's streams, each derivation a part of its own.
package struct DerivationSet: Sendable, Equatable {
    /// Depth state, water temperature, dive.
    @Tracked package var submersion = SubmersionDerivation()
    /// The device's connection.
    @Tracked package var deviceConnection = DeviceConnectionDerivation()
    /// The headphones' connection.
    @Tracked package var headphoneConnection = HeadphoneConnectionDerivation()
    /// The pose of the head.
    @Tracked package var headPose = HeadPoseDerivation()
    /// Impacts and swings.
    @Tracked package var swing = SwingDerivation()
    /// Forehands and backhands.
    @Tracked package var stroke = StrokeDerivation()

    /// Nothing derived yet.
    package init() {}

    /// Counts every derivation as changed.
    mutating func markChanged() {
        $submersion.markChanged()
        $deviceConnection.markChanged()
        $headphoneConnection.markChanged()
        $headPose.markChanged()
        $swing.markChanged()
        $stroke.markChanged()
    }

    /// Appends the derivations that have changed, and the names of those that are as at the start.
    mutating func takeChanges(into parts: inout [StatePart], removed: inout [String]) throws {
        try take(&$submersion, "depth", into: &parts, removed: &removed)
        try take(&$deviceConnection, "connection.device", into: &parts, removed: &removed)
        try take(&$headphoneConnection, "connection.headphone", into: &parts, removed: &removed)
        try take(&$headPose, "headPose", into: &parts, removed: &removed)
        try take(&$swing, "swing", into: &parts, removed: &removed)
        try take(&$stroke, "stroke", into: &parts, removed: &removed)
    }

    private func take<Value: Derivation>(
        _ derivation: inout Tracked<Value>, _ name: String, into parts: inout [StatePart], removed: inout [String]
    ) throws {
        guard derivation.takeChange() else { return }
        let name = DeviceState.Part.derive + name
        if derivation.wrappedValue == Value() {
            removed.append(name)
        } else {
            parts.append(try StatePart(name, derivation.wrappedValue))
        }
    }

    /// Puts back a derivation that was stored; throws when it cannot be read.
    mutating func restore(_ part: StatePart) throws {
        switch part.name.dropFirst(DeviceState.Part.derive.count) {
        case "depth": $submersion.restore(try part.value())
        case "connection.device": $deviceConnection.restore(try part.value())
        case "connection.headphone": $headphoneConnection.restore(try part.value())
        case "headPose": $headPose.restore(try part.value())
        case "swing": $swing.restore(try part.value())
        case "stroke": $stroke.restore(try part.value())
        default: throw UnknownPart()
        }
    }
}

/// A part that no derivation of this build has.
struct UnknownPart: Error, CustomStringConvertible {
    let description = "this build has no such part"
}
