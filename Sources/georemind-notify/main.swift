import Glibc

exit(NotifyCommand.run(Array(CommandLine.arguments.dropFirst())))
