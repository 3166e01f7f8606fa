import JSONText
import LiveView

extension FleetDevice {
    /// Writes the device's row of the table.
    func encodeRow(_ key: StaticString? = nil, into json: inout JSONWriter) {
        json.object(key) { json in
            json.field("id", live.id)
            json.field("role", "\(live.role)")
            json.seconds("heardAt", heardAt)
            json.field("connection", live.connection)
            json.seconds("connectionAt", live.connectionAt)
            encodeWater(into: &json)
            encodeHead(into: &json)
            encodeBat(into: &json)
            encodeRun(into: &json)
            encodeExercise(into: &json)
            encodeNight(into: &json)
            encodeTremor(into: &json)
            encodeSession(into: &json)
            json.array("refused") { json in
                for (stream, reason) in live.access.refusals.sorted(by: { $0.key < $1.key }) {
                    json.element("\(stream): \(reason)")
                }
            }
            json.field("error", error)
            json.field("gaps", gaps)
            json.field("rejected", rejected)
            json.field("revision", revision)
        }
    }

    /// Writes the device with its history.
    func encodeAll(into json: inout JSONWriter) {
        json.object { json in
            encodeRow("row", into: &json)
            json.object("depths") { json in
                json.array("at") { json in for point in depths.elements { json.element(point.at) } }
                json.array("depth") { json in for point in depths.elements { json.element(point.depth) } }
                json.array("zone") { json in for point in depths.elements { json.element(Double(point.zone)) } }
                json.array("valid") { json in for point in depths.elements { json.element(point.isValid ? 1 : 0) } }
            }
            json.object("heights") { json in
                json.array("at") { json in for point in heights.elements { json.element(point.at) } }
                json.array("height") { json in for point in heights.elements { json.element(point.height) } }
                json.array("distance") { json in for point in heights.elements { json.element(point.distance) } }
            }
            json.array("swings") { json in for swing in swings.elements { swing.encode(into: &json) } }
            json.array("traces") { json in for trace in traces.elements { trace.encode(into: &json) } }
            json.array("sets") { json in for set in sets.elements { set.encode(into: &json) } }
            json.array("timeline") { json in for entry in timeline.elements { entry.encode(into: &json) } }
        }
    }

    private func encodeWater(into json: inout JSONWriter) {
        let water = live.water
        guard let zone = water.zone else { return json.null("water") }
        json.object("water") { json in
            json.field("state", zone.name)
            json.field("zone", zone.rawValue)
            json.field("depth", water.depth)
            json.field("maximumDepth", water.maximumDepth)
            json.field("quality", water.validity.isValid ? "valid" : water.isDoubtful ? "fault" : "stale")
            json.seconds("at", water.validity.at)
            json.seconds("validUntil", water.validity.validUntil)
            json.seconds("since", water.zoneSince)
            json.seconds("underWaterSince", water.underWaterSince)
            json.field("temperature", water.temperature)
            json.seconds("temperatureAt", water.temperatureAt)
            json.field("dives", water.dives)
            json.field("deepest", water.deepest)
            json.field("wasTooDeep", water.wasTooDeep)
            if let known = water.known {
                json.object("known") { json in
                    json.field("state", known.zone.name)
                    json.field("zone", known.zone.rawValue)
                    json.field("depth", known.depth)
                    json.seconds("at", known.at)
                }
            } else {
                json.null("known")
            }
        }
    }

    private func encodeHead(into json: inout JSONWriter) {
        let head = live.head
        guard head.connection != nil || head.pose != nil else { return json.null("head") }
        json.object("head") { json in
            json.field("connection", head.connection)
            json.field("bud", head.bud)
            json.field("yaw", head.pose?.yaw)
            json.field("pitch", head.pose?.pitch)
            json.field("roll", head.pose?.roll)
            json.field("quality", head.poseValidity.isValid ? "valid" : "stale")
            json.seconds("at", head.poseValidity.at)
            json.seconds("validUntil", head.poseValidity.validUntil)
        }
    }

    private func encodeNight(into json: inout JSONWriter) {
        let night = live.night
        guard night.headline != nil else { return json.null("night") }
        json.object("night") { json in
            json.seconds("at", night.sleep?.at)
            json.seconds("start", night.sleep?.start)
            json.seconds("end", night.sleep?.end)
            json.field("asleep", night.sleep?.asleep)
            json.field("duration", night.sleep?.duration)
            json.field("awakenings", night.sleep?.awakenings)
            json.field("date", night.day?.date)
            json.field("worn", night.day?.worn)
            json.field("steps", night.day?.steps)
            json.field("wear", night.wear)
            json.seconds("wearSince", night.wearSince)
        }
    }

