package import ArgumentParser
import LinuxRuntime

extension ParsableCommand {
  /// Runs a service's command line and answers the exit code: help is printed, an error is logged.
  /// - Parameter status: of an error that is not about the command line; nil for other errors.
  package static func run(
    _ arguments: [String], _ log: ServiceLog, status: (any Error) -> ExitStatus? = { _ in nil },
    start: (Self) throws -> Int32
  ) -> Int32 {
    do {
      return try start(parse(arguments))
    } catch {
      if let status = error is SystemError ? .ioError : status(error) {
        log.write(.error, "\(error)")
        return status.rawValue
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
