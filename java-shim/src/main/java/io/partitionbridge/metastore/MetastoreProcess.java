package io.partitionbridge.metastore;

import io.partitionbridge.control.MetastoreSession;
import io.partitionbridge.control.PythonInterpreter;
import io.partitionbridge.control.WriterFailure;
import io.partitionbridge.control.WriterLaunch;
import io.partitionbridge.credentials.StoreSettings;
import io.partitionbridge.faultpoint.FaultPoints;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.TableMetaStoreFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * Flink's TableMetaStoreFactory whose stores are one Python process: that of the committer that has
 * started it. Its failure fails the task (I11).
 *
 * <p>Flink makes a store for each round of commits; the process outlives them all.
 */
public final class MetastoreProcess implements TableMetaStoreFactory, AutoCloseable {

    private static final long serialVersionUID = 1L;

    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(5);

    private final MetastoreSpec spec;

    private transient StreamTask<?, ?> task;
    private transient MetastoreSession session;
    private transient Closeable cancelHook;

    public MetastoreProcess(MetastoreSpec spec) {
        this.spec = spec;
    }

    /**
     * Starts the process and waits until it has found the table, or made it. What is wrong fails
     * the task before anything is visible: no checkpoint is taken while the committer opens.
     */
    public void start(AbstractStreamOperator<?> operator) throws IOException, InterruptedException {
        task = operator.getContainingTask();
        session =
                MetastoreSession.start(
                        launch(task.getEnvironment()),
                        (WriterFailure failure) ->
                                task.handleAsyncException(failure.getMessage(), failure));
        cancelHook = session::cancel;
        task.getCancelables().registerCloseable(cancelHook);
        MetastoreSession.await(session.ask("check", Map.of()));
    }

    private WriterLaunch launch(Environment environment) {
        Configuration taskManager = environment.getTaskManagerInfo().getConfiguration();
        Map<String, Object> configuration = new LinkedHashMap<>(spec.toMap());
        StoreSettings store = new StoreSettings(taskManager, URI.create(spec.location()));
        configuration.put("store", spec.needsStore() ? store.resolve(System.getenv()) : null);
        configuration.put("fault_points", taskManager.get(FaultPoints.FOLDER));
        return new WriterLaunch(
                List.of(
                        PythonInterpreter.of(
                                spec.pythonExecutable(),
                                environment.getJobConfiguration(),
                                taskManager),
                        "-m",
                        "partition_bridge.metastore"),
                System.getenv(),
                configuration,
                store::currentKeys,
                Duration.ZERO,
                SHUTDOWN_LIMIT,
                spec.tableName());
    }

    @Override
    public TableMetaStore createTableMetaStore() {
        return new ByProcess();
    }

    @Override
    public void close() throws IOException {
        if (session != null) {
            task.getCancelables().unregisterCloseable(cancelHook);
            session.close();
            session = null;
        }
    }

    private final class ByProcess implements TableMetaStore {

        @Override
        @Deprecated
        public Path getLocationPath() {
            return new Path(spec.location());
        }

        @Override
        public Optional<Path> getPartition(LinkedHashMap<String, String> partition)
                throws IOException {
            String location = ask("location", Map.of("values", List.copyOf(partition.values())));
            return Optional.ofNullable(location).map(Path::new);
        }

        @Override
        public void createOrAlterPartition(
                LinkedHashMap<String, String> partition, Path partitionPath) throws IOException {
            ask(
                    "put",
                    Map.of(
                            "values",
                            List.copyOf(partition.values()),
                            "location",
                            qualified(partitionPath).toString()));
        }

        // Readers of the metastore don't know Flink's default file system.
        private Path qualified(Path path) {
            URI table = URI.create(spec.location());
            return path.toUri().getScheme() == null
                    ? new Path(table.getScheme(), table.getAuthority(), path.toUri().getPath())
                    : path;
        }

        private String ask(String what, Map<String, Object> arguments) throws IOException {
            return MetastoreSession.await(session.ask(what, arguments));
        }

        /** The process goes on: there will be more rounds. */
        @Override
        public void close() {}
    }
}
