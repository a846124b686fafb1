import LinuxRuntime

extension Feed {
  /// The speed that a serial line is set to, in baud; nil for other feeds.
  package var baud: Int? {
    hunt?.speed ?? url.line?.baud
  }

  /// Whether the speed of a serial line is still to be found.
  package var isHunting: Bool { hunt.map { !$0.isConfirmed } ?? false }

  /// Reports valid data, which ends the hunt for a serial line's speed. Call at least once per call
  /// of `onBytes` with valid data.
  package func confirmSpeed() {
    guard hunt != nil else { return }
    isUnderstood = true
    if hunt?.isConfirmed == false { huntTimer?.disarm() }
    hunt?.confirm()
  }

  func openLine(_ path: String, baud: Int?) throws(SystemError) -> FeedChannel {
    let line = FeedChannel(try SerialPort.open(path), .terminal)
    if hunt != nil {
      hunt?.begin(leftAt: SerialPort.speed(of: line.descriptor, among: SpeedHunt.speeds))
    }
    if let baud = hunt?.speed ?? baud {
      try SerialPort.setSpeed(of: line.descriptor, path, to: baud)
    }
    return line
  }

  /// Bytes came over a line whose speed nobody gave, and nobody understood them.
  func huntOn(_ count: Int) {
    let step = hunt?.took(count, at: loop.now(.bootTime))
    if let step { take(step) }
  }

  func huntTimeIsUp() {
    guard state == .open else { return }
    let step = hunt?.timeIsUp(at: loop.now(.bootTime))
    if let step { take(step) }
  }

  private func take(_ step: SpeedHunt.Step) {
    switch step {
    case .none: break
    case .wait(let time): huntTimer?.arm(at: time)
    case .change:
      guard let channel, let hunt, let path = url.line?.path else { return }
      do throws(SystemError) {
        try SerialPort.setSpeed(of: channel.descriptor, path, to: hunt.speed)
      } catch {
        lose(error.description)
      }
    }
  }

  /// A lost line is opened again as soon as its name is back.
  func awaitLine() {
    guard let path = url.line?.path, pathWatch == nil else { return }
    pathWatch = PathWatch(path, for: .appearance, loop: loop) { [unowned self] in retrySoon() }
  }
}
