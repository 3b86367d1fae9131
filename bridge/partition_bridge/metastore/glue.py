"""Partitions of one table in AWS Glue's Data Catalog, with the credentials of the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from partition_bridge.metastore import layouts
from partition_bridge.metastore.protocol import AlreadyThere, Configuration, Fail, TableDescription, Unavailable
from partition_bridge.store.s3_credentials import session
from partition_bridge.store_settings import StoreKeys, StoreSettings

_CONNECT_SECONDS = 10
_READ_SECONDS = 60

_PASSING = {"InternalServiceException", "OperationTimeoutException", "ThrottlingException", "ConcurrentModificationException"}
_PASSING |= {"RequestLimitExceeded", "TooManyRequestsException", "ServiceUnavailable", "InternalFailure", "Throttling"}
_EXPIRED = {"ExpiredTokenException", "ExpiredToken", "RequestExpired"}
_DENIED = {"AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException"}
_DENIED |= {"InvalidClientTokenId", "SignatureDoesNotMatch", "MissingAuthenticationToken", "IncompleteSignature"}

_OF_TABLE = {
    "Columns",
    "InputFormat",
    "OutputFormat",
    "Compressed",
    "NumberOfBuckets",
    "SerdeInfo",
    "BucketColumns",
    "SortColumns",
}
_OF_TABLE |= {"Parameters", "SkewedInfo", "StoredAsSubDirectories"}


class GlueMetastore:
    """A ``Metastore`` over boto3. ``fresh`` gives the store's keys as the shim has them now."""

    def __init__(self, table: TableDescription, store: StoreSettings, fresh: Callable[[], StoreKeys]) -> None:
        self._table, self._store, self._fresh = table, store, fresh
        catalog = table.options.get("catalog-id")
        self._named = {"DatabaseName": table.database, **({"CatalogId": catalog} if catalog else {})}
        self._partitions = {**self._named, "TableName": table.table}
        self._client = self._connect()

    def check(self) -> None:
        there = self._call("get_table", Name=self._table.table, **self._named)
        if there is None:
            self._require_database()
            if not self._table.create_table:
                raise layouts.missing_table(self._table)
            self._create()
            there = self._call("get_table", Name=self._table.table, **self._named)
            if there is None:
                raise Unavailable(f"Glue has made {self._table.name} and doesn't show it yet")
        keys = there["Table"].get("PartitionKeys", [])
        layouts.require_same_partitions(self._table, [each["Name"] for each in keys])

    def location(self, values: Sequence[str]) -> str | None:
        found = self._find(values)
        return None if found is None else str(found["StorageDescriptor"]["Location"])

    def add(self, values: Sequence[str], location: str) -> None:
        table = self._call("get_table", Name=self._table.table, **self._named)
        if table is None:
            raise layouts.missing_table(self._table)
        of_table = table["Table"]["StorageDescriptor"]
        storage = {**{name: of_table[name] for name in _OF_TABLE if name in of_table}, "Location": location}
        given = {"Values": list(values), "StorageDescriptor": storage, "Parameters": {}}
        self._require(self._call("create_partition", PartitionInput=given, **self._partitions), "add a partition")

    def alter(self, values: Sequence[str], location: str) -> None:
        found = self._find(values)
        if found is None:
            return self.add(values, location)
        given = {
            "Values": list(values),
            "StorageDescriptor": {**found["StorageDescriptor"], "Location": location},
            "Parameters": found.get("Parameters", {}),
        }
        answer = self._call("update_partition", PartitionValueList=list(values), PartitionInput=given, **self._partitions)
        return self._require(answer, "alter a partition")

    def close(self) -> None:
        self._client.close()

    def _find(self, values: Sequence[str]) -> Any:
        found = self._call("get_partition", PartitionValues=list(values), **self._partitions)
        return None if found is None else found["Partition"]

    def _require_database(self) -> None:
        catalog = {name: value for name, value in self._named.items() if name == "CatalogId"}
        if self._call("get_database", Name=self._table.database, **catalog) is None:
            raise layouts.missing_database(self._table)

    def _require(self, answer: Any, what: str) -> None:
        if answer is None:
            raise Fail(f"Glue can't {what} of {self._table.name}: table or partition was removed meanwhile")

    def _create(self) -> None:
        layout = layouts.layout(self._table)
        serde = {"SerializationLibrary": layout.serde, "Parameters": {"serialization.format": "1", **layout.serde_parameters}}
        storage = {
            "Columns": _columns(layouts.data_columns(self._table)),
            "Location": self._table.location,
            "InputFormat": layout.input_format,
            "OutputFormat": layout.output_format,
            "SerdeInfo": serde,
        }
        given = {
            "Name": self._table.table,
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {"EXTERNAL": "TRUE", "classification": layout.classification},
            "PartitionKeys": _columns(layouts.partition_columns(self._table)),
            "StorageDescriptor": storage,
        }
        try:
            self._call("create_table", TableInput=given, **self._named)
        except AlreadyThere:
            # Another job was quicker, or an earlier try was, whose answer was lost.
            return

    def _connect(self) -> Any:
        options = self._table.options
        region = options.get("region") or self._store.region
        if region is None and not self._store.region_of_instance:
            raise Configuration("Glue's region isn't known: set 'metastore.region', or 's3.region' in Flink's configuration")
        proxy = self._store.proxy
        proxied = Config(proxies={"http": proxy, "https": proxy} if proxy else None)
        found, signed = session(self._store, proxied, self._fresh)
        if not signed:
            raise Configuration("Glue takes no anonymous requests: give Flink's S3 configuration credentials")
        config = Config(
            retries={"mode": "standard", "total_max_attempts": 2},
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
        )
        endpoint = options.get("endpoint")
        try:
            return found.client("glue", region_name=options.get("region"), endpoint_url=endpoint, config=proxied.merge(config))
        except ValueError as wrong:
            raise Configuration(f"'metastore.endpoint' = '{endpoint}' is no endpoint: {wrong}") from None

    def _call(self, name: str, **arguments: Any) -> Any:
        """None where what it's about isn't there."""
        try:
            return getattr(self._client, name)(**arguments)
        except ClientError as refused:
            return self._explain(name, refused)
        except (NoCredentialsError, PartialCredentialsError):
            raise Configuration(
                "no usable credentials for Glue: it's reached with those of Flink's S3 configuration, 's3.access-key' and 's3.secret-key', or "
                "what AWS's chain finds on the TaskManager"
            ) from None
        except BotoCoreError as silent:
            raise Unavailable(f"Glue gave no answer to {name}: {silent}") from None

    def _explain(self, name: str, refused: ClientError) -> None:
        code = refused.response.get("Error", {}).get("Code", "")
        status = int(refused.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        if code == "EntityNotFoundException":
            return
        if code == "AlreadyExistsException":
            raise AlreadyThere(f"{self._table.name} has it already")
        if code in _EXPIRED:
            if self._store.access_key is not None:
                self._store = replace(self._store, **vars(self._fresh()))
            self._client = self._connect()
            raise Unavailable(f"Glue says that the credentials have expired ({name})")
        if code in _PASSING or status >= 500:
            raise Unavailable(f"Glue answered {name} by {code or status}")
        if code in _DENIED:
            action = "".join(part.capitalize() for part in name.split("_"))
            raise Configuration(
                f"Glue refuses {name} ({code}): allow glue:{action} on the catalog, database and table {self._table.name} for the credentials of "
                "Flink's S3 configuration"
            ) from None
        raise Fail(f"Glue refuses {name} of {self._table.name}: {refused}") from None


def _columns(columns: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    # Glue shows names as they are given; readers such as Athena expect them in lower case.
    return [{"Name": name.lower(), "Type": kind} for name, kind in columns]
