import CivilTime
import Companion

/// The begin and the end of a connection to the broker.
extension Publisher {
  mutating func connect(
    _ version: ProtocolVersion, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    isConnected = true
    isAcknowledging = false
    presence.connected()
    selfTest = version == .threeOneOne ? selfTest ?? SelfTest() : nil
    selfTest?.connected(isReading: inputLimit.level != .nothing)
    subscribe(&effects)
    announcements = AnnouncementRetry()
    announce(now, &effects)
    if settings.announcesEntities { start.hold(at: now.steady) }
    // It may have started unseen, while there was no connection.
    if let seq = presence.missedAfter { repetition.start(after: seq) }
    effects.append(.retry)
  }

  /// Subscribes to all that the limit permits.
  func subscribe(_ effects: inout [Effect]) {
    guard inputLimit.level != .nothing else { return }
    if selfTest != nil { effects += [topics.selfTest, topics.firing].map { .subscribe($0) } }
    if settings.announcesEntities { effects.append(.subscribe(topics.status)) }
    if settings.takesCommands { effects.append(.subscribe(topics.command)) }
    effects.append(.subscribe(topics.trackerFilter))
    guard inputLimit.level == .all else { return }
    effects += settings.ownTracksFilters.map { .subscribe($0) }
  }

  mutating func disconnect(
    _ loss: Loss, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    isConnected = false
    repetition.stop()
    start.cancel()
    switch loss.kind {
    case .unacknowledged: effects.append(.condition(loss.reason))
    case .oversized:
      inputLimit.oversized(at: now.steady)
      let what = inputLimit.level == .noPhones ? "no positions of phones are" : "nothing is"
      effects.append(.report("For an hour \(what) read from the broker: \(loss.reason)"))
    case .other: break
    }
    let lost = outgoing
    outgoing = []
    for item in lost {
      let outcome = Delivery.Outcome.failed("the connection to the broker was lost: \(loss.reason)")
      effects.append(.ended(item.firing.seq, outcome))
    }
  }

  /// All that a subscriber must know, in the order in which Home Assistant needs it.
  mutating func announce(_ now: ClockReadings, _ effects: inout [Effect]) {
    anchor.announced(at: now.steady)
    if settings.announcesEntities {
      effects += discovery.messages.map { .publish($0, nil) }
    }
    effects.append(.publish(topics.availability(isAvailable), nil))
    if let state { retain(topics.state, state, &effects) }
    if let document = anchor.document { retain(topics.anchor, document, &effects) }
    if let last { retain(topics.last, document(of: last), &effects) }
    announceTrackers(&effects)
  }

  func retain(_ topic: String, _ document: String, _ effects: inout [Effect]) {
    effects.append(.publish(Message(topic, document, isRetained: true), nil))
  }

  mutating func acknowledge(
    _ token: Token?, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    if !isAcknowledging, selfTest == nil { effects.append(.condition(nil)) }
    isAcknowledging = true
    guard case .firing(let seq)? = token, selfTest != nil else {
      return end(token, .delivered, &effects)
    }
    guard let index = outgoing.firstIndex(where: { $0.firing.seq == seq }) else { return }
    outgoing[index].acknowledgedAt = now.steady
  }
}
