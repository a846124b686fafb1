import Glibc

let (role, arguments) = Role.choose(by: CommandLine.arguments)
exit(role.run(arguments))
