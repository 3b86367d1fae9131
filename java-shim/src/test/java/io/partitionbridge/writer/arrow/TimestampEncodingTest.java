package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;

/** The parquet options that say how timestamps are written. */
class TimestampEncodingTest {

    /** Nothing set means what it means to Flink: INT96 in the JVM's zone. */
    @Test
    void defaultsAreFlinks() {
        assertThat(TimestampEncoding.from(Map.of("parquet.compression", "ZSTD")))
                .isEqualTo(new TimestampEncoding(false, false, TimestampEncoding.Unit.MICROS));
    }

    /** Values are taken in any case. */
    @Test
    void everyOptionIsRead() {
        assertThat(
                        TimestampEncoding.from(
                                Map.of(
                                        "parquet.utc-timezone", "TRUE",
                                        "parquet.write.int64.timestamp", "true",
                                        "parquet.timestamp.time.unit", "NANOS")))
                .isEqualTo(new TimestampEncoding(true, true, TimestampEncoding.Unit.NANOS));
    }

    /** A value that no one knows is an error of the configuration, not a default. */
    @Test
    void anUnknownValueIsRefusedByKeyAndValue() {
        assertThatThrownBy(
                        () ->
                                TimestampEncoding.from(
                                        Map.of("parquet.timestamp.time.unit", "seconds")))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'parquet.timestamp.time.unit' is 'seconds'")
                .hasMessageContaining("nanos, micros or millis");
        assertThatThrownBy(
                        () ->
                                TimestampEncoding.from(
                                        Map.of("parquet.write.int64.timestamp", "yes")))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'parquet.write.int64.timestamp' is 'yes'");
    }
}
