import ArgumentParser
import Companion
import Glibc
import Interchange
import JSONText
import LinuxRuntime

/// A form in the user's editor. As in `visudo`, an error is shown above its line to edit again.
struct FormSession {
  let form: ReminderForm
  let editor: Editor
  let context: Context

  /// - Parameter apply: gets the arguments for `edit`.
  /// - Returns: the answer of `apply`; nil without a change.
  func run(_ apply: ([String]) throws -> JSONObject) throws -> JSONObject? {
    let file = try FormFile(folder: context.environment["TMPDIR"])
    var text = form.text
    var refused: String?
    while true {
      try file.write(text)
      try editor.open(file.path)
      let edited = try file.read()
      let problem: (message: String, line: Int?)
      do {
        let settings = try ReminderForm.settings(in: edited)
        let arguments = form.arguments(for: settings)
        guard !arguments.isEmpty else {
          file.remove()
          return nil
        }
        let answer = try apply(arguments)
        file.remove()
        return answer
      } catch let fault as ReminderForm.Fault {
        problem = (fault.description, fault.line)
      } catch {
        let message = Failure(error)?.description ?? GeoremindCommand.message(for: error)
        problem = (message, ReminderForm.line(of: message, in: edited))
      }
      // Saving the same refused text again ends the session.
      if edited == refused {
        throw Failure(
          .badData, "\(problem.message); nothing was changed, your text is in \(file.path)")
      }
      text = Self.marked(edited, problem.message, at: problem.line)
      refused = text
    }
  }

  private static let mark = "#! "

  /// The text with the error above its line, and without the one of before.
  static func marked(_ text: String, _ message: String, at line: Int?) -> String {
    var lines: [Substring] = []
    let target = max(1, line ?? 1)
    let old = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, content) in old.enumerated() {
      if index + 1 == target { lines.append("\(mark)\(message.printable)") }
      if !content.hasPrefix(mark) { lines.append(content) }
    }
    return lines.joined(separator: "\n")
  }
}

/// The file that the editor opens, for its user's eyes alone.
private final class FormFile {
  let path: String
  private static let largest = 1 << 20

  init(folder: String?) throws(SystemError) {
    let folder = folder.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    // The ending has editors show remarks as such.
    var template = Array("\(folder)/georemind-XXXXXX.conf".utf8CString)
    let descriptor = mkstemps(&template, 5)
    guard descriptor >= 0 else {
      throw SystemError("make a file in \(folder)", code: errno, remedy: "set TMPDIR")
    }
    close(descriptor)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func write(_ text: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("write \(path)", code: errno) }
    defer { close(descriptor) }
    try Descriptors.write(text, to: descriptor, "write \(path)")
  }

  func read() throws -> String {
    String(decoding: try ByteSource(path: path).readAll(limit: Self.largest), as: UTF8.self)
  }

  func remove() { unlink(path) }
}
