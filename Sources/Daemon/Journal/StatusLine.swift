import CivilTime
import Departure
import Feeds
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// Status for `systemctl status` and for programs, without any position.
extension Daemon {
  /// Time since the last fix; nil without one.
  var fixAge: TimeSpan? { fixAge(of: host.own) }

  /// Time since the last fix of a tracker; nil without one.
  func fixAge(of tracker: TrackerEngine) -> TimeSpan? {
    guard let arrival = tracker.engine.lastFixArrival, let now = clock.now else { return nil }
    return now - arrival
  }

  /// A line that stays true while it stands: it has times of day, and no ages.
  var statusLine: String { statusLine(withFix: true) }

  /// - Parameter withFix: without it, the line is the same while nothing but the fix changes.
  func statusLine(withFix: Bool) -> String {
    let armed = host.armedCount
    let time = HumanTime(now: clock.now ?? Instant(microseconds: 0), zone: host.engine.zone)
    var parts = ["\(armed) reminder\(armed == 1 ? "" : "s") armed"]
    if !withFix {
      parts.append(host.engine.lastFix == nil ? "no fix yet" : "fix")
    } else if let fix = host.engine.lastFix, let arrival = host.engine.lastFixArrival {
      let quality = fix.mode == .threeD ? "3D" : "2D"
      let units = settings.engine.units
      let error = fix.eph.map { ", ±\(Length.formatted(metres: $0, in: units))" } ?? ""
      parts.append("\(quality) fix at \(time.clock(arrival))\(error)")
    } else {
      parts.append("no fix yet")
    }
    let bootTime = SystemClock.bootTime.microseconds
    for feed in feeds {
      let condition = feed.conditionText(at: bootTime) { since in
        "since \(time.clock(time.now - TimeSpan(microseconds: bootTime - since)))"
      }
      parts.append("\(feed.url) \(condition)")
    }
    if feeds.isEmpty { parts.append("no feed") }
    if let next = nextDue { parts.append("next due \(time.absolute(next))") }
    if let span = quietNow {
      parts.append("quiet\(span.until.map { " until \(time.absolute($0))" } ?? "")")
    }
    if !host.engine.isClockTrusted { parts.append("clock not trusted yet, dates wait") }
    if !unreadable.isEmpty {
      let count = unreadable.count
      parts.append("\(count) reminder\(count == 1 ? "" : "s") cannot be read")
    }
    if let failure = host.storeFailureText { parts.append("store failure: \(failure)") }
    if let first = configurationErrors.first { parts.append("configuration wrong: \(first)") }
    return parts.joined(separator: "; ")
  }

  /// The next moment a reminder is due or should be left for.
  var nextDue: Instant? {
    clock.now.flatMap { now in host.all.compactMap { $0.engine.nextMoment(at: now) }.min() }
  }

  private var configurationErrors: [String] {
    reloadFailure.map { [$0] } ?? wrongLines.map { "\($0)" }
  }

  /// Limit of unreadable rows in a status.
  private static let shownProblems = 20

