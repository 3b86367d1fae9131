package io.partitionbridge.table;

import static io.partitionbridge.table.BridgeOptions.COMMIT_CONCURRENCY;
import static io.partitionbridge.table.BridgeOptions.FILE_PREFIX;
import static io.partitionbridge.table.BridgeOptions.FILE_SUFFIX;
import static io.partitionbridge.table.BridgeOptions.INLINE_LIMIT;
import static io.partitionbridge.table.BridgeOptions.INLINE_THRESHOLD;
import static io.partitionbridge.table.BridgeOptions.PART_SIZE;
import static io.partitionbridge.table.BridgeOptions.UPLOAD_CONCURRENCY;
import static io.partitionbridge.table.BridgeOptions.WRITER_MEMORY;

import io.partitionbridge.batch.PolicyKinds;
import java.util.Locale;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;
import org.apache.flink.table.api.ValidationException;

/** Refuses option values that no version, or not this one, can honour. Messages say what to set. */
final class OptionValidation {

    // S3's limits for every part but the last.
    private static final MemorySize SMALLEST_PART = MemorySize.ofMebiBytes(5);
    private static final MemorySize LARGEST_PART = MemorySize.ofMebiBytes(5 * 1024);

    // One part being encoded, one waiting, and two in flight: with less the upload can't overlap
    // the encoding.
    private static final int PARTS_IN_MEMORY = 4;

    private static final Set<String> POLICIES =
            Set.of(
                    PartitionCommitPolicy.METASTORE,
                    PartitionCommitPolicy.SUCCESS_FILE,
                    PartitionCommitPolicy.CUSTOM);

    private OptionValidation() {}

    /** The options that the bridge adds. */
    static void validate(ReadableConfig options) {
        validateSizes(options);
        validateFileName(options, FILE_PREFIX);
        validateFileName(options, FILE_SUFFIX);
        String prefix = options.get(FILE_PREFIX);
        if (prefix.isEmpty() || prefix.startsWith("_") || prefix.startsWith(".")) {
            throw invalid(
                    FILE_PREFIX,
                    prefix,
                    "readers skip files whose name starts with '_' or '.', and a name needs a start."
                            + " Use a prefix such as 'part'");
        }
    }

    /**
     * The policy chain, which Flink's PartitionCommitPolicyFactory checks only when the job runs.
     * Names aren't trimmed there, so not here either.
     */
    static void validatePolicies(ReadableConfig options) {
        for (String name : PolicyKinds.of(options)) {
            String policy = name.toLowerCase(Locale.ROOT);
            if (!POLICIES.contains(policy)) {
                throw new ValidationException(
                        String.format(
                                "Unsupported policy '%s' in '%s' = '%s'. Use 'metastore', 'success-file' and 'custom',"
                                        + " separated by commas without blanks.",
                                name,
                                FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND.key(),
                                options.get(
                                        FileSystemConnectorOptions
                                                .SINK_PARTITION_COMMIT_POLICY_KIND)));
            }
            if (policy.equals(PartitionCommitPolicy.CUSTOM)
                    && options.get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS)
                            == null) {
                throw new ValidationException(
                        String.format(
                                "The policy 'custom' in '%s' needs a class. Set '%s' to the name of a"
                                        + " PartitionCommitPolicy.",
                                FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND.key(),
                                FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS
                                        .key()));
            }
        }
    }

    private static void validateSizes(ReadableConfig options) {
        MemorySize part = options.get(PART_SIZE);
        if (part.compareTo(SMALLEST_PART) < 0 || part.compareTo(LARGEST_PART) > 0) {
            throw invalid(PART_SIZE, part, "parts must be from 5 mb to 5 gb, the limits of S3");
        }
        atLeastOne(options, UPLOAD_CONCURRENCY);
        atLeastOne(options, COMMIT_CONCURRENCY);
        MemorySize memory = options.get(WRITER_MEMORY);
        MemorySize needed = part.multiply(PARTS_IN_MEMORY);
        if (memory.compareTo(needed) < 0) {
            throw invalid(
                    WRITER_MEMORY,
                    memory,
                    String.format(
                            "%d parts must fit. Set it to at least '%s', or '%s' lower",
                            PARTS_IN_MEMORY, needed, PART_SIZE.key()));
        }
        MemorySize threshold = options.get(INLINE_THRESHOLD);
        if (threshold.compareTo(part) > 0) {
            throw invalid(
                    INLINE_THRESHOLD,
                    threshold,
                    String.format("it can't be above '%s', '%s'", PART_SIZE.key(), part));
        }
        options.getOptional(INLINE_LIMIT)
                .filter(limit -> threshold.compareTo(limit) > 0)
                .ifPresent(
                        limit -> {
                            throw invalid(
                                    INLINE_THRESHOLD,
                                    threshold,
                                    String.format(
                                            "it can't be above '%s', '%s'",
                                            INLINE_LIMIT.key(), limit));
                        });
    }

    private static void validateFileName(ReadableConfig options, ConfigOption<String> option) {
        String value = options.get(option);
        if (value.contains("/") || value.chars().anyMatch(Character::isISOControl)) {
            throw invalid(option, value, "a file name can't have '/' or control characters");
        }
    }

    private static void atLeastOne(ReadableConfig options, ConfigOption<Integer> option) {
        int value = options.get(option);
        if (value < 1) {
            throw invalid(option, value, "it must be at least 1");
        }
    }

    private static ValidationException invalid(ConfigOption<?> option, Object value, String why) {
        return new ValidationException(
                String.format("Invalid value '%s' for option '%s': %s.", value, option.key(), why));
    }
}
