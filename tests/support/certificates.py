"""TLS for servers of the tests: a certificate of 127.0.0.1 that only its own file vouches for, and a CA that nobody knows."""

import ssl
import subprocess
from pathlib import Path

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


def certified(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """What a server wraps its connections with, and the file that a client must trust."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    _openssl("/CN=127.0.0.1", certificate, key, "-addext", "subjectAltName=IP:127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


class Authority:
    """A CA. `certificate` is its own, in PEM, for those that are to trust it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.certificate, self._key = folder / "ca.pem", folder / "ca.key"
        _openssl("/CN=CA of the tests", self.certificate, self._key)

    def server(self, name: str) -> tuple[Path, Path]:
        """Certificate and key of a server by this name and on 127.0.0.1. The key is for whoever runs the server to read."""
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        signed = ["-CA", str(self.certificate), "-CAkey", str(self._key)]
        _openssl(f"/CN={name}", certificate, key, *signed, "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1")
        key.chmod(0o644)
        return certificate, key

    def trust_store(self) -> Path:
        """For JVMs: a store that can be read without a password."""
        made = self._folder / "trust.jks"
        store = ["-keystore", str(made), "-storetype", "JKS", "-storepass", "changeit"]
        command = ["keytool", "-importcert", "-noprompt", "-alias", "store", "-file", str(self.certificate), *store]
        subprocess.run(command, check=True, capture_output=True)
        return made


def _openssl(subject: str, certificate: Path, key: Path, *options: str) -> None:
    command = ["openssl", "req", "-x509", *_KEY, "-subj", subject, *options, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
