package io.partitionbridge.peer;

import io.partitionbridge.table.BridgeOptions;
import io.partitionbridge.table.FilesystemTakeoverFactory;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The bridge under Flink's identifier, whose sinks write to {@code s3://} what a suite declares
 * below its folder, and fail rather than to fall back.
 *
 * <p>Sources stay where the DDL has them: they are Flink's, and find the objects as the gateway's
 * files. Tables elsewhere (a test of Flink's demands {@code /tmp}) aren't touched.
 */
public final class OnS3Factory extends FilesystemTakeoverFactory {

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        Map<String, String> options = new HashMap<>(context.getCatalogTable().getOptions());
        String declared = options.get(FileSystemConnectorOptions.PATH.key());
        String folder = SuiteFolder.path() + "/";
        URI location = declared == null ? null : new Path(declared).toUri();
        if (location == null || !location.getPath().startsWith(folder)) {
            return super.createDynamicTableSink(context);
        }
        options.put(
                FileSystemConnectorOptions.PATH.key(),
                String.format(
                        "s3://%s/%s",
                        SuiteFolder.path().getFileName(),
                        location.getPath().substring(folder.length())));
        options.put(BridgeOptions.FALLBACK.key(), "forbid");
        return super.createDynamicTableSink(
                new FactoryUtil.DefaultDynamicTableContext(
                        context.getObjectIdentifier(),
                        context.getCatalogTable().copy(options),
                        context.getEnrichmentOptions(),
                        context.getConfiguration(),
                        context.getClassLoader(),
                        context.isTemporary()));
    }
}
