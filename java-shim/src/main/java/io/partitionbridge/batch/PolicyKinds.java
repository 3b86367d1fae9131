package io.partitionbridge.batch;

import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND;

import java.util.List;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The chain of a table's commit policies, as PartitionCommitPolicyFactory takes it apart: by
 * commas, without trimming, in any case.
 */
public final class PolicyKinds {

    private PolicyKinds() {}

    /** As the option has them, in their order; none where it isn't set. */
    public static List<String> of(ReadableConfig options) {
        return options.getOptional(SINK_PARTITION_COMMIT_POLICY_KIND)
                .map(kinds -> List.of(kinds.split(",")))
                .orElse(List.of());
    }

    /**
     * @param kind one of PartitionCommitPolicy
     */
    public static boolean has(ReadableConfig options, String kind) {
        return of(options).stream().anyMatch(kind::equalsIgnoreCase);
    }
}
