package io.partitionbridge.committer;

import org.apache.flink.connector.file.table.stream.PartitionCommitInfo;

/**
 * What one writer subtask tells the committer once the files of a checkpoint are visible.
 *
 * <p>A report extends Flink's own message, so that the committer can stay a subclass of Flink's
 * PartitionCommitter. It is a Flink POJO: public no-argument constructor, getters and setters.
 *
 * <p>A <em>final</em> report is sent in endInput(), before the files are visible, because whatever
 * a task emits after its EndOfData is dropped across a network edge. It names the objects that the
 * final checkpoint will make visible; the committer waits for them.
 */
public class FileReport extends PartitionCommitInfo {

    private static final long serialVersionUID = 1L;

    private boolean last;
    private String[] keys = new String[0];

    public FileReport() {}

    /**
     * @param checkpointId the completed checkpoint, or Long.MAX_VALUE when a job without a final
     *     checkpoint completed its files in endInput()
     * @param taskId index of the writer subtask
     * @param partitions partition paths in Flink's form, "k=v/k2=v2/"
     * @param last whether the subtask will report nothing after this
     * @param keys objects that a final report promises, as full paths, "s3://bucket/key"; empty in
     *     every other report
     */
    public FileReport(
            long checkpointId, int taskId, String[] partitions, boolean last, String[] keys) {
        super(checkpointId, taskId, 1, partitions);
        this.last = last;
        this.keys = keys;
    }

    public boolean isLast() {
        return last;
    }

    public void setLast(boolean last) {
        this.last = last;
    }

    public String[] getKeys() {
        return keys;
    }

    public void setKeys(String[] keys) {
        this.keys = keys;
    }
}
