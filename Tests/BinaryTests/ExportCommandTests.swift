import Foundation
import LocalBroker
import Testing

@Suite("fathom export")
struct ExportCommandTests {
    /// What is derived of a simulated fleet, and the number of messages of each first level of a kind.
    private func derived(in directory: TemporaryDirectory) async throws -> (file: String, counts: [String: Int]) {
        let recording = directory.path("fleet.ndjson")
        let simulated = try await FathomProcess.run(
            ["simulate", "--count", "4", "--seconds", "40", "--start", "1763749000", "--record", recording])
        #expect(simulated.status == 0)
        let replayed = try await FathomProcess.run(["replay", recording])
        var counts: [String: Int] = [:]
        for line in replayed.output.split(separator: "\n") {
            // An empty payload clears a retained topic: there is nothing to export.
            guard line.contains("\"payload\":{"), let topic = line.range(of: "/out/") else { continue }
            counts[String(line[topic.upperBound...].prefix { $0 != "/" && $0 != "\"" }), default: 0] += 1
        }
        return (try directory.write(replayed.output, to: "derived.ndjson"), counts)
    }

    @Test func `Every derived message of a fleet is a line, of line protocol or in the CSV file of its kind`() async throws {
        let directory = try TemporaryDirectory()
        let (file, counts) = try await derived(in: directory)
        #expect(counts.count > 8)
        let lines = try await FathomProcess.run(["export", "--format", "lineProtocol", file])
        #expect(lines.status == 0, "\(lines.errors)")
        let written = Dictionary(grouping: lines.output.split(separator: "\n")) { String($0.prefix { $0 != "," }) }
        #expect(written.mapValues(\.count) == counts)

        let format = try await FathomProcess.run(["export", "--format", "xml", file])
        #expect(format.errors.contains("lineProtocol") && !format.errors.contains("parquet"), "\(format.errors)")
        let folder = directory.path("tables")
        let csv = try await FathomProcess.run(["export", "--format", "csv", "--directory", folder, file])
        #expect(csv.status == 0, "\(csv.errors)")
        for (kind, count) in counts {
            let text = try String(contentsOfFile: "\(folder)/\(kind).csv", encoding: .utf8)
            #expect(text.split(separator: "\n").count == count + 1)
            #expect(text.hasPrefix("at,device,subject,"))
        }
        let again = try await FathomProcess.run(["export", "--format", "csv", "--directory", folder, file])
        #expect(again.status == 1 && again.errors.contains(".csv: File exists"))
        let more = try await FathomProcess.run(["export", "--format", "csv", "--directory", folder, "--append", file])
        #expect(more.status == 0)
        let swings = try String(contentsOfFile: "\(folder)/swing.csv", encoding: .utf8).split(separator: "\n")
        #expect(swings.count == 2 * (counts["swing"] ?? 0) + 1)
    }

    @Test func `Standard input is read, and bad lines are reported with their number without ending it`() async throws {
        let good =
            #"{"schema":"wearables/1","id":"a","device":"d1","kind":"impact","at":1763749000.5,"quality":"valid","axis":"z"}"#
        let input = """
            {"at":1763749000.123456789,"topic":"wearables/d1/out/impact","payload":\(good)}
            nonsense
            {"at":1763749000.2,"topic":"wearables/d1/out/depth-state","payload":}
            {"at":1763749000.2,"topic":"wearables/d1/out/x","payload":{}}
            {"at":1763749000.3,"topic":"wearables/d1/out/impact","payload":\(good)}

            """
        let outcome = try await FathomProcess.run(["export", "--format", "csv", "--kind", "impact"], input: input)
        #expect(outcome.status == 1)
        #expect(outcome.output.split(separator: "\n").count == 3)
        #expect(outcome.errors.split(separator: "\n").map { $0.prefix(17) } == ["standard input:2:", "standard input:4:"])
    }

