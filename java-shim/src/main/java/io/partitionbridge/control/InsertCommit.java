package io.partitionbridge.control;

/**
 * What a writer process is to commit at the end of a batch insert.
 *
 * @param id of the insert; in the name of each of its files
 * @param successFile name of the file that announces a partition, "" where none is written
 * @param rerun whether an earlier attempt may have begun to commit this insert
 */
public record InsertCommit(String id, Overwrite overwrite, String successFile, boolean rerun) {

    /** What goes before the insert's files become visible; by number in docs/protocol.md. */
    public enum Overwrite {
        NOTHING,
        ITS_PARTITIONS,
        THE_TABLE
    }
}
