"""AWS Glue on loopback, moto's, and what its catalog says when it's asked without the bridge."""

from typing import Any

import boto3

REGION = "us-east-1"


class Glue:
    """A database of the catalog behind an endpoint."""

    def __init__(self, endpoint: str, database: str, region: str = REGION) -> None:
        self.endpoint, self.database = endpoint, database
        session: Any = boto3.session.Session(aws_access_key_id="anybody", aws_secret_access_key="secret", region_name=region)
        self.client = session.client("glue", endpoint_url=endpoint)
        self.client.create_database(DatabaseInput={"Name": database})

    def options(self) -> dict[str, str]:
        """What the DDL says of it."""
        return {"metastore": "glue", "metastore.endpoint": self.endpoint, "metastore.database": self.database}

    def table(self, name: str) -> Any:
        return self.client.get_table(DatabaseName=self.database, Name=name)["Table"]

    def partitions(self, name: str) -> dict[str, str]:
        """Location by partition path, as Flink writes it for values that need no escape; nothing where there's no table yet."""
        try:
            keys = [each["Name"] for each in self.table(name)["PartitionKeys"]]
        except self.client.exceptions.EntityNotFoundException:
            return {}
        pages = self.client.get_paginator("get_partitions").paginate(DatabaseName=self.database, TableName=name)
        found = [each for page in pages for each in page["Partitions"]]
        return {
            "".join(f"{key}={value}/" for key, value in zip(keys, each["Values"], strict=True)): each["StorageDescriptor"][
                "Location"
            ]
            for each in found
        }
