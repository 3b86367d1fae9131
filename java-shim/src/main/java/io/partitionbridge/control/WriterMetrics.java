package io.partitionbridge.control;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** Numbers of the writer process, at most some seconds old. */
public record WriterMetrics(
        @JsonProperty("open_files") long openFiles,
        @JsonProperty("bytes_buffered") long bytesBuffered,
        @JsonProperty("parts_uploaded") long partsUploaded,
        @JsonProperty("bytes_uploaded") long bytesUploaded,
        @JsonProperty("uploads_created") long uploadsCreated,
        @JsonProperty("part_retries") long partRetries,
        @JsonProperty("uploads_recovered") long uploadsRecovered,
        @JsonProperty("throttles") long throttles,
        @JsonProperty("credential_refreshes") long credentialRefreshes,
        @JsonProperty("rows") long rows) {

    static final WriterMetrics NONE = new WriterMetrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static WriterMetrics parse(String json) {
        return ControlJson.read(json, WriterMetrics.class);
    }
}
