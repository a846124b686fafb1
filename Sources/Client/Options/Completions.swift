import ArgumentParser

/// What a shell offers that only the daemon knows. The command runs when somebody presses Tab: it
/// is quick, and silent where no daemon can be reached.
enum Completions {
  static let reminders = words(of: "georemind list --json", member: "id")
  static let categories = words(of: "georemind category list --json", member: "name")

  /// The values of a member that are single words; others a shell would take apart.
  private static func words(of command: String, member: String) -> CompletionKind {
    .shellCommand(
      command + " 2>/dev/null | sed -n 's/^{.*\"" + member + "\":\"\\([^\" ]*\\)\".*/\\1/p'")
  }
}
