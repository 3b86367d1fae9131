"""What every metastore must do for the bridge, on real ones: AWS Glue (moto's) and Hive's Metastore of two lines."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from partition_bridge.metastore.glue import GlueMetastore
from partition_bridge.metastore.hive import HiveMetastore
from partition_bridge.metastore.protocol import AlreadyThere, Column, Configuration, Metastore, TableDescription, Unavailable
from partition_bridge.metastore.serve import Patience, put
from partition_bridge.store_settings import StoreKeys
from tests.metastores.catalogs import DATABASE, STORE, Catalog, GlueCatalog, HiveCatalog, keys
from tests.metastores.doors import Answering, Refusing, TlsDoor
from tests.support.aws import Recorder
from tests.support.glue import Glue
from tests.support.hive_metastore import HiveMetastore as HiveServer
from tests.support.hive_metastore import key_store
from tests.support.ports import free_ports

VALUES = ("2024-01-01 a/b:c", "7")
FORMATS = ("parquet", "orc", "avro", "csv", "json")


def announce(metastore: Metastore, values: tuple[str, ...], location: str) -> None:
    """As the process does it for Flink's policy."""
    put(metastore, Patience(0, time.monotonic, time.sleep, print), values, location)


def test_a_table_is_made_with_the_columns_of_the_ddl(catalog: Catalog, table: TableDescription) -> None:
    """An external table; a second check finds it, also where tables aren't to be made."""
    catalog.metastore(table).check()
    made = catalog.table(table.table)
    assert made.location == table.location, "where Flink writes"
    assert made.columns == (("id", "bigint"), ("tags", "map<string,int>")), "columns in the files, in lower case as Hive has them"
    assert made.partition_columns == (("day", "string"), ("hour", "int")), "partition columns, outermost first"
    catalog.metastore(replace(table, create_table=False)).check()


@pytest.mark.parametrize("file_format", FORMATS)
def test_hive_and_glue_get_the_same(file_format: str, glue: GlueCatalog, hive: HiveCatalog, table: TableDescription) -> None:
    """Table and partition: keys, columns, location, SerDe and its settings are alike."""
    given = replace(table, format=file_format, format_options={"field-delimiter": "|"})
    for catalog in (glue, hive):
        metastore = catalog.metastore(given)
        metastore.check()
        announce(metastore, VALUES, f"{table.location}/x")
    assert glue.table(table.table) == hive.table(table.table), "the table"
    assert glue.partitions(table.table) == hive.partitions(table.table), "its partition"
    separator = dict(hive.table(table.table).serde_parameters).get("separatorChar")
    assert separator == ("|" if file_format == "csv" else None), "text is cut as the DDL says"


def test_a_partition_is_announced_again_and_moved(catalog: Catalog, table: TableDescription) -> None:
    """Added with the table's storage; a repetition is no error; another location takes the place of the first."""
    metastore = catalog.metastore(table)
    metastore.check()
    assert metastore.location(VALUES) is None, "not there yet"
    first, second = f"{table.location}/Day=a/hour=7", f"{table.location}/Day=b/hour=7"
    announce(metastore, VALUES, first)
    made = catalog.table(table.table)
    assert catalog.partitions(table.table) == {VALUES: replace(made, location=first, partition_columns=())}, "as the table, there"
    assert metastore.location(VALUES) == first, "found by its values, whatever characters they have"
    announce(metastore, VALUES, first)
    assert len(catalog.partitions(table.table)) == 1, "still one"
    announce(metastore, VALUES, second)
    assert catalog.partitions(table.table)[VALUES].location == second, "moved"


def test_an_answer_that_was_lost_is_no_error(catalog: Catalog, table: TableDescription) -> None:
    """A second `add` says so, and `alter` of what was removed meanwhile adds it."""
    metastore = catalog.metastore(table)
    metastore.check()
    metastore.add(VALUES, table.location)
    with pytest.raises(AlreadyThere):
        metastore.add(VALUES, table.location)
    metastore.alter(("other", "1"), table.location)
    assert set(catalog.partitions(table.table)) == {VALUES, ("other", "1")}, "there, whoever did what before"


def test_a_second_maker_of_a_table_is_no_error(catalog: Catalog, table: TableDescription) -> None:
    """Two jobs that both found no table."""
    metastore = catalog.metastore(table)
    metastore.check()
    metastore._create()  # type: ignore[attr-defined]  # as if the look before had found nothing
    metastore.check()


