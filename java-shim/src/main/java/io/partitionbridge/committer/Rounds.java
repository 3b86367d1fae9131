package io.partitionbridge.committer;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides when a checkpoint has been reported by every live writer subtask.
 *
 * <p>A subtask that missed the notification of n reports n + 1, so a round is the smallest
 * checkpoint that all have reached. Rounds ascend, and each is a checkpoint that the committer has
 * snapshotted: Flink's partition-time trigger refuses others.
 */
final class Rounds {

    private final long restored;
    private final Map<Integer, Long> reached = new HashMap<>();
    private final Set<Integer> ended = new HashSet<>();
    private final NavigableSet<Long> snapshots = new TreeSet<>();

    /**
     * @param restored id of the restored checkpoint, or less than any. Reports up to it may come
     *     from subtasks of the attempt before, numbered otherwise, and complete no round.
     */
    Rounds(long restored) {
        this.restored = restored;
    }

    void snapshotted(long checkpoint) {
        snapshots.add(checkpoint);
    }

    void reported(int subtask, long checkpoint) {
        if (checkpoint > restored) {
            reached.merge(subtask, checkpoint, Math::max);
        }
    }

    void ended(int subtask) {
        ended.add(subtask);
    }

    /**
     * @param connected subtasks whose channel isn't finished
     * @return the next round, if one is complete; it is then done
     */
    OptionalLong next(Collection<Integer> connected) {
        long all = Long.MAX_VALUE;
        boolean live = false;
        for (int subtask : connected) {
            if (!ended.contains(subtask)) {
                live = true;
                all = Math.min(all, reached.getOrDefault(subtask, Long.MIN_VALUE));
            }
        }
        Long round = live ? snapshots.floor(all) : null;
        if (round == null) {
            return OptionalLong.empty();
        }
        snapshots.headSet(round, true).clear();
        return OptionalLong.of(round);
    }
}
