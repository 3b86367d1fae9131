package io.partitionbridge.state;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;

/** The writer's operator list state: one element a file, split when the sink is rescaled. */
public final class BridgeFilesState {

    public static final String NAME = "bridge-files";

    /** List state of Flink's own filesystem sink. */
    private static final String FLINKS_SINK = "bucket-states";

    private final ListState<Object> elements;

    private BridgeFilesState(ListState<Object> elements) {
        this.elements = elements;
    }

    /**
     * @throws IllegalStateException if Flink's own sink wrote the state: operator ids come from the
     *     topology alone, and its pending files would be lost in silence
     */
    public static BridgeFilesState open(OperatorStateStore store) throws Exception {
        if (store.getRegisteredStateNames().contains(FLINKS_SINK)) {
            throw new IllegalStateException(
                    "The restored state was written by Flink's own filesystem sink ('"
                            + FLINKS_SINK
                            + "'), and the bridge can't complete that sink's files. To change over,"
                            + " stop the job with the old sink by 'flink stop --drain' (it publishes"
                            + " its files), then start with the bridge without that state.");
        }
        return new BridgeFilesState(
                store.getListState(
                        new ListStateDescriptor<>(NAME, BridgeFilesSerializer.INSTANCE)));
    }

    /**
     * The entries of the restored checkpoint.
     *
     * @throws BrokenEntryException before anything is acted on, if one of them isn't right
     */
    public List<FileEntry> restored() throws Exception {
        List<FileEntry> entries = new ArrayList<>();
        for (Object element : elements.get()) {
            entries.add(FileEntryCodec.decode((byte[]) element));
        }
        return entries;
    }

    /**
     * @param snapshot byte[] and {@link LiveEntry} elements
     */
    public void update(List<Object> snapshot) throws Exception {
        elements.update(snapshot);
    }
}
