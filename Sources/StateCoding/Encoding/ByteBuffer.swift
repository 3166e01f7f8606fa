/// Bytes that grow at the end.
struct ByteBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    /// The number of bytes so far.
    private(set) var count = 0

    /// An empty buffer with room for `capacity` bytes, at least 1.
    init(capacity: Int) { storage = .allocate(byteCount: capacity, alignment: 16) }

    deinit { storage.deallocate() }

    /// Removes all bytes, and keeps the capacity.
    mutating func removeAll() { count = 0 }

    /// The bytes so far, for the time of the call.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    /// Appends the bytes of `value`.
    mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        storage.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    /// Appends a tag.
    mutating func append(_ tag: Tag) {
        reserve(1)
        storage[count] = tag.rawValue
        count += 1
    }

    /// Appends `value`, 7 bits a byte, in 1 to 10 bytes.
    mutating func append(varint value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            storage[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count += 1
            rest >>= 7
        }
        storage[count] = UInt8(truncatingIfNeeded: rest)
        count += 1
    }

    /// Appends the number of `bytes`, then the bytes.
    mutating func append(counted bytes: UnsafeRawBufferPointer) {
        append(varint: UInt64(bytes.count))
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Appends the number of UTF-8 bytes of `text`, then the bytes.
    mutating func append(counted text: String) {
        var text = text
        text.withUTF8 { append(counted: UnsafeRawBufferPointer($0)) }
    }

    /// Replaces the 4 bytes at `offset`, which must have been appended.
    mutating func replace(at offset: Int, with value: UInt32) {
        precondition(offset + 4 <= count)
        storage.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
    }

    private mutating func reserve(_ room: Int) {
        if count + room > storage.count { grow(room) }
    }

    private mutating func grow(_ room: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(2 * storage.count, count + room), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}
