internal import CZlib

/// Bytes compressed as a zlib stream (RFC 1950), which ends with a checksum.
package enum Deflate {
    /// The compressed bytes.
    package static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(uLong(bytes.count))
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            let status = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe compress2(
                    buffer.baseAddress, &length, source.baseAddress, uLong(source.count), Z_DEFAULT_COMPRESSION)
            }
            // The buffer has the size that zlib names for the worst case, so only memory can be lacking.
            precondition(status == Z_OK, "zlib: no memory")
            count = Int(length)
        }
        return compressed
    }

    /// The bytes that `compressed` holds; nil where it is damaged or holds more than `limit` bytes.
    package static func expand(_ compressed: [UInt8], limit: Int) -> [UInt8]? {
        var isWhole = false
        var length = uLong(limit)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let status = unsafe compressed.withUnsafeBufferPointer { source in
                unsafe uncompress(buffer.baseAddress, &length, source.baseAddress, uLong(source.count))
            }
            isWhole = status == Z_OK
            count = isWhole ? Int(length) : 0
        }
        return isWhole ? bytes : nil
    }
}
