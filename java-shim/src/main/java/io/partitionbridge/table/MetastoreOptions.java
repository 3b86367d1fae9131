package io.partitionbridge.table;

import java.time.Duration;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The options of the 'metastore' commit policy. A Python entry point may have others of its own
 * under {@link #PREFIX}.
 */
public final class MetastoreOptions {

    public static final String PREFIX = "metastore.";

    public static final ConfigOption<String> METASTORE =
            ConfigOptions.key("metastore")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Metastore that the commit policy 'metastore' writes to: 'hive', 'glue', or the name of a"
                                    + " Python entry point of the group 'partition_bridge.metastores', which may have"
                                    + " further options under 'metastore.'.");

    public static final ConfigOption<String> URI =
            ConfigOptions.key("metastore.uri")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Hive: where its Metastore listens, 'thrift://host:9083'; several are separated by commas"
                                    + " and tried in their order.");

    public static final ConfigOption<String> DATABASE =
            ConfigOptions.key("metastore.database")
                    .stringType()
                    .defaultValue("default")
                    .withDescription("The table's database in the metastore, which must be there.");

    public static final ConfigOption<String> TABLE =
            ConfigOptions.key("metastore.table")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "The table's name in the metastore. Where not set, the name that it has in Flink.");

    public static final ConfigOption<Boolean> CREATE_TABLE =
            ConfigOptions.key("metastore.create-table")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether a table that the metastore lacks is made: an external one with the columns of the"
                                    + " DDL, for parquet, orc, avro, csv and json.");

    public static final ConfigOption<Duration> RETRY_TIMEOUT =
            ConfigOptions.key("metastore.retry-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(60))
                    .withDescription(
                            "How long a metastore that doesn't answer is asked again before the task fails. No"
                                    + " checkpoint completes meanwhile.");

    public static final ConfigOption<Boolean> TLS =
            ConfigOptions.key("metastore.tls")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Hive: whether to connect by TLS.");

    public static final ConfigOption<String> TLS_CA =
            ConfigOptions.key("metastore.tls.ca")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Hive: file, on every TaskManager, with the certificates (PEM) that vouch for the server."
                                    + " Where not set, those of the system.");

    public static final ConfigOption<String> REGION =
            ConfigOptions.key("metastore.region")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Glue: its region. Where not set, that of the S3 configuration.");

    public static final ConfigOption<String> ENDPOINT =
            ConfigOptions.key("metastore.endpoint")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Glue: its endpoint. Where not set, that of AWS for the region.");

    public static final ConfigOption<String> CATALOG_ID =
            ConfigOptions.key("metastore.catalog-id")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Glue: id of the catalog, where it's another account's.");

    private MetastoreOptions() {}

    /** Every option of this class, in no order. */
    static Set<ConfigOption<?>> all() {
        return Set.of(
                METASTORE,
                URI,
                DATABASE,
                TABLE,
                CREATE_TABLE,
                RETRY_TIMEOUT,
                TLS,
                TLS_CA,
                REGION,
                ENDPOINT,
                CATALOG_ID);
    }
}
