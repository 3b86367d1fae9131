package io.partitionbridge.doctor;

import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.EncodingFormatFactory;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.factories.SerializationFormatFactory;

/** Connectors and formats that a table can name, found as Flink's FactoryUtil finds them. */
final class TableFactories {

    private TableFactories() {}

    /**
     * @return "connectors" and "formats", each {identifier, kind, class, jar}, where the kind of a
     *     format is "bulk" or "rows"; and "factory_errors", in Java's words. Flink passes over
     *     those whose classes lack others; any other error fails every statement.
     */
    static Map<String, Object> report() {
        List<Map<String, String>> connectors = new ArrayList<>();
        List<Map<String, String>> formats = new ArrayList<>();
        List<String> errors = new ArrayList<>();
        Iterator<Factory> found =
                ServiceLoader.load(Factory.class, TableFactories.class.getClassLoader()).iterator();
        boolean more = true;
        while (more) {
            try {
                more = found.hasNext();
                if (more) {
                    add(found.next(), connectors, formats);
                }
            } catch (NoClassDefFoundError e) {
                // As FactoryUtil: whatever needs an optional library that isn't there.
                continue;
            } catch (ServiceConfigurationError e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("connectors", connectors);
        report.put("formats", formats);
        report.put("factory_errors", errors);
        return report;
    }

    private static void add(
            Factory factory,
            List<Map<String, String>> connectors,
            List<Map<String, String>> formats) {
        if (factory instanceof DynamicTableSinkFactory) {
            connectors.add(facts(factory, "connector"));
        } else if (factory instanceof EncodingFormatFactory) {
            boolean rows = factory instanceof SerializationFormatFactory;
            formats.add(facts(factory, rows ? "rows" : "bulk"));
        }
    }

    private static Map<String, String> facts(Factory factory, String kind) {
        CodeSource source = factory.getClass().getProtectionDomain().getCodeSource();
        return Map.of(
                "identifier",
                factory.factoryIdentifier(),
                "kind",
                kind,
                "class",
                factory.getClass().getName(),
                "jar",
                source == null ? "" : source.getLocation().getPath());
    }
}
