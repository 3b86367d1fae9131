package io.partitionbridge.control;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The multipart uploads that the writer has told of and that aren't completed, so that its death
 * leaves none unknown.
 */
final class OpenUploads {

    private static final int SHOWN = 20;

    private record Upload(int file, String key, long createdNanos) {}

    private final Map<String, Upload> byId = new LinkedHashMap<>();

    synchronized void created(int file, String key, String uploadId) {
        byId.put(uploadId, new Upload(file, key, System.nanoTime()));
    }

    synchronized void committed(CommittedFiles committed) {
        Set<Integer> files = new HashSet<>();
        committed.files().forEach(file -> files.add(file.file()));
        byId.values().removeIf(upload -> files.contains(upload.file()));
    }

    /** In the order of their creation, so the first is the oldest. */
    synchronized long oldestAgeMillis() {
        return byId.values().stream()
                .findFirst()
                .map(oldest -> (System.nanoTime() - oldest.createdNanos()) / 1_000_000)
                .orElse(0L);
    }

    synchronized int count() {
        return byId.size();
    }

    /** A sentence for messages: the first uploads by key and id, and how many more there are. */
    synchronized String describe() {
        if (byId.isEmpty()) {
            return "No upload was open.";
        }
        StringBuilder text = new StringBuilder().append(byId.size()).append(" uploads were open:");
        Iterator<Map.Entry<String, Upload>> entries = byId.entrySet().iterator();
        for (int i = 0; i < SHOWN && entries.hasNext(); i++) {
            Map.Entry<String, Upload> entry = entries.next();
            text.append("\n  key ").append(entry.getValue().key());
            text.append(", upload id ").append(entry.getKey());
        }
        if (byId.size() > SHOWN) {
            text.append("\n  and ").append(byId.size() - SHOWN).append(" more");
        }
        return text.toString();
    }

    /** Every open upload on a line of its own, for the log. */
    synchronized String listAll() {
        StringBuilder text = new StringBuilder();
        byId.forEach(
                (id, upload) ->
                        text.append("\n  key ")
                                .append(upload.key())
                                .append(", upload id ")
                                .append(id));
        return text.toString();
    }
}
