import Client

Program.main()
