"""Spark as a reader, of local files unless it's told otherwise: one core, little memory, no interface, no network but loopback."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def spark_session(folder: Path, more: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A session of its own JVM, which writes nowhere but under `folder`. One a process: Spark allows no second one beside it.

    `more` settings stand in a command line: no secret may be among them.
    """
    from pyspark.sql import SparkSession

    # What Spark's launcher reads before any setting of the session.
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_CONF_DIR"] = str(folder)
    (folder / "log4j2.properties").write_text("rootLogger.level = error\n")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        # Without Hive's classes and with one task a read, it's up and done sooner.
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.files.openCostInBytes": "0",
        **(more or {}),
    }
    builder = SparkSession.builder.master("local[1]").appName("reader")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    gateway = session.sparkContext._gateway
    try:
        yield session
    finally:
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(60)
        del os.environ["SPARK_LOCAL_IP"], os.environ["SPARK_CONF_DIR"]
