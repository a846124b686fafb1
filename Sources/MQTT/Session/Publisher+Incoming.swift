import CivilTime
import Companion
import Phones

/// Messages of the broker.
extension Publisher {
  mutating func receive(
    _ topic: String, _ payload: [UInt8], _ isRetained: Bool, _ now: ClockReadings,
    _ effects: inout [Effect]
  ) {
    if selfTest != nil, topic == topics.selfTest || topic == topics.firing {
      hearBack(topic, payload, now, &effects)
    } else if settings.announcesEntities, topic == topics.status {
      hear(payload, isRetained, now, &effects)
    } else if let key = topics.trackerKey(of: topic) {
      // The others are this service's own.
      if isRetained { found(tracker: key, &effects) }
    } else if topic == topics.command {
      // A retained command would be carried out again with each connection.
      guard settings.takesCommands, !isRetained else { return }
      do throws(CommandMessage.Objection) {
        effects.append(.call(try CommandMessage(payload)))
      } catch {
        ignore(topic, error.description, now, &effects)
      }
    } else if settings.ownTracksFilter != nil {
      locate(topic, payload, now, &effects)
    }
  }

  /// OwnTracks on a phone, whose user and device are in the topic.
  private mutating func locate(
    _ topic: String, _ payload: [UInt8], _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    let name = OwnTracks.name(inTopic: TopicText.levels(of: topic))
    // Before it is read, so that a flood costs little; the topic is the phone.
    guard limiter.admits(topic, at: now.steady) else {
      return ignore(topic, "the phone sends too fast", now, &effects)
    }
    do throws(UnusableMessage) {
      guard payload.count <= Self.maximumPayload else { throw .tooLong }
      for position in try OwnTracks.read(payload, name: name).current(at: now.real).positions {
        take(position, &effects)
      }
    } catch {
      ignore(topic, error.rawValue, now, &effects)
    }
  }

  /// Home Assistant starts or stops.
  private mutating func hear(
    _ payload: [UInt8], _ isRetained: Bool, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    switch String(decoding: payload, as: UTF8.self) {
    case "online":
      // A retained one is no start.
      guard !isRetained else { return presence.cameOnline() }
      guard now.steady >= start.next else {
        guard !presence.isOnline else { return }
        presence.isStarting()
        return start.defer()
      }
      begin(wasOnline: presence.isOnline, now, &effects)
    case "offline":
      presence.wentOffline(isRepeating: repetition.isActive || start.isDeferred)
      start.cancel()
      repetition.stop()
    default: break
    }
  }

  /// Home Assistant has started: it learns all again, and then the firings that it missed.
  mutating func begin(wasOnline: Bool, _ now: ClockReadings, _ effects: inout [Effect]) {
    start.begin(at: now.steady, wasOnline: wasOnline)
    presence.cameOnline()
    announce(now, &effects)
    guard let seq = presence.missedAfter else { return }
    repetition.start(after: seq)
    if !repetition.isActive { presence.caughtUp(to: seq, isEnd: true) }
  }

  /// Firings of more than an hour ago are no news.
  private static let maximumAge = TimeSpan.hours(1)

  mutating func takeMissed(
    _ rows: [FiringNotice]?, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    guard let rows else { return }
    let missed = rows.filter { firing in
      guard firing.seq <= repetition.until else { return false }
      guard let time = try? Instant(rfc3339: firing.time) else { return false }
      return now.real - time <= Self.maximumAge
    }
    for firing in missed {
      let message = Message(topics.firing, document(of: firing, isRepeated: true))
      effects.append(.publish(message, .repetition(firing.seq)))
    }
    repetition.sends(missed.map(\.seq), upto: rows.last?.seq)
    noteRepetition()
  }

  private mutating func ignore(
    _ topic: String, _ reason: String, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    reasons.add(reason)
    guard let count = ignored.add(at: now.steady) else { return }
    let text =
      count == 1
      ? "A message of \(topic) is ignored: \(reason)"
      : "\(count) messages are ignored: \(reasons); the last of \(topic)"
    reasons = ReasonCounts()
    effects.append(.report(text))
  }
}