    @Test func `A line without end does not fill the memory, and lines after it are read`() async throws {
        let good = #"{"at":1,"topic":"t","payload":{"device":"d1","kind":"impact","at":1763749000.5,"axis":"z"}}"#
        let input = String(repeating: "x", count: 3 << 20) + "\n" + good + "\n" + good
        let outcome = try await FathomProcess.run(["export", "--format", "lineProtocol", "-"], input: input)
        #expect(outcome.status == 1)
        #expect(outcome.output == String(repeating: "impact,device=d1 axis=\"z\" 1763749000500000000\n", count: 2))
        #expect(outcome.errors.hasPrefix("standard input:1: no JSON object"))
    }

    @Test(
        arguments: [
            ["--format", "csv"], ["--format", "csv", "--kind", "swing", "--kind", "dive"],
            ["--format", "csv", "--append", "--kind", "dive"],
            ["--format", "lineProtocol", "--directory", "x"], ["--format", "lineProtocol", "--kind", "nothing"],
            ["--format", "xml"], [],
        ])
    func `Options that do not go together are refused`(arguments: [String]) async throws {
        let outcome = try await FathomProcess.run(["export"] + arguments)
        #expect(outcome.status == 64)
    }

    @Test func `Rows are added only under their own columns, and behind a whole line`() async throws {
        let directory = try TemporaryDirectory()
        let row =
            #"{"schema":"wearables/1","id":"a","device":"d1","kind":"impact","at":1763749000.5,"quality":"valid","axis":"z"}"#
        let input = #"{"at":1763749000.1,"topic":"wearables/d1/out/impact","payload":\#(row)}"#
        let command = ["export", "--format", "csv", "--directory", directory.path(""), "--append"]
        #expect(try await FathomProcess.run(command, input: input).status == 0)
        let whole = try String(contentsOfFile: directory.path("impact.csv"), encoding: .utf8)
        for (text, error) in [("at,device,old\n1,2,3\n", "other columns"), (whole + "1,d1", "cut off")] {
            _ = try directory.write(text, to: "impact.csv")
            let outcome = try await FathomProcess.run(command, input: input)
            #expect(outcome.status == 1 && outcome.errors.contains(error), "\(outcome)")
            #expect(try String(contentsOfFile: directory.path("impact.csv"), encoding: .utf8) == text)
        }
    }

    @Test(arguments: [[], ["--append"]])
    func `A file that cannot be written is refused before others have rows`(options: [String]) async throws {
        let (folder, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let input = #"{"at":1,"topic":"t","payload":{"device":"d1","kind":"impact","at":1763749000.5,"axis":"z"}}"#
        let file = try other.write(input, to: "derived.ndjson")
        _ = try folder.write("at,device,old\n", to: "swing.csv")
        let command = ["export", "--format", "csv", "--directory"]
        let outcome = try await FathomProcess.run(command + [folder.path("")] + options + [file])
        #expect(outcome.status == 1 && outcome.errors.contains("swing.csv: "), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["swing.csv"])
        // Of a kind that is not asked for it may be there.
        let impacts = try await FathomProcess.run(command + [folder.path("")] + options + ["--kind", "impact", file])
        #expect(impacts.status == 0, "\(impacts)")
        let missing = try await FathomProcess.run(command + [other.path("tables")] + options + [file, other.path("none")])
        #expect(missing.status == 1 && missing.errors.contains("none: No such file"), "\(missing)")
        #expect(!FileManager.default.fileExists(atPath: other.path("tables")))
    }

    @Test(arguments: [["replay"], ["export", "--format", "lineProtocol"]])
    func `Standard input is not read twice`(command: [String]) async throws {
        let outcome = try await FathomProcess.run(command + ["-", "-"])
        #expect(outcome.status == 64 && outcome.errors.contains("which is read once"), "\(outcome)")
    }

    @Test func `A dive that cannot be written is reported`() async throws {
        let input = #"{"at":1,"topic":"t","payload":{"id":"a","device":"d1","kind":"dive","at":1763749000.5,"start":1763749000}}"#
        let outcome = try await FathomProcess.run(["export", "--format", "uddf"], input: input)
        #expect(outcome.status == 1 && outcome.errors.contains("standard input:1: a dive without"), "\(outcome)")
        #expect(outcome.output.hasSuffix("</uddf>\n"))
    }
}
