"""From the option ``metastore`` to the ``Metastore`` that it names."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from partition_bridge.metastore.protocol import GROUP, Configuration, Metastore
from partition_bridge.metastore.settings import Settings
from partition_bridge.store_settings import StoreKeys


def find(settings: Settings, fresh: Callable[[], StoreKeys]) -> Metastore:
    """``fresh`` gives the store's keys as the shim has them now. Raises ``Configuration`` where nothing has the name."""
    if settings.kind == "hive":
        try:
            from partition_bridge.metastore.hive import HiveMetastore
        except ModuleNotFoundError as missing:
            raise Configuration(
                f"'metastore' = 'hive' needs the Python package {missing.name}: run 'python -m pip install \"flink-partition-bridge[hive]\"' "
                "with the interpreter of 'python.executable' on every TaskManager"
            ) from None
        return HiveMetastore(settings.table)
    if settings.kind == "glue":
        from partition_bridge.metastore.glue import GlueMetastore

        if settings.store is None:
            raise Configuration("the start message has no store, whose credentials Glue is reached with")
        return GlueMetastore(settings.table, settings.store, fresh)
    return _of_the_users(settings)


def _of_the_users(settings: Settings) -> Metastore:
    found = {each.name: each for each in entry_points(group=GROUP)}
    if settings.kind not in found:
        raise Configuration(
            f"'metastore' = '{settings.kind}' is neither 'hive' nor 'glue', and no entry point of the group '{GROUP}' has the name "
            f"(there are: {sorted(found)}): install the package that has it on every TaskManager, for the interpreter of 'python.executable'"
        )
    made: Metastore = found[settings.kind].load()(settings.table)
    missing = [call for call in ("check", "location", "add", "alter", "close") if not callable(getattr(made, call, None))]
    if missing:
        raise Configuration(
            f"the entry point '{settings.kind}' gave a {type(made).__name__} without {', '.join(missing)}: it has to give a "
            "partition_bridge.metastore.protocol.Metastore"
        )
    return made