    private func encodeTremor(into json: inout JSONWriter) {
        let state = live.tremor
        guard state.tremor != nil || state.dyskinesia != nil else { return json.null("tremor") }
        json.object("tremor") { json in
            json.seconds("at", state.tremor?.at)
            json.field("share", state.tremor?.share)
            json.field("grade", state.tremor?.grade)
            json.field("frequency", state.tremor?.frequency)
            json.field("method", state.tremor?.method)
            json.seconds("dyskinesiaAt", state.dyskinesia?.at)
            json.field("likely", state.dyskinesia?.share)
        }
    }

    private func encodeSession(into json: inout JSONWriter) {
        guard let session = live.session else { return json.null("session") }
        json.object("session") { json in
            json.field("activity", session.activity)
            json.field("state", session.state)
            json.seconds("start", session.start)
            json.seconds("end", session.end)
        }
    }

    private func encodeRun(into json: inout JSONWriter) {
        let run = live.run
        guard run.state != nil || run.height != nil else { return json.null("run") }
        json.object("run") { json in
            json.field("state", run.state)
            json.field("pace", run.pace)
            json.field("movingPace", run.movingPace)
            json.field("distance", run.distance)
            json.field("movingTime", run.movingTime)
            json.field("quality", run.paceValidity.isValid ? "valid" : "stale")
            json.seconds("validUntil", run.paceValidity.validUntil)
            json.object("climb") { json in
                json.seconds("at", run.heightValidity.at)
                json.field("height", run.height)
                json.field("altitude", run.altitude)
                json.field("ascent", run.ascent)
                json.field("quality", run.heightValidity.isValid ? "valid" : "fault")
                json.seconds("validUntil", run.heightValidity.validUntil)
            }
        }
    }

    private func encodeExercise(into json: inout JSONWriter) {
        let exercise = live.exercise
        guard !exercise.isEmpty else { return json.null("exercise") }
        json.object("exercise") { json in
            if let set = exercise.openSet {
                json.object("set") { json in
                    json.field("count", set.count)
                    json.field("number", set.number)
                    json.field("quality", set.validity.isValid ? "valid" : "stale")
                    json.seconds("validUntil", set.validity.validUntil)
                }
            } else {
                json.null("set")
            }
            if let pose = exercise.pose {
                json.object("pose") { json in
                    json.field("name", pose.name)
                    json.seconds("since", pose.since)
                    json.field("sway", pose.sway)
                    json.field("quality", pose.validity.isValid ? "valid" : "stale")
                    json.seconds("validUntil", pose.validity.validUntil)
                }
            } else {
                json.null("pose")
            }
            json.field("sets", exercise.sets)
            json.field("repetitions", exercise.repetitions)
            json.field("punches", exercise.punches)
            json.field("punch", exercise.punch)
            json.field("holds", exercise.holds)
        }
    }

    private func encodeBat(into json: inout JSONWriter) {
        let bat = live.bat
        guard bat.latest != nil || bat.forehands + bat.backhands + bat.impacts > 0 else { return json.null("bat") }
        json.object("bat") { json in
            json.field("hits", bat.hits)
            json.field("misses", bat.misses)
            json.field("forehands", bat.forehands)
            json.field("backhands", bat.backhands)
            json.seconds("swingAt", bat.latest?.at)
            if let latest = bat.latest { json.field("contact", latest.contact) } else { json.null("contact") }
            json.field("timeToContact", bat.latest?.timeToContact)
            json.field("confidence", bat.latest?.confidence)
        }
    }
}

extension FleetDevice.Swing {
    fileprivate func encode(into json: inout JSONWriter) {
        json.object { json in
            json.field("at", at)
            json.field("startAt", startAt)
            json.field("impactAt", impactAt)
            json.field("contact", contact)
            json.field("timeToContact", timeToContact)
            json.field("peakAcceleration", peakAcceleration)
            json.field("peakRotationRate", peakRotationRate)
            json.field("confidence", confidence)
            json.field("coverage", coverage)
        }
    }
}
