package import CivilTime
import Geodesy

/// The ways of a queue's reminders.
extension DepartureQueue {
  /// The way of a reminder by the best source there is; nil before the first position, unless it is
  /// fixed.
  /// - Parameter share: see `TravelPredictor.predict`.
  package func way(
    _ slot: Int32, to goal: TripGoal, fixed: TimeSpan?, share: Double? = nil, at now: Instant
  ) -> Way? {
    if let way = certainWay(to: goal, fixed: fixed) { return way }
    guard let (query, answer) = query(slot, goal, at: now) else { return nil }
    return way(query, answer, predictor.ratio(of: query, share: share), at: now)
  }

  /// The way of an entry; the ratio of its prediction is stored.
  mutating func way(_ slot: Int32, _ entry: DepartureEntry, at now: Instant) -> Way? {
    if let way = certainWay(to: entry.goal, fixed: entry.fixed) { return way }
    guard let (query, answer) = query(slot, entry.goal, at: now) else { return nil }
    let key = DepartureEntry.RatioKey(
      step: TravelPredictor.step(query.distance), answered: answer?.time)
    if let known = entry.ratio, known.key == key { return way(query, answer, known.value, at: now) }
    let ratio = predictor.ratio(of: query)
    change(slot) { $0.ratio = (key, ratio) }
    return way(query, answer, ratio, at: now)
  }

  /// The way that nothing has to be predicted for.
  private func certainWay(to goal: TripGoal, fixed: TimeSpan?) -> Way? {
    let distance = here?.distance(to: goal.vector)
    if let distance, distance <= goal.radius {
      return Way(distance: distance, time: .zero, basis: .there)
    }
    return fixed.map { Way(distance: distance, time: $0, basis: .fixed) }
  }

  private func query(
    _ slot: Int32, _ goal: TripGoal, at now: Instant
  ) -> (TravelQuery, RouteBook.Answer?)? {
    guard let here else { return nil }
    let distance = here.distance(to: goal.vector)
    let answer = answer(slot, at: now)
    let routed = answer.map {
      $0.seconds(predictor.estimator[goal.transport], from: distance)
    }
    return (goal.query(distance: distance, routed: routed), answer)
  }

  private func way(
    _ query: TravelQuery, _ answer: RouteBook.Answer?, _ ratio: TravelPredictor.Ratio,
    at now: Instant
  ) -> Way {
    let trips = ratio.trips
    return Way(
      distance: query.distance, time: TimeSpan(seconds: predictor.base(query) * ratio.ratio),
      basis: answer.map { .routed(age: now - $0.time, trips: trips) }
        ?? (trips > 0 ? .learnt(trips: trips) : .formula))
  }
}
