import FuzzTargets

internal import Foundation

/// The target that the environment variable `FATHOM_FUZZ_TARGET` names.
let selectedTarget = {
    let name = ProcessInfo.processInfo.environment["FATHOM_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        FileHandle.standardError.write(Data("FATHOM_FUZZ_TARGET must be one of \(names)\n".utf8))
        exit(2)
    }
    return target
}()
