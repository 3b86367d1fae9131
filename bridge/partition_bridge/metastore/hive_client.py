"""A connection to a Hive Metastore: the first of its servers that answers, in plain thrift or by TLS. The only module that opens sockets.

The calls that it's used for are those that Metastores from 3.1 to 4.0 have alike.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pymetastore.hive_metastore import ThriftHiveMetastore
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from partition_bridge.errors import Configuration, Fail
from partition_bridge.metastore.protocol import Unavailable

_PORT = 9083
_CONNECT_MS = 10_000
_ANSWER_MS = 60_000

_OFFER = b"\x01\x00\x00\x00\x04NONE"
"""Thrift's TSaslTransport: START, and the name of a mechanism."""
_DECLINED = (b"\x03", b"\x04")
"""BAD and ERROR, with which its answer begins."""
_PROBE_SECONDS = 5

# It prints a traceback of each server that isn't there; what matters of them is in the error.
logging.getLogger("thrift").setLevel(logging.CRITICAL)


class HiveClient:
    """Connects when it's first called, and anew after a call without an answer."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._servers = [_server(uri.strip()) for uri in options["uri"].split(",")]
        self._tls = _tls(options)
        self._client: Any = None
        self._connected_to = ("", 0)
        self._transport: Any = None

    def call(self, name: str, *arguments: Any) -> Any:
        """Raises the exceptions that the Metastore declares, ``Unavailable`` without an answer, ``Fail`` for one that makes no sense."""
        fresh = self._client is None
        if fresh:
            self._client = self._connected()
        try:
            return getattr(self._client, name)(*arguments)
        except TTransportException as broken:
            host, port = self._connected_to
            self.close()
            if fresh and broken.type == TTransportException.END_OF_FILE and self._asks_for_sasl(host, port):
                raise Configuration(
                    f"the Hive Metastore at {host}:{port} asks for SASL (Kerberos, LDAP or a password), which the bridge doesn't speak: name a server "
                    "without it in 'metastore.uri'"
                ) from None
            raise Unavailable(f"{self._where()} broke the connection off in {name}: {_reason(broken)}{self._hint()}") from None
        except TProtocolException:
            self.close()
            raise Configuration(
                f"{self._where()} answers, but not in plain thrift. It may ask for TLS: set 'metastore.tls' = 'true'. Or it's no Hive Metastore"
            ) from None
        except TApplicationException as refused:
            raise Fail(f"{self._where()} failed in {name}: {refused.message}. Its log says more") from None

    def _asks_for_sasl(self, host: str, port: int) -> bool:
        """Whether an offer of a mechanism that nobody has is declined: other servers close, or wait for more."""
        try:
            with socket.create_connection((host, port), _CONNECT_MS / 1000) as plain:
                line = self._tls.wrap_socket(plain, server_hostname=host) if self._tls else plain
                line.settimeout(_PROBE_SECONDS)
                line.sendall(_OFFER)
                return line.recv(1) in _DECLINED
        except OSError:
            return False

    def close(self) -> None:
        """The next call connects anew."""
        if self._transport is not None:
            self._transport.close()
        self._client = self._transport = None

    def _connected(self) -> Any:
        silent = []
        for host, port in self._servers:
            line = TSSLSocket(host, port, ssl_context=self._tls) if self._tls else TSocket(host, port)
            line.setTimeout(_CONNECT_MS)
            try:
                line.open()
            except TTransportException as refused:
                if isinstance(refused.inner, ssl.SSLCertVerificationError):
                    raise Configuration(
                        f"nothing vouches for the certificate of {host}:{port} ({refused.inner.verify_message}): name the file of the "
                        "authority that signed it in 'metastore.tls.ca', and the host in 'metastore.uri' as the certificate does"
                    ) from None
                silent.append(f"{host}:{port}: {_reason(refused)}")
                continue
            line.setTimeout(_ANSWER_MS)
            self._transport = TBufferedTransport(line)
            self._connected_to = (host, port)
            # Strictly: the first bytes of a server that asks for SASL or TLS would be taken for the length of a name.
            return ThriftHiveMetastore.Client(TBinaryProtocol(self._transport, strictRead=True))
        raise Unavailable(f"no Hive Metastore of 'metastore.uri' can be reached ({'; '.join(silent)}){self._hint()}")

    def _where(self) -> str:
        return "the Hive Metastore at " + ", ".join(f"{host}:{port}" for host, port in self._servers)

    def _hint(self) -> str:
        return ". 'metastore.tls' is on: does the server speak TLS?" if self._tls else ""


def _server(uri: str) -> tuple[str, int]:
    parts = urlsplit(uri)
    try:
        port = parts.port or _PORT
    except ValueError:
        port = 0
    if parts.scheme != "thrift" or not parts.hostname or not port:
        raise Configuration(f"'metastore.uri' has '{uri}', which isn't of the form thrift://host:9083")
    return parts.hostname, port


def _tls(options: Mapping[str, str]) -> ssl.SSLContext | None:
    if options.get("tls", "false").lower() != "true":
        if "tls.ca" in options:
            raise Configuration("'metastore.tls.ca' is set, but 'metastore.tls' isn't 'true': set it, or remove the file")
        return None
    try:
        return ssl.create_default_context(cafile=options.get("tls.ca"))
    except (OSError, ssl.SSLError) as wrong:
        raise Configuration(
            f"'metastore.tls.ca' = '{options.get('tls.ca')}' can't be read as certificates (PEM) on this TaskManager: {wrong}"
        ) from None


def _reason(broken: TTransportException) -> str:
    return str(broken.inner or broken.message or "no reason given")
