from .command.main import main

main()
