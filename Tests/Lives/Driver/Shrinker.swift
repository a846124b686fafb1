import ReferenceModel

/// Makes a life that shows a difference as short as it can be.
package enum Shrinker {
  /// Leaves out actions, then conditions of reminders, as long as some difference stays.
  package static func shrink(_ life: Life) -> Life {
    var life = life
    let fails: (Life) -> Bool = { Run($0).difference != nil }
    var length = 0
    repeat {
      length = life.text.utf8.count
      dropSteps(&life, while: fails)
      dropConditions(&life, while: fails)
    } while life.text.utf8.count < length
    return life
  }

  /// Leaves out runs of actions: half of them, then a quarter, down to single ones. The first fix
  /// stays, for a life begins with a known position.
  private static func dropSteps(_ life: inout Life, while fails: (Life) -> Bool) {
    var size = max(1, life.steps.count / 2)
    while true {
      var place = 1
      while place < life.steps.count {
        var shorter = life
        shorter.steps.removeSubrange(place..<min(place + size, life.steps.count))
        if fails(shorter) { life = shorter } else { place += size }
      }
      guard size > 1 else { return }
      size /= 2
    }
  }

  private static func dropConditions(_ life: inout Life, while fails: (Life) -> Bool) {
    for place in life.steps.indices {
      guard let id = life.steps[place].action.spec?.id else { continue }
      for condition in Condition.allCases {
        var simpler = life
        // No edit changes whom a reminder is about.
        let isOfAll = condition == .who || condition == .several
        for place in isOfAll ? life.steps.indices : place..<place + 1 {
          guard var spec = life.steps[place].action.spec, spec.id == id else { continue }
          condition.remove(from: &spec)
          simpler.steps[place].action.spec = spec
        }
        if simpler.text != life.text, fails(simpler) { life = simpler }
      }
    }
  }
}

extension Life.Action {
  /// Of an addition or an edit; nil for another action.
  fileprivate var spec: ReminderSpec? {
    get {
      switch self {
      case .add(let spec), .edit(let spec): spec
      default: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .add: self = .add(newValue)
      case .edit: self = .edit(newValue)
      default: return
      }
    }
  }
}
