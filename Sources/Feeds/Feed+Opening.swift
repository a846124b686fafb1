import Glibc
import LinuxRuntime

/// Opens a URL's channel.
extension Feed {
  func timeIsUp() {
    if let geoClue, state == .connecting || geoClue.failure != nil {
      return geoClueTimeIsUp(geoClue)
    }
    switch state {
    case .connecting where lookUp != nil:
      lose("the name of its host was not found within \(options.connectTimeout / 1_000_000) s")
    case .connecting where channel != nil:
      closeChannel()
      connectNext(after: silence(of: connecting))
    case .connecting, .waiting:
      state = .connecting
      open()
    case .open: checkSilence()
    case .closed, .ended, .failed: break
    }
  }

  func open() {
    if let channel = adopted {
      adopted = nil
      return opened(channel)
    }
    do {
      switch url.opening {
      case .host(let host, let port):
        if let known = SocketAddress.known(host, port: port) {
          addresses = known[...]
          connectNext(after: "the host '\(host)' has no address")
        } else {
          try beginLookUp(of: host, port: port)
        }
      case .socket(let path):
        addresses = [try SocketAddress(unixPath: path)]
        connectNext(after: "")
      case .call(let body): opened(try body(self))
      case .begin(let body): try body(self)
      }
    } catch {
      lose(error.description)
    }
  }

  /// A UDP socket with room for a burst.
  func openDatagrams(
    host: String, port: UInt16, interface: String?
  ) throws(SystemError) -> FeedChannel {
    let channel = try FeedChannel.datagrams(host: host, port: port, interface: interface)
    receiveBuffer = channel.enlargeReceiveBuffer(to: Self.wantedReceiveBuffer)
    datagrams = DatagramReceiver()
    return channel
  }

  private func beginLookUp(of host: String, port: UInt16) throws(SystemError) {
    lookUp = try HostLookUp(host, port: port, program: options.resolver, loop: loop) {
      [unowned self] result in
      lookUp = nil
      switch result {
      case .success(let found):
        addresses = found[...]
        connectNext(after: "the host '\(host)' has no address")
      case .failure(let error): lose(error.description)
      }
    }
    timer?.arm(in: options.connectTimeout)
  }

  /// Tries the addresses in turn, without waiting for any.
  private func connectNext(after failure: String) {
    var failure = failure
    while let address = addresses.popFirst() {
      do {
        let (descriptor, isDone) = try FeedChannel.connect(
          to: address, isService: options.isService)
        let channel = FeedChannel(descriptor, .socket)
        if isDone { return opened(channel) }
        self.channel = channel
        connecting = address
        source = try loop.addIO(descriptor.raw, .writable) { [unowned self] _ in
          self.connectionIsMadeOrRefused(address)
        }
        timer?.arm(in: options.connectTimeout)
        return
      } catch {
        failure = error.description
        closeChannel()
      }
    }
    lose(failure)
  }

  private func connectionIsMadeOrRefused(_ address: SocketAddress) {
    guard let channel else { return }
    source?.close()
    source = nil
    let code = channel.pendingError()
    if code == 0 { return opened(channel) }
    closeChannel()
    let failure = FeedChannel.connectFailure(address, code: code, isService: options.isService)
    connectNext(after: failure.description)
  }

  /// Why a host has not answered.
  private func silence(of address: SocketAddress?) -> String {
    let text = "no answer within \(options.connectTimeout / 1_000_000) s"
    guard let address, address.family != AF_UNIX, options.isRefused(address) else { return text }
    return "\(text): \(Sandbox.remedy(isService: options.isService))"
  }

  func opened(_ channel: FeedChannel) {
    self.channel = channel
    pathWatch?.close()
    pathWatch = nil
    do throws(SystemError) {
      try listen(to: channel)
    } catch {
      return lose(error.description)
    }
    state = .open
    openedAt = options.clock()
    quietSince = loop.now(.bootTime)
    probedAfter = nil
    updateInterest()
    watchSilence()
    if channel.kind == .socket { channel.keepAlive() }
    greet()
    handlers.onOpen()
  }

  /// Reads on events, or in turns if the channel is always ready.
  private func listen(to channel: FeedChannel) throws(SystemError) {
    if channel.kind != .chunks {
      do throws(SystemError) {
        source = try loop.addIO(channel.descriptor.raw, .readable) { [unowned self] events in
          self.isReady(events)
        }
        return
      } catch {
        // epoll refuses files that never block, such as /dev/null.
        guard error.code == EPERM else { throw error }
        channel.kind = .chunks
      }
    }
    chunks = try loop.addDeferred(repeating: true, priority: .idle) { [unowned self] in
      self.readChunk()
    }
  }
}
