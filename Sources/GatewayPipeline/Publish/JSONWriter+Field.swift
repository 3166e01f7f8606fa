import JSONText
import TelemetryModel

extension JSONWriter {
    /// Decimals of columns of motion: 1e-6 of a quaternion is 0.0001 degrees.
    private static let columnDecimals = 6

    /// Writes the value of a field of `message`.
    mutating func field(_ key: StaticString, _ value: FieldValue, of message: DerivedMessage) {
        switch value {
        case .text(let text): field(key, text)
        case .number(let number): field(key, number)
        case .integer(let integer): field(key, integer)
        case .flag(let flag?): field(key, flag)
        case .flag(nil): null(key)
        case .seconds(let seconds): self.seconds(key, seconds)
        case .instant(let time): seconds(key, time.map { $0.seconds + message.offset })
        case .columns(let columns): self.columns(key, columns, of: message)
        case .texts(let texts): field(key, texts)
        case .ranges(let ranges): field(key, ranges)
        case .quaternion(let quaternion):
            object(key) { json in
                json.field("x", quaternion.x)
                json.field("y", quaternion.y)
                json.field("z", quaternion.z)
                json.field("w", quaternion.w)
            }
        case .profile(let interval, let values):
            object(key) { json in
                json.field("interval", interval)
                json.field("depth", values)
            }
        case .signal(let signal):
            object(key) { json in
                json.field("interval", signal.interval)
                json.field("scale", signal.scale)
                json.field("values", signal.values.map { $0.map(Double.init) })
            }
        case .message(let kind, let time, let discriminator):
            field(key, message.idOfSibling(kind: kind, at: time, discriminator: discriminator))
        case .absent: break
        }
    }

    /// Writes columns, apart from `field`, which most messages call for single values alone.
    @inline(never)
    private mutating func columns(_ key: StaticString, _ columns: FieldColumns, of message: DerivedMessage) {
        switch columns {
        case .instants(let times):
            array(key) { json in
                for time in times { json.seconds(nil, time + message.offset) }
            }
        case .vectors(let columns):
            object(key) { json in
                json.column("x", columns.x, decimals: Self.columnDecimals)
                json.column("y", columns.y, decimals: Self.columnDecimals)
                json.column("z", columns.z, decimals: Self.columnDecimals)
            }
        case .quaternions(let columns):
            object(key) { json in
                json.column("x", columns.x, decimals: Self.columnDecimals)
                json.column("y", columns.y, decimals: Self.columnDecimals)
                json.column("z", columns.z, decimals: Self.columnDecimals)
                json.column("w", columns.w, decimals: Self.columnDecimals)
            }
        case .numbers(let values): column(key, values.map { $0 ?? .nan }, decimals: Self.columnDecimals)
        case .bits(let values): column(key, values.map { $0 ? 1 : 0 }, decimals: 0)
        case .row(let vector):
            object(key) { json in
                json.field("x", vector.x)
                json.field("y", vector.y)
                json.field("z", vector.z)
            }
        }
    }
}

extension DerivedBody {
    /// Writes the fields of the kind, as the body of `message`.
    func encode(into json: inout JSONWriter, of message: DerivedMessage) {
        for (name, value) in Self.kind.values { json.field(name, value(self), of: message) }
    }
}
