import GatewayPipeline
import HomeAssistant
import TelemetryModel
import Testing

@Suite("What every discovery message must hold")
struct SchemaTests {
    /// The keys that Home Assistant's schemas of MQTT entities require and allow, as far as Fathom uses them.
    private static let required: Set = ["platform", "unique_id", "name", "state_topic", "value_template"]
    private static let allowed: [String: Set<String>] = [
        "sensor": [
            "device_class", "state_class", "unit_of_measurement", "suggested_display_precision", "options", "entity_category",
            "icon", "enabled_by_default", "availability", "json_attributes_topic", "json_attributes_template",
            "expire_after",
        ],
        "binary_sensor": [
            "device_class", "entity_category", "icon", "availability", "json_attributes_topic", "json_attributes_template",
            "expire_after",
        ],
        "event": ["event_types", "icon", "availability"],
    ]
    private static let envelope: Set = ["id", "at", "quality"]

    private func everything() throws -> Announcement { try .of("d1", Announcement.everyKind, model: "Watch6,18") }

    @Test("a message names the device, its gateway and Fathom, and is unavailable when one of the two is away")
    func device() throws {
        let message = try everything()
        #expect(Set(message.fields.keys) == ["device", "origin", "availability", "availability_mode", "qos", "components"])
        #expect(message.device["identifiers"] as? [String] == ["fathom_d1"])
        #expect(message.device["model"] as? String == "Watch6,18")
        let gateway = try Announcement.gateway()
        #expect(gateway.device["identifiers"] as? [String] == [try #require(message.device["via_device"] as? String)])
        #expect(message.fields["availability_mode"] as? String == "all")
        #expect(message.fields["qos"] as? Int == 1)
        let topics = (message.fields["availability"] as? [[String: String]])?.compactMap { $0["topic"] }
        #expect(topics == ["fathom/gateway/status", "wearables/d1/out/connection/device"])
    }

    @Test("without a connection the device depends on the gateway alone: nothing would be published on that topic")
    func withoutConnection() throws {
        let message = try Announcement.of("d1", ["depth-state"])
        let topics = (message.fields["availability"] as? [[String: String]])?.compactMap { $0["topic"] }
        #expect(topics == ["fathom/gateway/status"])
        #expect(message["depth"]?.availabilityTopics == ["fathom/gateway/status", "wearables/d1/out/depth-state"])
    }

    @Test("every entity has the keys of its platform, and a unique id that starts with the device's")
    func keys() throws {
        for message in [try everything(), try Announcement.gateway()] {
            let id = try #require((message.device["identifiers"] as? [String])?.first)
            #expect(!message.components.isEmpty)
            for component in message.components {
                let platform = try #require(component.text("platform"))
                let allowed = try #require(Self.allowed[platform], "\(platform)")
                #expect(Self.required.subtracting(component.fields.keys).isEmpty, "\(component.id)")
                #expect(Set(component.fields.keys).subtracting(allowed).subtracting(Self.required).isEmpty, "\(component.id)")
                #expect(component.text("unique_id") == "\(id)_\(component.id)")
            }
        }
    }

    @Test("templates use keys that messages of the kind have, and survive an empty payload, with which a topic is cleared")
    func templates() throws {
        for component in try everything().components {
            let kind = try #require(component.kind)
            let description = try #require(KindDescription.all.first { $0.covers(kind) }, "\(component.id)")
            let own = ["value_template", "json_attributes_template"].compactMap(component.text)
            for template in own {
                #expect(template.contains("value_json is defined"), "\(component.id)")
                let keys = Set(template.matches(of: /value_json\.([A-Za-z]+)/).map { String($0.1) })
                let known = Self.envelope.union(description.fields.map(\.name))
                #expect(!keys.isEmpty && keys.subtracting(known).isEmpty, "\(component.id): \(keys.subtracting(known))")
            }
        }
        for template in try [everything(), Announcement.gateway()].flatMap(\.components).flatMap(\.templates) {
            #expect(template.contains("value_json is defined"), "\(template)")
        }
    }

    @Test("an enumeration lists the values of its declaration")
    func options() throws {
        let message = try everything()
        #expect(message["depth_state"]?.fields["options"] as? [String] == DepthState.allCases.map(\.name))
        #expect(message["connection"]?.fields["options"] as? [String] == ConnectionState.allCases.map(\.rawValue))
        #expect(message["stroke"]?.fields["event_types"] as? [String] == ["forehand", "backhand"])
        #expect(message["water_temperature"]?.text("unit_of_measurement") == "°C")
        #expect(message["dive_duration"]?.text("unit_of_measurement") == "s")
    }

