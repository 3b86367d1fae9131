"""What every command needs to know of the store; credentials come from AWS's default chain, never from arguments."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

import typer

from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings

TableArgument = Annotated[str, typer.Argument(metavar="s3://BUCKET/PATH", help="The table's path, as its DDL gives it.")]
EndpointOption = Annotated[str | None, typer.Option(envvar="AWS_ENDPOINT_URL", help="The store, where it isn't AWS.")]
RegionOption = Annotated[str | None, typer.Option(envvar=["AWS_REGION", "AWS_DEFAULT_REGION"], help="The bucket's region.")]
StyleOption = Annotated[
    bool | None,
    typer.Option("--path-style/--virtual-style", help="How the bucket is addressed. Default: path style with an endpoint."),
]


def settings_of(endpoint_url: str | None, region: str | None, path_style: bool | None) -> StoreSettings:
    """The store that the options name."""
    return StoreSettings(
        endpoint=endpoint_url,
        region=region,
        path_style=endpoint_url is not None if path_style is None else path_style,
        access_key=None,
        secret_key=None,
        session_token=None,
        aws_environment={},
    )


def store_of(endpoint_url: str | None, region: str | None, path_style: bool | None) -> Store:
    """The same, opened."""
    return open_store(settings_of(endpoint_url, region, path_style), checksum="off", connections=1)


def table_path(table: str) -> tuple[str, str]:
    """Bucket and prefix, as Flink reads a path: no empty segments, "." and ".." resolved."""
    given = re.fullmatch(r"s3a?://([^/]+)(?:/(.*))?", table)
    if given is None:
        raise typer.BadParameter("must be s3://bucket/path or s3a://bucket/path", param_hint="s3://BUCKET/PATH")
    return given[1], posixpath.normpath(f"/{given[2] or ''}").strip("/")
