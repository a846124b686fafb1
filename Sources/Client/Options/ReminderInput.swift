import CivilTime
import Companion
import Control
import Interchange
import JSONText
import Reminders

/// Reminders from files, and from the daemon's answers.
enum ReminderInput {
  /// Reads all files; an id may stand only once in all of them together.
  static func read(_ paths: [String], _ context: Context) throws -> ReminderFile.Content {
    var content = ReminderFile.Content()
    var files: [String: String] = [:]
    for path in paths {
      let (name, bytes) = try bytes(path)
      let found: ReminderFile.Content
      do throws(InterchangeError) {
        found = try ReminderFile.parseWhole(bytes, file: name)
      } catch {
        throw Failure(.badData, "\(error)")
      }
      for reminder in found.reminders {
        if let other = files.updateValue(name, forKey: reminder.id) {
          throw Failure(
            .badData, "\(name): the id \"\(reminder.id)\" is in \(other) already; give it another")
        }
      }
      content.reminders += found.reminders
      content.calendar.merge(found.calendar) { $1 }
      for refusal in found.leftOut {
        try context.note("\(name):\(refusal.line): left out: \(refusal.reason)")
      }
    }
    return content
  }

  /// All of a file, and how messages name it.
  static func bytes(_ path: String) throws(Failure) -> (name: String, bytes: [UInt8]) {
    do throws(InterchangeError) {
      let source = try ByteSource(path: path)
      return (source.name, try source.readAll(limit: ReminderFile.maximumSize))
    } catch {
      throw Failure(.noInput, "\(error)")
    }
  }

  /// A reminder from the daemon, without its progress other than the state.
  static func withoutProgress(_ object: JSONObject) -> JSONObject {
    var object = object
    object.remove(GeoremindInterface.addedMembers)
    return object
  }
}
