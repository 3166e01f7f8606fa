import GRDB
import GRDBSQLite
import GatewayPipeline
import TelemetryModel

extension Database {
    /// Writes what `change` changes of the row of a device's state. Values are read and bound where they are, as in
    /// `Statement.write`.
    func updateState(by change: StateChange) throws {
        let select = try cachedStatement(sql: "SELECT rowid, parts FROM state WHERE device = ?")
        let insert = try cachedStatement(sql: "INSERT INTO state (device, parts) VALUES (?, ?)")
        let update = try cachedStatement(sql: "UPDATE state SET parts = ? WHERE rowid = ?")
        var device = change.device.rawValue
        try device.withUTF8 { device in
            let found = select.sqliteStatement
            sqlite3_bind_text(found, 1, device.baseAddress, CInt(device.count), nil)
            defer {
                sqlite3_reset(found)
                sqlite3_clear_bindings(found)
            }
            guard try select.step() else {
                let row = StateRow(UnsafeRawBufferPointer(start: nil, count: 0), updatedBy: change).bytes
                guard !row.isEmpty else { return }
                sqlite3_bind_text(insert.sqliteStatement, 1, device.baseAddress, CInt(device.count), nil)
                return try insert.write(row, at: 2)
            }
            let stored = UnsafeRawBufferPointer(start: sqlite3_column_blob(found, 1), count: Int(sqlite3_column_bytes(found, 1)))
            let row = StateRow(stored, updatedBy: change).bytes
            let id = sqlite3_column_int64(found, 0)
            // A statement that is open keeps the page that is written.
            sqlite3_reset(found)
            guard !row.isEmpty else { return try execute(sql: "DELETE FROM state WHERE rowid = ?", arguments: [id]) }
            sqlite3_bind_int64(update.sqliteStatement, 2, id)
            try update.write(row, at: 1)
        }
    }
}

extension Statement {
    /// Executes one step; whether it gave a row.
    fileprivate func step() throws -> Bool {
        let code = sqlite3_step(sqliteStatement)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw error(code) }
        return code == SQLITE_ROW
    }

    /// Executes the statement with `bytes` as the parameter at `index`; the others must be bound.
    fileprivate func write(_ bytes: [UInt8], at index: CInt) throws {
        let code = bytes.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), nil)
            let code = sqlite3_step(sqliteStatement)
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
            return code
        }
        guard code == SQLITE_DONE else { throw error(code) }
    }

    private func error(_ code: CInt) -> DatabaseError { DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }

    /// Executes an insert of (device, name, version, bytes). The values are bound where they are: GRDB's arguments copy each of them,
    /// which takes as long as the insert.
    func write(_ part: StatePart, of device: String) throws {
        var (device, name) = (device, part.name)
        let code = device.withUTF8 { device in
            name.withUTF8 { name in
                part.bytes.withUnsafeBytes { bytes in
                    sqlite3_bind_text(sqliteStatement, 1, device.baseAddress, CInt(device.count), nil)
                    sqlite3_bind_text(sqliteStatement, 2, name.baseAddress, CInt(name.count), nil)
                    sqlite3_bind_int64(sqliteStatement, 3, Int64(part.version))
                    sqlite3_bind_blob64(sqliteStatement, 4, bytes.baseAddress, UInt64(bytes.count), nil)
                    let code = sqlite3_step(sqliteStatement)
                    sqlite3_reset(sqliteStatement)
                    sqlite3_clear_bindings(sqliteStatement)
                    return code
                }
            }
        }
        guard code == SQLITE_DONE else { throw error(code) }
    }
}
