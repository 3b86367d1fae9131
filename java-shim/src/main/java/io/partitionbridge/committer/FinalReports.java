package io.partitionbridge.committer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Promises of writers that have reached their end: files that their final checkpoint makes visible.
 *
 * <p>A promise is due once a checkpoint is complete whose state holds it: the writer's barrier of
 * that checkpoint came after the promise, so the checkpoint has the promised files.
 */
final class FinalReports {

    private static final ListStateDescriptor<Tuple2<List<String>, List<String>>> STATE =
            new ListStateDescriptor<>(
                    "bridge-final-reports",
                    Types.TUPLE(Types.LIST(Types.STRING), Types.LIST(Types.STRING)));

    private final ListState<Tuple2<List<String>, List<String>>> state;
    private final List<Promise> promises = new ArrayList<>();

    private FinalReports(ListState<Tuple2<List<String>, List<String>>> state) {
        this.state = state;
    }

    static FinalReports restore(OperatorStateStore store) throws Exception {
        FinalReports reports = new FinalReports(store.getListState(STATE));
        for (Tuple2<List<String>, List<String>> element : reports.state.get()) {
            // The restored checkpoint is a completed one.
            reports.promises.add(new Promise(element.f0, element.f1, Long.MIN_VALUE));
        }
        return reports;
    }

    void add(String[] partitions, String[] keys) {
        promises.add(
                new Promise(Arrays.asList(partitions), Arrays.asList(keys), Promise.NOT_COVERED));
    }

    void snapshot(long checkpoint) throws Exception {
        promises.replaceAll(promise -> promise.coveredBy(checkpoint));
        List<Tuple2<List<String>, List<String>>> elements = new ArrayList<>();
        promises.forEach(
                promise ->
                        elements.add(
                                Tuple2.of(
                                        new ArrayList<>(promise.partitions()),
                                        new ArrayList<>(promise.keys()))));
        state.update(elements);
    }

    List<Promise> due(long completedCheckpoint) {
        return promises.stream()
                .filter(promise -> promise.checkpoint() <= completedCheckpoint)
                .toList();
    }

    void kept(List<Promise> done) {
        promises.removeAll(done);
    }

    /** Partitions of files that are promised and weren't waited for yet. */
    List<String> partitions() {
        return promises.stream().flatMap(promise -> promise.partitions().stream()).toList();
    }

    boolean isEmpty() {
        return promises.isEmpty();
    }

    /**
     * @param checkpoint the first that has the promise in its state
     */
    record Promise(List<String> partitions, List<String> keys, long checkpoint) {

        static final long NOT_COVERED = Long.MAX_VALUE;

        Promise coveredBy(long snapshot) {
            return checkpoint == NOT_COVERED ? new Promise(partitions, keys, snapshot) : this;
        }
    }
}
