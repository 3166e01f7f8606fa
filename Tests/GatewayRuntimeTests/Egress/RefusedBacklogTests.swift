import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Testing

@testable import GatewayRuntime
@testable import Mosquitto

@Suite("Topics that the broker refuses")
struct RefusedBacklogTests {
    private let now = MonotonicInstant.now
    private let denied = MosquittoError(origin: .reasonCode, code: 0x87, reason: "not authorized")

    private func letter(_ number: Int64, _ topic: String = "t", bytes: Int = 10) -> OutboundLetter {
        OutboundLetter(
            number: number, at: 0, refusal: .notAuthorized, detail: "", isOfMessage: false,
            message: MQTTMessage(topic: topic, payload: Array(repeating: 1, count: bytes)))
    }

    private func state(_ text: String) -> MQTTMessage {
        var message = MQTTMessage(topic: "t", payload: Array(text.utf8), retain: true)
        message.isState = true
        return message
    }

    private let key = RefusedBacklog.Key(topic: "t", isOfMessage: false)

    @Test("What is refused is tried after pauses that grow to 8 s, so that it is published within 10 s after it is allowed")
    func pauses() {
        var backlog = RefusedBacklog()
        backlog.add(letter(1), at: now)
        var at = now
        var pauses: [Double] = []
        for _ in 1...7 {
            guard let retryAt = backlog.retryAt else { break }
            #expect(backlog.takeDue(at: retryAt + .milliseconds(-1)).isEmpty)
            pauses.append((retryAt - at) / .seconds(1))
            at = retryAt
            #expect(backlog.takeDue(at: at).count == 1)
            let number = backlog.published(letter(1), of: key)
            #expect(backlog.takeDue(at: at + .seconds(100)).isEmpty, "one at a time")
            _ = backlog.answered(number, denied, at: at)
        }
        #expect(pauses.map { ($0 * 10).rounded() / 10 } == [0.5, 1, 2, 4, 8, 8, 8])
    }

    @Test("Where the broker closes the connection the pauses grow to an hour")
    func pausesAfterClosing() {
        #expect(RefusedBacklog.pause(afterFailures: 1, .connectionClosed) == .seconds(15))
        #expect(RefusedBacklog.pause(afterFailures: 30, .connectionClosed) == .seconds(3_600))
    }

    /// What is due at `at`, in words.
    private func due(_ backlog: inout RefusedBacklog, at: MonotonicInstant) -> [String] {
        backlog.takeDue(at: at).map { _, due in
            switch due {
            case .letters(let count): "\(count) letters"
            case .state(let message): String(decoding: message.payload, as: UTF8.self)
            case .nothing: "nothing"
            }
        }
    }

    @Test("Letters go before the state, the first alone, and then the topic is open again")
    func order() {
        var backlog = RefusedBacklog()
        for number in 1...3 { backlog.add(letter(Int64(number)), at: now) }
        backlog.add(state: state("old"), .notAuthorized, "", at: now)
        backlog.add(state: state("new"), .notAuthorized, "", at: now)
        #expect(backlog.kept == 4 && backlog.refused.map(\.topic) == ["t"])
        let at = now + .seconds(1)
        #expect(due(&backlog, at: at) == ["1 letters"])
        let first = backlog.published(letter(1), of: key)
        let firstDone = backlog.answered(first, nil, at: at)
        #expect(firstDone == 1)
        #expect(due(&backlog, at: at) == ["20 letters"])
        let numbers = [2, 3].map { backlog.published(letter($0), of: key) }
        let done = numbers.map { backlog.answered($0, nil, at: at) }
        #expect(done == [2, 3])
        #expect(due(&backlog, at: at) == ["new"])
        let number = backlog.publishedState(of: key)
        // One that comes meanwhile is newer than what is accepted.
        backlog.add(state: state("newest"), .notAuthorized, "", at: at)
        if let number { _ = backlog.answered(number, nil, at: at) }
        #expect(due(&backlog, at: at) == ["newest"])
        if let last = backlog.publishedState(of: key) { _ = backlog.answered(last, nil, at: at) }
        #expect(due(&backlog, at: at) == ["nothing"])
        backlog.remove(key)
        #expect(backlog.kept == 0 && backlog.bytes == 0 && backlog.refused.isEmpty)
    }

