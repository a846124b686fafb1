import Fleet
import Glibc

/// The queue from the readers of all partitions to the worker.
///
/// Each reader waits until its last batch was taken: so a slow database stops the reading, and the
/// log holds the rest.
final class Inbox: @unchecked Sendable {
  enum Item: Sendable {
    /// The log lacks messages: it was cut, or restored from an older copy. It has these. That ends
    /// the reader.
    case gap(LogError, has: LogSpan)
    case messages([LogMessage])
    case failed(LogError)
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let room = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// By the number of the reader, which no other one ever has.
  private var items: [Int: Item] = [:]
  private var lastNumber = 0

  init() {
    pthread_mutex_init(mutex, nil)
    for condition in [arrival, room] { pthread_cond_init(condition, nil) }
  }

  deinit {
    mutex.deallocate()
    for condition in [arrival, room] { condition.deallocate() }
  }

  /// A number for a reader.
  func register() -> Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    lastNumber += 1
    return lastNumber
  }

  /// Waits until the item before has been taken. Does nothing for a reader that was stopped.
  func put(_ item: Item, from tail: LogTail) {
    let key = tail.number
    pthread_mutex_lock(mutex)
    while items[key] != nil, !tail.isStopped { wait(for: room, microseconds: 100_000) }
    if !tail.isStopped { items[key] = item }
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// Takes all items; waits for the first one for at most so long.
  func take(within microseconds: Int64) -> [Int: Item] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if items.isEmpty { wait(for: arrival, microseconds: microseconds) }
    defer {
      items.removeAll(keepingCapacity: true)
      pthread_cond_broadcast(room)
    }
    return items
  }

  private func wait(for condition: UnsafeMutablePointer<pthread_cond_t>, microseconds: Int64) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let nanoseconds = Int64(time.tv_nsec) + microseconds * 1_000
    time.tv_sec += Int(nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &time)
  }
}

/// Reads one partition on a thread of its own, and begins anew after a failure.
final class LogTail: @unchecked Sendable {
  /// In the inbox. An address would not do: a later reader may have it.
  let number: Int
  private let connection: any LogConnection
  private let partition: Int
  private let inbox: Inbox
  private let span: LogSpan
  /// Of the thread alone.
  private let cursor: LogCursor
  private let acceptsGap: Bool
  /// Written by the worker, read by the thread: a message too many does no harm.
  private var stopped: sig_atomic_t = 0

  init(_ connection: any LogConnection, _ partition: Partition, acceptsGap: Bool, to inbox: Inbox) {
    self.connection = connection
    self.partition = partition.number
    self.inbox = inbox
    number = inbox.register()
    span = partition.span
    self.acceptsGap = acceptsGap
    cursor = LogCursor(connection, partition.number, from: span.start)
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
      guard let pointer else { return nil }
      Unmanaged<LogTail>.fromOpaque(pointer).takeRetainedValue().run()
      return nil
    }
    if pthread_create(&thread, nil, body, box.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      box.release()
    }
  }

  var isStopped: Bool { stopped != 0 }

  func stop() { stopped = 1 }

  private func run() {
    var isWhole = false
    while !isStopped {
      do throws(LogError) {
        if !isWhole {
          let (first, last) = try connection.bounds(of: partition)
          if let gap = span.gap(first: first, last: last) {
            try accept(gap)
            let found = span.within(first: first, last: last)
            return inbox.put(.gap(LogError(gap), has: found), from: self)
          }
          isWhole = true
        }
        let messages = try cursor.fetch()
        if !messages.isEmpty { inbox.put(.messages(messages), from: self) }
      } catch {
        inbox.put(.failed(error), from: self)
        usleep(200_000)
      }
    }
  }

  /// Nothing is decided on a log that lacks messages unless the operator says so.
  private func accept(_ gap: String) throws(LogError) {
    guard !acceptsGap else { return }
    // A newly elected leader may not know its last message yet.
    usleep(1_000_000)
    throw LogError("\(gap). Nothing is decided here without --accept-gap")
  }
}
