// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "fathom",
    products: [
        .library(name: "TelemetryModel", targets: ["TelemetryModel"]),
    ],
    dependencies: [
    ],
    targets: [
        .target(name: "TelemetryModel", swiftSettings: settings),
        .target(name: "SignalProcessing", swiftSettings: settings),
        .testTarget(name: "TelemetryModelTests", dependencies: ["TelemetryModel"], swiftSettings: settings),
        .testTarget(name: "SignalProcessingTests", dependencies: ["SignalProcessing"], swiftSettings: settings),
    ],
    cxxLanguageStandard: .cxx17
)
