/// The exit codes of the programs: codes of sysexits.h, and 1.
package enum ExitStatus: Int32, Sendable {
  /// A query without an answer.
  case noAnswer = 1
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case cannotCreate = 73
  case ioError = 74
  case noPermission = 77
  case badConfiguration = 78
}
