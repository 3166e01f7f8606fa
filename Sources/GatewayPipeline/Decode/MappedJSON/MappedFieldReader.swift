import TelemetryModel

/// Reads the key `fields` of a mapping.
struct MappedFieldReader {
    private static let airPressures = 30.0...110.0
    /// The word that refers to a payload of one number.
    private static let payload = "value"

    let stream: StreamName
    let layout: Mapping.Layout
    let isMeasured: Bool

    /// The valid fields; problems are reported.
    func fields(of table: ConfigurationTree, problems: inout [TreeProblem]) -> [MappedComponent: MappedField] {
        guard let options = table["fields"] else {
            problems.append(table.problem("needs fields"))
            return [:]
        }
        guard case .table(let entries) = options.value else {
            problems.append(options.problem("must hold components, such as depth, and where they are"))
            return [:]
        }
        var fields: [MappedComponent: MappedField] = [:]
        let before = problems.count
        for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let components = MappedComponent.all(of: stream)
            guard let component = components.first(where: { $0.rawValue == key }) else {
                let known = components.map(\.rawValue)
                problems.append(
                    entry.problem("is no component of \(stream.rawValue); there are \(known.joined(separator: ", "))"))
                continue
            }
            fields[component] = field(component, entry, problems: &problems)
        }
        if isMeasured, MappedComponent.acceleration.contains(where: { entries[$0.rawValue] != nil }) {
            problems.append(
                table.wrong(
                    "convention",
                    "compares gravity with attitude, and acceleration comes without them: name its unit and sign, and leave this out"
                ))
        }
        if problems.count == before { checkWhole(fields, of: options, problems: &problems) }
        return fields
    }

    private func field(
        _ component: MappedComponent, _ entry: ConfigurationTree, problems: inout [TreeProblem]
    ) -> MappedField? {
        let before = problems.count
        var field: MappedField?
        if case .text(let text) = entry.value {
            field = source(text, component, at: entry, problems: &problems).map { MappedField(source: $0) }
            if !component.dimension.units.isEmpty, !isMeasuredAway(component) {
                problems.append(entry.problem("needs a unit: {pointer: \(text), unit: \(component.dimension.units.listed)}"))
            }
            return problems.count == before ? field : nil
        }
        entry.expectKeys(["pointer", "constant", "unit", "sign", "learned"], problems: &problems)
        guard case .table = entry.value else { return nil }
        if entry["learned"] != nil { return learned(component, entry, problems: &problems) }
        let source = source(component, entry, problems: &problems)
        field = source.map { MappedField(source: $0, unit: unit(component, entry, problems: &problems)) }
        field?.sign = sign(component, entry, problems: &problems)
        return problems.count == before ? field : nil
    }

    /// The field of a surface pressure that the gateway learns.
    private func learned(
        _ component: MappedComponent, _ entry: ConfigurationTree, problems: inout [TreeProblem]
    ) -> MappedField? {
        let before = problems.count
        if component != .surfacePressure {
            problems.append(entry.wrong("learned", "is for surfacePressure: \(component.rawValue) must come from the payload"))
        } else if entry.text("learned", problems: &problems) != "true" {
            problems.append(entry.wrong("learned", "must be true, or be left out"))
        }
        for key in ["pointer", "constant", "unit", "sign"] where entry[key] != nil {
            problems.append(entry.wrong(key, "is given to what is to be learned"))
        }
        return problems.count == before ? MappedField(source: .learned) : nil
    }

    private func source(
        _ component: MappedComponent, _ entry: ConfigurationTree, problems: inout [TreeProblem]
    ) -> MappedField.Source? {
        guard (entry["pointer"] == nil) != (entry["constant"] == nil) else {
            problems.append(entry.problem("needs either a pointer or a constant"))
            return nil
        }
        if entry["pointer"] != nil {
            guard let text = entry.text("pointer", problems: &problems) else { return nil }
            return source(text, component, at: entry["pointer"] ?? entry, problems: &problems)
        }
        guard component.mayBeConstant else {
            problems.append(entry.wrong("constant", "is no measurement: \(component.rawValue) must come from the payload"))
            return nil
        }
        return component.dimension == .word
            ? word(entry, problems: &problems) : entry.number("constant", problems: &problems).map(MappedField.Source.number)
    }

    private func word(_ entry: ConfigurationTree, problems: inout [TreeProblem]) -> MappedField.Source? {
        guard let word = entry.text("constant", problems: &problems) else { return nil }
        guard WireNames.sensorLocation.value(named: word) != nil else {
            problems.append(
                entry.wrong("constant", "is \(word.quoted), expected \(SensorLocation.allCases.map(\.name).listed)"))
            return nil
        }
        return .word(word)
    }

    private func source(
        _ text: String, _ component: MappedComponent, at piece: ConfigurationTree, problems: inout [TreeProblem]
    ) -> MappedField.Source? {
        if layout == .scalar {
            guard text == Self.payload else {
                problems.append(piece.problem("must be \(Self.payload), which is all that a scalar payload has"))
                return nil
            }
            return .payload
        }
        guard let pointer = JSONPointer(text) else {
            let hint = text == Self.payload ? "; \(Self.payload) is for a scalar payload" : ""
            problems.append(piece.problem("must be a JSON pointer, which starts with /, is \(text.quoted)\(hint)"))
            return nil
        }
        return .pointer(pointer)
    }

    /// `convention: measured` determines the units of gravity and of acceleration without it.
    private func isMeasuredAway(_ component: MappedComponent) -> Bool {
        isMeasured && component.dimension == .acceleration && !MappedComponent.acceleration.contains(component)
    }

    private func unit(
        _ component: MappedComponent, _ entry: ConfigurationTree, problems: inout [TreeProblem]
    ) -> String? {
        let dimension = component.dimension
        guard let piece = entry["unit"] else {
            if !dimension.units.isEmpty, !isMeasuredAway(component) {
                problems.append(entry.problem("needs a unit: \(dimension.units.listed)"))
            }
            return nil
        }
        guard let unit = entry.text("unit", problems: &problems) else { return nil }
        guard !dimension.units.isEmpty, !isMeasuredAway(component) else {
            problems.append(
                piece.problem(dimension.units.isEmpty ? "is given to what has none" : "is given to what is to be measured"))
            return nil
        }
        if dimension.units.contains(unit) { return unit }
        let other = MappedDimension.allCases.first { $0.units.contains(unit) }
        let what = other.map { "is \(unit), a unit of \($0.rawValue)" } ?? "is \(unit.quoted), which is not known"
        problems.append(piece.problem("\(what); \(component.rawValue) is in \(dimension.units.listed)"))
        return nil
    }

    private func sign(
        _ component: MappedComponent, _ entry: ConfigurationTree, problems: inout [TreeProblem]
    ) -> Double {
        guard let piece = entry["sign"], let sign = entry.number("sign", problems: &problems) else { return 1 }
        if isMeasuredAway(component) {
            problems.append(piece.problem("is given to what is to be measured"))
        } else if !component.maySignChange {
            problems.append(piece.problem("is for depth and motion; a \(component.rawValue) has its own"))
        } else if sign != 1, sign != -1 {
            problems.append(piece.problem("must be 1 or -1"))
        }
        return sign
    }

    private func checkWhole(
        _ fields: [MappedComponent: MappedField], of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        if fields.values.count(where: { $0.source == .payload }) > 1 {
            problems.append(options.problem("uses the one number of a scalar payload more than once"))
        }
        checkErrors(fields, of: options, problems: &problems)
        switch stream {
        case .submersion: checkWater(fields, of: options, problems: &problems)
        case .altimeter: checkAltitude(fields, of: options, problems: &problems)
        case .pedometer: checkNeeded([.numberOfSteps], fields, of: options, problems: &problems)
        default: checkMotion(fields, of: options, problems: &problems)
        }
    }

    private func checkMotion(
        _ fields: [MappedComponent: MappedField], of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        let present = { (components: [MappedComponent]) in components.filter { fields[$0] != nil }.map(\.rawValue) }
        let fused = present(MappedComponent.attitude + MappedComponent.userAcceleration + MappedComponent.gravity)
        let raw = present(MappedComponent.acceleration)
        let magnetic = present(MappedComponent.magneticField)
        switch (raw.first, fused.isEmpty) {
        case (nil, false): checkNeeded(MappedComponent.fusedMotion, fields, of: options, problems: &problems)
        case (_?, true): checkNeeded(MappedComponent.rawMotion, fields, of: options, problems: &problems)
        case (nil, true):
            problems.append(
                options.problem(
                    "lacks attitude, userAcceleration and gravity, or acceleration in their place; \(stream.rawValue) needs them")
            )
        case (let first?, false):
            problems.append(
                options.wrong(
                    first,
                    "is raw and stands in place of attitude, userAcceleration and gravity, but there is \(fused.joined(separator: ", ")); "
                        + "leave out one or the other"))
        }
        var places: [String: MappedComponent] = [:]
        for component in MappedComponent.all(of: stream) {
            guard let pointer = fields[component]?.pointer, !pointer.isEmpty else { continue }
            if let other = places.updateValue(component, forKey: pointer) {
                problems.append(options.wrong(component.rawValue, "is the same field as \(other.rawValue)"))
            }
        }
        guard let first = magnetic.first else { return }
        if raw.isEmpty {
            problems.append(options.wrong(first, "is used with acceleration only, not beside attitude"))
        } else {
            checkNeeded(MappedComponent.magneticField, fields, of: options, problems: &problems)
        }
    }

    private func checkNeeded(
        _ components: [MappedComponent], _ fields: [MappedComponent: MappedField], of options: ConfigurationTree,
        problems: inout [TreeProblem]
    ) {
        for component in components where fields[component] == nil {
            problems.append(options.problem("lacks \(component.rawValue); \(stream.rawValue) needs it"))
        }
    }

    private func checkAltitude(
        _ fields: [MappedComponent: MappedField], of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        let absolute = [MappedComponent.altitude, .accuracy, .precision].count { fields[$0] != nil }
        if absolute != 0, absolute != 3 {
            problems.append(options.problem("needs altitude, accuracy and precision together; the last two may be constants"))
        }
        if absolute == 0, fields[.relativeAltitude] == nil, fields[.pressure] == nil {
            problems.append(options.problem("needs a relativeAltitude, a pressure or an altitude"))
        }
    }

    private func checkWater(
        _ fields: [MappedComponent: MappedField], of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        let hasDepth = fields[.depth] != nil || fields[.pressure] != nil
        if !hasDepth, fields[.temperature] == nil {
            problems.append(options.problem("needs a depth, a pressure or a temperature"))
        }
        if fields[.pressure] != nil, fields[.depth] == nil, fields[.surfacePressure] == nil {
            problems.append(
                options.problem("lacks surfacePressure: without the pressure of the air, a pressure gives no depth"))
        }
        if !hasDepth, fields[.surfacePressure] != nil || fields[.submersionState] != nil {
            problems.append(options.problem("has neither the depth nor the pressure that the rest belongs to"))
        }
        if (fields[.temperature] == nil) != (fields[.temperatureUncertainty] == nil) {
            problems.append(
                options.problem("needs temperature and temperatureUncertainty together; the latter may be a constant"))
        }
        if let surface = fields[.surfacePressure], surface.source == fields[.pressure]?.source {
            problems.append(
                options.wrong("surfacePressure", "is the same field as the pressure: every depth would be 0"))
        }
        if fields[.surfacePressure]?.source == .learned, fields[.depth] != nil || fields[.pressure] == nil {
            problems.append(options.wrong("surfacePressure", "is learned of a pressure that is measured without a depth"))
        }
        checkSurface(fields[.surfacePressure], of: options, problems: &problems)
    }

    /// Reports errors of measurement that are constants and out of range: nothing would be read with them.
    private func checkErrors(
        _ fields: [MappedComponent: MappedField], of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        for component in [MappedComponent.temperatureUncertainty, .accuracy, .precision] {
            guard let field = fields[component], case .number(let value) = field.source else { continue }
            if component == .temperatureUncertainty {
                guard value < 0 else { continue }
                problems.append(
                    options.wrong(component.rawValue, "is \(value), expected 0 or more: no temperature would be read"))
            } else if let length: Quantity<LengthUnit> = try? field.quantity(value),
                !AltimeterRange.accuracy.contains(length.meters)
            {
                let most = AltimeterRange.accuracy.upperBound
                problems.append(
                    options.wrong(
                        component.rawValue, "is \(length.meters) m, expected 0 to \(most) m: no altitude would be read"))
            }
        }
    }

    private func checkSurface(
        _ field: MappedField?, of options: ConfigurationTree, problems: inout [TreeProblem]
    ) {
        guard let field, case .number(let value) = field.source,
            let pressure: Quantity<PressureUnit> = try? field.quantity(value)
        else { return }
        if !Self.airPressures.contains(pressure.kilopascals) {
            problems.append(
                options.wrong(
                    "surfacePressure",
                    "is \(pressure.kilopascals) kPa, and the pressure of air is 30 to 110 kPa: every depth would be wrong"))
        }
    }
}
