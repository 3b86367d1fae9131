package io.partitionbridge;

import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;

/** The metrics of the one operator of a harness, by name. */
public final class HarnessMetrics extends InterceptingTaskMetricGroup {

    private final InterceptingOperatorMetricGroup operator =
            new InterceptingOperatorMetricGroup() {
                @Override
                protected void addMetric(String name, Metric metric) {
                    if (name.equals(outOfMemoryAt)) {
                        throw new OutOfMemoryError("planted at " + name);
                    }
                    super.addMetric(name, metric);
                }
            };

    private String outOfMemoryAt;

    @Override
    public InternalOperatorMetricGroup getOrAddOperator(
            OperatorID id, String name, Map<String, String> variables) {
        return operator;
    }

    /** The operator has no memory left when it makes the metric of this name. */
    public void runOutOfMemoryAt(String name) {
        outOfMemoryAt = name;
    }

    /** A counter's or histogram's count, or a gauge's value. */
    public Object value(String name) {
        Metric metric = operator.get(name);
        if (metric instanceof Histogram histogram) {
            return histogram.getCount();
        }
        return metric instanceof Counter counter
                ? counter.getCount()
                : ((Gauge<?>) metric).getValue();
    }
}
