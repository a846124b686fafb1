import Companion
import JSONText

/// Firings on their way to the broker.
extension Publisher {
  /// Missed firings come before new ones, and urgent ones before all.
  mutating func sendFirings(isHeld: Bool, _ effects: inout [Effect]) {
    if !isHeld, let step = repetition.next() { effects.append(step) }
    for (index, item) in outgoing.enumerated() where !item.isSent {
      let firing = item.firing
      let isEarly = isHeld && (firing.isUrgent || start.isDoubtful) && !item.isEarly
      guard isEarly || !isHeld && (firing.isUrgent || !repetition.isActive) else { continue }
      outgoing[index].isEarly = item.isEarly || isEarly
      outgoing[index].isSent = !isEarly
      let message = Message(topics.firing, document(of: firing, isRepeated: item.isEarly))
      effects.append(.publish(message, isEarly ? nil : .firing(firing.seq)))
      guard !firing.isTest else { continue }
      if !isEarly {
        let isSame = last?.json["ledger"] == firing.json["ledger"]
        repetition.lastSeq = isSame ? max(repetition.lastSeq, firing.seq) : firing.seq
        if settings.announcesEntities { presence.published(firing.seq) }
      }
      setLast(firing, &effects)
    }
  }

  mutating func end(
    _ token: Token?, _ outcome: Delivery.Outcome, _ effects: inout [Effect]
  ) {
    switch token {
    case .firing(let seq):
      guard let index = outgoing.firstIndex(where: { $0.firing.seq == seq }) else { return }
      outgoing.remove(at: index)
      effects.append(.ended(seq, outcome))
    case .repetition(let seq):
      repetition.acknowledged(seq)
      noteRepetition()
    case nil: break
    }
  }

  mutating func noteRepetition() {
    let (seq, isEnd) = (repetition.after, !repetition.isActive)
    presence.caughtUp(to: seq, isEnd: isEnd)
    selfTest?.caughtUp(to: seq, isEnd: isEnd)
  }
}
