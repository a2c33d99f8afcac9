"""Runs the commands behind `npm run pack-check` and others: `python -m soil_packs pack-check …`."""

import sys

from . import pack_check, pack_errors, pack_sample, pack_validate
from .commands import PackError

COMMANDS = {
    "pack-check": pack_check.main,
    "pack-errors": pack_errors.main,
    "pack-sample": pack_sample.main,
    "pack-validate": pack_validate.main,
}


def main() -> None:
    """Runs a command. Errors that the user can correct become a message and an exit code."""
    command = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if command not in COMMANDS:
        sys.exit(f"expected one of the commands {', '.join(COMMANDS)}; got {command!r}")
    try:
        COMMANDS[command]()
    except (PackError, OSError) as error:
        print(f"{command}: {error}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 1))


if __name__ == "__main__":
    main()
