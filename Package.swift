// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .treatAllWarnings(as: .error),
]
// A release places the functions that frames need beside each other, by function-order.txt, which `make function-order` writes. Not in the
// libraries for others: a package with unsafe flags cannot be depended on.
let orderedSettings =
    settings + [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))]
let functionOrder = "\(Context.packageDirectory)/Sources/fathom/function-order.txt"

/// A product that only the program and its tests need: an app that takes a library with `traits: []` does not resolve its package.
func gateway(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Gateway"]))
}

let package = Package(
    name: "fathom",
    // For the libraries; everything else is for Linux.
    platforms: [.iOS(.v17), .watchOS(.v10), .macOS(.v14)],
    products: [
        .executable(name: "fathom", targets: ["fathom"]),
        .library(name: "TelemetryModel", targets: ["TelemetryModel"]),
        .library(name: "WearableFrames", targets: ["WearableFrames"]),
        .library(name: "WearableProtobuf", targets: ["WearableProtobuf"]),
    ],
    traits: [
        .default(enabledTraits: ["Gateway"]),
        .trait(name: "Gateway", description: "The program. Without it only the libraries can be built."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(
            name: "Mosquitto",
            dependencies: ["CMosquitto", gateway("Logging", "swift-log")],
            swiftSettings: orderedSettings + [.strictMemorySafety()]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Deflate", dependencies: ["CZlib"], swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "JSONText", swiftSettings: settings),
        .target(name: "Metrics", swiftSettings: orderedSettings),
        .target(name: "TelemetryModel", swiftSettings: settings),
        .target(name: "SignalProcessing", swiftSettings: settings),
        .target(
            name: "GatewayPipeline",
            dependencies: [
                "CSimdJSON", "Deflate", "JSONText", "Metrics", "StateCoding", "TelemetryModel", "SignalProcessing",
                gateway("DequeModule", "swift-collections"),
                gateway("HeapModule", "swift-collections"),
            ],
            swiftSettings: orderedSettings + [.strictMemorySafety()]),
        .target(
            name: "GatewayConfiguration",
            dependencies: ["GatewayPipeline", "TelemetryModel", gateway("Yams", "Yams")],
            swiftSettings: settings),
        .target(name: "StateCoding", swiftSettings: orderedSettings),
        .target(name: "CDeployment"),
        .target(
            name: "GatewaySetup", dependencies: ["CDeployment", "GatewayConfiguration", "TelemetryModel"],
            swiftSettings: settings),
        .target(name: "CCrashMark"),
        .target(name: "CUnfinishedFiles"),
        .systemLibrary(name: "CMalloc"),
        .target(name: "HomeAssistant", dependencies: ["GatewayPipeline", "JSONText", "TelemetryModel"], swiftSettings: settings),
        .target(
            name: "GatewayRuntime",
            dependencies: [
                "GatewayConfiguration", "GatewayHTTP", "GatewayPipeline", "HomeAssistant", "JSONText", "Metrics", "Mosquitto",
                "NatsKeyValue", "StateCoding", "TelemetryModel", "CCrashMark", "CMalloc",
                "CUnfinishedFiles",
                gateway("GRDB", "GRDB.swift"), gateway("GRDBSQLite", "GRDB.swift"),
                gateway("Logging", "swift-log"),
                gateway("ServiceLifecycle", "swift-service-lifecycle"),
                gateway("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: orderedSettings),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(name: "FITDecoding", swiftSettings: settings),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .target(name: "Archives", dependencies: ["CArchive"], swiftSettings: settings + [.strictMemorySafety()]),
        .target(
            name: "RecordingImport",
            dependencies: [
                "Archives", "CLibXML2", "FITDecoding", "JSONText", "SignalProcessing", "TelemetryModel",
                gateway("DequeModule", "swift-collections"),
                gateway("HeapModule", "swift-collections"),
            ],
            swiftSettings: settings),
        .target(
            name: "GatewayHTTP",
            dependencies: [
                gateway("Logging", "swift-log"),
                gateway("NIOCore", "swift-nio"),
                gateway("NIOHTTP1", "swift-nio"),
                gateway("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .target(name: "NatsKeyValue", dependencies: ["CNats"], swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "LocalBroker", swiftSettings: settings),
        .target(name: "WearableFrames", dependencies: ["JSONText", "TelemetryModel"], swiftSettings: settings),
        // Generated by `make proto`.
        .target(
            name: "WearableProtobuf", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")]),
        .target(
            name: "ProtobufFrames",
            dependencies: [
                "GatewayPipeline", "SignalProcessing", "TelemetryModel", "WearableProtobuf",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: settings),
        .target(
            name: "FleetSimulator",
            dependencies: ["JSONText", "SignalProcessing", "WearableFrames", gateway("HeapModule", "swift-collections")],
            swiftSettings: settings),
        .target(name: "TelemetryExport", dependencies: ["GatewayPipeline", "TelemetryModel"], swiftSettings: settings),
        .target(name: "LiveView", dependencies: ["GatewayPipeline", "TelemetryModel"], swiftSettings: settings),
        .target(name: "CPageAssets", exclude: ["files"]),
        .target(
            name: "FleetPage",
            dependencies: ["CPageAssets", "GatewayHTTP", "GatewayPipeline", "JSONText", "LiveView", "Metrics", "TelemetryModel"],
            swiftSettings: settings),
        .executableTarget(
            name: "fathom",
            dependencies: [
                "GatewayRuntime", "GatewayPipeline", "GatewayConfiguration", "GatewayHTTP", "GatewaySetup", "Mosquitto",
                "FleetPage", "FleetSimulator", "JSONText", "LiveView", "LocalBroker", "ProtobufFrames", "RecordingImport",
                "TelemetryExport", "TelemetryModel",
                gateway("ArgumentParser", "swift-argument-parser"),
                gateway("Logging", "swift-log"),
                gateway("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            exclude: ["function-order.txt"],
            swiftSettings: orderedSettings,
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(functionOrder)", "-Xlinker",
                        "--no-warn-symbol-ordering",
                    ], .when(configuration: .release))
            ]),
        .target(
            name: "GatewayTestSupport",
            dependencies: [
                "GatewayRuntime", "GatewayPipeline", "GatewayConfiguration", "LocalBroker", "Mosquitto", "SignalProcessing",
                "TelemetryModel",
                gateway("GRDB", "GRDB.swift"),
                gateway("Logging", "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "BrokerTestSupport", dependencies: ["LocalBroker"], swiftSettings: settings),
        .target(
            name: "HTTPTestSupport", dependencies: ["GatewayHTTP", gateway("Logging", "swift-log")], swiftSettings: settings),
        .testTarget(
            name: "GatewayHTTPTests",
            dependencies: ["GatewayHTTP", "HTTPTestSupport", gateway("Logging", "swift-log")],
            swiftSettings: settings),
        .testTarget(
            name: "FleetPageTests",
            dependencies: ["FleetPage", "GatewayHTTP", "GatewayPipeline", "HTTPTestSupport", "JSONText", "LiveView"],
            swiftSettings: settings),
        .testTarget(name: "TelemetryModelTests", dependencies: ["TelemetryModel"], swiftSettings: settings),
        .testTarget(name: "MetricsTests", dependencies: ["Metrics"], swiftSettings: settings),
        .testTarget(name: "StateCodingTests", dependencies: ["GatewayTestSupport", "StateCoding"], swiftSettings: settings),
        .testTarget(
            name: "RecordingImportTests",
            dependencies: [
                "CArchive", "FITDecoding", "GatewayTestSupport", "JSONText", "RecordingImport", "SignalProcessing",
                "TelemetryModel",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SignalProcessingTests", dependencies: ["GatewayTestSupport", "SignalProcessing"], swiftSettings: settings),
        .testTarget(
            name: "GatewayPipelineTests",
            dependencies: [
                "GatewayPipeline", "Metrics", "TelemetryModel", "SignalProcessing", "GatewayTestSupport", "GatewayRuntime",
                "FleetSimulator", "ProtobufFrames", "StateCoding", "WearableFrames", "WearableProtobuf",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                gateway("Yams", "Yams"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "GatewayPipeline", "GatewayRuntime", "GatewayConfiguration", "GatewayTestSupport", "FleetSimulator",
                "HomeAssistant", "Mosquitto", "ProtobufFrames", "TelemetryModel", "WearableProtobuf",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"), gateway("Yams", "Yams"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GatewayConfigurationTests",
            dependencies: [
                "BrokerTestSupport", "GatewayConfiguration", "GatewayPipeline", "LocalBroker", gateway("Yams", "Yams"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HomeAssistantTests",
            dependencies: ["HomeAssistant", "GatewayPipeline", "TelemetryModel"], swiftSettings: settings),
        .testTarget(
            name: "GatewayRuntimeTests",
            dependencies: [
                "GatewayRuntime", "FleetSimulator", "HomeAssistant", "GatewayConfiguration", "GatewayPipeline",
                "BrokerTestSupport", "GatewayTestSupport", "LocalBroker", "Mosquitto", "NatsKeyValue", "StateCoding",
                "TelemetryModel",
                gateway("GRDB", "GRDB.swift"),
                gateway("Logging", "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "GatewayRuntime", "GatewayPipeline", "GatewayConfiguration", "GatewayTestSupport", "BrokerTestSupport",
                "FleetSimulator", "LocalBroker", "Mosquitto", "ProtobufFrames", "StateCoding", "TelemetryModel",
                "WearableFrames",
                gateway("GRDB", "GRDB.swift"), gateway("Logging", "swift-log"),
                gateway("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BinaryTests",
            dependencies: [
                "fathom", "BrokerTestSupport", "GatewayRuntime", "GatewayPipeline", "GatewayTestSupport", "FleetSimulator",
                "HTTPTestSupport", "LocalBroker", "Mosquitto", "TelemetryModel", gateway("Logging", "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FleetSimulatorTests",
            dependencies: ["FleetSimulator", "GatewayTestSupport", "SignalProcessing", "WearableFrames"],
            swiftSettings: settings),
        .testTarget(
            name: "WearableFramesTests",
            dependencies: ["WearableFrames", "GatewayPipeline", "GatewayTestSupport", "LocalBroker", "TelemetryModel"],
            swiftSettings: settings),
        .testTarget(
            name: "GatewaySetupTests",
            dependencies: ["GatewaySetup", "GatewayConfiguration", "FleetSimulator", "LocalBroker", "TelemetryModel"],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryExportTests", dependencies: ["RecordingImport", "TelemetryExport"], swiftSettings: settings),
        .testTarget(
            name: "LiveViewTests", dependencies: ["LiveView", "GatewayPipeline", "TelemetryModel"], swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "FITDecoding", "GatewayConfiguration", "GatewayPipeline", "GatewayRuntime", "RecordingImport", "SignalProcessing",
                "StateCoding", "TelemetryModel",
            ],
            path: "Tests/FuzzTargets", exclude: ["producers.yaml"], swiftSettings: settings),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "GatewayTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "NatsKeyValueTests",
            dependencies: ["NatsKeyValue", "BrokerTestSupport", "LocalBroker"], swiftSettings: settings),
        .testTarget(
            name: "MosquittoTests",
            dependencies: ["Mosquitto", "BrokerTestSupport", "GatewayTestSupport", "LocalBroker"],
            swiftSettings: settings),
    ],
    cLanguageStandard: .gnu2x,
    cxxLanguageStandard: .cxx17
)

#if os(Linux)
    // Core Motion's API as far as WearableFrames uses it, and the sources that use it compiled with it. Not declared on a Mac, where the
    // module would take the place of the framework.
    package.targets += [
        .target(name: "CoreMotion", path: "Tests/CoreMotionStub", swiftSettings: settings),
        .testTarget(
            name: "CoreMotionTests", dependencies: ["CoreMotion", "WearableFrames"],
            swiftSettings: settings + [.define("CORE_MOTION_STUB")]),
    ]
#endif

// libFuzzer is linked with `--sanitize=fuzzer` only (`make fuzz`).
if Context.environment["FATHOM_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fathom-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz", exclude: ["corpus"], swiftSettings: settings))
}
