import Companion
import Interchange
import JSONText
import Reminders

/// The polygon or line of a GeoJSON file.
enum RegionFile {
  private static let largest = 16 << 20

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - width: metres from side to side, for a line.
  static func read(_ path: String, width: Double?) throws(Failure) -> Reminder.Area {
    let name = path == "-" ? "standard input" : path
    let bytes: [UInt8]
    do throws(InterchangeError) {
      bytes = try ByteSource(path: path).readAll(limit: largest)
    } catch {
      throw Failure(.noInput, "--region \(error)")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONParser.parse(bytes)
    } catch {
      throw Failure(
        .badData,
        "--region \(name):\(error.line): not GeoJSON at column \(error.column): "
          + "\(error.reason)")
    }
    do throws(ReminderError) {
      return try Reminder.Area(geoJSON: value, width: width)
    } catch {
      switch (error.field, width) {
      case ("width_m", nil):
        throw Failure(.badData, "--region \(name): it is a line; say how wide with --width")
      case ("width_m", _): throw Failure(.badData, "--width: \(error.reason)")
      default: throw Failure(.badData, "--region \(name): \(error)")
      }
    }
  }
}
