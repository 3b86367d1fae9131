package io.partitionbridge.control;

import java.util.List;

/**
 * What a batch insert has made visible.
 *
 * @param partitions Flink's partition paths in order, with a slash at their ends; "" for a table
 *     without partitions
 */
public record InsertedFiles(List<String> partitions, long files, long bytes, long rows) {

    static InsertedFiles parse(String json) {
        return ControlJson.read(json, InsertedFiles.class);
    }
}