def test_what_is_not_there_is_named(catalog: Catalog, table: TableDescription) -> None:
    """Table and database, each with what to do."""
    with pytest.raises(Configuration, match=f"the metastore has no table lake.{table.table}: create it there"):
        catalog.metastore(replace(table, create_table=False)).check()
    with pytest.raises(Configuration, match="the metastore has no database nowhere: create it there"):
        catalog.metastore(replace(table, database="nowhere")).check()


def test_other_partition_columns_are_refused(catalog: Catalog, table: TableDescription) -> None:
    """Values would get under wrong names."""
    catalog.metastore(table).check()
    turned = replace(table, partition_columns=tuple(reversed(table.partition_columns)))
    with pytest.raises(Configuration, match=r"is partitioned by \(day, hour\) in the metastore, and by \(hour, Day\) in Flink"):
        catalog.metastore(turned).check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "raw"}, "can't be made for 'format' = 'raw', only for parquet"),
        ({"columns": (Column("at", "TIME(0)", None),)}, "Hive has no type for the column at"),
        ({"partition_columns": (Column("d", "DATE", "date"),)}, "the partition column d is DATE"),
    ],
)
def test_a_table_that_nobody_could_read_is_not_made(
    catalog: Catalog, table: TableDescription, change: dict[str, object], message: str
) -> None:
    """A format, a type or a partition column that no reader of the metastore understands."""
    with pytest.raises(Configuration, match=message):
        catalog.metastore(replace(table, **change)).check()  # type: ignore[arg-type]


def test_glue_takes_region_and_catalog(glue: GlueCatalog, table: TableDescription) -> None:
    """At 'metastore.endpoint', 'metastore.region' goes before the store's and 'metastore.catalog-id' into every call."""
    Glue(glue.glue.endpoint, DATABASE, "eu-west-3")
    with Recorder(glue.glue.endpoint) as wire:
        options = {"endpoint": wire.endpoint, "region": "eu-west-3", "catalog-id": "123456789012"}
        metastore = GlueMetastore(replace(table, options=options), STORE, keys)
        metastore.check()
        announce(metastore, VALUES, table.location)
    assert all("/eu-west-3/glue/" in each["authorization"] for each in wire.requests), "signed for the region"
    assert wire.bodies, "calls were made"
    assert all(json.loads(body)["CatalogId"] == "123456789012" for body in wire.bodies), "the other account's catalog"
    with pytest.raises(Configuration, match=r"Glue's region isn't known: set 'metastore\.region'"):
        GlueMetastore(table, replace(STORE, region=None), keys)


def test_glue_refuses_for_want_of_permission(table: TableDescription) -> None:
    """The action that has to be allowed is named, and the secret isn't."""
    with Refusing(400, "AccessDeniedException") as door:
        metastore = GlueMetastore(replace(table, options={"endpoint": door.endpoint}), STORE, keys)
        with pytest.raises(Configuration, match="allow glue:GetTable on the catalog, database and table lake"):
            metastore.check()


def test_glue_gets_fresh_keys_when_its_own_have_expired(table: TableDescription) -> None:
    """The call counts as unanswered, and the next one is signed with the keys that the task has by then."""
    with Refusing(400, "ExpiredTokenException") as door:
        metastore = GlueMetastore(
            replace(table, options={"endpoint": door.endpoint}), STORE, lambda: StoreKeys("renewed", "secret", None)
        )
        for _ in range(2):
            with pytest.raises(Unavailable, match="the credentials have expired"):
                metastore.check()
    assert door.signers == ["anybody", "renewed"], "asked again with what is valid now"


def test_the_first_server_that_answers_is_used(hive: HiveCatalog, table: TableDescription) -> None:
    """'metastore.uri' may name several; one that's down is passed over, and where all are they are named."""
    (nobody,) = free_ports(1)
    uri = f"thrift://127.0.0.1:{nobody}, {hive.server.uri}"
    hive.metastore(replace(table, options={"uri": uri})).check()
    with pytest.raises(Unavailable, match=f"no Hive Metastore of 'metastore.uri' can be reached .127.0.0.1:{nobody}"):
        hive.metastore(replace(table, options={"uri": f"thrift://127.0.0.1:{nobody}"})).check()
    with pytest.raises(Configuration, match="isn't of the form thrift://host:9083"):
        hive.metastore(replace(table, options={"uri": "http://127.0.0.1:1"}))


