package io.partitionbridge.table;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Every option of the format 'parquet' that Flink's format or parquet-mr 1.15 knows, and who
 * encodes a table that has it.
 *
 * <p>docs/parquet-keys.md is generated from this enum, so a meaning is written for the reader of
 * that page. A name with '#' at its end is of one column, whose path follows; one with '.*' stands
 * for any rest.
 */
enum ParquetKey {
    COMPRESSION(Value.CODEC, "codec; with LZO and LZ4 (Hadoop's framing) `host`", "compression"),
    ZSTD_LEVEL(Value.NUMBER, "level of ZSTD", "compression.codec.zstd.level"),
    BLOCK_SIZE(Value.SIZE, "size of row groups", "block.size"),
    PAGE_SIZE(Value.SIZE, "size of pages", "page.size"),
    DICTIONARY_PAGE_SIZE(
            Value.SIZE, "largest dictionary of a column chunk", "dictionary.page.size"),
    DICTIONARY(Value.ANY, "dictionary encoding", "enable.dictionary"),
    COLUMN_DICTIONARY(
            Value.ANY,
            "the same for one column; Flink's own writer doesn't ask for it",
            "enable.dictionary#"),
    VERSION(Value.VERSION, "version of pages and of types", "writer.version"),
    UTC(Value.ANY, "zone of INT96 times", "utc-timezone"),
    INT64(Value.ANY, "timestamps as INT64 instead of INT96", "write.int64.timestamp"),
    UNIT(Value.UNIT, "unit of INT64 timestamps", "timestamp.time.unit"),

    READING(
            Fate.NO_MEANING,
            "reads files",
            "batch-size",
            "decrypt.off-heap.buffer.enabled",
            "filter.*",
            "hadoop.vectored.io.enabled",
            "metadata.read.parallelism",
            "page.verify-checksum.enabled",
            "private.read.*",
            "read.*",
            "split.files",
            "strict.typing",
            "strings.signed-min-max.enabled",
            "task.side.metadata"),
    JAVA_ONLY(
            Fate.NO_MEANING,
            "tunes or checks parquet-mr's own work; the file is the same",
            "compression.codec.zstd.bufferPool.enabled",
            "compression.codec.zstd.workers",
            "validation",
            "writer.max-padding"),
    OUTPUT_FORMAT(
            Fate.NO_MEANING,
            "of Hadoop's output format, which Flink's sink doesn't use",
            "enable.summary-metadata",
            "example.schema",
            "memory.min.chunk.size",
            "memory.pool.ratio",
            "summary.metadata.level",
            "write.support.class"),

    ENCRYPTION(
            Fate.HOST,
            "encryption of columns and footer, by parquet-mr",
            "crypto.factory.class",
            "encryption.*"),
    NOT_HANDED_ON(
            Fate.HOST,
            "known to parquet-mr, but Flink's sink (2.1 to 2.3) doesn't hand it on: without effect in the file, as with Flink's own sink",
            "bloom.filter.adaptive.enabled",
            "bloom.filter.adaptive.enabled#",
            "bloom.filter.candidates.number",
            "bloom.filter.candidates.number#",
            "bloom.filter.enabled",
            "bloom.filter.enabled#",
            "bloom.filter.expected.ndv",
            "bloom.filter.expected.ndv#",
            "bloom.filter.fpp",
            "bloom.filter.fpp#",
            "bloom.filter.max.bytes",
            "column.statistics.enabled",
            "column.statistics.enabled#",
            "columnindex.truncate.length",
            "page.row.count.limit",
            "page.size.check.estimate",
            "page.size.row.check.max",
            "page.size.row.check.min",
            "page.value.count.threshold",
            "page.write-checksum.enabled",
            "size.statistics.enabled",
            "size.statistics.enabled#",
            "statistics.truncate.length");

    static final String PREFIX = "parquet.";

    /** Who encodes a table that has the key. */
    enum Fate {
        HONOURED,
        NO_MEANING,
        HOST
    }

    /** What values are good; only of honoured keys. */
    enum Value {
        CODEC,
        NUMBER,
        SIZE,
        VERSION,
        UNIT,
        ANY
    }

    final Fate fate;
    final Value value;
    final String meaning;
    final List<String> names;

    ParquetKey(Value value, String meaning, String name) {
        this(Fate.HONOURED, value, meaning, List.of(name));
    }

    ParquetKey(Fate fate, String meaning, String... names) {
        this(fate, Value.ANY, meaning, List.of(names));
    }

    ParquetKey(Fate fate, Value value, String meaning, List<String> names) {
        this.fate = fate;
        this.value = value;
        this.meaning = meaning;
        this.names = names;
    }

    /** The key that is called so, "parquet." included; empty for one that nobody knows. */
    static Optional<ParquetKey> find(String option) {
        String name = option.substring(PREFIX.length());
        return Arrays.stream(values()).filter(key -> key.isCalled(name)).findFirst();
    }

    private boolean isCalled(String name) {
        int column = name.indexOf('#') + 1;
        return names.contains(column == 0 ? name : name.substring(0, column))
                || names.stream()
                        .filter(known -> known.endsWith(".*"))
                        .anyMatch(known -> name.startsWith(known.substring(0, known.length() - 1)));
    }
}
