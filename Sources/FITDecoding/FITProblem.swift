/// Why a FIT file, or a part of it, is not read or not to be trusted.
package enum FITProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// What begins at the offset has no header of a FIT file.
    case noHeader(offset: Int)
    /// The checksum of the header that begins at the offset is wrong.
    case headerChecksum(offset: Int)
    /// The file ends before the length that its header names.
    case truncated(offset: Int, missing: Int)
    /// The header names no length: the recording was not closed.
    case unfinished(offset: Int)
    /// A message has a local type that nothing defines.
    case undefined(offset: Int, type: Int)
    /// A definition has a byte order that is none.
    case byteOrder(offset: Int)
    /// A message is longer than what is left by the header.
    case overrun(offset: Int)
    /// The checksum at the offset is not that of the bytes before it.
    case checksum(offset: Int)

    /// The place and the reason.
    package var description: String {
        switch self {
        case .noHeader(0): "is no FIT file"
        case .noHeader(let offset): "byte \(offset): what follows is no FIT file"
        case .headerChecksum(let offset): "byte \(offset): the checksum of the header is wrong"
        case .truncated(let offset, let missing):
            "byte \(offset): the file is cut short, \(missing) bytes are missing; what stands before is read"
        case .unfinished(let offset): "byte \(offset): the recording was not closed: its header names no length"
        case .undefined(let offset, let type):
            "byte \(offset): a message of type \(type), which nothing defines; the rest of this FIT file is not read"
        case .byteOrder(let offset):
            "byte \(offset): a definition without a byte order; the rest of this FIT file is not read"
        case .overrun(let offset):
            "byte \(offset): a message is longer than the rest of the file; the rest of this FIT file is not read"
        case .checksum(let offset): "byte \(offset): the checksum is wrong: the file was damaged, and values may be"
        }
    }
}
