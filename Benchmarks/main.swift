import Glibc

exit(runBench(Array(CommandLine.arguments.dropFirst())))