    @Test("the depth alarm is off only in three states of quality valid, and depends on the gateway alone, not on the device")
    func alarm() throws {
        let alarm = try #require(try everything()["depth_alarm"])
        #expect(alarm.availabilityTopics == ["fathom/gateway/status"])
        #expect(
            alarm.text("value_template")
                == """
                {{ 'OFF' if value_json is defined and value_json.quality == 'valid' and value_json.rawValue in (100, 200, 300) \
                else 'ON' }}
                """)
        #expect(alarm.text("device_class") == "safety")
    }

    @Test("an entity is available only while the gateway receives what its kind is derived from")
    func lanes() throws {
        let message = try everything()
        #expect(message.lanes == ["safety"])
        let others = message.components.filter { ($0.lanes ?? ["safety"]) != ["safety"] }
        let lanes = Dictionary(uniqueKeysWithValues: others.map { ($0.id, $0.lanes ?? []) })
        #expect(
            lanes == [
                "swing": ["bulk"], "stroke": ["bulk", "motion"], "forehands": ["bulk", "motion"],
                "backhands": ["bulk", "motion"], "head_yaw": ["motion"], "headphones": ["motion"],
            ])
        // Beside the lane such an entity depends on the device as before.
        #expect(message["swing"]?.availabilityTopics == ["fathom/gateway/status", "wearables/d1/out/connection/device"])
        for id in ["depth", "depth_alarm", "connection", "alarm_past-limit", "alarm_silent", "alarms_refused_submersion"] {
            #expect(message[id]?.lanes == ["safety"], "\(id)")
        }
        let batter = try Announcement.of("d1", ["swing", "access/batched-imu"])
        #expect(batter["alarms_refused_batched-imu"]?.lanes == ["bulk"])
        // What the gateway's own entities show is in the status itself.
        #expect(try Announcement.gateway()["problem"]?.lanes == [])
    }

    @Test("what is published again in every state expires; a depth, which holds at the surface for any time, does not")
    func expiry() throws {
        let device = try everything().components.filter { $0.fields["expire_after"] != nil }
        #expect(device.map(\.id) == ["head_yaw"])
        #expect(device.first?.fields["expire_after"] as? Int == 10)
        let gateway = try Announcement.gateway().components.filter { $0.fields["expire_after"] != nil }
        #expect(gateway.map(\.id) == ["active_devices", "problem"])
        #expect(gateway.allSatisfy { $0.fields["expire_after"] as? Int == 60 })
        var slow = DeriveSettings()
        slow[HeadPoseDerivation.self].rateHertz = 0.1
        let yaw = try Announcement.of("d1", ["head-pose"], expiry: EntityExpiry(derive: slow))["head_yaw"]
        #expect(yaw?.fields["expire_after"] as? Int == 30)
        #expect(EntityExpiry(derive: slow, silentSeconds: 135).status == 135)
    }

    @Test("the connection depends on the gateway alone, the gateway's own connection on nothing")
    func connections() throws {
        #expect(try everything()["connection"]?.availabilityTopics == ["fathom/gateway/status"])
        #expect(try Announcement.gateway()["status"]?.availabilityTopics == nil)
        #expect(try Announcement.gateway().fields["availability"] == nil)
    }

    @Test(
        "a dive is announced with the depth state: the first dive would be over before; other kinds announce their own entities")
    func dives() throws {
        #expect(try Announcement.of("d1", ["depth-state"])["dive"]?.kind == "dive")
        #expect(try !Announcement.announces("dive"))
    }

    @Test("a kind that no entity shows announces nothing")
    func hidden() throws {
        #expect(try !Announcement.announces("gap"))
        #expect(try !Announcement.announces("convention/device-motion"))
        #expect(try Announcement.announces("connection/headphone"))
    }

    @Test("each alarm that a device can have by its kinds is a problem, on until it is cleared")
    func alarms() throws {
        let message = try Announcement.of("d1", ["depth-state", "access/submersion", "connection/device"])
        let alarms = message.components.filter { $0.kind?.hasPrefix("alarm/") == true }
        #expect(
            alarms.map(\.kind) == [
                "alarm/contact-lost", "alarm/near-limit", "alarm/past-limit", "alarm/silent", "alarm/refused/submersion",
            ])
        for alarm in alarms {
            #expect(alarm.text("platform") == "binary_sensor" && alarm.text("device_class") == "problem")
            #expect(alarm.availabilityTopics == ["fathom/gateway/status"])
            #expect(alarm.text("json_attributes_template")?.contains("acknowledgedBy") == true)
        }
        #expect(message["alarms_refused_submersion"]?.text("name") == "Alarm refused of submersion")
        let removed = try Announcement.of("d1", ["access/submersion"], removed: ["depth-state"])
        #expect(removed["alarm_past-limit"]?.fields.keys.sorted() == ["platform"])
    }

    @Test("an entity that is no longer derived is removed: its platform stands alone")
    func removed() throws {
        let message = try Announcement.of("d1", ["depth-state"], removed: ["swing", "depth-state"])
        #expect(message["swing"]?.fields as? [String: String] == ["platform": "event"])
        #expect(message["depth_state"]?.fields.count ?? 0 > 1)
    }

    @Test("a model is cut, and whatever it holds the message stays one JSON object")
    func hostileModel() throws {
        let model = "{{ states('x') }}\"\\\u{0}\u{202E}" + String(repeating: "m", count: 10_000)
        let message = try Announcement.of("d1", ["depth-state"], model: model)
        #expect((message.device["model"] as? String)?.count == 64)
        #expect(message["depth_alarm"] != nil)
    }

    @Test("no device has the topic or the id of the gateway")
    func distinct() throws {
        let device = try #require(DeviceID("gateway_gateway"))
        #expect(try Announcement.encoder().topic(of: device) == "homeassistant/device/fathom_gateway_gateway/config")
        #expect(try Announcement.encoder().gatewayTopic == "homeassistant/device/fathom-gateway_gateway/config")
    }
}
