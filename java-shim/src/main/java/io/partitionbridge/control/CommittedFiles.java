package io.partitionbridge.control;

import java.util.List;

/** The files that a commit made visible. */
public record CommittedFiles(List<Committed> files) {

    public record Committed(int file, long bytes, long rows) {}

    static CommittedFiles parse(String json) {
        return ControlJson.read(json, CommittedFiles.class);
    }

    public long bytes() {
        return files.stream().mapToLong(Committed::bytes).sum();
    }
}
