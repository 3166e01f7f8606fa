/// Which waits for missing messages may end: while nothing can be read, what is missing cannot come either.
package enum WaitExpiry: Sendable, Equatable {
    /// All of them.
    case all
    /// Those for depth only: an alarm that is there must not wait for one that cannot come.
    case depthOnly
    /// None.
    case none
}
