package io.partitionbridge.writer;

import io.partitionbridge.control.WriterFailure;
import io.partitionbridge.control.WriterLaunch;
import io.partitionbridge.control.WriterSession;
import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * The writer process of an operator's subtask. Its failure fails the task (I11); a task that is
 * cancelled wakes whoever waits for it.
 */
public final class SubtaskProcess implements AutoCloseable {

    private final StreamTask<?, ?> task;
    private final WriterSession session;
    private final Closeable cancelHook;

    private SubtaskProcess(StreamTask<?, ?> task, WriterSession session) throws IOException {
        this.task = task;
        this.session = session;
        this.cancelHook = session::cancel;
        try {
            task.getCancelables().registerCloseable(cancelHook);
        } catch (IOException alreadyCancelled) {
            session.close();
            throw alreadyCancelled;
        }
    }

    /** One that completes files and encodes none. */
    public static SubtaskProcess forCommits(WriterSpec spec, AbstractStreamOperator<?> operator)
            throws IOException, InterruptedException {
        WriterLaunch launch =
                bootstrap(spec, operator)
                        .launchForCommits(task(operator), spec.location(), System.getenv());
        return start(operator, launch, (file, bytes) -> {});
    }

    static SubtaskProcess forFiles(
            WriterSpec spec,
            AbstractStreamOperator<?> operator,
            WriterSession.ProgressListener progress)
            throws IOException, InterruptedException {
        WriterLaunch launch =
                bootstrap(spec, operator).launch(task(operator), spec.location(), System.getenv());
        return start(operator, launch, progress);
    }

    static Bootstrap bootstrap(WriterSpec spec, AbstractStreamOperator<?> operator) {
        Environment environment = operator.getContainingTask().getEnvironment();
        return new Bootstrap(
                spec,
                environment.getJobConfiguration(),
                environment.getTaskManagerInfo().getConfiguration());
    }

    private static TaskInfo task(AbstractStreamOperator<?> operator) {
        return operator.getRuntimeContext().getTaskInfo();
    }

    private static SubtaskProcess start(
            AbstractStreamOperator<?> operator,
            WriterLaunch launch,
            WriterSession.ProgressListener progress)
            throws IOException, InterruptedException {
        StreamTask<?, ?> task = operator.getContainingTask();
        WriterSession session =
                WriterSession.start(
                        launch,
                        (WriterFailure failure) ->
                                task.handleAsyncException(failure.getMessage(), failure),
                        progress);
        return new SubtaskProcess(task, session);
    }

    public WriterSession session() {
        return session;
    }

    @Override
    public void close() {
        task.getCancelables().unregisterCloseable(cancelHook);
        session.close();
    }
}
