package io.partitionbridge.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Columns of a table that the bridge makes in a metastore. */
class HiveTypesTest {

    @Test
    @DisplayName("Every type that a file can hold has Hive's name for it, and TIME has none.")
    void namesTypesAsHiveDoes() {
        assertThat(hive(DataTypes.BOOLEAN())).isEqualTo("boolean");
        assertThat(hive(DataTypes.TINYINT())).isEqualTo("tinyint");
        assertThat(hive(DataTypes.SMALLINT())).isEqualTo("smallint");
        assertThat(hive(DataTypes.INT().notNull())).as("Hive has no NOT NULL").isEqualTo("int");
        assertThat(hive(DataTypes.BIGINT())).isEqualTo("bigint");
        assertThat(hive(DataTypes.FLOAT())).isEqualTo("float");
        assertThat(hive(DataTypes.DOUBLE())).isEqualTo("double");
        assertThat(hive(DataTypes.DECIMAL(12, 3))).isEqualTo("decimal(12,3)");
        assertThat(hive(DataTypes.STRING())).isEqualTo("string");
        assertThat(hive(DataTypes.VARCHAR(9))).isEqualTo("varchar(9)");
        assertThat(hive(DataTypes.CHAR(3))).isEqualTo("char(3)");
        assertThat(hive(DataTypes.CHAR(300))).as("over Hive's limit").isEqualTo("string");
        assertThat(hive(DataTypes.BYTES())).isEqualTo("binary");
        assertThat(hive(DataTypes.DATE())).isEqualTo("date");
        assertThat(hive(DataTypes.TIMESTAMP(6))).isEqualTo("timestamp");
        assertThat(hive(DataTypes.TIMESTAMP_LTZ(3))).isEqualTo("timestamp");
        assertThat(hive(DataTypes.TIME())).as("Hive has none").isNull();
    }

    @Test
    @DisplayName("Nested types are written as Hive writes them; one that holds a TIME has no name.")
    void namesNestedTypes() {
        DataType row =
                DataTypes.ROW(
                        DataTypes.FIELD("a", DataTypes.INT()),
                        DataTypes.FIELD("b", DataTypes.ARRAY(DataTypes.STRING())));
        assertThat(hive(row)).isEqualTo("struct<a:int,b:array<string>>");
        assertThat(hive(DataTypes.MAP(DataTypes.STRING(), row)))
                .isEqualTo("map<string,struct<a:int,b:array<string>>>");
        assertThat(hive(DataTypes.MULTISET(DataTypes.STRING()))).isEqualTo("map<string,int>");
        assertThat(hive(DataTypes.ARRAY(DataTypes.TIME()))).as("inside").isNull();
        assertThat(hive(DataTypes.MAP(DataTypes.TIME(), DataTypes.INT()))).as("as key").isNull();
        assertThat(hive(DataTypes.ROW(DataTypes.FIELD("t", DataTypes.TIME())))).isNull();
    }

    private static String hive(DataType type) {
        return HiveTypes.of(type.getLogicalType());
    }
}
