"""The container engine: whether it's there with the images, networks of its own for each run, and what runs that died have left."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import docker
import psutil
from docker.errors import DockerException, NotFound
from testcontainers.core.network import Network

from tests.support.flink import ROOT

OWNER = "io.partitionbridge.tests"
"""Label of all that the tests make: the process that they belong to."""

IMAGES = ("flink", "versitygw", "hive-metastore")


def image(name: str) -> str:
    """The image that `docker/build.sh NAME` has made last."""
    return (ROOT / "build" / "docker" / f"{name}.name").read_text().strip()


def missing() -> str:
    """Why no container can be started; empty where all is there."""
    try:
        client = docker.from_env(timeout=60)
        client.ping()
        for each in IMAGES:
            client.images.get(image(each))
    except (DockerException, OSError) as error:
        return f"no container engine with the images: {error}. Run make images"
    return ""


def labels() -> dict[str, str]:
    """Of what belongs to this process."""
    return {OWNER: str(os.getpid())}


def sweep() -> None:
    """Remove the containers and networks of processes that have ended, and of this one."""
    client = docker.from_env()
    for each in [*client.containers.list(all=True, filters={"label": OWNER}), *client.networks.list(filters={"label": OWNER})]:
        labelled = each.labels if hasattr(each, "labels") else each.attrs["Labels"]
        owner = int(labelled[OWNER])
        if owner != os.getpid() and psutil.pid_exists(owner):
            continue
        with suppress(NotFound):
            each.remove(**({"force": True, "v": True} if hasattr(each, "image") else {}))


@contextmanager
def network() -> Iterator[Network]:
    """A network whose containers find each other by name, and nothing else of theirs can be reached from outside."""
    with Network(docker_network_kw={"labels": labels()}) as made:
        yield made
