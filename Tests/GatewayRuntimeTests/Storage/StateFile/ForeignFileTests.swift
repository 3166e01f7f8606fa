import Glibc
import LocalBroker
import Testing

@testable import GatewayRuntime

/// Files that may come from anywhere.
extension StateFileTests {
    @Test(
        "a file that computes in place of holding, or has impossible times, is refused",
        arguments: [
            ("ALTER TABLE part RENAME TO p; CREATE VIEW part AS SELECT * FROM p", "part is no table (view)"),
            (
                "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                    + "SELECT 'safety' AS lane, 'd1' AS device, x AS at, x AS id, 'k' AS kind, x'00' AS payload FROM n",
                "events is no table (view)"
            ),
            ("CREATE VIEW other AS SELECT 1", "other is no table (view)"),
            ("CREATE TRIGGER t AFTER INSERT ON part BEGIN SELECT 1; END", "t is no table (trigger)"),
            ("CREATE VIRTUAL TABLE v USING rtree(a, b, c)", "v is no table"),
            ("ALTER TABLE part ADD COLUMN more GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL", "more of part is computed"),
            ("ALTER TABLE waiting RENAME COLUMN bytes TO others", "waiting has no column bytes"),
            ("ALTER TABLE removed RENAME COLUMN at TO others", "removed has no column at"),
            ("DROP TABLE waiting", "is no file of 'fathom state export'"),
            ("UPDATE export SET unix = 9e999", "impossible"), ("UPDATE export SET unix = -9e999", "impossible"),
            ("UPDATE export SET monotonic = 9e999", "impossible"), ("UPDATE export SET monotonic = 1e300", "impossible"),
            ("UPDATE export SET unix = 'nan'", "unix"), ("DELETE FROM export", "is no file of 'fathom state export'"),
        ])
    func foreign(statements: String, problem: String) throws {
        try filled()
        let file = try export(nil, to: "file")
        try change(file, statements)
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains(problem) }
        #expect(try states("0/1").isEmpty)
    }

    @Test(
        "a file with a row twice is refused before anything is changed",
        arguments: [
            ("history", "0, 1, 1, 60, 60, 1, x'00'"), ("events", "60, 'i', 'dive', x'00'"), ("removed", "60"),
        ])
    func twice(table: String, values: String) throws {
        try filled()
        let file = try export(nil, to: "file")
        let row = "INSERT INTO \(table) VALUES ('safety', 'd1', \(values)); "
        try change(file, "DELETE FROM \(table); " + row + row)
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("\(table) of d1 has a row twice") }
        #expect(try open(configuration("0/1")).isEmpty)
        #expect(try open(configuration("0/1")).importProblem == nil)
        try change(file, "DELETE FROM \(table); " + row)
        _ = try stopped("0/1").import(file)
        #expect(try states("0/1") == states(nil))
    }

    @Test("what is no regular file is refused, and not waited for")
    func noFile() throws {
        mkfifo(folder.path("fifo"), 0o600)
        for (path, problem) in [
            (folder.path("fifo"), "no regular file"), (folder.path("."), "folder"), ("/dev/zero", "no regular file"),
        ] {
            #expect { try stopped("0/1").import(path) } throws: { "\($0)".contains(problem) }
        }
    }

    @Test("a file is read for a limited time")
    func deadline() throws {
        try filled()
        let file = try export(nil, to: "file")
        let rows =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) "
            + "INSERT INTO waiting SELECT 'safety', 'd1', x, x'00' FROM n"
        try change(file, rows)
        #expect { try StateFile(reading: file, seconds: 0).devices() } throws: { "\($0)".contains("within 0 s") }
        #expect(try !StateFile(reading: file).devices().isEmpty)
    }
}
