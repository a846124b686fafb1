import Glibc

exit(HookCommand.run(Array(CommandLine.arguments.dropFirst())))
