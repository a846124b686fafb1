extension StringProtocol {
  /// A sentence as it goes on behind a colon.
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }

  /// A word as it begins a line.
  var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
