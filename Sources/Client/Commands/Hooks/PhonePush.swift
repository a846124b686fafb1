import Bytes
import Companion
import Configuration
import JSONText

/// The way back to a phone: a hook that sends firings to the app ntfy, with Done and Snooze.
struct PhonePush {
  /// The name of the hook, which is the phone's in small letters.
  let hook: String
  private let phone: String
  private let server: String
  /// Nobody can guess it. Its knowledge is the right to read the messages.
  private let topic = "georemind-" + SecretToken.random().prefix(22)

  /// - Throws: `Failure` for a server that is no address, and a name that no hook can have.
  init(phone: String, server: String) throws(Failure) {
    let hook = phone.lowercased()
    guard HookInstallation.isName(hook) else {
      throw Failure(.usage, "a phone with --push has the name of a hook: \(HookInstallation.rule)")
    }
    guard WebSettings.isAddress(server) else {
      throw Failure(.usage, "--server=\(server) is no address such as https://ntfy.sh")
    }
    (self.hook, self.phone, self.server) = (hook, phone, server)
  }

  /// The link by which the buttons act.
  static func link(of phone: String) -> String { "push-\(phone)" }

  /// The topic, as a browser opens it.
  var url: String { "\(server)/\(topic)" }

  /// The topic, as the app subscribes to it (docs.ntfy.sh, "ntfy:// links").
  var subscription: String {
    let host = server.drop { $0 != "/" }.dropFirst(2)
    return "ntfy://\(host)/\(topic)" + (server.hasPrefix("http://") ? "?secure=false" : "")
  }

  /// Makes the link and the hook.
  func install(
    _ recipe: HookRecipe, in installation: HookInstallation, web: WebAddress, user: JSONValue?,
    isAddressed: Bool, _ connection: DaemonConnection
  ) throws {
    let answer = try connection.call(
      "MakeLink",
      JSONObject([
        "name": .string(Self.link(of: phone)), "only_answers": true, "user": user,
      ]))
    let script = try recipe.filled([
      "url": url, "web": web.text, "link": answer["token"]?.string ?? "",
    ])
    try installation.add(hook, script: script, isAddressed: isAddressed)
  }
}
