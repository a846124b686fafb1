import Glibc
import LinuxRuntime

extension Feed {
  /// The descriptor can be read or written, or hung up.
  func isReady(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    guard !isPaused, events.subtracting(.writable) != [], let channel else { return }
    if channel.kind == .datagrams {
      readDatagrams(channel)
    } else {
      readStream(channel, events)
    }
  }

  /// Limit of one turn's read from a live feed, in bytes: some seconds of output. Each fix may cost
  /// a commit, and clients wait.
  private static let maximumTurn = 4096

  /// One read a turn: the loop comes back while there is more, after serving what else is ready.
  private func readStream(_ channel: FeedChannel, _ events: IOEvents) {
    let count = read(
      channel.descriptor.raw, buffer.baseAddress, min(buffer.count, Self.maximumTurn))
    if count > 0 {
      shareTurns(isFlooded: count == Self.maximumTurn)
      return deliver(count)
    }
    if count == 0 { return hungUp() }
    switch errno {
    case EINTR: break
    case EAGAIN:
      // No data and no writer: epoll would report it repeatedly.
      if !events.isDisjoint(with: [.hangUp, .error]) { hungUp() }
    case EIO, ENXIO: hungUp()
    case let code: lose("cannot read: \(errorText(code))")
    }
  }

  /// Live data comes before clients. A feed that fills its turn shares the turns with them.
  private func shareTurns(isFlooded: Bool) {
    source?.setPriority(isFlooded ? .background : .normal)
  }

  /// Reads up to 32 datagrams a turn and four times the bytes of a stream: enough to take a burst
  /// before the kernel drops it, without blocking the loop in a flood.
  private func readDatagrams(_ channel: FeedChannel) {
    var taken = 0
    var isFlooded = true
    defer { shareTurns(isFlooded: isFlooded) }
    for _ in 0..<32 where taken < 4 * Self.maximumTurn {
      if let (count, origin) = datagrams.receive(from: channel.descriptor.raw, into: buffer) {
        guard count > 0 else { continue }
        taken += count
        // Others on the port prove nothing, not even that the sender lives.
        if let sender = url.sender, !origin.isFrom(sender) {
          datagramsOfOthers &+= 1
          continue
        }
        arrived(count)
        handlers.onDatagram(received(count), origin)
        guard self.channel === channel, !isPaused else { return }
      } else {
        isFlooded = false
        let code = errno
        if code == EINTR { continue }
        // ENETDOWN is reported once; the socket receives again when the network is back.
        if code != EAGAIN, code != ENETDOWN, code != ECONNREFUSED {
          lose("cannot receive: \(errorText(code))")
        }
        return
      }
    }
  }

  /// A piece of a file, in an idle turn.
  func readChunk() {
    guard let channel else { return }
    do throws(RecordingError) {
      guard let count = try channel.recording.read(into: buffer) else { return }
      if count > 0 { deliver(count) } else { hungUp() }
    } catch .system(EAGAIN) {
    } catch {
      lose(error.description)
    }
  }

  private func deliver(_ count: Int) {
    arrived(count)
    isUnderstood = false
    handlers.onBytes(received(count))
    if hunt != nil, !isUnderstood, state == .open { huntOn(count) }
  }

  private func received(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
  }

  private func arrived(_ count: Int) {
    quietSince = loop.now(.bootTime)
    lastArrival = quietSince
    bytesReceived &+= count
    if isSilent { watchSilence() }
  }
}
