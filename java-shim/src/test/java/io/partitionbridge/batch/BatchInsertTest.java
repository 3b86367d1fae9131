package io.partitionbridge.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.control.InsertCommit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the statement and the table make of a commit. */
class BatchInsertTest {

    private static final String KIND = "sink.partition-commit.policy.kind";

    @ParameterizedTest(name = "{0} partition columns, overwrite {1}")
    @CsvSource({
        "0, false, NOTHING",
        "2, false, NOTHING",
        "0, true, THE_TABLE",
        "2, true, ITS_PARTITIONS"
    })
    @DisplayName("INSERT INTO removes nothing, INSERT OVERWRITE its partitions or the table.")
    void removes(int keys, boolean overwrite, InsertCommit.Overwrite expected) {
        assertThat(insert(keys, Map.of(), overwrite, Map.of()).commit(false).overwrite())
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {"success-file; DONE", "custom,Success-File; DONE", "custom; ''"})
    @DisplayName("The success file is named only where a policy writes it again.")
    void successFile(String kind, String expected) {
        Map<String, String> options =
                Map.of(KIND, kind, "sink.partition-commit.success-file.name", "DONE");

        assertThat(insert(1, Map.of(), true, options).commit(false).successFile())
                .isEqualTo(expected);
    }

    @Test
    @DisplayName("Without a policy no partition is announced, so nothing is taken back either.")
    void noPolicy() {
        assertThat(insert(1, Map.of(), true, Map.of()).commit(true))
                .isEqualTo(new InsertCommit("id", InsertCommit.Overwrite.ITS_PARTITIONS, "", true));
    }

    @Test
    @DisplayName("An insert is static when every partition column has a value in the statement.")
    void staticPartition() {
        BatchInsert half = insert(2, Map.of("d", "2020-05-04"), false, Map.of());
        BatchInsert whole = insert(1, Map.of("d", "2020-05-04 10:00"), false, Map.of());

        assertThat(half.isStatic()).isFalse();
        assertThat(whole.isStatic()).isTrue();
        assertThat(whole.staticPartition()).isEqualTo("d=2020-05-04 10%3A00/");
    }

    @Test
    @DisplayName("Policies get the values of a path as they were before they were escaped.")
    void specOfAPath() {
        assertThat(BatchInsert.spec("day=2013-01-01/a%3Db=x%2Fy z/"))
                .containsExactly(Map.entry("day", "2013-01-01"), Map.entry("a=b", "x/y z"));
    }

    private static BatchInsert insert(
            int keys, Map<String, String> values, boolean overwrite, Map<String, String> options) {
        return new BatchInsert(
                "id",
                ObjectIdentifier.of("c", "d", "t"),
                keys,
                new LinkedHashMap<>(values),
                overwrite,
                false,
                Configuration.fromMap(options),
                null);
    }
}
