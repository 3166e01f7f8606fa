import CoreMotion
import Foundation
import Testing

/// The initialisers from Core Motion's classes, compiled with a stub of them: that Apple's devices give the same values is not shown.
@Suite("Values from Core Motion")
struct CoreMotionTests {
    private let instant = DeviceInstant(uptime: 1_000, unix: 1_763_749_000)
    private let date = Date(timeIntervalSince1970: 1_763_748_990)
    private var frames = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"))

    private func text(_ frame: Frame) -> String { String(decoding: frame.payload, as: UTF8.self) }

    private func motion(
        heading: Double = -1, location: CMDeviceMotion.SensorLocation = .default
    ) -> CMDeviceMotion {
        CMDeviceMotion(
            timestamp: 999, attitude: CMAttitude(quaternion: CMQuaternion(x: 0, y: 0.6, z: 0, w: 0.8)),
            rotationRate: CMRotationRate(x: 1, y: 2, z: 3), gravity: CMAcceleration(x: 0, y: 0, z: -1),
            userAcceleration: CMAcceleration(x: 0.1, y: 0.2, z: 0.3), heading: heading, sensorLocation: location)
    }

    @Test mutating func `Device motion`() throws {
        #expect(
            text(
                try frames.deviceMotion(
                    [Motion(motion(heading: 90))], referenceFrame: ReferenceFrame(.xTrueNorthZVertical), at: instant)
            )
            .contains(
                #""samples":{"timestamp":[999],"attitude":{"x":[0],"y":[0.6],"z":[0],"w":[0.8]},"rotationRate":{"x":[1],"y":[2],"z":[3]},"#
                    + #""userAcceleration":{"x":[0.1],"y":[0.2],"z":[0.3]},"gravity":{"x":[0],"y":[0],"z":[-1]},"#
                    + #""sensorLocation":"default","referenceFrame":"xTrueNorthZVertical","heading":[90]}"#))
        let inEar = text(try frames.headphoneMotion([Motion(motion(location: .headphoneRight))], at: instant))
        #expect(inEar.contains(#""sensorLocation":"headphoneRight""#) && !inEar.contains("heading\""))
        #expect(SensorLocation(CMDeviceMotion.SensorLocation.headphoneLeft) == .headphoneLeft)
    }

    @Test mutating func `Raw motion of single sensors`() throws {
        let acceleration = CMAccelerometerData(timestamp: 999, acceleration: CMAcceleration(x: 0.5, y: -0.25, z: -1))
        let rotation = CMGyroData(timestamp: 999.002, rotationRate: CMRotationRate(x: 1, y: 2, z: 3))
        let field = CMMagnetometerData(timestamp: 998.99, magneticField: CMMagneticField(x: 20, y: 0.5, z: -44))
        let columns =
            #""acceleration":{"x":[0.5],"y":[-0.25],"z":[-1]},"rotationRate":{"x":[1],"y":[2],"z":[3]}"#
        #expect(
            text(try frames.deviceMotion(raw: [RawMotion(acceleration, rotation, field)], at: instant)).contains(
                #""samples":{"timestamp":[999],\#(columns),"magneticField":{"x":[20],"y":[0.5],"z":[-44]},"sensorLocation":"default"}"#
            ))
        #expect(
            text(try frames.batch(rawMotion: [RawMotion(acceleration, rotation)], at: instant)).contains(
                #""deviceMotion":{"timestamp":[999],\#(columns),"sensorLocation":"default"}"#))
    }

    @Test func `Reference frames and authorizations`() {
        let frames: [CMAttitudeReferenceFrame] = [
            .xArbitraryZVertical, .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical, [],
        ]
        #expect(frames.map { ReferenceFrame($0) } == ReferenceFrame.allCases.map(Optional.some) + [nil])
        let statuses: [CMAuthorizationStatus] = [.notDetermined, .restricted, .denied, .authorized, .later]
        #expect(statuses.map { Authorization($0) } == Authorization.allCases.map(Optional.some) + [nil])
    }

    @Test mutating func `Acceleration, live and recorded`() throws {
        let acceleration = CMAcceleration(x: 0.5, y: -0.25, z: -1)
        let live = Acceleration(CMAccelerometerData(timestamp: 999, acceleration: acceleration))
        #expect(
            text(try frames.batch(accelerometer: [live], at: instant)).contains(
                #""accelerometer":{"timestamp":[999],"x":[0.5],"y":[-0.25],"z":[-1]}"#))
        // The samples of a batch have one identifier.
        let recorded = [0, 0.02].map {
            RecordedAcceleration(
                CMRecordedAccelerometerData(identifier: 7, startDate: date + $0, acceleration: acceleration))
        }
        #expect(
            text(try frames.recordedAccelerometer(recorded, at: instant)).contains(
                #""samples":{"startDate":[1763748990,1763748990.02],"x":[0.5,0.5],"y":[-0.25,-0.25],"z":[-1,-1]}"#))
    }

    @Test mutating func `Steps and pauses`() throws {
        let count = CMPedometerData(
            startDate: date - 60, endDate: date, numberOfSteps: 120, distance: 90.5, floorsAscended: 1, floorsDescended: nil,
            currentPace: 0.5, currentCadence: 2, averageActivePace: nil)
        let readings = PedometerReadings(
            data: [.init(count)],
            events: [.init(CMPedometerEvent(date: date, type: .pause)), .init(CMPedometerEvent(date: date + 1, type: .resume))])
        #expect(
            text(try frames.pedometer(readings, at: instant)).contains(
                #""data":[{"startDate":1763748930,"endDate":1763748990,"numberOfSteps":120,"distance":90.5,"floorsAscended":1,"#
                    + #""currentPace":0.5,"currentCadence":2}],"#
                    + #""events":[{"type":"pause","date":1763748990},{"type":"resume","date":1763748991}]"#))
    }

    @Test mutating func `Altitudes`() throws {
        let readings = AltimeterReadings(
            relative: [.init(CMAltitudeData(timestamp: 998, relativeAltitude: 1.5, pressure: 101.25))],
            absolute: [.init(CMAbsoluteAltitudeData(timestamp: 999, altitude: 412, accuracy: 3, precision: 0.5))])
        #expect(
            text(try frames.altimeter(readings, at: instant)).contains(
                #""samples":{"timestamp":[998],"relativeAltitude":[1.5],"pressure":[101.25]},"#
                    + #""absolute":{"timestamp":[999],"altitude":[412],"accuracy":[3],"precision":[0.5]}"#))
    }

    @Test mutating func `Submersion, in the units of the contract`() throws {
        let measurement = CMWaterSubmersionMeasurement(
            date: date, depth: Measurement(value: 320, unit: .centimeters), pressure: Measurement(value: 1.335, unit: .bars),
            surfacePressure: Measurement(value: 1_013, unit: .hectopascals), submersionState: .submergedDeep)
        let temperature = CMWaterTemperature(
            date: date, temperature: Measurement(value: 68, unit: .fahrenheit),
            temperatureUncertainty: Measurement(value: 1.8, unit: .fahrenheit))
        let readings = SubmersionReadings(
            events: [.init(CMWaterSubmersionEvent(date: date, state: .submerged))], measurements: [.init(measurement)],
            temperatures: [.init(temperature)], errors: [.init(NSError(domain: "CMErrorDomain", code: 110), at: date)])
        #expect(
            text(try frames.submersion(readings, at: instant)).contains(
                #""events":[{"date":1763748990,"state":"submerged"}],"measurements":[{"date":1763748990,"#
                    + #""depth":{"value":3.2,"unit":"m"},"pressure":{"value":133.5,"unit":"kPa"},"#
                    + #""surfacePressure":{"value":101.3,"unit":"kPa"},"submersionState":"submergedDeep"}],"#
                    + #""temperatures":[{"date":1763748990,"temperature":{"value":20,"unit":"C"},"#
                    + #""temperatureUncertainty":{"value":1,"unit":"C"}}],"errors":[{"date":1763748990,"code":110}]"#))
        #expect(
            CMWaterSubmersionMeasurement.DepthState.allCases.map { DepthState($0).rawValue }
                == DepthState.allCases.map(\.rawValue))
        let states: [CMWaterSubmersionEvent.State] = [.unknown, .notSubmerged, .submerged]
        #expect(states.map { SubmersionState($0) } == SubmersionState.allCases)
    }

    @Test mutating func `Tremor and dyskinesia`() throws {
        let tremor = CMTremorResult(
            startDate: date - 60, endDate: date, percentUnknown: 0, percentNone: 0.5, percentSlight: 0.25, percentMild: 0.125,
            percentModerate: 0.125, percentStrong: 0)
        let dyskinesia = CMDyskineticSymptomResult(
            startDate: date - 60, endDate: date, percentUnlikely: 0.75, percentLikely: 0.25)
        let results = MovementDisorderResults(tremor: [.init(tremor)], dyskinesia: [.init(dyskinesia)])
        #expect(
            text(try frames.movementDisorder(results, at: instant)).contains(
                #""tremor":[{"startDate":1763748930,"endDate":1763748990,"unknown":0,"none":0.5,"slight":0.25,"mild":0.125,"#
                    + #""moderate":0.125,"strong":0}],"#
                    + #""dyskinesia":[{"startDate":1763748930,"endDate":1763748990,"unlikely":0.75,"likely":0.25}]"#))
    }
}
