package io.partitionbridge.table;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.connector.file.table.FileSystemTableFactory;
import org.apache.flink.connector.file.table.FileSystemTableSink;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * Flink's filesystem connector with the bridge as its sink.
 *
 * <p>Options, their validation and the source are Flink's; Flink's sink is made too, for what the
 * bridge hands over to it.
 */
public class BridgeTableFactory extends FileSystemTableFactory {

    public static final String IDENTIFIER = "filesystem-bridge";

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FileSystemTableSink flinkSink = (FileSystemTableSink) super.createDynamicTableSink(context);
        return new BridgeTableSink(
                flinkSink,
                TableFormat.discover(this, context),
                new TableDefinition(
                        context.getObjectIdentifier(),
                        context.getPhysicalRowDataType(),
                        context.getCatalogTable().getPartitionKeys(),
                        Configuration.fromMap(context.getCatalogTable().getOptions())),
                context.getConfiguration());
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FileCompression.validateSource(
                Configuration.fromMap(context.getCatalogTable().getOptions()));
        return super.createDynamicTableSource(context);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> options = new HashSet<>(super.optionalOptions());
        options.addAll(BridgeOptions.all());
        options.addAll(MetastoreOptions.all());
        return options;
    }

    @Override
    protected void validate(FactoryUtil.TableFactoryHelper helper) {
        // As Flink's, but for the options that a metastore of the user's own has.
        helper.validateExcept(
                helper.getOptions().get(FactoryUtil.FORMAT) + ".", MetastoreOptions.PREFIX);
        validateTimeZone(
                helper.getOptions()
                        .get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_WATERMARK_TIME_ZONE));
        OptionValidation.validate(helper.getOptions());
    }
}
