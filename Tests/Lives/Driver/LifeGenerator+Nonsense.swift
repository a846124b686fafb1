import ReferenceModel

/// Commands that chance or haste gives: for reminders that are done, removed or unknown, twice in
/// one second, or to no effect.
extension LifeGenerator {
  mutating func doNonsense() {
    for _ in 0..<pick([0, 0, 1, 2, 4]) {
      let action = pick(life.steps)
      let time = happens(50) ? moment(from: life.start + 1, to: life.end - 1) : action.time
      switch Int.random(in: 0..<8, using: &random) {
      case 0: life.insert(.done(anyID()), at: time)
      case 1: life.insert(.pop(anyID()), at: time)
      case 2: life.insert(.snooze(anyID(), until: time + pick([-600, 0, 1, 60, 7200])), at: time)
      case 3: life.insert(.snoozeBy(anyID(), pick([60, 600, 7200, 86_400])), at: time)
      case 4: life.insert(.snoozeToNextVisit(anyID()), at: time)
      case 5:
        // The same zone again.
        let zones = life.steps.compactMap { step in
          if step.time <= time, case .zone(let zone) = step.action { zone } else { nil }
        }
        life.insert(.zone(zones.last ?? life.zone), at: time)
      case 6: editTwice(at: time)
      default: life.insert(.remove(anyID()), at: happens(70) ? life.end - 60 : time)
      }
    }
  }

  /// One of the life's reminders, or one that nobody has added.
  private mutating func anyID() -> String {
    happens(5) ? "r9" : pick(life.specs.keys.sorted() + ["r0"])
  }

  /// Two edits in one second, the second of them often back to the first reminder.
  private mutating func editTwice(at time: Moment) {
    let specs = life.specs
    guard let id = specs.keys.sorted().randomElement(using: &random), let spec = specs[id] else {
      return
    }
    let other = edited(spec, at: time)
    life.insert(.edit(other), at: time)
    let last = happens(50) ? spec : edited(other, at: time)
    life.insert(.edit(last), at: time)
  }
}
