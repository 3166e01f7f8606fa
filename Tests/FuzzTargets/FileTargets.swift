import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import RecordingImport

/// Targets whose input is the content of a file.
enum FileTargets {
    /// The configuration file.
    static func configuration(_ input: [UInt8]) {
        let (configuration, problems) = GatewayConfiguration.load(file: FuzzFiles.temporary("fathom.yaml", input))
        for problem in problems { require(!"\(problem)".isEmpty, "a problem has no text") }
        if problems.isEmpty { _ = try? PipelineSettings(configuration) }
    }

    /// The registry file.
    static func registry(_ input: [UInt8]) {
        let (registry, problems) = Registry.load(text: String(decoding: input, as: UTF8.self))
        require((registry == nil) == !problems.isEmpty, "problems: \(problems)")
    }

    /// The producers file.
    static func producers(_ input: [UInt8]) {
        var configuration = GatewayConfiguration()
        configuration.producers.file = FuzzFiles.temporary("producers.yaml", input)
        for problem in Producers.load(configuration).problems { require(!"\(problem)".isEmpty, "a problem has no text") }
    }

    /// A recording, which is replayed.
    static func recording(_ input: [UInt8]) {
        let path = FuzzFiles.temporary("recording.ndjson", input)
        var lines = 0
        let replay = Replay(settings: FuzzGateway.settings, policy: .init(unknown: .everything)) { _ in lines += 1 }
        try? replay.run([path], idleSeconds: 90) { _ in }
        require(lines < 10_000 + 64 * input.count, "\(lines) lines are published of \(input.count) bytes")
    }

    /// A dive log, a CSV file of SensorLog, a file of a Sensor Logger export, a log of raw or fused motion, or a file whose content says what it is;
    /// the first byte is the number of the kind.
    static func importing(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let kind = input.index(below: 8)
        let names = [2: "Headphone.csv", 3: "WatchWristMotion.csv", 7: "Barometer.csv"]
        let path = FuzzFiles.temporary(names[kind] ?? "import.csv", input.remainder())
        let formats: [ImportFormat?] = [.dive, .sensorLog, .sensorLogger, .sensorLogger, .columns, nil, .columns, .sensorLogger]
        guard var request = try? ImportRequest(format: formats[kind], paths: [path]) else { fatalError("the request is valid") }
        request.start = kind == 0 ? 1_763_744_000 : nil
        request.interval = kind == 0 ? 1 : nil
        request.times.zone = kind == 5 ? LocalZone("Europe/Berlin") : nil
        request.surfacePressure = kind == 5 ? .lowest : nil
        let raw = "ax=-a:G,ay=b:G,az=c:G,mx=g:uT,my=h:uT,mz=i:uT"
        let fused = "qx=a,qy=b,qz=c,qw=j,ux=g:G,uy=h:G,uz=i:G,gravx=k:G,gravy=l:G,gravz=m:G"
        if formats[kind] == .columns {
            let columns = "t=t:\(kind == 4 ? "ms" : "min"),gx=d:deg/s,gy=e:deg/s,gz=f:deg/s,\(kind == 4 ? raw : fused)"
            request.sensorColumns = (try? NamedColumn.list(columns)) ?? []
        }
        var bytes = 0
        let report = Importer(request, note: { _ in }).run { line in
            bytes += line.count
            return bytes < 1 << 24
        }
        require(bytes < 1 << 24, "\(bytes) bytes are written")
        for file in report.files {
            require(file.samples <= file.rows + 1, "\(file.samples) samples of \(file.rows) rows")
            require(!file.summary.isEmpty, "a file has no summary")
        }
    }

    /// A log of dives of a kind that its content says.
    static func diveLog(_ input: [UInt8]) { ordered(.dive, input) }

    /// An export of Apple Health.
    static func appleHealth(_ input: [UInt8]) { ordered(.appleHealth, input) }

    /// The lines of an import are in order of time, and not many times as long as the file.
    private static func ordered(_ format: ImportFormat, _ input: [UInt8]) {
        guard let request = try? ImportRequest(format: format, paths: [FuzzFiles.temporary("log", input)]) else {
            fatalError("the request is valid")
        }
        var bytes = 0
        var last = 0.0
        _ = Importer(request, note: { _ in }).run { line in
            bytes += line.count
            let at = Double(String(decoding: line.dropFirst(6).prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
            require(at.map { $0 >= last } ?? false, "a line at \(at ?? 0) follows one at \(last)")
            last = at ?? last
            return true
        }
        require(bytes < 65_536 + 512 * input.count, "\(bytes) bytes are written of \(input.count)")
    }
}
