import GatewayConfiguration
import GatewayPipeline
import TelemetryModel
import Testing

@Suite("The longest reply and the limit of an hour")
struct LongestReplyTests {
    @Test("With the default, each user may have 36 h of samples at 50 Hz once an hour, and other things beside them")
    func longest() throws {
        let user = try #require(Identifier("analyst"))
        let settings = GatewayConfiguration.Requests()
        var limits = RequestLimits(
            perSecond: settings.perSecond, bytesPerHour: Double(settings.mebibytesPerHour) * 1_048_576, at: 0)
        // A sample has 60 bytes: identifier, date and three axes.
        let longest = 36 * 3_600 * 50 * 60
        for hour in 0..<5 {
            let start = 3_600 * Double(hour)
            #expect(limits.judge(user, at: start) == .allowed)
            limits.note(longest, sentTo: user)
            #expect(limits.judge(user, at: start + 60) == .allowed)
            limits.note(100_000, sentTo: user)
        }
        // A second one in the same hour is what the next hour is for.
        limits.note(longest, sentTo: user)
        #expect(limits.judge(user, at: 4 * 3_600 + 120) == .refused)
    }
}
