package io.partitionbridge.table;

import java.util.Locale;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options that the bridge adds to those of Flink's filesystem connector.
 *
 * <p>docs/options.md is generated from this class, so a description is written for the reader of
 * that page.
 */
public final class BridgeOptions {

    public static final ConfigOption<MemorySize> PART_SIZE =
            ConfigOptions.key("sink.upload.part-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(16))
                    .withDescription(
                            "Size of the parts of a multipart upload; all parts of a file but the last have exactly"
                                    + " this size. From 5 MB to 5 GB.");

    public static final ConfigOption<Integer> UPLOAD_CONCURRENCY =
            ConfigOptions.key("sink.upload.concurrency")
                    .intType()
                    .defaultValue(4)
                    .withDescription("Parts that a sink subtask uploads at the same time.");

    public static final ConfigOption<Integer> COMMIT_CONCURRENCY =
            ConfigOptions.key("sink.commit.concurrency")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "Uploads that a sink subtask completes at the same time once a checkpoint is complete.");

    public static final ConfigOption<Checksum> CHECKSUM =
            ConfigOptions.key("sink.upload.checksum")
                    .enumType(Checksum.class)
                    .defaultValue(Checksum.AUTO)
                    .withDescription(
                            "End-to-end checksum of parts. 'auto': on for AWS, off for other stores, some of which"
                                    + " refuse it.");

    public static final ConfigOption<Conditional> CONDITIONAL =
            ConfigOptions.key("sink.upload.conditional")
                    .enumType(Conditional.class)
                    .defaultValue(Conditional.AUTO)
                    .withDescription(
                            "Whether an object is only made visible if no object has its key ('If-None-Match: *')."
                                    + " 'auto': unless the store answers that it can't. 'on': the job fails where the"
                                    + " store can't or ignores it, which each writer tries at its start with an object"
                                    + " '_conditional-…' under the path that it removes again; that needs permission to"
                                    + " delete. 'off': never asked for. File names are never used twice with any of"
                                    + " these.");

