"""``python -m partition_bridge.cli``: the command where the console script isn't on PATH."""

from partition_bridge.cli import main

main()
