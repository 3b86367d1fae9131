"""What is wrong with an installation, before a job finds out: each check a small function from facts to a finding.

    places on disk ──► java, flink ──► the shim's report of this Flink (SetUpReport) ──► factories, plugin, Python
                                                    └── store settings ──► requests to the store ──► rights, rules, clock

Probing and judging are apart: who judges takes values alone.
"""
