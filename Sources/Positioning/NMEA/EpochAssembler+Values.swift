/// The values of sentences, for the open epoch or the next one.
extension EpochAssembler {
  mutating func update(_ change: (inout Epoch) -> Void) { change(&current) }

  /// Applies speed and track of a sentence without a time; NaN if it says that there are none.
  ///
  /// Some bursts have this sentence before the first time, where a recording shows it at the end of
  /// the previous burst. If the open epoch already has one from before its first time, the next one
  /// is stored for the following epoch; a second one shows that both belong to this epoch.
  mutating func setMotion(speed: Double, track: Double) {
    guard isOpen, !isStale, current.hasMotionAhead else {
      updateUntimed { $0.setMotion(speed, track) }
      return
    }
    if pending.saysMotion {
      pending.speed = .nan
      pending.track = .nan
      pending.saysMotion = false
      current.hasMotionAhead = false
      current.untimed.setMotion(speed, track)
    } else {
      pending.setMotion(speed, track)
    }
  }

  mutating func updateUntimed(_ change: (inout Untimed) -> Void) {
    if isOpen {
      if !isStale { change(&current.untimed) }
    } else if !isStale {
      change(&pending)
    }
  }
}
