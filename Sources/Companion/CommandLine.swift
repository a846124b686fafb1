package import ArgumentParser
import LinuxRuntime

extension ParsableCommand {
  /// Runs a service's command line and answers the exit code: help is printed, an error is logged.
  /// - Parameter code: the exit code of an error that is not about the command line.
  package static func run(
    _ arguments: [String], _ log: ServiceLog, code: (any Error) -> Int32? = { _ in nil },
    start: (Self) throws -> Int32
  ) -> Int32 {
    do {
      return try start(parse(arguments))
    } catch {
      if let code = (error as? SystemError).map({ _ in 74 }) ?? code(error) {
        log.write(.error, "\(error)")
        return code
      }
      let code = exitCode(for: error).rawValue
      if code == 0 {
        print(fullMessage(for: error))
      } else {
        let name = configuration.commandName ?? ""
        log.write(.error, "\(message(for: error)); see '\(name) --help'")
      }
      return code
    }
  }
}
