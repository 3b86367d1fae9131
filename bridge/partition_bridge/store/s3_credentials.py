"""Sessions of boto3 with the credentials that Flink's configuration asks for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.credentials import (
    AssumeRoleCredentialFetcher,
    CredentialResolver,
    Credentials,
    DeferredRefreshableCredentials,
    RefreshableCredentials,
)
from botocore.utils import IMDSRegionProvider

from partition_bridge.errors import Configuration
from partition_bridge.store_settings import Role, StoreKeys, StoreSettings

CONFIGURED = "configured"
DEFAULT = "default"
ANONYMOUS = "anonymous"


def session(settings: StoreSettings, proxied: Config, fresh: Callable[[], StoreKeys] | None) -> tuple[Any, bool]:
    """A session, and whether its requests are signed: anonymous ones aren't. ``fresh`` gives keys that replace those of ``settings``.

    Raises ``Configuration`` where only sources are named that have no credentials here.
    """
    found = botocore.session.Session()
    pinned = IMDSRegionProvider(found).provide() if settings.region_of_instance else None
    region = pinned or settings.region or "us-east-1"
    if settings.providers is None:
        if settings.access_key is not None:
            _fix(found, _configured(settings, fresh))
    else:
        credentials = _first(found, settings, fresh)
        if credentials is None and ANONYMOUS in settings.providers:
            return boto3.session.Session(botocore_session=found, region_name=region), False
        if credentials is None:
            raise Configuration(
                f"no credentials in {', '.join(settings.providers)}, the only sources that 'aws.credentials.provider' of Flink's "
                "configuration names: set one of them up, or name others"
            )
        _fix(found, credentials)
    if settings.role is not None:
        # A session of its own: the first one keeps the credentials that it has given once.
        base, found = found, botocore.session.Session()
        _fix(found, _assumed(base, settings.role, region, proxied))
    return boto3.session.Session(botocore_session=found, region_name=region), True


class _Fixed:
    """Stands for botocore's chain where the search is over."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials

    def load_credentials(self) -> Any:
        return self._credentials


def _fix(found: Any, credentials: Any) -> None:
    found.register_component("credential_provider", _Fixed(credentials))


def _configured(settings: StoreSettings, fresh: Callable[[], StoreKeys] | None) -> Any:
    keys = StoreKeys(str(settings.access_key), str(settings.secret_key), settings.session_token, settings.ask_again_ms)
    if keys.ask_again_ms is None or fresh is None:
        return Credentials(keys.access_key, keys.secret_key, keys.session_token)
    # When to ask is the shim's to say: botocore's own margins of ten and fifteen minutes would have each request ask.
    return RefreshableCredentials.create_from_metadata(
        _metadata(keys), lambda: _metadata(fresh()), "flink", advisory_timeout=0, mandatory_timeout=0
    )


def _metadata(keys: StoreKeys) -> dict[str, str | None]:
    # Keys that are good for ever from now on, a static pair say, are looked at again in a minute all the same.
    again = datetime.now(timezone.utc) + timedelta(milliseconds=60_000 if keys.ask_again_ms is None else keys.ask_again_ms)
    return {
        "access_key": keys.access_key,
        "secret_key": keys.secret_key,
        "token": keys.session_token,
        "expiry_time": again.isoformat(),
    }


def _first(found: Any, settings: StoreSettings, fresh: Callable[[], StoreKeys] | None) -> Any:
    """Credentials of the first source that has some."""
    chain = {each.METHOD: each for each in found.get_component("credential_provider").providers}
    for name in settings.providers or ():
        if name == CONFIGURED and settings.access_key is not None:
            return _configured(settings, fresh)
        sources = list(chain.values()) if name == DEFAULT else [chain[name]] if name in chain else []
        credentials = CredentialResolver(sources).load_credentials() if sources else None
        if credentials is not None:
            return credentials
    return None


def _assumed(base: Any, role: Role, region: str, proxied: Config) -> Any:
    """Credentials of the role, fetched at the first use and again before they expire."""
    source = base.get_credentials()
    if source is None:
        raise Configuration(
            f"no credentials to assume {role.arn} with: set 's3.access-key' and 's3.secret-key' in Flink's configuration, "
            "or give the TaskManagers a profile, a web identity, or a container's or an instance's role"
        )

    def sts(_: str, **keys: Any) -> Any:
        return base.create_client("sts", region_name=role.region or region, endpoint_url=role.endpoint, config=proxied, **keys)

    extra = {"RoleSessionName": role.session_name, "DurationSeconds": role.seconds, "ExternalId": role.external_id}
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=sts,
        source_credentials=source,
        role_arn=role.arn,
        extra_args={name: value for name, value in {**extra, "Policy": role.policy}.items() if value is not None},
    )
    return DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")
