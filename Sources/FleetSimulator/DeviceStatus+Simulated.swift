import WearableFrames

extension DeviceStatus {
    /// What a simulated device reports: every capability that a device of this fleet can have, authorized by the user.
    static func online(
        model: String, os: String, available: Set<Capability>, entitlements: [String] = [], wrist: Side? = nil
    ) -> DeviceStatus {
        let reported: [Capability] = [
            .headphoneMotion, .deviceMotion, .waterSubmersion, .accelerometerBatch, .deviceMotionBatch, .pedometer,
            .pedometerEvents, .altimeter, .recordedAccelerometer, .movementDisorder,
        ]
        return DeviceStatus(
            state: .online, model: model, os: os, authorization: .authorized,
            available: Dictionary(uniqueKeysWithValues: reported.map { ($0, available.contains($0)) }),
            entitlements: entitlements, wristLocation: wrist, crownOrientation: wrist == nil ? nil : .right)
    }
}
