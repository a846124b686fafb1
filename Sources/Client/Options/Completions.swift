import ArgumentParser

/// Shell completions that need the daemon. The command must be quick, and silent without a daemon.
enum Completions {
  static let reminders = words(of: "georemind list --json", member: "id")
  static let categories = words(of: "georemind category list --json", member: "name")

  /// The values of a member that are single words; others a shell would take apart.
  private static func words(of command: String, member: String) -> CompletionKind {
    .shellCommand(
      command + " 2>/dev/null | sed -n 's/^{.*\"" + member + "\":\"\\([^\" ]*\\)\".*/\\1/p'")
  }
}
