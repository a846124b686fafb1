import Glibc

exit(DaemonCommand.run(Array(CommandLine.arguments.dropFirst())))
