import GRDB
import GRDBSQLite
import GatewayPipeline
import TelemetryModel

extension Database {
    /// Writes what `change` changes of the row of a device's state. Values are read and bound where they are: GRDB's arguments copy each
    /// of them, which takes as long as the statement.
    func updateState(by change: StateChange) throws {
        var device = change.device.rawValue
        try device.withUTF8 { device in
            let (id, row) = try cachedStatement(sql: "SELECT rowid, parts FROM state WHERE device = ?").row(of: change, device)
            switch (id, row.isEmpty) {
            case (nil, true): break
            case (nil, false):
                let insert = try cachedStatement(sql: "INSERT INTO state (device, parts, number) VALUES (?, ?, ?)")
                insert.bind(device, at: 1)
                sqlite3_bind_int64(insert.sqliteStatement, 3, Int64(bitPattern: change.number))
                try insert.execute(row, at: 2)
            case (let id?, true): try execute(sql: "DELETE FROM state WHERE rowid = ?", arguments: [id])
            case (let id?, false):
                let update = try cachedStatement(sql: "UPDATE state SET parts = ?, number = ? WHERE rowid = ?")
                sqlite3_bind_int64(update.sqliteStatement, 2, Int64(bitPattern: change.number))
                sqlite3_bind_int64(update.sqliteStatement, 3, id)
                try update.execute(row, at: 1)
            }
        }
    }
}

extension Statement {
    /// Executes an insert of (device, name, version, bytes).
    func write(_ part: StatePart, of device: String) throws {
        var (device, name) = (device, part.name)
        try device.withUTF8 { device in
            try name.withUTF8 { name in
                bind(device, at: 1)
                bind(name, at: 2)
                sqlite3_bind_int64(sqliteStatement, 3, Int64(part.version))
                try execute(part.bytes, at: 4)
            }
        }
    }

    /// Selects the row of a device's state; returns its id, nil where there is none, and the row that `change` makes of it. The
    /// statement ends with that: one that is open would have its page copied when the row is written.
    fileprivate func row(of change: StateChange, _ device: UnsafeBufferPointer<UInt8>) throws -> (id: Int64?, row: [UInt8]) {
        bind(device, at: 1)
        defer { end() }
        let code = sqlite3_step(sqliteStatement)
        guard code == SQLITE_ROW else {
            guard code == SQLITE_DONE else { throw error(code) }
            return (nil, StateRow(UnsafeRawBufferPointer(start: nil, count: 0), updatedBy: change).bytes)
        }
        let stored = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(sqliteStatement, 1), count: Int(sqlite3_column_bytes(sqliteStatement, 1)))
        return (sqlite3_column_int64(sqliteStatement, 0), StateRow(stored, updatedBy: change).bytes)
    }

    /// Executes the statement with `bytes` as the parameter at `index`; the others are bound, and stay where they are meanwhile.
    fileprivate func execute(_ bytes: [UInt8], at index: CInt) throws {
        let code = bytes.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), nil)
            defer { end() }
            return sqlite3_step(sqliteStatement)
        }
        guard code == SQLITE_DONE else { throw error(code) }
    }

    fileprivate func bind(_ text: UnsafeBufferPointer<UInt8>, at index: CInt) {
        sqlite3_bind_text(sqliteStatement, index, text.baseAddress, CInt(text.count), nil)
    }

    private func end() {
        sqlite3_reset(sqliteStatement)
        sqlite3_clear_bindings(sqliteStatement)
    }

    private func error(_ code: CInt) -> DatabaseError { DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }
}
