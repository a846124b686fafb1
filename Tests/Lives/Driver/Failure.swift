import ReferenceModel

/// The report of a life in which the engine and the model differ.
package struct Failure {
  private let life: Life

  package init(_ life: Life) { self.life = life }

  /// The seed, the reminder, the first difference, and the fewest actions that show it.
  package var text: String {
    let shortest = Shrinker.shrink(life)
    let run = Run(shortest)
    guard let difference = run.difference else { return "seed \(life.seed): no difference" }
    let spec = run.accepted.last { $0.id == difference.id }
    let clock = run.model.zone.local(at: difference.time).text
    return """
      seed \(life.seed): the model and the engine differ at \(clock)
        reminder: \(spec?.json ?? "none")
        the model: \(difference.model)
        the engine: \(difference.engine)
      \(shortest.text)
      """
  }
}
