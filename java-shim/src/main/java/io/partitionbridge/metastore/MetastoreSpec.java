package io.partitionbridge.metastore;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the process that talks to the metastore is told of a table, fixed at planning.
 *
 * <p>Nothing here is secret: credentials are read from the TaskManager's configuration when the
 * committer opens (I12).
 *
 * @param kind 'hive', 'glue' or the name of a Python entry point
 * @param tableName catalog.database.table of Flink, for messages
 * @param database of the metastore
 * @param table of the metastore
 * @param location the table's path, as Flink's committer begins the paths of partitions with it
 * @param columns of the files, in DDL order
 * @param partitionColumns outermost first
 * @param format of the files
 * @param formatOptions every option of the format, keys without the prefix
 * @param createTable whether a table that isn't there is made
 * @param retryMillis how long a metastore that doesn't answer is asked again
 * @param options every option under "metastore.", keys without the prefix
 * @param pythonExecutable as the table or the session gives it, or null
 */
public record MetastoreSpec(
        String kind,
        String tableName,
        String database,
        String table,
        String location,
        List<Column> columns,
        List<Column> partitionColumns,
        String format,
        Map<String, String> formatOptions,
        boolean createTable,
        long retryMillis,
        Map<String, String> options,
        String pythonExecutable)
        implements Serializable {

    /** Glue is reached with the credentials of the store. */
    public static final String GLUE = "glue";

    public static final String HIVE = "hive";

    /**
     * A column.
     *
     * @param sqlType as Flink's SQL writes it
     * @param hiveType null where Hive has no such type
     */
    public record Column(String name, String sqlType, String hiveType) implements Serializable {

        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            map.put("sql_type", sqlType);
            map.put("hive_type", hiveType);
            return map;
        }
    }

    boolean needsStore() {
        return kind.equals(GLUE);
    }

    /** As the process gets it; without what its subtask adds. */
    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("kind", kind);
        map.put("label", tableName);
        map.put("database", database);
        map.put("table", table);
        map.put("location", location);
        map.put("columns", columns.stream().map(Column::toMap).toList());
        map.put("partition_columns", partitionColumns.stream().map(Column::toMap).toList());
        map.put("format", format);
        map.put("format_options", formatOptions);
        map.put("create_table", createTable);
        map.put("retry_ms", retryMillis);
        map.put("options", options);
        return map;
    }
}
