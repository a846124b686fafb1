import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage

/// Firings, phones and the status, to the clients that watch them.
extension ControlServer {
  /// News of a stream.
  enum News {
    case firing(LedgerEntry)
    /// In the form of a firing, for destinations alone.
    case destination(JSONObject)
    /// Of `watchPhones`: a phone was added or revoked.
    case phones
  }

  /// One firing to all who watch.
  func announce(_ firing: LedgerEntry) {
    announce(.firing(firing))
    note("firings", [firing.firing.reminderID])
  }

  func announce(_ news: News) {
    unreported.append(news)
    sendFirings()
  }

  func sendFirings() {
    guard !isAnswering, !isSending else { return }
    isSending = true
    defer { isSending = false }
    // A push may let a waiting call go on, which may bring about another firing.
    while !unreported.isEmpty {
      let next = unreported.removeFirst()
      let watchers = clients.values.filter { client in
        switch next {
        case .firing: client.watches == .watchFirings
        case .destination: client.watches == .watchFirings && client.isDestination
        case .phones: client.watches == .watchPhones
        }
      }
      guard !watchers.isEmpty else { continue }
      let news: (Client) -> JSONObject
      switch next {
      case .firing(let entry):
        let firing: JSONObject = ["firing": .object(daemon.json(of: entry))]
        news = { _ in firing }
      case .destination(let firing): news = { _ in ["firing": .object(firing)] }
      case .phones: news = { [daemon] in daemon.phoneNews(for: Caller($0.stream.peer)) }
      }
      for client in watchers { carryOut(client.protocolState.push(news(client)), for: client) }
    }
  }

  /// A client begins to watch: whatever happens from now on may be news.
  func watchTurns() {
    (watchedTurns.isEnabled, hasChecked) = (true, false)
    if !laterTimer.isEnabled { laterTimer.arm(in: Self.restInterval) }
  }

  /// The daemon did something: the status and the places may be other ones, and are checked once
  /// a second at most.
  func noteTurn() {
    if hasChecked {
      hasChecked = false
    } else if !statusTimer.isEnabled {
      let next = checkedAt + Self.checkInterval - loop.now(.monotonic)
      statusTimer.arm(in: max(next, Self.checkDelay))
    }
  }

  /// Between two checks, microseconds.
  private static let checkInterval: Int64 = 1_000_000
  /// After an event, of which others may follow, microseconds.
  private static let checkDelay: Int64 = 20_000
  /// Between two checks where nothing happens, microseconds: hours of quiet begin by themselves.
  private static let restInterval: Int64 = 60_000_000

  func checkStatus() {
    checkedAt = loop.now(.monotonic)
    pushStatus()
    let wait = pushPresence()
    watchedTurns.isEnabled = clients.values.contains {
      $0.watches == .watchStatus || $0.watches == .watchPresence
    }
    hasChecked = watchedTurns.isEnabled
    if watchedTurns.isEnabled { laterTimer.arm(in: wait) } else { laterTimer.disarm() }
  }

  /// Sends a changed status to its watchers.
  func pushStatus() {
    let watchers = clients.values.filter { $0.watches == .watchStatus }
    guard !watchers.isEmpty else { return }
    let status = daemon.statusJSON
    let news = news(in: status)
    for client in watchers where client.lastStatus != news {
      client.lastStatus = news
      carryOut(client.protocolState.push(["status": .object(status)]), for: client)
    }
    sendFirings()
  }

  /// Sends the places of the trackers that have changed, and positions to the clients that asked
  /// for them.
  /// - Returns: microseconds until the next check, if nothing happens before.
  @discardableResult
  func pushPresence() -> Int64 {
    var next = Self.restInterval
    let watchers = clients.values.filter { $0.watches == .watchPresence }
    for client in watchers {
      // The next check may read what a failing store refuses now.
      guard let caller = try? caller(client), let news = try? daemon.presence(for: caller) else {
        next = Self.checkInterval
        continue
      }
      let interval = client.protocolState.openCall?.parameters["interval_s"]?.double
      let mark = PresenceMark(news)
      guard let wait = mark.wait(after: client.presence, interval: interval) else { continue }
      guard wait <= 0 else {
        next = min(next, wait)
        continue
      }
      client.presence = mark
      carryOut(client.protocolState.push(news), for: client)
    }
    sendFirings()
    return next
  }

  /// The status without the values that change as time passes.
  func news(in status: JSONObject) -> String {
    var status = status
    status["time"] = nil
    status["memory_bytes"] = nil
    if var fix = status["fix"]?.object {
      fix["age_s"] = nil
      status["fix"] = .object(fix)
    }
    if let feeds = status["feeds"]?.array {
      status["feeds"] = .array(
        feeds.map { feed in
          var feed = feed.object ?? JSONObject()
          for name in ["condition", "retry_in_s", "fix_age_s", "receivers"] { feed[name] = nil }
          return .object(feed)
        })
    }
    return JSONValue.object(status).line
  }
}