    @Test("A state that is smaller than one that was too large is tried at once")
    func smallerState() {
        var backlog = RefusedBacklog()
        backlog.add(state: state("a long one"), .tooLarge, "", at: now)
        #expect(backlog.takeDue(at: now).isEmpty)
        backlog.add(state: state("short"), .tooLarge, "", at: now)
        #expect(backlog.takeDue(at: now).count == 1)
    }

    @Test(
        "The oldest states are discarded above a limit of bytes, and the letters of a topic above one of their number are named")
    func limits() {
        var backlog = RefusedBacklog()
        for topic in ["a", "b", "c"] {
            var message = MQTTMessage(topic: topic, payload: Array(repeating: 1, count: 100), retain: true)
            message.isState = true
            backlog.add(state: message, .notAuthorized, "", at: now)
        }
        #expect(backlog.discardStates(above: 250).map(\.topic) == ["a"])
        for number in 1...4 { backlog.add(letter(Int64(number), "d"), at: now) }
        #expect(backlog.takeOverfull(3).map(\.topic) == ["d"])
        #expect(backlog.takeOverfull(3).isEmpty)
    }

    @Test("A state that clears a retained message takes no room, and is not discarded")
    func clearing() {
        var backlog = RefusedBacklog()
        backlog.add(state: state(""), .notAuthorized, "", at: now)
        var message = MQTTMessage(topic: "u", payload: Array(repeating: 1, count: 100), retain: true)
        message.isState = true
        backlog.add(state: message, .notAuthorized, "", at: now)
        #expect(backlog.discardStates(above: 50).map(\.topic) == ["u"])
        #expect(backlog.kept == 1)
    }

    @Test("A topic of which an earlier run kept a state is tried when the state is made again, and counts as refused only then")
    func restoredState() {
        var backlog = RefusedBacklog()
        backlog.restoreState(of: "t", clearing: nil, at: now)
        #expect(backlog.refused.isEmpty && backlog.closedTopics == ["t"])
        #expect(backlog.takeDue(at: now).isEmpty)
        backlog.add(state: state("made again"), .other, "", at: now + .seconds(1))
        #expect(backlog.takeDue(at: now + .seconds(1)).count == 1)
    }
}

