internal import Foundation
internal import SignalProcessing

/// The height of one device over its first sample, from relative altitude or else from pressure: continuous over restarts of the
/// altimeter, without faults, and low-passed.
package struct HeightTrack: Sendable, Equatable, Codable {
    /// One sample as the altimeter sent it.
    package struct Sample: Sendable, Equatable {
        /// Device time in s.
        package var time: Double
        /// In m; nil where it was not sent.
        package var relativeAltitude: Double?
        /// In kPa; nil where it was not sent.
        package var pressure: Double?
    }

    /// What one sample gives.
    package enum Step: Sendable, Equatable {
        /// The low-passed height in m, and whether the filter began anew.
        case height(Double, isNew: Bool)
        /// The sample cannot be true.
        case fault
        /// The sample is not later than the one before, or holds nothing.
        case ignored
    }

    /// The last sample that was accepted.
    private struct Accepted: Sendable, Equatable, Codable {
        var time: Double
        /// Over the first sample, in m.
        var height: Double
        var relativeAltitude: Double?
        var pressure: Double?
    }

    private var last: Accepted?
    private var filter: LowPass?
    /// What is added to a relative altitude.
    private var base = 0.0
    /// The pressure at height 0 in kPa, for samples without relative altitude.
    private var reference: Double?
    private var newest: Double?
    private var faultySince: Double?

    /// The last accepted height in m, not low-passed; nil before the first.
    package var height: Double? { last?.height }

    /// The fastest that anything but a fault rises or falls, in m/s.
    private static let fastest = 8.0
    /// How long a fault lasts, in s, before the height goes on from the new level.
    private static let longestFault = 10.0
    /// How far relative altitude and pressure may disagree, in m.
    private static let disagreement = 3.0
    /// A silence in s after which the filter begins anew.
    private static let silence = 30.0

    /// Processes one sample.
    package mutating func step(_ sample: Sample, timeConstant: Double) -> Step {
        guard sample.time.isFinite, newest.map({ $0 < sample.time }) ?? true else { return .ignored }
        let zero = base
        guard var height = height(of: sample) else { return .ignored }
        newest = sample.time
        if let last {
            let interval = sample.time - last.time
            let limit = Self.fastest * (faultySince == nil ? max(interval, 1) : 1)
            if abs(height - last.height) > limit {
                let since = faultySince ?? sample.time
                faultySince = since
                guard sample.time - since >= Self.longestFault else {
                    // A wrong pressure looks like a restart of the altimeter, which would make all later samples faults.
                    base = zero
                    return .fault
                }
                moveZero(by: last.height - height, sample)
                height = last.height
            }
        }
        faultySince = nil
        let isNew = last.map { sample.time - $0.time > Self.silence } ?? true
        let interval = last.map { sample.time - $0.time } ?? 0
        last = Accepted(
            time: sample.time, height: height, relativeAltitude: sample.relativeAltitude, pressure: sample.pressure)
        guard !isNew, filter != nil else {
            filter = LowPass(settledAt: height)
            return .height(height, isNew: true)
        }
        return .height(filter?.step(height, interval: interval, timeConstant: timeConstant) ?? height, isNew: false)
    }

    /// Has the next sample, whose zero is another one, go on from the height so far.
    package mutating func changeSource() {
        last?.relativeAltitude = nil
        last?.pressure = nil
    }

    /// The height of a sample over the first one, its altimeter's restarts taken out.
    private mutating func height(of sample: Sample) -> Double? {
        if let relative = sample.relativeAltitude {
            guard let last else {
                base = -relative
                return 0
            }
            if let pressure = sample.pressure, let before = last.pressure, let old = last.relativeAltitude {
                let climbed = Self.rise(from: before, to: pressure)
                let tolerance = Self.disagreement + abs(climbed) / 5
                if abs(relative - old - climbed) > tolerance { base += old + climbed - relative }
            } else if last.relativeAltitude == nil {
                base = last.height - relative
            }
            return relative + base
        }
        guard let pressure = sample.pressure else { return nil }
        if reference == nil || last?.relativeAltitude != nil {
            // Continues from the height so far.
            reference = Self.reference(for: pressure, at: last?.height ?? 0)
        }
        return Self.rise(from: reference ?? pressure, to: pressure)
    }

    private mutating func moveZero(by offset: Double, _ sample: Sample) {
        if sample.relativeAltitude != nil {
            base += offset
        } else if let pressure = sample.pressure, let last {
            reference = Self.reference(for: pressure, at: last.height)
        }
    }

    /// The rise in m between two pressures in the standard atmosphere (ISO 2533).
    private static func rise(from start: Double, to end: Double) -> Double {
        44_330.77 * (1 - pow(end / start, 0.190263))
    }

    /// The pressure at height 0 of an atmosphere that has `pressure` at `height`.
    private static func reference(for pressure: Double, at height: Double) -> Double {
        pressure / pow(max(1 - height / 44_330.77, 0.1), 1 / 0.190263)
    }
}
