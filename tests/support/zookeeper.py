"""ZooKeeper for Flink's high availability: the server that flink-dist brings along, started by Flink's own script."""

import os
import shutil
from pathlib import Path

from tests.support.flink import flink_home
from tests.support.ports import free_ports, listens
from tests.support.process import ServerProcess
from tests.support.running import Running

READY_TIMEOUT = 90.0


class ZooKeeper(Running):
    """One server on loopback that lives in `folder`."""

    def __init__(self, folder: Path) -> None:
        conf, data = folder / "conf", folder / "data"
        for each in (conf, data):
            each.mkdir(parents=True)
        client, peers, election = free_ports(3)
        self._port = client
        home = flink_home()
        for name in ("config.yaml", "log4j-console.properties"):
            shutil.copy(home / "conf" / name, conf)
        (conf / "zoo.cfg").write_text(
            f"tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir={data}\nclientPort={client}\nclientPortAddress=127.0.0.1\n"
            f"admin.enableServer=false\nserver.1=127.0.0.1:{peers}:{election}\n"
        )
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR", "USER")}
        environment = {**kept, "FLINK_CONF_DIR": str(conf), "FLINK_LOG_DIR": str(folder), "FLINK_PID_DIR": str(folder)}
        # What zookeeper.sh runs, which would leave the JVM behind when it's stopped itself.
        arguments = ["zookeeper", "--zkConfigFile", str(conf / "zoo.cfg"), "--peerId", "1"]
        command = ["/bin/bash", str(home / "bin" / "flink-console.sh"), *arguments]
        self._process = ServerProcess("zookeeper", command, folder, environment)

    def flink_config(self, storage: Path) -> dict[str, str]:
        """Flink's keys for a cluster that keeps its jobs here, and what is large in `storage`."""
        return {
            "high-availability.type": "zookeeper",
            "high-availability.zookeeper.quorum": f"127.0.0.1:{self._port}",
            "high-availability.storageDir": storage.as_uri(),
            # What a successor of a killed JobManager has to wait for. 60 s where not set, of which the server grants 40.
            "high-availability.zookeeper.client.session-timeout": "15 s",
        }

    def start(self) -> None:
        self._process.start()
        self._process.wait_ready(lambda: listens(self._port), READY_TIMEOUT)

    def stop(self) -> None:
        self._process.stop()