@Suite("Outbound dead letters on disk")
struct OutboundLettersTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func letter(_ topic: String, _ text: String) -> OutboundLetter {
        var message = MQTTMessage(topic: topic, payload: Array(text.utf8), contentType: "application/json")
        message.isText = true
        message.userProperties = [.init(name: "id", value: "7a"), .init(name: "at", value: "3.5")]
        return OutboundLetter(at: 5.25, refusal: .tooLarge, detail: "too large", isOfMessage: true, message: message)
    }

    @Test("They come back after a restart as they were, in their order, with what is owed of states")
    func restart() throws {
        let directory = try TemporaryDirectory()
        let path = OutboundLetters.file(in: directory.url.path)
        #expect(try OutboundLetters(reading: directory.url.path) == nil)
        do {
            let letters = try OutboundLetters(path: path)
            try letters.add([letter("a", "1"), letter("b", "2")], states: ["s": false, "c": true])
            try letters.add([letter("a", "3")], states: ["s": true])
        }
        let letters = try OutboundLetters(path: path)
        #expect(try letters.states() == ["s": true, "c": true])
        #expect(
            try letters.summaries().map { "\($0.topic) \($0.count) \($0.bytes) \($0.refusal)" } == [
                "a 2 2 tooLarge", "b 1 1 tooLarge",
            ])
        #expect(
            try letters.first(9, of: "a", isOfMessage: true).compactMap(\.letter?.message) == [
                letter("a", "1").message, letter("a", "3").message,
            ])
        let reader = try #require(try OutboundLetters(reading: directory.url.path))
        var names: [String] = []
        try reader.forEach { _, letter in names.append(letter?.name ?? "damaged") }
        #expect(names == ["out-1", "out-2", "out-3"])
        #expect(try reader.letter(#require(OutboundLetter.number(in: "out-2")))?.message.topic == "b")
        try letters.remove([1])
        try letters.remove(withPrefix: "b")
        #expect(try letters.count() == 1)
    }

    /// A state directory with two letters on each of two topics, closed; and where its file is.
    private func filled() throws -> (directory: StateDirectory, file: String) {
        let directory = try StateDirectory(in: folder)
        try directory.outboundLetters().add(
            ["a", "b", "a", "b"].map { letter($0, "payload") }, states: ["s": true, "t": false])
        return (directory, OutboundLetters.file(in: directory.path))
    }

    @Test("A file with a damaged page is moved aside, and so is one that is no database; states are made again then")
    func damagedFile() throws {
        let (directory, file) = try filled()
        #expect(try !directory.outboundLetters().isIncomplete)
        let place = try DatabaseQueue(path: file).writeWithoutTransaction { database -> UInt64 in
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            let page = try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'letters'") ?? 0
            return try UInt64((page - 1) * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0))
        }
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: place)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 8))
        try handle.close()
        #expect(throws: DamagedStore.self) { try OutboundLetters(path: file) }
        let letters = try directory.outboundLetters()
        #expect(try letters.count() == 0)
        #expect(letters.isIncomplete)
        #expect(FileManager.default.fileExists(atPath: file + ".damaged"))
        let other = try StateDirectory(path: folder.path("other"), logger: DurableLane.logger)
        try Data("nothing of ours".utf8).write(to: URL(filePath: OutboundLetters.file(in: other.path)))
        #expect(try other.outboundLetters().isIncomplete)
    }

    @Test(
        "A row that cannot be read is removed when the file is opened, and the others stay",
        arguments: [
            "topic = x'ff00fe'", "topic = CAST('a' AS BLOB)", "topic = 'wearables/+/out/#'", "at = 'text'", "at = 9e999",
            "single = 'text'", "refusal = x'ff'", "retain = 1", "id = '7b'", "checksum = checksum + 1", "checksum = 'text'",
            "payload = CAST('paymoad' AS BLOB)", "payload = 7",
        ])
    func damagedRow(change: String) throws {
        let (directory, file) = try filled()
        try DatabaseQueue(path: file).write { try $0.execute(sql: "UPDATE letters SET \(change) WHERE number = 3") }
        let reader = try #require(try OutboundLetters(reading: directory.path))
        var names: [String] = []
        try reader.forEach { number, letter in names.append(letter?.name ?? "\(number) is damaged") }
        #expect(names == ["out-1", "out-2", "3 is damaged", "out-4"])
        #expect(throws: GatewayError.self) { try reader.letter(3) }
        let letters = try directory.outboundLetters()
        #expect(letters.removed == 1 && letters.isIncomplete)
        #expect(try letters.summaries().map(\.count) == [1, 2])
        #expect(try directory.outboundLetters().removed == 0)
    }

    @Test("A state that cannot be read is removed when the file is opened")
    func damagedState() throws {
        let (directory, file) = try filled()
        try DatabaseQueue(path: file).write { try $0.execute(sql: "UPDATE states SET cleared = 'text' WHERE topic = 's'") }
        let letters = try directory.outboundLetters()
        #expect(letters.removed == 1)
        #expect(try letters.states() == ["t": false])
    }

    @Test(
        "Only a number as it is listed names a letter", arguments: ["out-01", "out-+1", "out--1", "out-0", "out-", "out-1 ", "1"])
    func names(_ name: String) {
        #expect(OutboundLetter.number(in: name) == nil)
        #expect(OutboundLetter.number(in: "out-17") == 17)
    }

    /// A keeper on a state directory, whose client never connects.
    private func keeper(on directory: StateDirectory, limits: RefusedKeeper.Limits? = nil, _ log: CollectedLog) throws
        -> RefusedKeeper
    {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        let permit = Permit(clock: SystemGatewayClock())
        let client = MosquittoClient(
            configuration: .egress(configuration, brokers: BrokerList(configuration.mqtt), fence: permit, subscriptions: []),
            logger: log.logger)
        return try RefusedKeeper(
            configuration, PipelineSettings(configuration), client: client, permit: permit, directory: directory, limits: limits,
            clock: SystemGatewayClock(), logger: log.logger)
    }

    @Test("Damaged letters count as discarded, and are logged once")
    func counted() throws {
        let (directory, file) = try filled()
        try DatabaseQueue(path: file).write { try $0.execute(sql: "UPDATE letters SET at = 'text' WHERE number < 3") }
        let log = CollectedLog()
        let figures = try keeper(on: directory, log).figures
        #expect(figures.discarded == [.other: 2])
        #expect(log.lines.filter { $0.contains("damaged") } == ["damaged outbound dead letters are removed count=2"])
    }

    @Test("What is discarded together is reported together")
    func discarded() async throws {
        let (directory, _) = try filled()
        let log = CollectedLog()
        let keeper = try keeper(on: directory, limits: .init(letterBytes: 7, lettersOfTopic: 9), log)
        try keeper.start()
        try await eventually("three are discarded") { log.contains("messages that the broker refuses are discarded count=3") }
        keeper.end()
        #expect(keeper.figures.discarded == [.tooLarge: 3])
        #expect(log.lines.count { $0.contains("are discarded") } == 1)
    }

    @Test("An erasure removes what is kept of a device, but for what clears retained messages, which it names")
    func erase() throws {
        let directory = try StateDirectory(in: folder)
        let topics = ["wearables/d1/out/dive", "wearables/d1/out/day", "wearables/d2/out/dive"]
        let day = MQTTMessage(topic: topics[1], payload: [], retain: true)
        try directory.outboundLetters().add(
            [
                letter(topics[0], "depth of d1"), letter(topics[2], "2"),
                OutboundLetter(at: 1, refusal: .notAuthorized, detail: "", isOfMessage: false, message: day),
            ],
            states: ["wearables/d1/out/depth-state": true, "wearables/d1/out/access": false, "wearables/d2/out/access": true])
        let keeper = try keeper(on: directory, CollectedLog())
        let left = ["wearables/d1/out/day", "wearables/d1/out/depth-state"]
        #expect(try keeper.erase(prefix: "wearables/d1/out/") == left)
        #expect(try keeper.clearing(prefix: "wearables/d1/out/") == left)
        #expect(try keeper.clearing(prefix: "wearables/d3/out/") == [])
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) where file.hasPrefix("outbound") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(file)"))
            #expect(bytes.range(of: Data("depth of d1".utf8)) == nil, "\(file)")
        }
        #expect(try directory.outboundLetters().summaries().map(\.topic) == [topics[2], topics[1]])
        #expect(ErasureRequests.problem([]) == nil)
        #expect(ErasureRequests.problem(left)?.contains("refuses wearables/d1/out/day and 1 more") == true)
    }

    @Test("the epoch of a message becomes that of the owner; one without stays without")
    func epoch() {
        let message = MQTTMessage(topic: "t", payload: Array("{\"epoch\":12,\"a\":1}".utf8))
        #expect(message.with(epoch: 13).payload == Array("{\"epoch\":13,\"a\":1}".utf8))
        #expect(message.with(epoch: nil).payload == Array("{\"a\":1}".utf8))
        for text in ["", "{}", "{\"a\":1}", "{\"epoch\":", "{\"epoch\":1}", "[1]"] {
            let other = MQTTMessage(topic: "t", payload: Array(text.utf8))
            #expect(other.with(epoch: 13) == other)
        }
    }
}
