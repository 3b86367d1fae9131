"""TCP ports on loopback: free ones, and taken ones."""

import random
import socket
from contextlib import ExitStack, suppress

# Below the ports that Linux gives to outgoing connections: none of those can take a port between its draw and its use, nor
# while a killed server is away from it.
PORTS = range(15_000, 32_000)
# Not the seeded generator of the tests: two test processes with one seed would draw the same ports.
_draw = random.SystemRandom()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on. All are held while the rest is drawn, so that none comes twice."""
    found: list[int] = []
    with ExitStack() as held:
        while len(found) < count:
            port = _draw.choice(PORTS)
            with suppress(OSError):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
                found.append(port)
    return found


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
