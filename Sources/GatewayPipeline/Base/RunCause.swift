/// Why a new run of a boot begins.
package enum RunCause: String, Sendable, Equatable, Codable {
    /// The device's clock was set back.
    case clockSetBack
    /// The device's app began its `seq` again under the same boot id.
    case bootReused
}
