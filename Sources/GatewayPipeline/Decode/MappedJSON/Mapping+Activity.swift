internal import TelemetryModel

/// Reads altitudes and steps from a mapped payload.
extension Mapping {
    /// The samples for which nothing is null; throws when there is none. Altitudes over the sea are read apart from the rest:
    /// what cannot be read of the one does not cost the other.
    func altimeter(
        _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> DecodedBody {
        let heights = passedOver.reading { () throws(Rejection) -> AltimeterSamples? in try relative(payload, times) }
        var samples = heights ?? AltimeterSamples()
        samples.absolute = passedOver.reading { () throws(Rejection) -> AbsoluteAltitudeSamples? in
            try absolute(payload, times)
        }
        guard !samples.timestamp.isEmpty || samples.absolute != nil else {
            throw passedOver.refusal ?? Rejection(.missingField, "every sample has a value that is null")
        }
        try checkOrder(samples.timestamp)
        try checkOrder(samples.absolute?.timestamp ?? [])
        return .model(.altimeter(samples))
    }

    private func relative(_ payload: MappedPayload, _ times: [Double?]) throws(Rejection) -> AltimeterSamples {
        var samples = AltimeterSamples()
        let relative = try meters(.relativeAltitude, payload, times.count, within: AltimeterRange.relative)
        let pressure = try kilopascals(payload, times.count)
        let kept = Self.whole(times, [relative, pressure])
        if relative != nil || pressure != nil, !kept.isEmpty {
            samples.timestamp = kept.compactMap { times[$0] }
            samples.relativeAltitude = relative.map { column in kept.compactMap { column[$0] } }
            samples.pressure = pressure.map { column in kept.compactMap { column[$0] } }
        }
        return samples
    }

    private func absolute(_ payload: MappedPayload, _ times: [Double?]) throws(Rejection) -> AbsoluteAltitudeSamples? {
        guard let altitude = try meters(.altitude, payload, times.count, within: AltimeterRange.altitude),
            let accuracy = try meters(.accuracy, payload, times.count, within: AltimeterRange.accuracy),
            let precision = try meters(.precision, payload, times.count, within: AltimeterRange.accuracy)
        else { return nil }
        let kept = Self.whole(times, [altitude, accuracy, precision])
        guard !kept.isEmpty else { return nil }
        return AbsoluteAltitudeSamples(
            timestamp: kept.compactMap { times[$0] }, altitude: kept.compactMap { altitude[$0] },
            accuracy: kept.compactMap { accuracy[$0] }, precision: kept.compactMap { precision[$0] })
    }

    /// Every count; the device's counter has no start that it states, and it reports no pauses.
    func pedometer(
        _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> DecodedBody {
        guard let steps = try counts(.numberOfSteps, payload, times.count) else {
            throw Rejection(.missingField, "the mapping has no steps")
        }
        let count = times.count
        let distance = passedOver.reading { () throws(Rejection) -> [Double?]? in
            try meters(.distance, payload, count, within: 0...PedometerRange.longest)
        }
        let ascended = passedOver.reading { () throws(Rejection) -> [Int?]? in try counts(.floorsAscended, payload, count) }
        let descended = passedOver.reading { () throws(Rejection) -> [Int?]? in try counts(.floorsDescended, payload, count) }
        var samples = PedometerSamples(tracksEvents: false)
        for (index, time) in times.enumerated() {
            guard let time, let steps = steps[index] else { continue }
            samples.data.append(
                PedometerData(
                    start: DeviceTime(time), startDate: nil, end: DeviceTime(time), steps: steps, distance: distance?[index],
                    floorsAscended: ascended?[index], floorsDescended: descended?[index]))
        }
        guard !samples.data.isEmpty else { throw Rejection(.missingField, "every sample has a value that is null") }
        samples.data.sort { $0.end < $1.end }
        return .model(.pedometer(samples))
    }

    /// The samples for which neither the time nor any of the columns is null.
    private static func whole(_ times: [Double?], _ columns: [[Double?]?]) -> [Int] {
        times.indices.filter { index in times[index] != nil && columns.allSatisfy { $0 == nil || $0?[index] != nil } }
    }

    private func meters(
        _ component: MappedComponent, _ payload: MappedPayload, _ count: Int, within range: ClosedRange<Double>
    ) throws(Rejection) -> [Double?]? {
        try column(component, payload, count, within: range) { field, value throws(Rejection) in
            let length: Quantity<LengthUnit> = try field.quantity(value)
            return length.meters
        }
    }

    private func kilopascals(_ payload: MappedPayload, _ count: Int) throws(Rejection) -> [Double?]? {
        try column(.pressure, payload, count, within: AltimeterRange.pressure) { field, value throws(Rejection) in
            let pressure: Quantity<PressureUnit> = try field.quantity(value)
            return pressure.kilopascals
        }
    }

    private func counts(
        _ component: MappedComponent, _ payload: MappedPayload, _ count: Int
    ) throws(Rejection) -> [Int?]? {
        let range = 0...Double(PedometerRange.mostSteps)
        return try column(component, payload, count, within: range) { _, value throws(Rejection) in value }?.map { value in
            value.flatMap { Int(exactly: $0.rounded()) }
        }
    }

    private func column(
        _ component: MappedComponent, _ payload: MappedPayload, _ count: Int, within range: ClosedRange<Double>,
        _ convert: (MappedField, Double) throws(Rejection) -> Double
    ) throws(Rejection) -> [Double?]? {
        guard let field = fields[component] else { return nil }
        return try payload.column(field, count: count, layout: layout).map { value throws(Rejection) -> Double? in
            guard let value else { return nil }
            let converted = try convert(field, value) + 0
            guard range.contains(converted) else {
                throw Rejection(
                    .invalidValue, at: field.pointer,
                    "\(component.rawValue) is \(converted), expected \(range.lowerBound) to \(range.upperBound)")
            }
            return converted
        }
    }
}