    public static final ConfigOption<MemorySize> INLINE_THRESHOLD =
            ConfigOptions.key("sink.upload.inline-threshold")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Files smaller than this travel in the checkpoint and are stored by a single request."
                                    + " 0 makes every file a multipart upload.");

    public static final ConfigOption<MemorySize> WRITER_MEMORY =
            ConfigOptions.key("sink.writer.memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Memory budget of a subtask's writer process and its batch builders. At least four times"
                                    + " 'sink.upload.part-size'.");

    public static final ConfigOption<MemorySize> INLINE_LIMIT =
            ConfigOptions.key("sink.state.inline-limit")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "Most bytes of files that a subtask keeps in one checkpoint; what is over it is uploaded"
                                    + " before the barrier is acknowledged. 32 MB where not set, and 4 MB with"
                                    + " JobManager checkpoint storage, which refuses larger states. In batch jobs at"
                                    + " most 256 KB, since the files of all subtasks meet in one committer.");

    public static final ConfigOption<Encoder> ENCODER =
            ConfigOptions.key("sink.writer.encoder")
                    .enumType(Encoder.class)
                    .defaultValue(Encoder.AUTO)
                    .withDescription(
                            "What encodes the files. 'arrow': pyarrow in the writer process, Parquet only. 'host':"
                                    + " Flink's own format in the JVM, so its very bytes. 'auto': 'arrow' for Parquet"
                                    + " with options that pyarrow can honour, else 'host'.");

    public static final ConfigOption<Boolean> ROLL_ON_CHECKPOINT =
            ConfigOptions.key("sink.rolling-policy.roll-on-checkpoint")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether Parquet files end at every checkpoint, as with Flink's own sink. With 'false' they"
                                    + " go on until size, time or partition ends them, and are read only then. What is"
                                    + " in no part yet travels in the state, within 'sink.state.inline-limit', of which"
                                    + " open files have three quarters. A process-time trigger needs a delay, since"
                                    + " without one each checkpoint commits, and so ends, all. Only where pyarrow"
                                    + " encodes; row formats always go on.");

    public static final ConfigOption<MissingUpload> MISSING_UPLOAD =
            ConfigOptions.key("sink.restore.missing-upload")
                    .enumType(MissingUpload.class)
                    .defaultValue(MissingUpload.FAIL)
                    .withDescription(
                            "What to do at restore with a file whose upload the store no longer knows. 'skip' goes on"
                                    + " without it and reports what was lost.");

    public static final ConfigOption<Fallback> FALLBACK =
            ConfigOptions.key("sink.fallback")
                    .enumType(Fallback.class)
                    .defaultValue(Fallback.ALLOW)
                    .withDescription(
                            "Whether Flink's own sink takes over what the bridge can't write exactly as Flink does."
                                    + " 'forbid' makes that an error at planning.");

    public static final ConfigOption<String> FILE_PREFIX =
            ConfigOptions.key("sink.file.prefix")
                    .stringType()
                    .defaultValue("part")
                    .withDescription("Start of the names of data files.");

    public static final ConfigOption<String> FILE_SUFFIX =
            ConfigOptions.key("sink.file.suffix")
                    .stringType()
                    .defaultValue("")
                    .withDescription("End of the names of data files, for example '.parquet'.");

    public static final ConfigOption<Compression> FILE_COMPRESSION =
            ConfigOptions.key("sink.file.compression")
                    .enumType(Compression.class)
                    .defaultValue(Compression.NONE)
                    .withDescription(
                            "Compression of the files of csv, json, raw, debezium-json, canal-json, maxwell-json and"
                                    + " ogg-json; other formats have options of their own. Names get '.gz' or '.zst' at"
                                    + " their end, behind 'sink.file.suffix', by which readers know. Flink reads gzip;"
                                    + " zstd of all but csv, where zstd-jni is on its class path."
                                    + " 'sink.rolling-policy.file-size' counts compressed bytes. An open file's"
                                    + " uncompressed bytes, up to a part, count against 'sink.state.inline-limit'.");

    public static final ConfigOption<String> PYTHON_EXECUTABLE =
            ConfigOptions.key("python.executable")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Python interpreter of the writer processes. Where not set, Flink's option of the same"
                                    + " name applies, and without that 'python3' or 'python' of the PATH.");

    private BridgeOptions() {}

    /** Every option of this class, in no order. */
    public static Set<ConfigOption<?>> all() {
        return Set.of(
                PART_SIZE,
                UPLOAD_CONCURRENCY,
                COMMIT_CONCURRENCY,
                CHECKSUM,
                CONDITIONAL,
                INLINE_THRESHOLD,
                WRITER_MEMORY,
                INLINE_LIMIT,
                ENCODER,
                ROLL_ON_CHECKPOINT,
                MISSING_UPLOAD,
                FALLBACK,
                FILE_PREFIX,
                FILE_SUFFIX,
                FILE_COMPRESSION,
                PYTHON_EXECUTABLE);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Values of {@link #CHECKSUM}. */
    public enum Checksum {
        AUTO,
        OFF,
        CRC64NVME;

        @Override
        public String toString() {
            return word(this);
        }
    }

    /** Values of {@link #CONDITIONAL}. */
    public enum Conditional {
        AUTO,
        ON,
        OFF;

        @Override
        public String toString() {
            return word(this);
        }
    }

    /** Values of {@link #ENCODER}. */
    public enum Encoder {
        AUTO,
        ARROW,
        HOST;

        @Override
        public String toString() {
            return word(this);
        }
    }

    /** Values of {@link #FILE_COMPRESSION}. */
    public enum Compression {
        NONE,
        GZIP,
        ZSTD;

        @Override
        public String toString() {
            return word(this);
        }
    }

    /** Values of {@link #MISSING_UPLOAD}. */
    public enum MissingUpload {
        FAIL,
        SKIP;

        @Override
        public String toString() {
            return word(this);
        }
    }

    /** Values of {@link #FALLBACK}. */
    public enum Fallback {
        ALLOW,
        FORBID;

        @Override
        public String toString() {
            return word(this);
        }
    }
}
