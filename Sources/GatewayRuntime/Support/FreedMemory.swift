import CMalloc

/// Memory that was freed and is still this process's.
///
/// glibc returns the end of an arena from 128 kB on. A lane that is behind takes a batch of megabytes, frees it and takes the next one: then every
/// batch costs a page fault for each 4 kB, and the lane gets further behind.
package enum FreedMemory {
    /// What an arena keeps at most, in bytes: two batches of `mqtt.receiveMaximum` frames of 800 samples as JSON are 7 MB.
    static let kept: Int32 = 16 << 20

    /// Keeps freed memory up to `kept` from now on, for the whole process.
    package static func keep() {
        mallopt(M_TRIM_THRESHOLD, kept)
        mallopt(M_MMAP_THRESHOLD, kept)
    }
}
