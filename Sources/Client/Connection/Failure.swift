import ArgumentParser
import CivilTime
package import Companion
import Control
import Geodesy
import Glibc
import Interchange
import JSONText
import LinuxRuntime
import Reminders

/// A failed verb: a sentence for people and the exit code.
package struct Failure: Error, Equatable, CustomStringConvertible {
  package let status: ExitStatus
  package let description: String

  package init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }

  /// Code and message for an error; nil for errors of the argument parser.
  package init?(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as UnknownName: self.init(.badData, error.description)
    case let error as VarlinkError: self.init(Self.status(of: error), error.description)
    case let error as SystemError:
      let isDenied = error.code == EACCES || error.code == EPERM
      self.init(isDenied ? .noPermission : .unavailable, error.description)
    case let error as VarlinkProtocolError:
      self.init(.software, "the daemon's answer cannot be understood: \(error)")
    case is CoordinateError, is LengthError, is TimeStampError, is TimeSpanError, is ClockError,
      is RepeatRuleError, is TimeZoneError, is ReminderError, is JSONError, is InterchangeError:
      self.init(.badData, "\(error)")
    default: return nil
    }
  }

  private static func status(of error: VarlinkError) -> ExitStatus {
    switch GeoremindError(error) {
    case .notFound, .ambiguous, .invalidReminder, .inUse, .alreadyExists, .wrongState,
      .changedSince:
      .badData
    case .storeFailure: .ioError
    case .refusedByPolicy, .invalidLink: .noPermission
    case nil:
      switch VarlinkServiceError(error) {
      case .permissionDenied: .noPermission
      case .invalidParameter: .badData
      default: .software
      }
    }
  }
}
