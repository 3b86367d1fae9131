package io.partitionbridge.committer;

import java.util.OptionalLong;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StatePartitionStreamProvider;

/** The context of a restored job, for an operator whose own state wasn't in the snapshot. */
record FreshContext(StateInitializationContext restored) implements StateInitializationContext {

    @Override
    public OptionalLong getRestoredCheckpointId() {
        return OptionalLong.empty();
    }

    @Override
    public OperatorStateStore getOperatorStateStore() {
        return restored.getOperatorStateStore();
    }

    @Override
    public KeyedStateStore getKeyedStateStore() {
        return restored.getKeyedStateStore();
    }

    @Override
    public Iterable<StatePartitionStreamProvider> getRawOperatorStateInputs() {
        return restored.getRawOperatorStateInputs();
    }

    @Override
    public Iterable<KeyGroupStatePartitionStreamProvider> getRawKeyedStateInputs() {
        return restored.getRawKeyedStateInputs();
    }
}
