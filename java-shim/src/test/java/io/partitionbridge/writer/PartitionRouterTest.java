package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class PartitionRouterTest {

    private static final VarCharType STRING = new VarCharType(VarCharType.MAX_LENGTH);

    /** Columns in the order of PARTITIONED BY, values escaped as Flink does. */
    @Test
    void pathsAreFlinks() {
        PartitionRouter router = router(List.of("hour", "city"), new BigIntType(), STRING, STRING);

        assertThat(router.partitionOf(row(1L, "a b", "10:00"))).isEqualTo("hour=10%3A00/city=a b/");
        assertThat(router.partitionOf(row(2L, "é/", "10:00"))).isEqualTo("hour=10%3A00/city=é%2F/");
    }

    /** Null and the empty string go to the default partition. */
    @Test
    void nullAndEmptyHaveTheDefaultName() {
        PartitionRouter router = router(List.of("hour"), new BigIntType(), STRING, STRING);

        assertThat(router.partitionOf(GenericRowData.of(1L, null, null)))
                .isEqualTo("hour=__DEFAULT__/");
        assertThat(router.partitionOf(row(1L, "x", ""))).isEqualTo("hour=__DEFAULT__/");
        assertThat(router.partitionOf(row(1L, "x", "1"))).isEqualTo("hour=1/");
        assertThat(router.partitionOf(GenericRowData.of(1L, null, null)))
                .as("known by now")
                .isEqualTo("hour=__DEFAULT__/");
    }

    /** Half of a surrogate pair has no UTF-8, and the writer's keys are UTF-8. */
    @Test
    void whatHasNoUtf8IsAQuestionMark() {
        PartitionRouter router = router(List.of("city"), new BigIntType(), STRING, STRING);

        assertThat(router.partitionOf(row(1L, "a\ud83d", "1")))
                .as("as after an exchange between tasks, and escaped like one")
                .isEqualTo("city=a%3F/");
        assertThat(router.partitionOf(row(1L, "a\ud83d\ude00", "1")))
                .as("a whole pair stays")
                .isEqualTo("city=a\ud83d\ude00/");
    }

    /** A reused row must not change what is remembered of the one before. */
    @Test
    void remembersNothingOfAReusedRow() {
        PartitionRouter router = router(List.of("hour"), new BigIntType(), STRING, STRING);
        BinaryRowData reused = new BinaryRowData(3);
        BinaryRowWriter writer = new BinaryRowWriter(reused);

        for (int round = 0; round < 3; round++) {
            for (String hour : List.of("a-long-value-outside-the-fixed-part-1", "short")) {
                writer.reset();
                writer.writeLong(0, 1);
                writer.writeString(1, StringData.fromString("x"));
                writer.writeString(2, StringData.fromString(hour));
                writer.complete();
                assertThat(router.partitionOf(reused)).isEqualTo("hour=" + hour + "/");
            }
        }
    }

    /** More partitions than are remembered stay right. */
    @Test
    void manyPartitionsComeRoundAgain() {
        PartitionRouter router = router(List.of("id"), new BigIntType(), STRING, STRING);

        for (long round = 0; round < 2; round++) {
            for (long id = 0; id < 1000; id++) {
                assertThat(router.partitionOf(row(id, "x", "y"))).isEqualTo("id=" + id + "/");
            }
        }
    }

    /** Values print as Flink's sink prints them: a DATE as its epoch day. */
    @Test
    void valuesPrintAsInFlinksSink() {
        PartitionRouter router =
                router(List.of("city", "hour"), new BigIntType(), new DateType(), decimal());

        assertThat(
                        router.partitionOf(
                                GenericRowData.of(
                                        1L, 18_385, DecimalData.fromUnscaledLong(150, 5, 2))))
                .isEqualTo("city=18385/hour=1.50/");
    }

    /** Flink names a partition on bytes by identity; a lookup by value would rename it. */
    @Test
    void bytesAreNotLookedUpByValue() {
        PartitionRouter router =
                router(List.of("hour"), new BigIntType(), STRING, new VarBinaryType(10));
        byte[] value = "x".getBytes(StandardCharsets.UTF_8);

        assertThat(router.partitionOf(GenericRowData.of(1L, null, value)))
                .isEqualTo("hour=%5BB@" + Integer.toHexString(value.hashCode()) + "/");
    }

    /** A table without partition columns is one partition without name. */
    @Test
    void anUnpartitionedTableHasTheEmptyPath() {
        assertThat(
                        router(List.of(), new BigIntType(), STRING, STRING)
                                .partitionOf(row(1L, "x", "y")))
                .isEmpty();
    }

    private static DecimalType decimal() {
        return new DecimalType(5, 2);
    }

    private static PartitionRouter router(List<String> keys, LogicalType... types) {
        return new PartitionRouter(
                RowType.of(types, new String[] {"id", "city", "hour"}), keys, "__DEFAULT__");
    }

    private static RowData row(long id, String city, String hour) {
        return GenericRowData.of(id, StringData.fromString(city), StringData.fromString(hour));
    }
}
