import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Partitions of devices")
struct PartitionTests {
    private func partitions(_ text: String) throws -> PartitionSet { try #require(PartitionSet(text)) }

    @Test(
        "what is written is read",
        arguments: [
            ("3/64", [3], "3", "3/64"), ("0-3/4", [0, 1, 2, 3], "0-3", "0-3/4"),
            ("8,0-2,2/64", [0, 1, 2, 8], "0-2_8", "0-2,8/64"),
            ("1,2,3,5/6", [1, 2, 3, 5], "1-3_5", "1-3,5/6"), ("0/1", [0], "0", "0/1"),
        ])
    func read(text: String, owned: [Int], label: String, description: String) throws {
        let partitions = try partitions(text)
        #expect(partitions.owned == owned)
        #expect(partitions.label == label)
        #expect("\(partitions)" == description)
        #expect(PartitionSet(description) == partitions)
    }

    @Test(
        "anything else is not",
        arguments: [
            "", "3", "/64", "3/", "64/64", "3/0", "3-1/64", "0-64/64", "-1/4", "1-/4", "0,/4", "+1/4", "1/4/4", " 1/4", "1/4097",
            "1/99999",
        ])
    func refused(text: String) { #expect(PartitionSet(text) == nil) }

    /// The numbers are those of NATS's `partition(count,1)`: FNV-1a of 32 bits, modulo the count.
    @Test("the partition of a device is that of NATS", arguments: [("a", 0xE40C_292C), ("foobar", 0xBF9C_F968)])
    func number(name: String, hash: Int) throws {
        let device = try #require(DeviceID(name))
        for count in [1, 2, 3, 64, 4_096] { #expect(try partitions("0/\(count)").number(of: device) == hash % count) }
    }

    @Test("each device belongs to one of the gateways that share all partitions, and to about as many as others")
    func shares() throws {
        let gateways = try (0..<4).map { try partitions("\(16 * $0)-\(16 * $0 + 15)/64") }
        var counts = [0, 0, 0, 0]
        for number in 0..<1_000 {
            let device = try #require(DeviceID("diver-\(number)"))
            let owners = gateways.indices.filter { gateways[$0].owns(device) }
            #expect(owners.count == 1)
            for owner in owners { counts[owner] += 1 }
        }
        #expect(counts.allSatisfy { (200...300).contains($0) })
    }

    @Test("a frame of another partition's device is rejected, whether or not the device is registered, and leaves no state")
    func misrouted() throws {
        var policy = AccessPolicy(unknown: .everything)
        policy.devices = [try #require(DeviceID("d1")): .everything]
        policy.partitions = try partitions("3/4")
        var harness = PipelineHarness(policy: policy)
        var own = TestDevice("d2")
        var registered = TestDevice("d1")
        #expect(harness.send(own.depth(3, uptime: 100)).contains { $0.kind == "depth-state" })
        let reports = harness.send(registered.depth(3, uptime: 100))
        #expect(reports.map { $0.text("reason") } == ["otherPartition"])
        #expect(reports.first?.text("detail") == "d1 is in partition 2, this gateway owns 3/4")
        #expect(harness.admission.rejected == [.otherPartition: 1])
        #expect(harness.pipeline.deviceCount == 1)
        #expect(policy.registeredCount == 0)
        #expect(policy.ofAllPartitions.registeredCount == 1)
    }
}
