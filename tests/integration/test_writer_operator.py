"""The shim's writer operator against a real Python writer and a real store: the Java tests that need both."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.flink import ROOT
from tests.support.servers import Versitygw


def test_the_operator_keeps_its_promises_with_a_real_writer(tmp_path: Path) -> None:
    """RealWriterIT and HostWriterIT pass: reports, restores, aborted checkpoints, the end of input, a killed writer, nothing left behind."""
    with Versitygw(tmp_path / "s3") as server:
        server.create_bucket("lake")
        environment = {
            **os.environ,
            "PARTITION_BRIDGE_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT / "bridge"),
            "PARTITION_BRIDGE_S3": server.endpoint,
            "PARTITION_BRIDGE_S3_KEY": server.access_key,
            "PARTITION_BRIDGE_S3_SECRET": server.secret_key,
            "PARTITION_BRIDGE_S3_BUCKET": "lake",
        }
        command = ["mvn", "--batch-mode", "--no-transfer-progress", "-f", "java-shim/pom.xml", "test", "-Dtest=*WriterIT"]
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

        assert run.returncode == 0, f"the operator broke a promise:\n{run.stdout[-20_000:]}\n{run.stderr[-2_000:]}"
        assert "Skipped: 0\n" in run.stdout, f"each of its tests ran:\n{run.stdout[-2_000:]}"