  var statusJSON: JSONObject {
    let unknownZones = host.unknownZones
    var status = JSONObject([
      "version": .string(DaemonCommand.version),
      "time": clock.now.map { .string($0.json) },
      "clock": .string(clock.isLive ? "system" : "recording"),
      "clock_trusted": .bool(host.engine.isClockTrusted),
      "clock_trust": time?.trust.ground.map { .string($0.rawValue) },
      "dates_waiting_for_clock": host.engine.isClockTrusted ? nil : .int(host.heldCount),
      "time_zone": .string(host.engine.zone.name),
      "wakes_from_suspend": .bool(time?.wakes ?? false),
      "reminders": .int(host.count),
      "armed": .int(host.armedCount),
      "unreadable": unreadable.isEmpty
        ? nil : .array(unreadable.prefix(Self.shownProblems).map { .string("\($0)") }),
      "unknown_zones": unknownZones.isEmpty ? nil : .array(unknownZones.map { .string($0) }),
      "unreadable_text": unreadable.isEmpty ? nil : .string(store.salvagePath),
      "position": .string(
        host.engine.lastFix == nil ? "none" : host.engine.hasLostPosition ? "lost" : "known"),
      "position_lost": clock.now.flatMap { host.engine.positionLoss(at: $0) }
        .map { .object($0.json) },
      "anchor": clock.now.flatMap { host.engine.anchorStatus(at: $0) }.map { .object($0.json) },
      "next_due": nextDue.map { .string($0.json) },
      "delivery": failingDeliveries,
      "quiet": quietJSON(of: nil),
      "memory_bytes": ProcessMemory.resident.map { .int($0) },
      "late_firings": .int(host.late.firings),
      "late_s": .double(Decimal.rounded(host.late.seconds, digits: 1)),
      "store_trouble": host.storeFailureText.map { .string($0) },
      "configuration_errors": configurationErrors.isEmpty
        ? nil : .array(configurationErrors.map { .string($0) }),
    ])
    if let fix = host.engine.lastFix {
      status["fix"] = .object(
        JSONObject([
          "time": fix.time.map { .string($0.json) },
          "mode": .int(Int(fix.mode.rawValue)),
          "eph_m": .double(fix.eph),
          "age_s": ageJSON(of: host.own),
        ]))
    }
    status["travel"] = .object(travelJSON)
    if let health = host.engine.routeHealth {
      status["routing"] = .object(
        JSONObject([
          "socket": settings.routeSocket.map { .string($0) },
          "connected": .bool(routes?.isConnected == true),
          "answered": .int(health.answered),
          "failed": .int(health.failed),
          "refused": .int(health.refused),
          "last_answer": health.lastAnswer.map { .string($0.json) },
          "last_failure": health.lastFailure.map { .string($0.json) },
          "reason": health.reason.map { .string($0) },
        ]))
    }
    status["feeds"] = .array(feeds.map { .object(json(of: $0)) })
    if !settings.trackers.isEmpty { status["trackers"] = trackersJSON }
    if !calendars.isEmpty { status["calendars"] = calendarsJSON }
    if let digest = calendarDigest { status["calendar_digest"] = .string(digest) }
    return status
  }

  /// Own trips of each mode, and their times over the configured ones: of half of the trips, and of
  /// the share that a time to leave is to be long enough for.
  private var travelJSON: JSONObject {
    var travel = JSONObject()
    let experience = host.engine.experience
    for transport in Reminder.Transport.allCases {
      let trips = experience.trips(by: transport).count
      func factor(_ share: Double) -> JSONValue? {
        let factor = experience.factor(of: transport, share: share, settings.engine.travel)
        return .double(factor.map { Decimal.rounded($0, digits: 3) })
      }
      travel[transport.rawValue] = .object(
        JSONObject([
          "trips": .int(trips), "factor": factor(0.5),
          "punctual_factor": factor(settings.engine.punctuality),
        ]))
    }
    return travel
  }

  /// Status of a feed, with the results of its fixes.
  private func json(of feed: FeedRunner) -> JSONObject {
    let now = SystemClock.bootTime.microseconds
    func seconds(_ microseconds: Int64) -> JSONValue? {
      .double(Decimal.rounded(Double(microseconds) / 1e6, digits: 1))
    }
    var object = feed.json
    if feed.isLost { object["lost"] = true }
    if feed.age.dropped > 0 {
      object["dropped_fixes"] = .int(feed.age.dropped)
      object["dropped_by_s"] = .double(
        feed.age.difference.map { Decimal.rounded($0.seconds, digits: 1) })
    }
    let followed = host.all.compactMap(\.selection.followed)
    object["followed"] = .bool(followed.contains { $0.feed == feed.number })
    if case .waiting(let until) = feed.feed.state {
      object["retry_in_s"] = seconds(max(0, until - now))
    }
    let entries = receivers.entries(of: feed.number)
    // The time of a recording is not the machine's.
    let isLive = clock.isLive
    if isLive, let last = entries.map(\.lastFix).max() { object["fix_age_s"] = seconds(now - last) }
    let names = names(of: entries)
    object["receivers"] = .array(
      entries.map { entry in
        let tracker = host.all.first { $0.selection.followed == entry.origin } ?? host.own
        let scale = tracker.engine.errorScale(of: entry.origin)
        return .object(
          JSONObject([
            "name": names[entry.carrier].map { .string($0) },
            "sender": entry.origin.sender == 0 ? nil : .string("\(entry.origin.sender)"),
            "device": entry.origin.device == 0
              ? nil : .string(String(entry.origin.device, radix: 16)),
            "talker": entry.origin.talker.map { .string($0) },
            "fixes": .int(entry.fixes),
            "fix_age_s": isLive ? seconds(now - entry.lastFix) : nil,
            "followed": .bool(followed.contains(entry.origin)),
            "reason": reason(entry).map { .string($0) },
            "error_scale": scale.flatMap { .double(Decimal.rounded($0.scale, digits: 2)) },
            "error_scale_minutes": scale.map { .int($0.minutes) },
          ]))
      })
    return object
  }
}

