internal import TelemetryModel

/// Reads depths and temperatures from a mapped payload.
extension Mapping {
    /// Every sample. A depth or a pressure that is null, or a word for no value, is a fault of the sensor and is rejected. A temperature may
    /// be missing.
    func submersion(_ payload: MappedPayload, _ times: [Double?]) throws(Rejection) -> DecodedBody {
        let depth: [Quantity<LengthUnit>]? = try quantities(.depth, payload, times)
        let pressure: [Quantity<PressureUnit>]? = try quantities(.pressure, payload, times)
        let surface: [Quantity<PressureUnit>]? = try quantities(.surfacePressure, payload, times)
        let instants = try times.map { time throws(Rejection) in
            guard let time else { throw Rejection(.notFinite, at: self.time?.pointer.text ?? "", "the time of a sample is null") }
            return Instant.device(DeviceTime(time))
        }
        var decoded = DecodedSubmersion()
        if depth != nil || pressure != nil {
            let states = try states(payload, count: times.count)
            decoded.measurements = instants.indices.map { index in
                DecodedSubmersion.Measurement(
                    instant: instants[index], depth: depth?[index], pressure: pressure?[index], surfacePressure: surface?[index],
                    learnsSurface: fields[.surfacePressure]?.source == .learned,
                    submersionState: states.map { $0.count == 1 ? $0[0] : $0[index] })
            }
        }
        decoded.temperatures = try temperatures(payload, instants)
        return .submersion(decoded)
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
        _ payload: MappedPayload, _ instants: [Instant]
    ) throws(Rejection) -> [DecodedSubmersion.Temperature] {
        guard let field = fields[.temperature], let uncertaintyField = fields[.temperatureUncertainty],
            try payload.has(field), try payload.has(uncertaintyField)
        else { return [] }
        let values = try payload.column(field, count: instants.count, layout: layout)
        let uncertainties = try payload.column(uncertaintyField, count: instants.count, layout: layout)
        var temperatures: [DecodedSubmersion.Temperature] = []
        for index in instants.indices {
            guard let value = values[index], let uncertainty = uncertainties[index] else { continue }
            guard uncertainty >= 0 else {
                throw Rejection(
                    .invalidValue, at: uncertaintyField.pointer, "the uncertainty is \(uncertainty), expected 0 or more")
            }
            temperatures.append(
                DecodedSubmersion.Temperature(
                    instant: instants[index], temperature: try field.quantity(value),
                    uncertainty: try uncertaintyField.quantity(uncertainty)))
        }
        return temperatures
    }

    private func states(_ payload: MappedPayload, count: Int) throws(Rejection) -> [DepthState]? {
        guard let field = fields[.submersionState] else { return nil }
        return try payload.words(field, count: count, in: WireNames.depthState)
    }
}
