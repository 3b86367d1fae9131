package io.partitionbridge.control;

import java.util.List;

/** What became of the entries of the restored checkpoint. */
public record RestoredFiles(List<Restored> files) {

    /**
     * @param element index of the entry, as the RESTORE frame gave it
     * @param outcome "completed", "already" (it was visible), "grown" (it was open, and a later
     *     checkpoint has completed it with more rows) or "skipped" (its upload is gone and
     *     sink.restore.missing-upload allows that)
     */
    public record Restored(int element, String key, String outcome, long bytes, long rows) {

        public boolean skipped() {
            return "skipped".equals(outcome);
        }

        /** Whether this restore made it visible, and no attempt before. */
        public boolean completed() {
            return "completed".equals(outcome);
        }
    }

    static RestoredFiles parse(String json) {
        return ControlJson.read(json, RestoredFiles.class);
    }
}