def test_tls(hive: HiveCatalog, table: TableDescription, tmp_path: Path) -> None:
    """'metastore.tls' with the file of 'metastore.tls.ca' connects; each half of it alone says what is missing."""
    with TlsDoor(hive.server.port, tmp_path) as door:
        uri, ca = f"thrift://127.0.0.1:{door.port}", str(door.certificate)
        hive.metastore(replace(table, options={"uri": uri, "tls": "true", "tls.ca": ca})).check()
        assert hive.table(table.table).location == table.location, "by the server behind the door"
        with pytest.raises(Configuration, match=r"nothing vouches for the certificate of 127\.0\.0\.1"):
            hive.metastore(replace(table, options={"uri": uri, "tls": "true"})).check()
        with pytest.raises((Configuration, Unavailable), match=r"TLS|broke the connection off"):
            hive.metastore(replace(table, options={"uri": uri})).check()
    with pytest.raises(Configuration, match=r"'metastore\.tls\.ca' is set, but 'metastore\.tls' isn't 'true'"):
        hive.metastore(replace(table, options={"tls.ca": ca}))


def test_a_server_that_asks_for_sasl_is_refused(table: TableDescription) -> None:
    """One that closes at a plain call, and declines an unknown mechanism as thrift's TSaslServerTransport does (the real one: below)."""
    with Answering(b"\x03\x00\x00\x00\x04nope", to=b"\x01") as server:
        metastore = HiveMetastore(replace(table, options={"uri": f"thrift://127.0.0.1:{server.port}"}))
        with pytest.raises(
            Configuration, match=r"asks for SASL \(Kerberos, LDAP or a password\), which the bridge doesn't speak"
        ):
            metastore.check()


def test_a_server_of_another_kind_is_refused(table: TableDescription) -> None:
    """Whatever it is that answers there."""
    with Answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
        metastore = HiveMetastore(replace(table, options={"uri": f"thrift://127.0.0.1:{server.port}"}))
        with pytest.raises(Configuration, match="answers, but not in plain thrift"):
            metastore.check()


def test_a_connection_that_is_cut_is_unanswered(table: TableDescription) -> None:
    """No SASL is suspected where nothing says so: it's asked again."""
    with Answering(b"", to=b"nothing") as server:
        metastore = HiveMetastore(replace(table, options={"uri": f"thrift://127.0.0.1:{server.port}"}))
        with pytest.raises(Unavailable, match="broke the connection off in get_table_req"):
            metastore.check()


@pytest.mark.thorough
def test_a_real_server_with_sasl_is_refused(table: TableDescription, tmp_path: Path) -> None:
    """Hive Metastore 4.0.1 that wants a name and a password, by SASL PLAIN."""
    options = {
        "metastore.authentication": "CONFIG",
        "metastore.execute.setugi": "false",
        "metastore.authentication.config.username": "flink",
        "metastore.authentication.config.password": "secret",
    }
    with HiveServer("4.0.1", tmp_path, options=options) as server:
        metastore = HiveMetastore(replace(table, options={"uri": server.uri}))
        with pytest.raises(Configuration, match="asks for SASL"):
            metastore.check()


@pytest.mark.thorough
def test_a_real_server_with_tls(table: TableDescription, tmp_path: Path) -> None:
    """Hive Metastore 4.0.1's own TLS."""
    options, certificate = key_store(tmp_path)
    with HiveServer("4.0.1", tmp_path / "hms", options=options) as server:
        given = {"uri": server.uri, "tls": "true", "tls.ca": str(certificate)}
        metastore = HiveMetastore(replace(table, database="default", options=given))
        metastore.check()
        announce(metastore, VALUES, table.location)
        assert metastore.location(VALUES) == table.location, "there, by TLS"


@pytest.mark.thorough
def test_a_server_that_is_killed_and_comes_back(table: TableDescription, tmp_path: Path) -> None:
    """Its calls are unanswered meanwhile; afterwards the same object works, and nothing is forgotten."""
    with HiveServer("4.0.1", tmp_path) as server:
        metastore = HiveMetastore(replace(table, database="default", options={"uri": server.uri}))
        metastore.check()
        announce(metastore, ("a", "1"), table.location)
        server.kill()
        with pytest.raises(Unavailable):
            metastore.location(("a", "1"))
        server.start()
        assert metastore.location(("a", "1")) == table.location, "still there"
        announce(metastore, ("b", "1"), table.location)
        assert server.partitions("default", table.table).keys() == {"day=a/hour=1", "day=b/hour=1"}, "and goes on"
