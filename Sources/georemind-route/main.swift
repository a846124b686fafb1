import Glibc

exit(RouteCommand.run(Array(CommandLine.arguments.dropFirst())))
