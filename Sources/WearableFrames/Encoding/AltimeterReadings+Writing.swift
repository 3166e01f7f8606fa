internal import JSONText

extension AltimeterReadings {
    private static let maximumSamples = 4096
    private static let decimals = 3

    /// Throws unless the readings can be written.
    func check(_ rule: TimeRule) throws(FrameError) {
        guard !isEmpty else { throw .empty }
        for (field, count) in [("samples", relative.count), ("absolute", absolute.count)] where count > Self.maximumSamples {
            throw .tooMany(field: field, count: count, limit: Self.maximumSamples)
        }
        try rule.check(relative.lazy.map(\.timestamp), "samples")
        for (index, sample) in relative.enumerated() {
            try sample.relativeAltitude.check("samples.relativeAltitude[\(index)]", -9_500...9_500)
            try sample.pressure.check("samples.pressure[\(index)]", 30...120)
        }
        try rule.check(absolute.lazy.map(\.timestamp), "absolute")
        for (index, sample) in absolute.enumerated() {
            try sample.altitude.check("absolute.altitude[\(index)]", -500...9_000)
            try sample.accuracy.check("absolute.accuracy[\(index)]", 0...9_500)
            try sample.precision.check("absolute.precision[\(index)]", 0...9_500)
        }
    }

    /// Writes the lists that are not empty as columns.
    func write(into json: inout JSONWriter) {
        if !relative.isEmpty {
            json.object("samples") { json in
                json.column("timestamp", relative, decimals: FrameEncoding.time) { $0.timestamp }
                json.column("relativeAltitude", relative, decimals: Self.decimals) { $0.relativeAltitude }
                json.column("pressure", relative, decimals: Self.decimals + 1) { $0.pressure }
            }
        }
        if !absolute.isEmpty {
            json.object("absolute") { json in
                json.column("timestamp", absolute, decimals: FrameEncoding.time) { $0.timestamp }
                json.column("altitude", absolute, decimals: Self.decimals) { $0.altitude }
                json.column("accuracy", absolute, decimals: Self.decimals) { $0.accuracy }
                json.column("precision", absolute, decimals: Self.decimals) { $0.precision }
            }
        }
    }
}
