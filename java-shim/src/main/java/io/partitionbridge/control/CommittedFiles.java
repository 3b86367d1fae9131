package io.partitionbridge.control;

import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The files that a commit made visible. */
public record CommittedFiles(List<Committed> files) {

    /**
     * @param uploadId null for a file that was stored by one request
     */
    public record Committed(
            int file,
            long bytes,
            long rows,
            int parts,
            @JsonProperty("upload_id") String uploadId) {}

    static CommittedFiles parse(String json) {
        return ControlJson.read(json, CommittedFiles.class);
    }

    public long bytes() {
        return files.stream().mapToLong(Committed::bytes).sum();
    }

    public long rows() {
        return files.stream().mapToLong(Committed::rows).sum();
    }
}
