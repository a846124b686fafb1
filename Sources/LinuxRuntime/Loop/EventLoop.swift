import CSystemd
import Glibc

/// The program's only loop, over sd-event(3), on one thread.
///
/// Handlers must return soon; deferred sources do long work in turns. Owners keep their sources.
package final class EventLoop {
  private let event: OpaquePointer

  package init() throws(SystemError) {
    var event: OpaquePointer?
    try check(sd_event_new(&event), "create an event loop")
    guard let event else { throw SystemError("create an event loop", code: ENOMEM) }
    self.event = event
  }

  deinit { sd_event_unref(event) }

  /// Serves events until `exit` is called, and returns its code. A loop runs only once.
  package func run() throws(SystemError) -> Int32 {
    try check(sd_event_loop(event), "run the event loop")
  }

  /// Serves at most one event within `timeout` microseconds (negative: no limit); false for none.
  @discardableResult
  package func runOnce(timeout: Int64) throws(SystemError) -> Bool {
    let limit = timeout < 0 ? UInt64.max : UInt64(timeout)
    return try check(sd_event_run(event, limit), "run the event loop") > 0
  }

  /// Ends `run` with that code (0…127) after the exit sources have had their turn.
  package func exit(_ code: Int32) {
    sd_event_exit(event, code)
  }

  /// The time of the present turn, in microseconds: one reading of the clock for all its handlers.
  package func now(_ clock: SystemClock) -> Int64 {
    var time: UInt64 = 0
    guard sd_event_now(event, clock.identifier, &time) >= 0 else { return clock.microseconds }
    return Int64(clamping: time)
  }

  /// Waits for the caller's descriptor: close the source first. Regular files give EPERM (epoll).
  package func addIO(
    _ descriptor: Int32, _ interest: IOEvents, priority: EventPriority = .normal,
    handler: @escaping (IOEvents) -> Void
  ) throws(SystemError) -> IOSource {
    let source = IOSource(handler: handler)
    try source.attach("wait for descriptor \(descriptor)", priority: priority) { place, context in
      sd_event_add_io(
        event, place, descriptor, interest.rawValue,
        { _, _, events, context in
          IOSource.deliver(IOEvents(rawValue: events), to: context)
        }, context)
    }
    return source
  }

  /// A timer on one of the clocks, off until armed.
  /// - Parameter accuracy: how much later than its time it may fire, in microseconds, so that the
  ///   machine can wake once for several timers.
  package func addTimer(
    _ clock: SystemClock, accuracy: Int64 = 1, priority: EventPriority = .normal,
    handler: @escaping (TimerExpiry) -> Void
  ) throws(SystemError) -> TimerSource {
    let source = TimerSource(handler: handler)
    try source.attach("create a timer", priority: priority) { place, context in
      sd_event_add_time(
        event, place, clock.identifier, .max, UInt64(max(1, accuracy)),
        { _, due, context in
          TimerSource.deliver(TimerExpiry(due: Int64(clamping: due)), to: context)
        }, context)
    }
    source.disarm()
    return source
  }

  /// Takes a signal into the loop: it is blocked in this thread while the source lives.
  package func addSignal(
    _ signal: Int32, priority: EventPriority = .normal,
    handler: @escaping (SignalArrival) -> Void
  ) throws(SystemError) -> SignalSource {
    let source = SignalSource(handler: handler)
    try source.attach("wait for signal \(signal)", priority: priority) { place, context in
      sd_event_add_signal(
        event, place, signal | SD_EVENT_SIGNAL_PROCMASK,
        { _, information, context in
          guard let information = information?.pointee else { return 0 }
          let arrival = SignalArrival(
            signal: Int32(clamping: information.ssi_signo),
            sender: Int32(bitPattern: information.ssi_pid))
          return SignalSource.deliver(arrival, to: context)
        }, context)
    }
    return source
  }

  /// Waits for the end of a child process, which stays a zombie until the handler has returned.
  /// SIGCHLD must be blocked in this thread.
  package func addChild(
    _ process: Int32, priority: EventPriority = .normal,
    handler: @escaping (ChildEnd) -> Void
  ) throws(SystemError) -> ChildSource {
    let source = ChildSource(handler: handler)
    try source.attach("wait for process \(process)", priority: priority) { place, context in
      sd_event_add_child(
        event, place, process, WEXITED,
        { _, information, context in
          guard let information = information?.pointee else { return 0 }
          let status = information._sifields._sigchld.si_status
          let end = information.si_code == CLD_EXITED ? ChildEnd.exited(status) : .signalled(status)
          return ChildSource.deliver(end, to: context)
        }, context)
    }
    return source
  }

  /// Calls back in the next turn, or in every turn until turned off; with priority `idle`, only
  /// when nothing else waits.
  package func addDeferred(
    repeating: Bool = false, priority: EventPriority = .normal, handler: @escaping () -> Void
  ) throws(SystemError) -> TurnSource {
    let source = TurnSource { _ in handler() }
    try source.attach("defer work", priority: priority) { place, context in
      sd_event_add_defer(event, place, { TurnSource.deliver(Turn(), to: $1) }, context)
    }
    if repeating { source.isEnabled = true }
    return source
  }

  /// Calls back after each turn in which a source of another kind had something to do.
  package func addFollower(
    priority: EventPriority = .normal, handler: @escaping () -> Void
  ) throws(SystemError) -> TurnSource {
    let source = TurnSource { _ in handler() }
    try source.attach("follow the other sources", priority: priority) { place, context in
      sd_event_add_post(event, place, { TurnSource.deliver(Turn(), to: $1) }, context)
    }
    return source
  }

  /// Watches a file or folder with inotify(7); `mask` holds IN_… flags.
  package func addFileWatch(
    _ path: String, mask: UInt32, priority: EventPriority = .normal,
    handler: @escaping (FileChange) -> Void
  ) throws(SystemError) -> FileWatch {
    let source = FileWatch(handler: handler)
    try source.attach("watch \(path)", priority: priority) { place, context in
      sd_event_add_inotify(
        event, place, path, mask,
        { _, change, context in
          guard let change else { return 0 }
          return FileWatch.deliver(FileChange(change), to: context)
        }, context)
    }
    return source
  }

  /// Attaches an sd-bus(3) connection to the loop.
  func attach(_ bus: OpaquePointer, _ action: @autoclosure () -> String) throws(SystemError) {
    try check(sd_bus_attach_event(bus, event, 0), action())
  }
}

extension FileChange {
  /// Copies the kernel's record; its name follows the fixed part and is padded with NULs.
  fileprivate init(_ event: UnsafePointer<inotify_event>) {
    let length = Int(event.pointee.len)
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(event) + MemoryLayout<inotify_event>.size, count: length)
    self.init(
      mask: event.pointee.mask, name: String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
  }
}
