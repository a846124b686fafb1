extension StringProtocol {
  /// The text on one line, as names are stored: a run of blanks with a control character or a line
  /// separator in it becomes one blank, or nothing at the ends. Linear in the length of the text.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.breaksLine) else { return String(self) }
    var result = String.UnicodeScalarView()
    var blanks = Substring.UnicodeScalarView()
    func separated() {
      guard blanks.contains(where: \.breaksLine) else { return result.append(contentsOf: blanks) }
      if !result.isEmpty { result.append(" ") }
    }
    for scalar in unicodeScalars {
      if scalar.breaksLine || scalar == " " {
        blanks.append(scalar)
        continue
      }
      separated()
      blanks = .init()
      result.append(scalar)
    }
    if !blanks.contains(where: \.breaksLine) { result.append(contentsOf: blanks) }
    return String(result)
  }
}

extension StringProtocol {
  /// The text on one line without blanks at its ends, as a person means a typed name.
  package var asName: String {
    var rest = Substring(onOneLine)
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}

extension Unicode.Scalar {
  fileprivate var breaksLine: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
  }
}
