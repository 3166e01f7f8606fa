/// Which waits for missing messages may end: while nothing can be read, what is missing cannot arrive either.
package enum WaitExpiry: Sendable, Equatable {
    /// All of them.
    case all
    /// Those for depth only: an alarm that was received must not wait for a frame that cannot arrive.
    case depthOnly
    /// No wait ends.
    case none
}