extension Daemon {
  /// The names of the trackers and phones among receivers, by their carriers.
  private func names(of entries: [ReceiverTable.Entry]) -> [UInt64: String] {
    guard entries.contains(where: { $0.carrier != 0 }) else { return [:] }
    // A store that fails names no phone.
    let phones = ((try? store.links.phones()) ?? []).map(\.link.name)
    var names = Dictionary(
      phones.map { (Carrier(name: $0).number, $0) }, uniquingKeysWith: { first, _ in first })
    for tracker in settings.trackers {
      for carrier in tracker.carriers { names[carrier.number] = tracker.name }
    }
    return names
  }

  /// Why a receiver is not used; nil for the followed one.
  private func reason(_ entry: ReceiverTable.Entry) -> String? {
    guard entry.isAccepted else { return "[Position] refuses positions of its kind" }
    let followed = host.all.compactMap(\.selection.followed)
    return followed.isEmpty || followed.contains(entry.origin)
      ? nil : "another receiver is followed"
  }
}

extension FeedRunner {
  var json: JSONObject {
    let statistics = statistics
    var object = JSONObject([
      "url": .string("\(url)"),
      "state": .string("\(feed.state)"),
      "condition": url.recording != nil ? nil : .string(conditionText()),
      "baud": feed.baud.map { .int($0) },
      "last_error": lastError.map { .string($0) },
    ])
    object["bytes"] = .int(statistics.bytes)
    var types = JSONObject()
    for (name, count) in statistics.sentencesByName { types[name] = .int(count) }
    object["sentences"] = .object(types)
    object["gpsd_reports"] = .int(statistics.jsonLines)
    object["wrong_checksums"] = .int(statistics.wrongChecksums)
    object["missing_checksums"] = .int(statistics.missingChecksums)
    object["overlong_lines"] = .int(statistics.overlongLines)
    object["malformed"] = .int(statistics.malformed)
    object["binary_bytes"] = .int(statistics.binaryBytes)
    object["positions_without_time"] = .int(statistics.unreadableTimes)
    object["late_sentences"] = .int(statistics.lateSentences)
    object["fixes"] = .int(statistics.fixes)
    object["estimated_fixes"] = .int(statistics.estimatedFixes)
    object["out_of_order_fixes"] = .int(statistics.outOfOrderFixes)
    object["sentences_of_another_datum"] = .int(statistics.foreignDatums)
    object["gpsd_release"] = statistics.gpsdRelease.map { .string($0) }
    if feed.receiveBuffer != nil {
      object["datagrams_dropped"] = .int(feed.droppedDatagrams)
      object["datagrams_of_others"] = .int(feed.datagramsOfOthers)
      object["senders"] = .array(sources.compactMap(\.origin).map { .string("\($0)") })
    }
    let silent = Set(sources.flatMap { $0.decoder.talkersWithoutPosition }).sorted()
    if !silent.isEmpty {
      object["talkers_without_position"] = .array(silent.map { .string($0) })
    }
    object["decoder_error"] =
      (statistics.lastError ?? statistics.reasonWithoutFix ?? statistics.reasonWithoutTime)
      .map { .string($0) }
    return object
  }
}
