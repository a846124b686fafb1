/// Steps of hours and minutes together.
extension RepeatPhrase {
  /// `12h 25min`, `2 hours and 10 minutes`, where all words are such a span of whole minutes.
  mutating func steps() -> RepeatRule? {
    let (minute, longest) = (Int64(60_000_000), Int64(10_000))
    let isOneStep = words.count < 3 && words.last.map { Self.units[$0.lower] != nil } == true
    guard !isOneStep, let span = TimeSpan(clock: Array(words), of: text), span > .zero,
      span.microseconds % minute == 0, span.microseconds / minute <= longest
    else { return nil }
    words = []
    let (hours, minutes) = Int(span.microseconds / minute).quotientAndRemainder(dividingBy: 60)
    return minutes == 0
      ? RepeatRule(.hourly, every: hours) : RepeatRule(.minutely, every: hours * 60 + minutes)
  }
}
