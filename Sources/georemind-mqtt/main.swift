import Glibc

exit(MQTTCommand.run(Array(CommandLine.arguments.dropFirst())))
