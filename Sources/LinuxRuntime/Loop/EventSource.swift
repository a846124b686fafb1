import CSystemd
import Glibc

/// A source of events: the loop calls `handler` with each `Event`.
///
/// The owner keeps the source; it ends with its last reference or with `close()`, even from its own
/// handler. Closing releases the handler, so a reference to the owner makes no lasting cycle.
package final class EventSource<Event> {
  private var source: OpaquePointer?
  private var handler: ((Event) -> Void)?

  init(handler: @escaping (Event) -> Void) { self.handler = handler }

  deinit { close() }

  /// Stops the events permanently; may be repeated.
  package func close() {
    handler = nil
    guard let source else { return }
    self.source = nil
    sd_event_source_disable_unref(source)
  }

  /// Whether events arrive; a closed source stays off.
  package var isEnabled: Bool {
    get {
      var state: Int32 = 0
      guard let source, sd_event_source_get_enabled(source, &state) >= 0 else { return false }
      return state != 0
    }
    set { setState(newValue ? 1 : 0) }
  }

  /// Sets the order among pending sources.
  package func setPriority(_ priority: EventPriority) {
    guard let source else { return }
    sd_event_source_set_priority(source, priority.rawValue)
  }

  /// Adds the source to a loop by a `sd_event_add_…` call with its pointer and context.
  func attach(
    _ action: @autoclosure () -> String, priority: EventPriority,
    by add: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
  ) throws(SystemError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var added: OpaquePointer?
    let result = add(&added, context)
    guard result >= 0 else {
      handler = nil
      throw SystemError(action(), code: 0 &- result)
    }
    source = added
    setPriority(priority)
  }

  /// Calls a source's handler. The reference keeps the source alive while the handler drops it.
  static func deliver(_ event: Event, to context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let source = Unmanaged<EventSource<Event>>.fromOpaque(context).takeUnretainedValue()
    let handler = source.handler
    handler?(event)
    return 0
  }

  /// 0 off, 1 on, -1 once: sd-event's SD_EVENT_OFF, SD_EVENT_ON, SD_EVENT_ONESHOT.
  fileprivate func setState(_ state: Int32) {
    guard let source else { return }
    sd_event_source_set_enabled(source, state)
  }

  fileprivate func withSource(_ body: (OpaquePointer) -> Void) {
    if let source { body(source) }
  }
}

/// Order among sources that are ready at the same time: smaller first.
package struct EventPriority: RawRepresentable, Equatable, Sendable {
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static let first = EventPriority(rawValue: -200)
  package static let important = EventPriority(rawValue: -100)
  package static let normal = EventPriority(rawValue: 0)
  package static let background = EventPriority(rawValue: 50)
  package static let idle = EventPriority(rawValue: 100)
}

/// Events of a file descriptor: the flags of epoll(7).
package struct IOEvents: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
  package static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
  /// Reported whether asked for or not.
  package static let error = IOEvents(rawValue: EPOLLERR.rawValue)
  /// Reported whether asked for or not.
  package static let hangUp = IOEvents(rawValue: EPOLLHUP.rawValue)
}

/// A timer ran out.
package struct TimerExpiry: Sendable {
  /// When it was due, on its own clock, in microseconds.
  package let due: Int64
}

/// A signal came.
package struct SignalArrival: Sendable {
  package let signal: Int32
  /// The sender, 0 when the kernel sent it.
  package let sender: Int32
}

/// A child process has ended: with an exit code, or by a signal.
package enum ChildEnd: Equatable, Sendable {
  case exited(Int32)
  case signalled(Int32)
}

/// Something happened to a watched file or folder: inotify(7).
package struct FileChange: Sendable {
  /// The IN_… flags.
  package let mask: UInt32
  /// The name inside a watched folder; empty when the watched path itself changed.
  package let name: String
}

/// The loop reached a deferred, idle or exit source.
package struct Turn: Sendable {}

package typealias IOSource = EventSource<IOEvents>
package typealias TimerSource = EventSource<TimerExpiry>
package typealias SignalSource = EventSource<SignalArrival>
package typealias ChildSource = EventSource<ChildEnd>
package typealias FileWatch = EventSource<FileChange>
package typealias TurnSource = EventSource<Turn>

extension EventSource where Event == IOEvents {
  /// Sets the events to wait for. Errors and hang-up come even for an empty set; turn the source
  /// off to stop them.
  package func setInterest(_ interest: IOEvents) {
    withSource { sd_event_source_set_io_events($0, interest.rawValue) }
  }
}

extension EventSource where Event == TimerExpiry {
  /// Fires once at that time of the timer's clock, in microseconds; at once when it is past.
  package func arm(at due: Int64) {
    withSource { sd_event_source_set_time($0, UInt64(max(0, due))) }
    setState(-1)
  }

  /// Fires once that many microseconds from now.
  package func arm(in delay: Int64) {
    withSource { sd_event_source_set_time_relative($0, UInt64(max(0, delay))) }
    setState(-1)
  }

  /// Fires no more until armed again.
  package func disarm() { setState(0) }
}

extension EventSource where Event == Turn {
  /// Asks for one more turn.
  package func again() { setState(-1) }
}
