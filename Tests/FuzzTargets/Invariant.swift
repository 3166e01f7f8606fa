/// Ends the process where an invariant does not hold: a fuzzer keeps the input, and a test fails.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}
