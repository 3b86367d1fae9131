"""What the cluster writes to, in containers: versitygw, SeaweedFS and a Hive Metastore."""

from pathlib import Path

from testcontainers.core.network import Network

from tests.containers.service import Service
from tests.support.certificates import Authority
from tests.support.flink import ROOT
from tests.support.hive_metastore import HiveEndpoint
from tests.support.running import Running
from tests.support.servers import S3Endpoint, identities_of


class StoreContainer(Running, S3Endpoint):
    """An S3 server. `endpoint` is for the tests; the other containers know it as `inner_endpoint`."""

    service: Service
    inner_endpoint: str

    def start(self) -> None:
        """Return when it answers; also after it was killed."""
        self.service.start()
        self.service.wait_ready(self.answers)

    def stop(self) -> None:
        self.service.stop()


class VersitygwContainer(StoreContainer):
    """versitygw; by TLS where an authority signs its certificate."""

    def __init__(self, network: Network, authority: Authority | None = None) -> None:
        super().__init__()
        keys = {
            "ROOT_ACCESS_KEY": self.access_key,
            "ROOT_SECRET_KEY": self.secret_key,
            "ADMIN_ACCESS_KEY": self.access_key,
            "ADMIN_SECRET_KEY": self.secret_key,
        }
        mounts = {}
        if authority:
            certificate, key = authority.server("store")
            mounts = {certificate: "/tls/certificate.pem", key: "/tls/key.pem"}
            keys |= {"VGW_CERT": "/tls/certificate.pem", "VGW_KEY": "/tls/key.pem"}
        self.service = Service(network, "store", "versitygw", port=7070, environment=keys, mounts=mounts)
        scheme = "https" if authority else "http"
        self.inner_endpoint, self.endpoint = f"{scheme}://store:7070", f"{scheme}://127.0.0.1:{self.service.port}"


class SeaweedfsContainer(StoreContainer):
    """SeaweedFS. The folder isn't for others' eyes: there are its keys."""

    inner_endpoint = "http://seaweedfs:8333"

    def __init__(self, network: Network, folder: Path) -> None:
        super().__init__()
        identities = folder / "s3.json"
        identities.write_text(identities_of(self))
        mounts = {identities: "/etc/seaweedfs/s3.json"}
        self.service = Service(network, "seaweedfs", "seaweedfs", port=8333, mounts=mounts)
        self.endpoint = f"http://127.0.0.1:{self.service.port}"


class MetastoreContainer(Running, HiveEndpoint):
    """Hive Metastore 4.0.1, or one of the other versions that Make has fetched. `port` is for the tests; tables name it by `uri`."""

    uri = "thrift://metastore:9083"

    def __init__(self, network: Network, version: str = "") -> None:
        mounts = {ROOT / "build" / f"hms-{version}" / "lib": "/opt/hive-metastore/lib"} if version else {}
        self.service = Service(network, "metastore", "hive-metastore", port=9083, mounts=mounts)
        super().__init__(self.service.port)

    def start(self) -> None:
        """Return when it answers; also after it was killed."""
        self.service.start()
        self.service.wait_ready(self.answers)

    def stop(self) -> None:
        self.service.stop()
