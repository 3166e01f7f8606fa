import FITDecoding

/// Plans the import of a FIT file: dives and activities, each FIT file in it as a boot of its own.
struct FITImport: FileImport {
    let request: ImportRequest
    let output: ImportPlan.Output

    /// Whether a file that begins so is one.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool { FITDecoder.isHeader(beginning) }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let survey = try FITSurvey { () throws(ImportProblem) in try FileChunks(path: path) }
        guard !survey.contents.isEmpty else {
            throw ImportProblem(survey.problems.first.map { "\($0)" } ?? "is no FIT file", file: path)
        }
        for problem in survey.problems { output.problem(ImportProblem("\(problem)", file: path)) }
        if survey.surplus > 0 {
            output.problem(ImportProblem("holds \(survey.surplus) FIT files more than are read", file: path))
        }
        var hash = ContentHash()
        try hash.add(file: path)
        var plan = ImportPlan()
        var last: ClosedRange<UInt32>?
        var origin: UInt32?
        for content in survey.contents.sorted(by: { $0.span?.lowerBound ?? 0 < $1.span?.lowerBound ?? 0 }) {
            guard let span = content.span else { continue }
            if let last, span.lowerBound <= last.upperBound {
                output.problem(
                    ImportProblem("FIT file \(content.place + 1) in it overlaps another in time; it is left out", file: path))
                continue
            }
            last = span
            let begin = origin ?? span.lowerBound
            origin = begin
            plan.add(try self.plan(path, content, span: span, origin: begin, hash: hash))
        }
        if request.start != nil, let origin, FITClock(first: origin).isDated {
            output.note("\(path): the file's own dates are replaced: its first record is at --start")
        }
        guard !plan.sources.isEmpty else {
            throw ImportProblem("no record holds a depth, a pressure, an altitude, or the cadence of a sport on foot", file: path)
        }
        return plan
    }

    private func plan(
        _ path: String, _ content: FITContent, span: ClosedRange<UInt32>, origin: UInt32, hash: ContentHash
    ) throws(ImportProblem) -> ImportPlan {
        let clock = FITClock(first: span.lowerBound)
        var hash = hash
        if content.place > 0 { hash.add(Array("\(content.place)".utf8)) }
        let boot = RecordedBoot(
            device: request.device, boot: hash.boot, epoch: clock.epoch(start: request.start, of: origin),
            start: clock.micros(span.lowerBound))
        if boot.epoch == nil {
            output.note("\(path): the times count from the start of the device; say --start to give them a date")
        }
        let conversions = try conversions(path, content).filter { request.streams?.contains($0.0) ?? true }
        var sources = conversions.map { stream, conversion in
            var source = FrameSource.Plan(
                file: path, stream: stream, boot: boot, start: boot.start
            ) { report, onFault throws(ImportProblem) in
                let records = FITRecords(
                    content, chunks: try output.chunks(path), report: report, onFault: onFault)
                return FITReadings(records, conversion: conversion, clock: clock)
            }
            source.mayHoldDives = stream == .submersion
            return source
        }
        if !content.hasWater, request.streams?.contains(.workout) ?? true {
            let workouts = Self.workouts(content, clock: clock)
            if !workouts.isEmpty {
                sources.append(
                    FrameSource.Plan(file: path, stream: .workout, boot: boot, start: boot.start) { report, _ in
                        var report = report
                        report.rows = workouts.count
                        return SortedReadings(workouts, report: report)
                    })
            }
        }
        for index in sources.indices { sources[index].end = clock.micros(span.upperBound) }
        return ImportPlan(statuses: sources.isEmpty ? [] : [boot.online(wrist: request.wrist)], sources: sources)
    }

    /// The streams that the records have something for.
    private func conversions(
        _ path: String, _ content: FITContent
    ) throws(ImportProblem) -> [(ImportStream, any FITReadings.Conversion)] {
        if content.hasWater {
            var log = DiveLog(request)
            if let fault = log.decide(content.pressures, request) { throw ImportProblem(fault, file: path) }
            if let note = content.pressures.note(log) { output.note("\(path): \(note)") }
            return [(.submersion, FITWater(surfacePressure: log.surfacePressure))]
        }
        var found: [(ImportStream, any FITReadings.Conversion)] = []
        if content.hasAltitude { found.append((.altimeter, FITAltitude())) }
        let isOnFoot = content.isOnFoot
        if content.hasCadence, isOnFoot { found.append((.pedometer, FITSteps(content))) }
        if !content.hasCadence || !isOnFoot {
            output.note(
                "\(path): \(isOnFoot ? "no cadence" : "no sport on foot"): no steps, and so no pedometer and no pace")
        }
        return found
    }

    /// The states of the workout that the timer shows. It ends with a stop after which nothing starts.
    private static func workouts(_ content: FITContent, clock: FITClock) -> [TimedReading] {
        var states: [(time: UInt32, state: WorkoutReading.State)] = []
        for (time, event) in content.timer where clock.micros(time) > 0 {
            let state: WorkoutReading.State = event == .start ? .running : .paused
            if states.last?.state != state { states.append((time, state)) }
        }
        if states.last?.state == .paused { states[states.count - 1].state = .ended }
        return states.map { time, state in
            TimedReading(
                micros: clock.micros(time),
                reading: .workout(WorkoutReading(state: state, activity: content.sport(at: time).activity)))
        }
    }
}
