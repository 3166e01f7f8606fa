import StateCoding
import Testing

@Suite("State coding: documents of other builds")
struct EvolutionTests {
    struct Old: Codable, Equatable {
        var name = "n"
        var inner = [Inner()]
        struct Inner: Codable, Equatable { var count = 3 }
    }

    @Test("an optional property added later is nil")
    func added() throws {
        struct New: Codable, Equatable {
            var name: String
            var hint: [Double]?
            var inner: [Inner]
            struct Inner: Codable, Equatable { var limit: Int?, count: Int }
        }
        let new = try StateCoder.decode(New.self, from: StateCoder.encode(Old()))
        #expect(new == New(name: "n", hint: nil, inner: [.init(limit: nil, count: 3)]))
    }

    @Test("a property removed later, or moved, changes nothing")
    func removed() throws {
        struct New: Codable, Equatable { var inner: [Old.Inner] }
        #expect(try StateCoder.decode(New.self, from: StateCoder.encode(Old())) == New(inner: [.init()]))
        struct Moved: Codable, Equatable {
            var inner: [Old.Inner]
            var name: String
        }
        #expect(try StateCoder.decode(Moved.self, from: StateCoder.encode(Old())) == Moved(inner: [.init()], name: "n"))
    }

    @Test("a required property that is missing is reported with its path")
    func missing() throws {
        struct New: Codable {
            var inner: [Inner]
            struct Inner: Codable { var limit: Int }
        }
        let error = try failure(New.self, Old())
        #expect(error.reason == .missing)
        #expect(error.path == ["inner", "[0]", "limit"])
        #expect(error.description == "inner.[0].limit: missing")
    }

    @Test("a property of another type is reported with its path")
    func mismatched() throws {
        struct New: Codable {
            var inner: [Inner]
            struct Inner: Codable { var count: Double }
        }
        let error = try failure(New.self, Old())
        #expect(error.reason == .mismatched("expected Double, found an integer"))
        #expect(error.path == ["inner", "[0]", "count"])
    }

    @Test("no value is read as one of another type")
    func strict() throws {
        #expect(try failure(Float.self, 1.0).reason == .mismatched("expected Float, found a double"))
        #expect(try failure(Double.self, Float(1)).reason == .mismatched("expected Double, found a float"))
        #expect(try failure(Double.self, 1).reason == .mismatched("expected Double, found an integer"))
        #expect(try failure(Bool.self, 1).reason == .mismatched("expected Bool, found an integer"))
        #expect(try failure(Int.self, String?.none).reason == .mismatched("expected Int, found nil"))
        #expect(try failure([Int].self, [1.0]).reason == .mismatched("expected an unkeyed container, found an array of numbers"))
        #expect(try failure(Point.self, [1.0]).reason == .mismatched("expected a keyed container, found an array of numbers"))
        #expect(try failure(String.self, Point()).reason == .mismatched("expected String, found a keyed container"))
    }

    @Test("an integer is read into any integer type that holds it, and no other")
    func integers() throws {
        #expect(try StateCoder.decode(UInt8.self, from: StateCoder.encode(255)) == 255)
        #expect(try StateCoder.decode(Int64.self, from: StateCoder.encode(Int8(-1))) == -1)
        #expect(try failure(UInt8.self, 256).reason == .mismatched("an integer that does not fit UInt8"))
        #expect(try failure(UInt64.self, -1).reason == .mismatched("an integer that does not fit UInt64"))
        #expect(try failure(Int64.self, UInt64.max).reason == .mismatched("an integer that does not fit Int64"))
    }

    @Test("a raw value that no case has is refused with its path")
    func refused() throws {
        let error = try failure([String: Stream].self, ["s": "nowhere"])
        guard case .invalid = error.reason else { return #expect(Bool(false), "\(error)") }
        #expect(error.path == ["s"])
    }

    private func failure<T: Decodable>(_ type: T.Type, _ value: some Encodable) throws -> StateCodingError {
        let bytes = try StateCoder.encode(value)
        return try #require(throws: StateCodingError.self) { try StateCoder.decode(type, from: bytes) }
    }
}
