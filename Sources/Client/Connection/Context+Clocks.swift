import CivilTime
import Control
import JSONText
import Reminders

extension Context {
  /// The clocks by which a document was typed, for the daemon; nil where it has no time without a
  /// zone.
  func clocks(of document: JSONObject) throws(Failure) -> JSONValue? {
    let own = try zone()
    var clocks: JSONObject = ["zone": .string(own.name)]
    for name in GeoremindInterface.clockMembers {
      guard
        case .floating(let local)? = document[name]?.string
          .flatMap({ try? TimeStamp(parsing: $0) })
      else { continue }
      clocks[name] = .string(own.instant(of: local).json)
    }
    return clocks.members.count > 1 ? .object(clocks) : nil
  }
}
