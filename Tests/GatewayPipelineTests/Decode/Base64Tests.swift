import Foundation
import GatewayPipeline
import GatewayTestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test func `Bytes of any length are written as Foundation writes them, and read back`() {
        var random = SeededGenerator(seed: 2)
        for length in 0...66 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["A", "AB", "ABC", "=", "A===", "====", "AB=C", "=ABC", "AB==AB==", "ABC\u{E9}", "AB C", "AB-_", "ABCD\n"])
    func `What is no base64 is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
