import Glibc
import Testing

@testable import GatewayRuntime

@Suite("Memory that was freed is taken again without page faults")
struct FreedMemoryTests {
    @Test(
        "Batches that are taken and freed in turns fault in no more pages than the first ones",
        .disabled(if: Self.hasOtherAllocator, "a sanitizer has an allocator of its own"))
    func batches() {
        FreedMemory.keep()
        for _ in 0..<4 { takeBatch() }
        let before = pageFaults
        for _ in 0..<50 { takeBatch() }
        // Without it 86,000: the blocks of a batch have 900 pages, and the copy as many.
        #expect(pageFaults - before < 2000)
    }

    private static let hasOtherAllocator = ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }

    /// 200 frames of 18 kB and one copy of all, written to and freed.
    private func takeBatch() {
        let sizes = Array(repeating: 18_000, count: 200) + [3_600_000]
        let blocks = sizes.map { size in
            let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            memset(block, 1, size)
            return block
        }
        for block in blocks { block.deallocate() }
    }

    /// Page faults of this thread that read nothing from disk.
    private var pageFaults: Int {
        var usage = rusage()
        getrusage(1, &usage)  // RUSAGE_THREAD, which Swift's Glibc leaves out
        return usage.ru_minflt
    }
}
