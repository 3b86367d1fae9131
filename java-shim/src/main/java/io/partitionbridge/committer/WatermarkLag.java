package io.partitionbridge.committer;

import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** The watermark that has come to the committer, and the metric of how far it's behind. */
final class WatermarkLag {

    private volatile long watermark = Long.MIN_VALUE;
    private boolean idle;

    /**
     * @param clock in epoch milliseconds
     */
    WatermarkLag(MetricGroup group, LongSupplier clock) {
        group.gauge("watermarkLag", (Gauge<Long>) () -> lag(clock.getAsLong()));
    }

    void reached(long mark) {
        watermark = mark;
    }

    void status(WatermarkStatus status) {
        idle = status.isIdle();
    }

    long watermark() {
        return watermark;
    }

    boolean isIdle() {
        return idle;
    }

    private long lag(long now) {
        if (watermark == Long.MIN_VALUE) {
            return -1;
        }
        return watermark == Long.MAX_VALUE ? 0 : now - watermark;
    }
}
