import Foundation
import RecordingImport
import Testing

@Suite("Import of old and incomplete dive logs")
struct OldDiveLogTests {
    private func depths(_ result: Imported) -> [Double] { result.boots.flatMap(result.readings).compactMap(\.metres) }
    private func times(_ result: Imported) -> [Double] { result.boots.flatMap(result.readings).map(\.at) }

    @Test("reads the first version of Subsurface's XML")
    func subsurface() throws {
        let text = """
            <dives>
            <program name='subsurface' version='1'></program>
            <dive number='1' date='2026-01-01' time='09:00:00' duration='2:00 min'><sample time='0:10 min' depth='1.5 m' temp='18.0 C'/>
            <sample time='1:00 min' depth='9.5 m'/><sample time='2:00 min' depth='0.0 m'/></dive>
            </dives>
            """
        let exports = try Exports(["a.xml": text])
        let result = try imported([exports.path])
        #expect(result.report.isClean && depths(result) == [1.5, 9.5, 0], "\(result.notes)")
        #expect(times(result) == [1_767_258_010, 1_767_258_060, 1_767_258_120])
    }

    private func uddf(_ dives: String...) -> String {
        "<uddf version=\"2.2.0\"><generator><date><year>2013</year></date></generator><profiledata><repetitiongroup>"
            + "\(dives.joined())</repetitiongroup></profiledata></uddf>"
    }

    private let date = "<date><year>2026</year><month>1</month><day>1</day></date><time><hour>9</hour><minute>0</minute></time>"

    @Test(
        "reads the dates and samples of UDDF 2",
        arguments: [
            "<waypoint><depth>1.5</depth><divetime>10</divetime></waypoint><waypoint><depth>9.5</depth><divetime>20</divetime></waypoint>",
            "<switch>air</switch><d>1.5</d><t>10</t><d>9.5</d><t>20</t>", "<t>10</t><d>1.5</d><t>20</t><d>9.5</d>",
        ])
    func oldUDDF(samples: String) throws {
        let result = try imported(.dive, text: uddf("<dive>\(date)<samples>\(samples)</samples></dive>")) { $0.isOpenEnd = true }
        #expect(depths(result) == [1.5, 9.5], "\(result.notes)")
        #expect(times(result) == [1_767_258_010, 1_767_258_020])
        #expect(result.report.isClean)
    }

    @Test("reads samples of UDDF 2 at an interval, and reports one that lacks its time")
    func intervals() throws {
        let dive = { (samples: String) in uddf("<dive>\(date)<samples>\(samples)</samples></dive>") }
        let result = try imported(.dive, text: dive("<delta>10</delta><d>1.5</d><d>9.5</d><d>0</d>"))
        #expect(times(result) == [1_767_258_000, 1_767_258_010, 1_767_258_020] && depths(result) == [1.5, 9.5, 0])
        let bare = try imported(.dive, text: dive("<d>1</d><d>2</d><t>10</t><d>3</d>"))
        #expect(depths(bare) == [2] && bare.report.files.first?.dropped == ["without a time": 2], "\(bare.notes)")
    }

    @Test("leaves out a temperature of UDDF that no water has, and not the depth beside it")
    func celsius() throws {
        let samples = [("10", "18"), ("20", "291.15"), ("30", "0")].map {
            "<waypoint><depth>2</depth><divetime>\($0)</divetime><temperature>\($1)</temperature></waypoint>"
        }
        let result = try imported(.dive, text: uddf("<dive>\(date)<samples>\(samples.joined())</samples></dive>"))
        #expect(depths(result) == [2, 2, 2])
        #expect(result.boots.flatMap(result.readings).compactMap(\.celsius).map { ($0 * 100).rounded() / 100 } == [18])
        #expect(result.has("\"18\" is no temperature in kelvins, and is left out") && !result.report.isClean)
    }

    @Test("dates the one dive of a log without a date by --start, and leaves the others their dates")
    func undated() throws {
        let samples = "<samples><waypoint><depth>2</depth><divetime>0</divetime></waypoint></samples>"
        let (dated, bare) = ("<dive>\(date)\(samples)</dive>", "<dive>\(samples)</dive>")
        let left = try imported(.dive, text: uddf(bare, dated))
        #expect(left.has("number 1, is left out: the dive has no date; --start gives it one"), "\(left.notes)")
        let result = try imported(.dive, text: uddf(bare, dated)) { $0.start = 1_767_300_000 }
        #expect(Set(times(result)) == [1_767_258_000, 1_767_300_000] && result.boots.count == 2, "\(result.notes)")
        let two = try imported(.dive, text: uddf(bare, dated, bare)) { $0.start = 1_767_300_000 }
        #expect(two.has("dates one dive, and the file has 3, 2 of them without a date"))
        let both = try imported(.dive, text: uddf(dated, dated)) { $0.start = 1_767_300_000 }
        #expect(both.has("dates one dive, and the file has 2, 0 of them without a date"))
    }
}
