/// The frames of a device that are not acknowledged yet, in the order they were made: in memory, or in a folder.
///
/// It is bounded: when a frame does not fit, the oldest ones are dropped and counted. The gateway reports what is missing as a
/// `gap`.
public struct Outbox: Sendable {
    /// The bounds of an outbox.
    public struct Limits: Sendable, Hashable {
        /// Frames: at least 1.
        public var frames: Int
        /// Bytes of payload.
        public var bytes: Int

        /// Bounds; by default 10,000 frames and 64 MiB.
        public init(frames: Int = 10_000, bytes: Int = 64 << 20) {
            self.frames = max(1, frames)
            self.bytes = bytes
        }
    }

    /// A frame's place: places rise, and are not used again.
    public typealias Place = UInt64

    /// The bounds.
    public let limits: Limits
    /// Frames that were dropped because the outbox was full.
    public private(set) var dropped = 0
    /// Files in the folder that held no frame when it was opened, and were deleted.
    public private(set) var unreadable = 0
    /// Bytes of payload that are kept.
    public private(set) var bytes = 0

    private struct Entry: Sendable {
        let place: Place
        let stream: StreamName
        let boot: BootID
        let sequence: UInt64
        let bytes: Int
    }

    private var entries: [Entry] = []
    private var nextPlace: Place = 0
    private var storage: Storage

    private enum Storage: Sendable {
        case memory([Place: Frame])
        case folder(FrameFolder)
    }

    /// An empty outbox in memory: what it holds is lost when the process ends.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        storage = .memory([:])
    }

    /// An outbox in the folder at `path`, which is created if need be, with the frames that are there.
    ///
    /// A frame is a file, so what was appended is there after a crash of the app. Only one outbox may use a folder. Throws when
    /// the folder, or a file in it, cannot be read: nothing is removed then. A file that holds no frame is removed.
    public init(folder path: String, limits: Limits = Limits()) throws {
        self.limits = limits
        let folder = try FrameFolder(path: path)
        storage = .folder(folder)
        for place in try folder.places() {
            nextPlace = place + 1
            if let frame = try folder.read(place) {
                note(frame, at: place)
            } else {
                try folder.remove(place)
                unreadable += 1
            }
        }
        try makeRoom(forFrames: 0, bytes: 0)
    }

    /// Frames that are kept.
    public var count: Int { entries.count }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a frame, and drops the oldest ones where it does not fit. Throws when it cannot be written to the folder.
    @discardableResult
    public mutating func append(_ frame: Frame) throws -> Place {
        try makeRoom(forFrames: 1, bytes: frame.payload.count)
        let place = nextPlace
        switch storage {
        case .memory(var frames):
            storage = .memory([:])
            frames[place] = frame
            storage = .memory(frames)
        case .folder(let folder): try folder.write(frame, at: place)
        }
        nextPlace += 1
        note(frame, at: place)
        return place
    }

    /// At most `limit` frames from `place` on, oldest first; after a connection, from 0. They end before a frame whose file cannot be read
    /// now: an acknowledgement of later ones would remove it.
    public func frames(from place: Place, limit: Int) -> [(place: Place, frame: Frame)] {
        let first = entries.partitioningIndex { $0.place >= place }
        var frames: [(place: Place, frame: Frame)] = []
        for entry in entries[first...] where frames.count < limit {
            do {
                if let frame = try frame(at: entry.place) { frames.append((entry.place, frame)) }
            } catch {
                break
            }
        }
        return frames
    }

    /// Removes the acknowledged frames of a stream: the last one that `acknowledgement` covers, and every one before it.
    ///
    /// Frames of an earlier boot before it are removed too: the gateway has begun the later boot, so sending them again would
    /// change nothing. It takes recorded acceleration of any boot, so frames of that stream are removed only where their own boot
    /// is named.
    public mutating func acknowledge(_ acknowledgement: Acknowledgement) throws {
        guard acknowledgement.stream != .recordedAccelerometer else {
            return try remove { entry in
                entry.stream == .recordedAccelerometer
                    && acknowledgement.last(of: entry.boot).map { entry.sequence <= $0 } ?? false
            }
        }
        let last = entries.lastIndex {
            $0.stream == acknowledgement.stream && $0.boot == acknowledgement.boot && $0.sequence <= acknowledgement.sequence
        }
        guard let last else { return }
        let end = entries[last].place
        try remove { $0.stream == acknowledgement.stream && $0.place <= end }
    }

    private func frame(at place: Place) throws -> Frame? {
        switch storage {
        case .memory(let frames): frames[place]
        case .folder(let folder): try folder.read(place)
        }
    }

    private mutating func note(_ frame: Frame, at place: Place) {
        entries.append(
            Entry(
                place: place, stream: frame.stream, boot: frame.boot, sequence: frame.sequence, bytes: frame.payload.count))
        bytes += frame.payload.count
    }

    private mutating func makeRoom(forFrames frames: Int, bytes more: Int) throws {
        var excess = 0
        var rest = bytes
        while excess < entries.count, entries.count - excess + frames > limits.frames || rest + more > limits.bytes {
            rest -= entries[excess].bytes
            excess += 1
        }
        guard excess > 0 else { return }
        let end = entries[excess - 1].place
        let before = entries.count
        // What was removed before a failure is dropped too.
        defer { dropped += before - entries.count }
        try remove { $0.place <= end }
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) throws {
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            guard isRemoved(entry) else {
                kept.append(entry)
                continue
            }
            switch storage {
            case .memory(var frames):
                storage = .memory([:])
                frames[entry.place] = nil
                storage = .memory(frames)
            case .folder(let folder):
                do { try folder.remove(entry.place) } catch {
                    entries = kept + entries[index...]
                    throw error
                }
            }
            bytes -= entry.bytes
        }
        entries = kept
    }
}

extension Array {
    /// The first index whose element, and all after it, satisfy `isAfter`.
    fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
