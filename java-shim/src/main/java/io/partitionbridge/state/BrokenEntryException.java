package io.partitionbridge.state;

import java.io.IOException;

/** Bytes under the bridge's state that aren't an entry it may act on (I7). */
public class BrokenEntryException extends IOException {

    private static final long serialVersionUID = 1L;

    BrokenEntryException(String what) {
        super(
                "The state 'bridge-files' has an entry that can't be used: "
                        + what
                        + ". Nothing was completed or aborted. The state was written by another"
                        + " operator or by a newer flink-partition-bridge, or it is damaged: restore"
                        + " with the version that wrote it, or from another checkpoint.");
    }
}
