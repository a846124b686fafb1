package import CivilTime
package import Companion
package import JSONText
package import Phones

/// The messages to the broker and their times, as a state machine: events in, effects out.
///
/// Each connection begins with the discovery and all retained documents, since a broker without
/// persistence forgets them. Firings wait for five seconds then: Home Assistant subscribes to a
/// topic only after it has read the configuration. An urgent one is sent at once, and again after
/// that time. When Home Assistant starts, the same follows, and then the firings that it missed.
package struct Publisher: Sendable {
  /// Names a message whose acknowledgement matters.
  package enum Token: Hashable, Sendable {
    case firing(Int)
    case repetition(Int)
  }

  /// Why a connection ended.
  package struct Loss: Equatable, Sendable {
    package enum Kind: Sendable {
      case other
      /// The broker sent a message that is too large.
      case oversized
      /// The broker did not acknowledge.
      case unacknowledged
    }

    package let reason: String
    package let kind: Kind

    package init(_ reason: String, _ kind: Kind = .other) {
      self.reason = reason
      self.kind = kind
    }
  }

  package enum Event: Sendable {
    /// The broker has accepted the connection.
    case connected(ProtocolVersion)
    case disconnected(Loss)
    /// Nil: of a message without a token.
    case acknowledged(Token?)
    /// The broker or the library refuses the message now, and why.
    case failed(Token?, String)
    /// The library can never send the message, and why.
    case refused(Token?, String)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// To be delivered; answered by `ended`.
    case firing(FiringNotice)
    case daemonConnected
    case daemonLost
    /// The daemon begins or ends to read the feed of positions.
    case feedOpen(Bool)
    case status(JSONObject)
    /// The last firing of the ledger.
    case last(FiringNotice)
    /// An answer of `WatchPresence`.
    case presence(JSONObject)
    /// The answer to `read`; nil if the daemon did not answer.
    case read([FiringNotice]?)
    /// The time of `wake` has come.
    case tick
  }

  package enum Effect: Equatable, Sendable {
    case subscribe(String)
    case publish(Message, Token?)
    /// The outcome of the firing with this number.
    case ended(Int, Delivery.Outcome)
    /// A firing that failed can be tried again.
    case retry
    /// A failure of the broker that is none of a firing, or nil if it works.
    case condition(String?)
    /// An urgent firing waits for the broker: try to connect now.
    case connect
    /// Ask the daemon for the last firing.
    case askLast
    /// Ask for firings by number.
    case read(after: Int, limit: Int)
    case call(CommandMessage)
    /// A line for the daemon's feed.
    case feed(String)
    /// In microseconds from now.
    case wake(in: Int64)
    case report(String)
  }

  /// Of a payload from the broker, bytes.
  package static let maximumPayload = PhoneReceiver.maximumBody
  /// A restart of the daemon does not make its entities unavailable; microseconds.
  package static let daemonGrace: Int64 = 10_000_000
  /// Between two positions; seconds.
  package static let positionInterval = 10.0

  struct Outgoing: Sendable {
    let firing: FiringNotice
    /// It was sent before Home Assistant had time to subscribe.
    var isEarly = false
    /// Its acknowledgement is due.
    var isSent = false
    /// Steady time of the acknowledgement.
    var acknowledgedAt: Int64?
    /// The broker has passed it on, also to this service.
    var isBack = false
  }

  let settings: MQTTSettings
  let topics: Topics
  let discovery: Discovery

  var isConnected = false
  var start = HomeAssistantStart()
  var announcements = AnnouncementRetry()
  /// Runs with MQTT 3.1.1 alone.
  var selfTest: SelfTest?
  var inputLimit = InputLimit()
  /// A message was acknowledged on this connection.
  var isAcknowledging = false
  /// Firings to deliver, at most one of each queue.
  var outgoing: [Outgoing] = []
  var presence = HomeAssistantPresence()
  var repetition = Repetition()
  /// Messages that were ignored, and why since the last report.
  var ignored = RepeatedNotice()
  var reasons = ReasonCounts()
  private var isFeedOpen = false
  /// Positions that came while the daemon did not read.
  package private(set) var backlog: PositionBacklog
  var limiter = RateLimiter()
  var isAvailable = false
  /// Steady time at which the daemon was lost.
  private var daemonLostAt: Int64?
  var state: String?
  private(set) var last: FiringNotice?
  /// By name; nil before the daemon's first answer.
  var trackers: [String: TrackerDocument]?
  /// The keys of trackers that the broker retains, until they are compared.
  var retainedTrackers: Set<String> = []
  var anchor = AnchorReport()

  /// - Parameter backlog: positions that a publisher with other settings had.
  package init(
    _ settings: MQTTSettings, _ identity: Identity, backlog: PositionBacklog = PositionBacklog()
  ) {
    self.settings = settings
    self.backlog = backlog
    topics = Topics(settings, identity)
    discovery = Discovery(settings, identity)
    if settings.published == .nothing { trackers = [:] }
  }

  /// The broker publishes it when the connection ends.
  package var will: Message { topics.availability(false) }

  package mutating func handle(_ event: Event, at now: ClockReadings) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .connected(let version): connect(version, now, &effects)
    case .disconnected(let loss): disconnect(loss, now, &effects)
    case .acknowledged(let token): acknowledge(token, now, &effects)
    case .failed(let token, let reason):
      if token == nil { announcements.refused(at: now.steady) }
      end(token, .failed(reason), &effects)
    case .refused(let token, let reason): end(token, .refused(reason), &effects)
    case .received(let topic, let payload, let isRetained):
      receive(topic, payload, isRetained, now, &effects)
    case .firing(let firing):
      if isConnected {
        outgoing.append(Outgoing(firing: firing))
      } else {
        if firing.isUrgent { effects.append(.connect) }
        effects.append(.ended(firing.seq, .failed("there is no connection to the broker")))
      }
    case .daemonConnected:
      daemonLostAt = nil
      setAvailable(true, &effects)
      effects.append(.askLast)
      repetition.daemonReturned()
    case .daemonLost: daemonLostAt = now.steady
    case .feedOpen(let isOpen):
      isFeedOpen = isOpen
      if isOpen { effects += backlog.take(at: now.real).map { .feed($0.report) } }
    case .status(let status): take(status, now, &effects)
    case .last(let firing): setLast(firing, &effects)
    case .presence(let answer): take(presence: answer, &effects)
    case .read(let rows): takeMissed(rows, now, &effects)
    case .tick: break
    }
    proceed(now, &effects)
    return effects
  }

  // MARK: - The daemon

  private mutating func setAvailable(_ isNew: Bool, _ effects: inout [Effect]) {
    guard isNew != isAvailable else { return }
    isAvailable = isNew
    if isConnected { effects.append(.publish(topics.availability(isNew), nil)) }
  }

  private mutating func take(
    _ status: JSONObject, _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    anchor.take(status, at: now.steady)
    let document = Documents.state(status)
    if document != state, isConnected { retain(topics.state, document, &effects) }
    state = document
  }

  mutating func setLast(_ firing: FiringNotice, _ effects: inout [Effect]) {
    // Firings of a backlog are older than the last one.
    if let last, last.json["ledger"] == firing.json["ledger"], last.seq >= firing.seq { return }
    last = firing
    if isConnected { retain(topics.last, document(of: firing), &effects) }
  }

  func document(of firing: FiringNotice, isRepeated: Bool = false) -> String {
    Documents.firing(firing, isRepeated: isRepeated, hasPosition: settings.publishesPosition)
  }

  /// A position for the daemon, now or when it reads again.
  mutating func take(_ position: PhonePosition, _ effects: inout [Effect]) {
    if isFeedOpen {
      effects.append(.feed(position.report))
    } else {
      backlog.add(position)
    }
  }

  // MARK: - Steps

  /// The steps that can be taken, and the time of the next one.
  private mutating func proceed(_ now: ClockReadings, _ effects: inout [Effect]) {
    var times: [Int64] = []
    if let lost = daemonLostAt {
      if now.steady >= lost + Self.daemonGrace {
        daemonLostAt = nil
        setAvailable(false, &effects)
      } else {
        times.append(lost + Self.daemonGrace)
      }
    }
    if isConnected {
      if let document = anchor.publish(at: now.steady) { retain(topics.anchor, document, &effects) }
      if let due = anchor.due { times.append(due) }
      if start.isDeferred, now.steady >= start.next { begin(wasOnline: false, now, &effects) }
      if start.isDeferred { times.append(start.next) }
      if announcements.begins(at: now.steady) { announce(now, &effects) }
      if let due = announcements.due { times.append(due) }
      if inputLimit.ends(at: now.steady) {
        selfTest?.connected(isReading: true)
        subscribe(&effects)
      }
      if inputLimit.level != .all { times.append(inputLimit.end) }
      times += proveFirings(now, &effects)
      if repetition.isActive || outgoing.contains(where: { !$0.isSent }) {
        let isHeld = now.steady < start.heldUntil
        sendFirings(isHeld: isHeld, &effects)
        if isHeld { times.append(start.heldUntil) }
      }
    }
    if let next = times.min() { effects.append(.wake(in: next - now.steady)) }
  }
}
