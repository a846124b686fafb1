import ArgumentParser

DaemonCommand.main()
