"""Free TCP ports on loopback."""

import socket
from contextlib import ExitStack


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on. All are held while the rest is drawn, so that none comes twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
