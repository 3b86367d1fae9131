package io.partitionbridge.control;

import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Numbers of the writer process, at most some seconds old.
 *
 * @param partMillis what the uploads of parts have taken since the call before
 */
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
        @JsonProperty("rows") long rows,
        @JsonProperty("files_pending") long filesPending,
        @JsonProperty("bytes_pending") long bytesPending,
        @JsonProperty("writer_rss") long writerRss,
        @JsonProperty("part_ms") List<Long> partMillis) {

    static final WriterMetrics NONE = parse("{}");

    public WriterMetrics {
        partMillis = partMillis == null ? List.of() : List.copyOf(partMillis);
    }

    static WriterMetrics parse(String json) {
        return ControlJson.read(json, WriterMetrics.class);
    }
}
