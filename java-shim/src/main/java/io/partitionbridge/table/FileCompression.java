package io.partitionbridge.table;

import io.partitionbridge.table.BridgeOptions.Compression;
import io.partitionbridge.writer.HostFormat;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.factories.FactoryUtil;

/** What sink.file.compression does to a table's files and their names. */
final class FileCompression {

    /** Formats whose files are lines of text: compressed as a whole, they stay what they are. */
    static final Set<String> FORMATS =
            Set.of("csv", "json", "raw", "debezium-json", "canal-json", "maxwell-json", "ogg-json");

    private static final Map<Compression, String> EXTENSIONS =
            Map.of(Compression.NONE, "", Compression.GZIP, ".gz", Compression.ZSTD, ".zst");

    private static final Map<String, String> OWN_OPTIONS =
            Map.of(
                    "parquet", "parquet.compression",
                    "orc", "orc.compress",
                    "avro", "avro.codec");

    private FileCompression() {}

    /**
     * @throws ValidationException for a format whose files can't be compressed from outside
     */
    static void validate(TableDefinition table) {
        Compression compression = of(table.options());
        if (compression == Compression.NONE || FORMATS.contains(table.format())) {
            return;
        }
        String own = OWN_OPTIONS.get(table.format());
        throw new ValidationException(
                String.format(
                        "'%s' = '%s' can't compress files of 'format' = '%s'. Remove it%s.",
                        BridgeOptions.FILE_COMPRESSION.key(),
                        compression,
                        table.format(),
                        own == null ? "" : ", and set '" + own + "' instead"));
    }

    /**
     * Flink's source of csv knows no zstd and would take the compressed bytes for text.
     *
     * @throws ValidationException for a table that Flink can write but not read
     */
    static void validateSource(ReadableConfig options) {
        if (of(options) == Compression.ZSTD && options.get(FactoryUtil.FORMAT).equals("csv")) {
            throw new ValidationException(
                    String.format(
                            "Flink can't read csv files with '%s' = 'zstd'. Set 'gzip', or read the files with another"
                                    + " engine.",
                            BridgeOptions.FILE_COMPRESSION.key()));
        }
    }

    /** The end of the files' names: readers know the compression by it. */
    static String suffix(ReadableConfig options) {
        String suffix = options.get(BridgeOptions.FILE_SUFFIX);
        String extension = EXTENSIONS.get(of(options));
        return suffix.endsWith(extension) ? suffix : suffix + extension;
    }

    static HostFormat apply(HostFormat format, ReadableConfig options) {
        return format.compressed(of(options).toString());
    }

    private static Compression of(ReadableConfig options) {
        return options.get(BridgeOptions.FILE_COMPRESSION);
    }
}
