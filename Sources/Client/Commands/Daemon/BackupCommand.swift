import ArgumentParser
import Companion
import Glibc
import JSONText
import Storage

/// A copy of the daemon's database.
struct BackupCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the daemon's database to a new file, while the daemon runs.",
    discussion: """
      The copy holds reminders, places and the ledger of firings at one moment. To restore it, \
      stop the daemon, replace georemind.db with the copy, remove the files georemind.db-wal and \
      georemind.db-shm, give the copy to the daemon's user, and start the daemon. Only root can \
      read the database of the system's service.
      """)

  @Argument(help: "The file to write; it must not exist.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("The folder of the daemon's database.", valueName: "dir"),
    completion: .directory)
  var stateDirectory: String?
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let named = options.socket ?? context.environment["GEOREMIND_SOCKET"] ?? ""
    guard stateDirectory != nil || named.isEmpty else {
      throw ValidationError(
        "which database belongs to a named socket is not known; name its folder with "
          + "--state-directory")
    }
    let path = database
    do throws(StoreError) {
      try Backup.write(path, to: file, at: context.now)
    } catch {
      throw Failure(error)
    }
    if options.json {
      try context.output.line(["database": .string(path), "copy": .string(file)])
    } else {
      try context.note("copied \(path) to \(file)")
    }
  }

  /// The database of the user's own service if it exists, else of the system's.
  private var database: String {
    let name = "georemind.db"
    if let stateDirectory { return "\(stateDirectory)/\(name)" }
    let own = ServiceFolders().stateDirectory.map { "\($0)/\(name)" }
    guard let own, access(own, F_OK) == 0 else { return "/var/lib/georemind/\(name)" }
    return own
  }
}

extension Failure {
  init(_ error: StoreError) {
    let status: ExitStatus =
      switch error {
      case .file(let failure) where failure.operation == "create": .cannotCreate
      case .foreign, .newer, .unreleased: .badData
      case .sqlite(let failure) where failure.isUnopened: .noInput
      default: .ioError
      }
    self.init(status, error.description)
  }
}
