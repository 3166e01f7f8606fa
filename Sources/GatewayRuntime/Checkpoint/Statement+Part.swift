import GRDB
import GRDBSQLite
import GatewayPipeline

extension Statement {
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
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }
    }
}
