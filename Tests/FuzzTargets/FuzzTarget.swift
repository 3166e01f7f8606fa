/// What a fuzzer calls with an input. Whatever the input is, invariants hold; where one does not, the process ends.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A frame of the contract as JSON.
    case native
    /// A frame of the contract in Protocol Buffers.
    case protobuf
    /// A message of Sensor Logger.
    case sensorLogger = "sensor-logger"
    /// A payload of a mapping.
    case mapped
    /// A presence message.
    case presence
    /// The configuration file.
    case configuration
    /// The registry file.
    case registry
    /// The producers file.
    case producers
    /// A recording that is replayed.
    case recording
    /// A file that is imported.
    case importing = "import"
    /// A log of dives that is imported.
    case diveLog = "dive-log"
    /// An export of Apple Health that is imported.
    case appleHealth = "apple-health"
    /// A FIT file.
    case fit
    /// An archive or a file of JSON that holds exports.
    case archive
    /// Frames, boots, gaps, clocks and restarts of the gateway.
    case sequence
    /// A device that means harm beside one that does not.
    case neighbour
    /// Raw samples for the filter of attitudes.
    case fusion

    /// Runs the target.
    package func run(_ input: [UInt8]) {
        switch self {
        case .native: MessageTargets.native(input)
        case .protobuf: MessageTargets.native(input, contentType: "application/protobuf")
        case .sensorLogger: MessageTargets.sensorLogger(input)
        case .mapped: MessageTargets.mapped(input)
        case .presence: MessageTargets.presence(input)
        case .configuration: FileTargets.configuration(input)
        case .registry: FileTargets.registry(input)
        case .producers: FileTargets.producers(input)
        case .recording: FileTargets.recording(input)
        case .importing: FileTargets.importing(input)
        case .diveLog: FileTargets.diveLog(input)
        case .appleHealth: FileTargets.appleHealth(input)
        case .fit: ImportTargets.fit(input)
        case .archive: ImportTargets.archive(input)
        case .sequence: SequenceTarget.run(input)
        case .neighbour: NeighbourTarget.run(input)
        case .fusion: FusionTarget.run(input)
        }
    }
}
