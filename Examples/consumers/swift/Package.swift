// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "depth-states",
    targets: [
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .executableTarget(name: "depth-states", dependencies: ["CMosquitto"]),
    ]
)
