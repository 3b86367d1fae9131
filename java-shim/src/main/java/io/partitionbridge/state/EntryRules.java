package io.partitionbridge.state;

import java.util.regex.Pattern;

/** What must hold between the fields of an entry, on writing and on reading (I7). */
final class EntryRules {

    private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SCHEMA = Pattern.compile("[0-9a-f]{16}");

    private EntryRules() {}

    /** The first rule that is broken, or null. */
    static String fault(FileEntry entry) {
        if (!TOKEN.matcher(entry.token()).matches()) {
            return "its token isn't 32 hex digits";
        }
        if (!SCHEMA.matcher(entry.schema()).matches()) {
            return "its schema fingerprint isn't 16 hex digits";
        }
        if (!entry.encoder().equals("arrow") && !entry.encoder().equals("host")) {
            return "its encoder '" + entry.encoder() + "' isn't known";
        }
        if (entry.bucket().isEmpty() || entry.key().isEmpty()) {
            return "it names no object";
        }
        if (!entry.partition().isEmpty() && !entry.partition().endsWith("/")) {
            return "its partition path doesn't end with a slash";
        }
        if (Math.min(
                        Math.min(entry.partSize(), entry.size()),
                        Math.min(
                                Math.min(entry.rows(), entry.checkpoint()),
                                Math.min(entry.createdMillis(), entry.lastWriteMillis())))
                < 0) {
            return "it has a negative number";
        }
        return entry.isPending() ? pendingFault(entry) : completedFault(entry);
    }

    private static String pendingFault(FileEntry entry) {
        long inParts = 0;
        int last = 0;
        boolean tooSmall = false;
        for (FileEntry.Part part : entry.parts()) {
            // Some stores demand equal sizes, and refuse anything else only at completion.
            if (tooSmall || part.size() > entry.partSize()) {
                return "its parts aren't of one size but for the last";
            }
            tooSmall = part.size() < entry.partSize();
            if (part.number() <= last || part.number() > 10_000) {
                return "its part numbers don't ascend within 1 to 10000";
            }
            if (part.size() <= 0 || part.etag().isEmpty()) {
                return "its part " + part.number() + " has no size or no ETag";
            }
            last = part.number();
            inParts += part.size();
        }
        if (inParts + entry.tail().length != entry.size()) {
            return "its parts and its tail don't make up its size";
        }
        if (entry.uploadId() == null && !entry.parts().isEmpty()) {
            return "it has parts but no upload id";
        }
        if (entry.uploadId() != null && entry.uploadId().isEmpty()) {
            return "its upload id is empty";
        }
        if (entry.uploadId() != null && entry.sealed() && entry.parts().isEmpty()) {
            return "it is sealed in an upload without parts";
        }
        if (entry.uploadId() != null && entry.sealed() && entry.tail().length > 0) {
            return "it is sealed in an upload and still has a tail";
        }
        return null;
    }

    private static String completedFault(FileEntry entry) {
        if (entry.uploadId() != null || !entry.parts().isEmpty() || entry.tail().length > 0) {
            return "it is completed and still has an upload, parts or a tail";
        }
        return null;
    }
}
