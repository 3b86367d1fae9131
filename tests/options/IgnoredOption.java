package io.partitionbridge.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.factories.DynamicTableFactory.Context;
import org.apache.flink.table.factories.FactoryUtil;

/** A mutant of the shim, for tests.options: an option of every table is as if no DDL had it. */
final class IgnoredOption {

    // Without them there is no table, so theirs is another one's value.
    private static final Set<String> REQUIRED = Set.of("path", "format");

    // Flink's planner asks the table for it, and not the factory: it must be gone where it looks.
    private static final String OF_THE_PLANNER = "sink.shuffle-by-partition.enable";

    private IgnoredOption() {}

    /** The table of a sink, or of a source, which keeps what is required: else no row would come. */
    static Context of(Context context, boolean sink) {
        String ignored = ignored();
        Map<String, String> options = new HashMap<>(context.getCatalogTable().getOptions());
        if (!options.containsKey(ignored) || !sink && REQUIRED.contains(ignored)) {
            return context;
        }
        String value = options.remove(ignored);
        if (ignored.equals(OF_THE_PLANNER)) {
            context.getCatalogTable().getOptions().remove(ignored);
        }
        if (ignored.equals("path")) {
            options.put(ignored, value + "-elsewhere");
        } else if (ignored.equals("format")) {
            options.keySet().removeIf(key -> key.startsWith(value + "."));
            options.put(ignored, value.equals("json") ? "debezium-json" : "json");
        }
        return new FactoryUtil.DefaultDynamicTableContext(
                context.getObjectIdentifier(),
                context.getCatalogTable().copy(options),
                context.getEnrichmentOptions(),
                context.getConfiguration(),
                context.getClassLoader(),
                context.isTemporary());
    }

    /** What the file says now whose path was packed beside the class. */
    private static String ignored() {
        try (InputStream path = IgnoredOption.class.getResourceAsStream("/ignored-option.path")) {
            return Files.readString(Path.of(new String(path.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
