package io.partitionbridge.table;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.table.api.ValidationException;

/**
 * The fate of each option of the format 'parquet': Flink hands all of them to parquet-mr, the
 * bridge knows what pyarrow can honour.
 */
final class ParquetOptions {

    private static final Set<String> CODECS =
            Set.of("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4_RAW");

    // Codecs of parquet-mr that pyarrow has not: LZ4 is Hadoop's framing of it.
    private static final Set<String> FLINK_CODECS = Set.of("LZO", "LZ4");

    private static final Set<String> VERSIONS = Set.of("PARQUET_1_0", "PARQUET_2_0", "V1", "V2");

    private static final Set<String> UNITS = Set.of("NANOS", "MICROS", "MILLIS");

    private ParquetOptions() {}

    /**
     * The first option, by key, that pyarrow can't honour; Flink's own format can.
     *
     * @throws ValidationException for a value that Flink's writer would fail on when the job runs
     */
    static Optional<FallbackReason> unsupported(Map<String, String> options) {
        for (Map.Entry<String, String> option : new TreeMap<>(options).entrySet()) {
            String key = option.getKey();
            Optional<ParquetKey> known = ParquetKey.find(key);
            if (known.isEmpty()) {
                return Optional.of(
                        new FallbackReason(
                                "'" + key + "' is unknown to the bridge", "Remove '" + key + "'."));
            }
            if (known.get().fate == ParquetKey.Fate.HOST) {
                return Optional.of(
                        new FallbackReason(
                                "'" + key + "' is for Flink's own format",
                                "Remove '" + key + "'."));
            }
            if (known.get() == ParquetKey.COMPRESSION
                    && FLINK_CODECS.contains(upper(option.getValue()))) {
                return Optional.of(
                        new FallbackReason(
                                String.format("'%s' = '%s'", key, option.getValue()),
                                "Use SNAPPY, ZSTD, GZIP, BROTLI, LZ4_RAW or UNCOMPRESSED."));
            }
            validate(known.get().value, key, option.getValue());
        }
        return Optional.empty();
    }

    private static void validate(ParquetKey.Value kind, String key, String value) {
        switch (kind) {
            case CODEC -> oneOf(CODECS, key, value);
            case VERSION -> oneOf(VERSIONS, key, value);
            case UNIT -> oneOf(UNITS, key, value);
            case NUMBER -> whole(key, value, Integer.MIN_VALUE);
            case SIZE -> whole(key, value, 1);
            default -> {}
        }
    }

    private static void oneOf(Set<String> allowed, String key, String value) {
        if (!allowed.contains(upper(value))) {
            throw new ValidationException(
                    String.format(
                            "Invalid value '%s' for option '%s': use one of %s.",
                            value, key, String.join(", ", allowed.stream().sorted().toList())));
        }
    }

    private static void whole(String key, String value, int least) {
        try {
            if (Integer.parseInt(value.trim()) >= least) {
                return;
            }
        } catch (NumberFormatException e) {
            // Told below, with the option's name.
        }
        throw new ValidationException(
                String.format(
                        "Invalid value '%s' for option '%s': it must be a whole number%s, without a unit.",
                        value, key, least == 1 ? " of bytes above 0" : ""));
    }

    private static String upper(String value) {
        return value.trim().toUpperCase(Locale.ROOT);
    }
}
