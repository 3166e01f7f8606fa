import CMosquitto
import Logging
import Synchronization

/// The process-wide part of libmosquitto.
enum MosquittoLibrary {
    private static let isPrepared = Mutex(false)

    /// Initialises the library, once, and logs the linked version.
    ///
    /// As a side effect `mosquitto_new` of 2.0.11 sets SIGPIPE to be ignored, process-wide.
    static func prepare(logger: Logger) {
        isPrepared.withLock { isPrepared in
            guard !isPrepared else { return }
            isPrepared = true
            // Not thread safe, hence under the lock; never undone, as other clients may be running.
            _ = mosquitto_lib_init()
            var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
            _ = unsafe mosquitto_lib_version(&major, &minor, &revision)
            let metadata: Logger.Metadata = [LogKey.version: "\(major).\(minor).\(revision)"]
            logger.info("libmosquitto linked", metadata: metadata)
            if (major, minor) != (2, 0) {
                // https://github.com/eclipse-mosquitto/mosquitto/issues/2884
                logger.warning("acknowledgements are known to be held back in 2.0 only", metadata: metadata)
            }
        }
    }
}
