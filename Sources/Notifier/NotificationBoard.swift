import Companion

/// The reminders on the screen, as a state machine: events in, effects out.
///
/// Each reminder has one notification: a new firing replaces it. Without a server, the latest of
/// each reminder waits.
package struct NotificationBoard: Sendable {
  package enum Event: Sendable {
    case fired(Notification, reminder: String)
    /// Fired while nobody was listening: shown unless its reminder is over by now.
    case missed(Notification, reminder: String)
    /// The daemon's answer about a reminder.
    case checked(reminder: String, isOver: Bool)
    case serverCame
    case serverWent
    /// The server's answer to `show`.
    case shown(reminder: String, id: UInt32)
    /// The server runs but refused it.
    case notShown(reminder: String)
    case pressed(id: UInt32, Notification.Button)
    /// The user dismissed it, or it expired.
    case closed(id: UInt32)
    /// The daemon did, or refused, what a button asked for.
    case settled(reminder: String, problem: String?)
    /// Time to check for changes by other programs.
    case tick
  }

  package enum Effect: Equatable, Sendable {
    /// Show it; `shown` or `notShown` answers.
    case show(Notification, reminder: String, replacing: UInt32)
    case close(id: UInt32)
    case complete(reminder: String)
    case snooze(reminder: String)
    /// Ask about it; `checked` answers.
    case check(reminder: String)
  }

  private enum Place: Equatable, Sendable {
    /// Fired long ago: to be asked about first.
    case asking
    /// For a server.
    case waiting
    /// Sent to the server; a newer one may wait behind it.
    case sending(next: Notification?)
    case open(id: UInt32)
  }

  private struct Entry: Sendable {
    var notification: Notification
    var place: Place
    /// Id of the former notification that is still on the screen.
    var replaces: UInt32 = 0
  }

  /// More reminders than this are not kept at a time; the oldest gives way.
  package static let maximumEntries = 64

  private var entries: [String: Entry] = [:]
  /// Reminders in the order they fired.
  private var order: [String] = []
  private var hasServer = false

  package init() {}

  /// Whether anything is on the screen that may be done elsewhere meanwhile.
  package var isShowing: Bool {
    entries.values.contains { if case .open = $0.place { true } else { false } }
  }

  package mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .fired(let notification, let reminder): return add(notification, reminder)
    case .missed(let notification, let reminder):
      // The present entry is newer, or waits for an answer.
      guard entries[reminder] == nil else { return [] }
      insert(Entry(notification: notification, place: .asking), reminder)
      return [.check(reminder: reminder)] + trim()
    case .checked(let reminder, let isOver): return checked(reminder, isOver)
    case .serverCame:
      hasServer = true
      return order.flatMap { send($0) }
    case .serverWent:
      hasServer = false
      // The server's notifications ended with it, and nobody has dismissed them.
      for reminder in order where entries[reminder]?.place != .asking {
        if case .sending(let next?)? = entries[reminder]?.place {
          entries[reminder]?.notification = next
        }
        entries[reminder]?.place = .waiting
        entries[reminder]?.replaces = 0
      }
      return []
    case .shown(let reminder, let id): return shown(reminder, id)
    case .notShown(let reminder):
      guard case .sending(let next)? = entries[reminder]?.place else { return [] }
      guard let next else {
        remove(reminder)
        return []
      }
      entries[reminder]?.notification = next
      entries[reminder]?.place = .waiting
      return send(reminder)
    case .pressed(let id, let button):
      guard let reminder = reminder(of: id) else { return [] }
      return [button == .done ? .complete(reminder: reminder) : .snooze(reminder: reminder)]
    case .closed(let id):
      if let reminder = reminder(of: id) { remove(reminder) }
      return []
    case .settled(let reminder, let problem): return settled(reminder, problem)
    case .tick:
      return order.compactMap { reminder in
        if case .open? = entries[reminder]?.place { .check(reminder: reminder) } else { nil }
      }
    }
  }

  private mutating func add(_ notification: Notification, _ reminder: String) -> [Effect] {
    switch entries[reminder]?.place {
    case .sending?:
      entries[reminder]?.place = .sending(next: notification)
      return []
    case .open(let id)?:
      remove(reminder)
      insert(Entry(notification: notification, place: .waiting, replaces: id), reminder)
    case .asking?, .waiting?, nil:
      remove(reminder)
      insert(Entry(notification: notification, place: .waiting), reminder)
    }
    return send(reminder) + trim()
  }

  private mutating func checked(_ reminder: String, _ isOver: Bool) -> [Effect] {
    switch entries[reminder]?.place {
    case .asking?:
      guard !isOver else {
        remove(reminder)
        return []
      }
      entries[reminder]?.place = .waiting
      return send(reminder)
    case .open(let id)? where isOver:
      remove(reminder)
      return [.close(id: id)]
    default: return []
    }
  }

  private mutating func send(_ reminder: String) -> [Effect] {
    guard hasServer, let entry = entries[reminder], entry.place == .waiting else { return [] }
    entries[reminder]?.place = .sending(next: nil)
    return [.show(entry.notification, reminder: reminder, replacing: entry.replaces)]
  }

  private mutating func shown(_ reminder: String, _ id: UInt32) -> [Effect] {
    guard case .sending(let next)? = entries[reminder]?.place else {
      // It was dropped while the server took it.
      return entries[reminder] == nil ? [.close(id: id)] : []
    }
    entries[reminder]?.place = .open(id: id)
    return next.map { add($0, reminder) } ?? []
  }

  /// A press that came to nothing says so in the same place.
  private mutating func settled(_ reminder: String, _ problem: String?) -> [Effect] {
    guard let entry = entries[reminder] else { return [] }
    guard let problem else {
      remove(reminder)
      if case .open(let id) = entry.place { return [.close(id: id)] }
      return []
    }
    var notification = entry.notification
    notification.body = problem.printable
    return add(notification, reminder)
  }

  private mutating func insert(_ entry: Entry, _ reminder: String) {
    entries[reminder] = entry
    order.append(reminder)
  }

  private mutating func remove(_ reminder: String) {
    if entries.removeValue(forKey: reminder) != nil { order.removeAll { $0 == reminder } }
  }

  private mutating func trim() -> [Effect] {
    guard order.count > Self.maximumEntries, let oldest = order.first else { return [] }
    let entry = entries[oldest]
    remove(oldest)
    if case .open(let id)? = entry?.place { return [.close(id: id)] }
    return []
  }

  private func reminder(of id: UInt32) -> String? {
    entries.first { $0.value.place == .open(id: id) }?.key
  }
}
