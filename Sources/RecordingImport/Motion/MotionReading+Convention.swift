import SignalProcessing

extension MotionConvention {
    /// A convention with what differs from Core Motion's.
    init(accelerationScale: Double = 1, gravityScale: Double = 1, rotationScale: Double = 1, turnsAttitude: Bool = false) {
        self.init()
        self.accelerationScale = accelerationScale
        self.gravityScale = gravityScale
        self.rotationScale = rotationScale
        self.turnsAttitude = turnsAttitude
    }

    /// The sample in Core Motion's units and signs.
    func apply(to reading: MotionReading) -> MotionReading {
        var result = reading
        result.rotationRate *= rotationScale
        result.userAcceleration *= accelerationScale
        result.gravity *= gravityScale
        if turnsAttitude { result.attitude = Self.turned(reading.attitude) }
        return result
    }
}

extension MotionEvidence {
    /// Adds a sample in the file's units and signs.
    mutating func add(_ reading: MotionReading) { add(gravity: reading.gravity, attitude: reading.attitude) }

    /// The unit of a total acceleration, by its median length; throws where that is neither about 1 G nor about 9.81 m/s2.
    func totalAccelerationUnit(file: String) throws(ImportProblem) -> AccelerationUnit {
        switch length {
        case 0.5...2: return .gravities
        case 4.9...20: return .metersPerSecondSquared
        default:
            throw ImportProblem(
                "the median of |acceleration| is \((length * 1000).rounded() / 1000), neither about 1 (G) nor about 9.81 (m/s2)",
                file: file)
        }
    }
}
