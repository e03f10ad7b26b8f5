"""The commands, one module each with ``run(args) -> exit status``."""
