import ArgumentParser
import Companion
import Configuration
import Departure
import Glibc
import Reminders
import Rules
import Storage

/// The rules of a replay: the defaults, or the settings and learnt trips of a machine.
struct ReplayRules: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Decide by the settings of this file and its drop-ins, or of the folder with georemind.conf.",
      valueName: "path"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Travel times by the learnt trips of this database, such as a backup.",
      valueName: "database"), completion: .file())
  var trips: String?

  /// The settings; a wrong line is left out and named.
  func settings(_ context: Context) throws -> EngineSettings {
    guard var path = config else { return EngineSettings() }
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      path += "/georemind.conf"
    }
    do throws(ConfigurationError) {
      let (settings, leftOut) = try EngineSettings.load(path)
      for error in leftOut { try? context.note("left out: \(error)") }
      return settings
    } catch {
      throw Failure(.badConfiguration, "\(error)")
    }
  }

  func experience() throws(Failure) -> TravelExperience {
    guard let trips else { return TravelExperience() }
    do throws(StoreError) {
      return try EngineState.experience(in: trips)
    } catch {
      throw Failure(error)
    }
  }
}
