"""The cluster, store, lake and stage of the integration tests."""

from tests.integration.conftest import cluster, fault_folder, lake, policies, server, stage

__all__ = ["cluster", "fault_folder", "lake", "policies", "server", "stage"]
