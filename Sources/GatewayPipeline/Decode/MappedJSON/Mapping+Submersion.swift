internal import TelemetryModel

/// Reads depths and temperatures from a mapped payload.
extension Mapping {
    /// Every sample. A depth that is null, or a word for no value, is a fault of the sensor and is rejected; so is a pressure
    /// that the depth is computed from. Nothing else that is missing or cannot be read costs the depth.
    func submersion(
        _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> DecodedBody {
        let depth: [Quantity<LengthUnit>]? = try quantities(.depth, payload, times)
        let pressure = try pressures(.pressure, payload, times, passedOver: &passedOver)
        let surface = try pressures(.surfacePressure, payload, times, passedOver: &passedOver)
        let instants = try times.map { time throws(Rejection) in
            guard let time else { throw Rejection(.notFinite, at: self.time?.pointer.text ?? "", "the time of a sample is null") }
            return Instant.device(DeviceTime(time))
        }
        var decoded = DecodedSubmersion()
        if depth != nil || pressure != nil {
            let states = fields[.submersionState].map { field in
                payload.optionalWords(field, count: times.count, in: WireNames.depthState, passedOver: &passedOver)
            }
            decoded.measurements = instants.indices.map { index in
                DecodedSubmersion.Measurement(
                    instant: instants[index], depth: depth?[index], pressure: pressure?[index], surfacePressure: surface?[index],
                    learnsSurface: fields[.surfacePressure]?.source == .learned,
                    submersionState: states?[index])
            }
        }
        decoded.temperatures = try temperatures(payload, instants, passedOver: &passedOver)
        if decoded.measurements.isEmpty, decoded.temperatures.isEmpty, let refusal = passedOver.refusal { throw refusal }
        return .submersion(decoded)
    }

    /// The pressure of each sample; beside a depth, which needs none, one that is null or cannot be read is left out.
    private func pressures(
        _ component: MappedComponent, _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> [Quantity<PressureUnit>?]? {
        guard let field = fields[component] else { return nil }
        guard fields[.depth] != nil else {
            let needed: [Quantity<PressureUnit>]? = try quantities(component, payload, times)
            return needed
        }
        let values = payload.optionalColumn(field, count: times.count, layout: layout, passedOver: &passedOver)
        return values.map { value in
            passedOver.reading { () throws(Rejection) -> Quantity<PressureUnit>? in
                guard let value else { return nil }
                let pressure: Quantity<PressureUnit> = try field.quantity(value)
                _ = try pressure.finiteKilopascals(at: field.pointer)
                return pressure
            }
        }
    }

    private func quantities<Unit>(
        _ component: MappedComponent, _ payload: MappedPayload, _ times: [Double?]
    ) throws(Rejection) -> [Quantity<Unit>]? {
        guard let field = fields[component], field.source != .learned else { return nil }
        return try payload.column(field, count: times.count, layout: layout).map { value throws(Rejection) in
            guard let value else {
                throw Rejection(
                    .notFinite, at: field.pointer, "the \(component.rawValue) has no value where a number was expected")
            }
            return try field.quantity(value)
        }
    }

    private func temperatures(
        _ payload: MappedPayload, _ instants: [Instant], passedOver: inout PassedOver
    ) throws(Rejection) -> [DecodedSubmersion.Temperature] {
        guard let field = fields[.temperature], let uncertaintyField = fields[.temperatureUncertainty],
            try payload.has(field), try payload.has(uncertaintyField)
        else { return [] }
        let count = instants.count
        let values = payload.optionalColumn(field, count: count, layout: layout, passedOver: &passedOver)
        let uncertainties = payload.optionalColumn(uncertaintyField, count: count, layout: layout, passedOver: &passedOver)
        var temperatures: [DecodedSubmersion.Temperature] = []
        for index in instants.indices {
            guard let value = values[index], let uncertainty = uncertainties[index] else { continue }
            guard uncertainty >= 0 else {
                let detail = "the uncertainty is \(uncertainty), expected 0 or more"
                passedOver.count(Rejection(.invalidValue, at: uncertaintyField.pointer, detail))
                continue
            }
            temperatures.append(
                DecodedSubmersion.Temperature(
                    instant: instants[index], temperature: try field.quantity(value),
                    uncertainty: try uncertaintyField.quantity(uncertainty)))
        }
        return temperatures
    }
}
