internal import Foundation

/// Ends the process where an invariant does not hold: a fuzzer keeps the input, and a test fails.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}

private let traces = getenv("FATHOM_FUZZ_TRACE") != nil

/// Prints what is sent and published, with `FATHOM_FUZZ_TRACE` in the environment.
func trace(_ step: @autoclosure () -> String) {
    if traces { FileHandle.standardError.write(Data((step() + "\n").utf8)) }
}
