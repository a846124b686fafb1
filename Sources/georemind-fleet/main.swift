import ArgumentParser
import Companion
import Glibc

signal(SIGPIPE, SIG_IGN)
do {
  var command = try FleetCommand.parseAsRoot()
  try command.run()
} catch {
  FleetCommand.exit(withError: error)
}
