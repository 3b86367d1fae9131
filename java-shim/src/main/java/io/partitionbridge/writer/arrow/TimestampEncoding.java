package io.partitionbridge.writer.arrow;

import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;

/**
 * How a table's Parquet options want timestamps written.
 *
 * <p>TIMESTAMP and TIMESTAMP_LTZ are treated alike, because Flink's Parquet writer does so.
 *
 * @param utc {@code parquet.utc-timezone}: whether the wall clock of a value is taken as UTC
 *     instead of the JVM's zone
 * @param int64 {@code parquet.write.int64.timestamp}: INT64 in {@code unit} instead of INT96
 * @param unit {@code parquet.timestamp.time.unit}, for INT64 only
 */
public record TimestampEncoding(boolean utc, boolean int64, Unit unit) implements Serializable {

    private static final String UTC = "parquet.utc-timezone";
    private static final String INT64 = "parquet.write.int64.timestamp";
    private static final String UNIT = "parquet.timestamp.time.unit";

    /** Names and meaning are those of Flink's option. */
    public enum Unit {
        MILLIS,
        MICROS,
        NANOS
    }

    /**
     * @param options table options with their {@code parquet.} prefix; others are not looked at
     * @throws ValidationException where a value is none that the option takes
     */
    public static TimestampEncoding from(Map<String, String> options) {
        return new TimestampEncoding(flag(options, UTC), flag(options, INT64), unit(options));
    }

    private static boolean flag(Map<String, String> options, String key) {
        String value = options.getOrDefault(key, "false").strip().toLowerCase(Locale.ROOT);
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw refused(key, options.get(key), "true or false");
        };
    }

    private static Unit unit(Map<String, String> options) {
        String value = options.getOrDefault(UNIT, "micros").strip().toLowerCase(Locale.ROOT);
        return switch (value) {
            case "millis" -> Unit.MILLIS;
            case "micros" -> Unit.MICROS;
            case "nanos" -> Unit.NANOS;
            default -> throw refused(UNIT, options.get(UNIT), "nanos, micros or millis");
        };
    }

    private static ValidationException refused(String key, String value, String allowed) {
        return new ValidationException(
                "Option '" + key + "' is '" + value + "'; set it to " + allowed + ".");
    }
}
