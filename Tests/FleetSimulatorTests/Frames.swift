import FleetSimulator
import Foundation
import SignalProcessing
import WearableFrames

/// A published frame, read with a JSON parser that is independent of the simulator.
struct Frame {
    let message: SimulatedMessage
    let object: [String: Any]

    init(_ message: SimulatedMessage) throws {
        self.message = message
        let json = try JSONSerialization.jsonObject(with: Data(message.payload))
        guard let object = json as? [String: Any] else { throw Unreadable() }
        self.object = object
    }

    var sequence: Int { number("seq").map { Int($0) } ?? -1 }
    var uptime: Double { number("uptime") ?? .nan }

    func number(_ key: String) -> Double? { object[key] as? Double }
    func string(_ key: String) -> String? { object[key] as? String }
    func objects(_ key: String) -> [[String: Any]] { object[key] as? [[String: Any]] ?? [] }

    /// A column by its path: `samples.attitude.x`.
    func column(_ path: String) -> [Double] {
        var value: Any? = object
        for key in path.split(separator: ".") { value = (value as? [String: Any])?[String(key)] }
        return value as? [Double] ?? []
    }

    /// Every array of numbers at or under an object.
    static func columns(of object: [String: Any]) -> [[Double]] {
        object.values.flatMap { value in
            if let column = value as? [Double] { return [column] }
            return (value as? [String: Any]).map(columns) ?? []
        }
    }

    struct Unreadable: Error {}
}

extension Sequence<SimulatedMessage> {
    /// The frames of a stream, or all.
    func frames(_ stream: StreamName? = nil) throws -> [Frame] {
        try filter { stream == nil || $0.stream == stream }.map(Frame.init)
    }
}

/// Unit quaternions and rates as Core Motion defines them, computed apart from the simulator.
struct Reading {
    var seconds: Double
    var attitude: SIMD4<Double>
    var rotationRate: SIMD3<Double>
    var gravity: SIMD3<Double>
    var userAcceleration: SIMD3<Double>

    static func list(_ frame: Frame, _ key: String) -> [Reading] {
        func column(_ path: String) -> [Double] { frame.column("\(key).\(path)") }
        func vectors(_ path: String) -> [SIMD3<Double>] {
            zip(column("\(path).x"), zip(column("\(path).y"), column("\(path).z"))).map { SIMD3($0, $1.0, $1.1) }
        }
        let (x, y, z, w) = (column("attitude.x"), column("attitude.y"), column("attitude.z"), column("attitude.w"))
        let (rates, gravities) = (vectors("rotationRate"), vectors("gravity"))
        let accelerations = vectors("userAcceleration")
        return column("timestamp").enumerated().map { index, seconds in
            Reading(
                seconds: seconds, attitude: SIMD4(x[index], y[index], z[index], w[index]),
                rotationRate: rates[index], gravity: gravities[index], userAcceleration: accelerations[index])
        }
    }

    /// The rotation rate about the direction of gravity, rad/s.
    var alongGravity: Double { (rotationRate * gravity).sum() }

    /// The angle between the attitude after turning at this rate until `next` and the attitude of `next`, degrees.
    func disagreement(with next: Reading) -> Double {
        let turned = rotationRate * ((next.seconds - seconds) / 2)
        let half = (turned * turned).sum().squareRoot()
        let axis = half > 0 ? turned * (sin(half) / half) : SIMD3()
        let predicted = SignalProcessing.Quaternion.product(attitude, SIMD4(axis.x, axis.y, axis.z, cos(half)))
        return 2 * acos(min(1, abs((predicted * next.attitude).sum()))) * 180 / .pi
    }
}

let start = 1_763_749_000.0

func origin(_ device: String = "d-1", duration: Double? = 20, seed: UInt64 = 1) -> DeviceOrigin {
    DeviceOrigin(device: device, unix: start, uptime: 5_321.25, seed: seed, duration: duration)
}

func acosDegrees(_ cosine: Double) -> Double { acos(min(1, cosine)) * 180 / .pi }
