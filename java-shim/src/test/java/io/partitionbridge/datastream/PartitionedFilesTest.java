package io.partitionbridge.datastream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A DataStream program that ends in a table. */
class PartitionedFilesTest {

    private static final Schema COLUMNS =
            Schema.newBuilder()
                    .column("id", DataTypes.BIGINT())
                    .column("day", DataTypes.STRING())
                    .build();

    private final StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);

    @Test
    @DisplayName("The sink is the bridge's, and its state is found by the table's name.")
    void namesItsOperators() {
        PartitionedFiles.sinkTo(tables, rows(), "readings", table("s3://lake/t").build());

        assertThat(environment.getStreamGraph().getStreamNodes())
                .extracting(StreamNode::getTransformationUID)
                .filteredOn(Objects::nonNull)
                .as("whatever else the program has")
                .contains(
                        "partition-bridge:default_catalog.default_database.readings:streaming-writer");
    }

    @Test
    @DisplayName(
            "Watermarks go along where partitions are committed by event time, and only there.")
    void bringsWatermarks() {
        PartitionedFiles.sinkTo(tables, rows(), "by_clock", table("s3://lake/t").build());
        assertThat(sources(environment.getStreamGraph(false)))
                .as("a stream without timestamps is as good")
                .contains("watermark=false")
                .doesNotContain("watermark=true");

        PartitionedFiles.sinkTo(
                tables,
                rows(),
                "by_time",
                table("s3://lake/u")
                        .option("sink.partition-commit.trigger", "partition-time")
                        .build());
        assertThat(sources(environment.getStreamGraph()))
                .as("what Flink hands from the stream to the table")
                .contains("watermark=true");
    }

    @Test
    @DisplayName("Rows land by the names of their fields when the program is executed.")
    void landsRows(@TempDir Path folder) throws Exception {
        TableDescriptor csv = table(folder.toUri().toString()).format("csv").build();
        PartitionedFiles.sinkTo(tables, rows(), "readings", csv);
        environment.execute();

        try (Stream<Path> files = Files.walk(folder)) {
            List<String> lines =
                    files.filter(file -> file.getFileName().toString().startsWith("part-"))
                            .map(file -> file.getParent().getFileName() + " " + read(file).strip())
                            .toList();
            assertThat(lines).containsExactlyInAnyOrder("day=monday 1", "day=tuesday 2");
        }
        assertThat(folder.resolve("day=monday/_SUCCESS")).as("and is announced").exists();
    }

    @Test
    @DisplayName("A descriptor without columns is refused with what to do.")
    void wantsColumns() {
        TableDescriptor none = TableDescriptor.forConnector("filesystem-bridge").build();

        assertThatThrownBy(() -> PartitionedFiles.sinkTo(tables, rows(), "t", none))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'t' has no columns")
                .hasMessageContaining("Give it a schema.");
    }

    /** Fields in another order than the table's columns. */
    private DataStream<Row> rows() {
        return environment
                .fromData(
                        Types.ROW_NAMED(new String[] {"day", "id"}, Types.STRING, Types.LONG),
                        Row.of("monday", 1L),
                        Row.of("tuesday", 2L))
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Row>forMonotonousTimestamps()
                                .withTimestampAssigner((row, time) -> 0));
    }

    private static TableDescriptor.Builder table(String path) {
        return TableDescriptor.forConnector("filesystem-bridge")
                .schema(COLUMNS)
                .partitionedBy("day")
                .format("parquet")
                .option("path", path)
                .option("sink.partition-commit.policy.kind", "success-file");
    }

    private static String sources(StreamGraph graph) {
        return graph.getStreamNodes().stream()
                .map(StreamNode::getOperatorDescription)
                .toList()
                .toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
