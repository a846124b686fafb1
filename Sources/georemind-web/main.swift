import Glibc

exit(WebCommand.run(Array(CommandLine.arguments.dropFirst())))
