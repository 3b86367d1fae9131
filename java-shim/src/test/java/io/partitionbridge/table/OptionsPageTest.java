package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.TextElement;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.Test;

/**
 * docs/options.md is made from the options' own declarations: this test fails when the page is out
 * of date, and writes it with {@code -Ddocs.write=true} ({@code make options}).
 */
class OptionsPageTest {

    private static final Path PAGE = Path.of("..", "docs", "options.md");

    private static final String INTRODUCTION =
            """
            # Options

            <!-- Made from the code by `make options`; a test fails when this page is out of date. -->

            `'connector' = 'filesystem-bridge'` takes every option of Flink's `filesystem` connector, with the same names, types,
            defaults and meaning, and those of the bridge. Sizes are written as Flink's are: `16 mb`.

            The last columns are for who doubts a row: tests that fail when nothing handles the option any more, and what encodes the files
            of these tests, which they assert: pyarrow (`arrow`), Flink's format (`host`), or neither, where the option is for Flink's own
            sink or source. `make option-proofs` ignores each option once and demands that its tests notice.

            ## The bridge's own

            | option | type | default | meaning | encoder | test |
            | --- | --- | --- | --- | --- | --- |
            """;

    private static final String FLINKS =
            """

            ## Flink's

            What they mean is told in Flink's documentation of the filesystem connector. Options of the format begin with its name
            (`parquet.compression`, `csv.field-delimiter`, `avro.codec`) and have no row here: they are Flink's own and reach Flink's format unchanged,
            third parties' too (`test_the_bytes_are_flinks`, `test_changes_are_encoded_as_flinks`). Those of Parquet are [a page of their own](parquet-keys.md):
            where pyarrow can't honour one, Flink's format encodes the files.

            | option | type | default | encoder | test |
            | --- | --- | --- | --- | --- |
            """;

    @Test
    void thePageNamesEveryOptionWithItsDefaultAndMeaning() throws Exception {
        String page = page();
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/options.md is out of date: run `make options` and commit it")
                .isEqualTo(page);
    }

    @Test
    void everyOptionHasATestThatSpeaksOfIt() {
        Set<String> offered = offered().stream().map(ConfigOption::key).collect(Collectors.toSet());
        assertThat(OptionTests.PROOFS.keySet())
                .as("name the test of a new option in OptionTests, and forget one that is gone")
                .isEqualTo(offered);
        OptionTests.PROOFS.forEach(
                (key, proof) ->
                        assertThat(proof.names())
                                .as("tests of '%s' that exist, in a file that has the key", key)
                                .isNotEmpty()
                                .allMatch(name -> OptionTests.exists(name, key)));
    }

    private static Set<ConfigOption<?>> offered() {
        BridgeTableFactory factory = new BridgeTableFactory();
        Set<ConfigOption<?>> offered = factory.optionalOptions();
        offered.addAll(factory.requiredOptions());
        return offered;
    }

    private static String page() throws Exception {
        Set<ConfigOption<?>> offered = offered();
        List<ConfigOption<?>> own = declared(BridgeOptions.class, BridgeOptions.all());
        own.addAll(declared(MetastoreOptions.class, MetastoreOptions.all()));
        List<ConfigOption<?>> flinks = declared(FileSystemConnectorOptions.class, offered);
        flinks.add(1, FactoryUtil.FORMAT);
        assertThat(own.size() + flinks.size())
                .as("every option that the factory offers is on the page")
                .isEqualTo(offered.size());

        StringBuilder page = new StringBuilder(INTRODUCTION);
        for (ConfigOption<?> option : own) {
            page.append(row(option))
                    .append(' ')
                    .append(meaning(option))
                    .append(" |")
                    .append(proof(option));
        }
        page.append(FLINKS);
        flinks.forEach(option -> page.append(row(option)).append(proof(option)));
        return page.toString();
    }

    /** In the order of their declaration, which is the order of a reader's interest. */
    private static List<ConfigOption<?>> declared(Class<?> type, Set<ConfigOption<?>> offered)
            throws IllegalAccessException {
        List<ConfigOption<?>> options = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())
                    && ConfigOption.class.isAssignableFrom(field.getType())
                    && offered.contains(field.get(null))) {
                options.add((ConfigOption<?>) field.get(null));
            }
        }
        return options;
    }

    private static String row(ConfigOption<?> option) {
        return String.format(
                "| `%s` | %s | %s |", option.key(), type(option), defaultOf(option.defaultValue()));
    }

    private static String proof(ConfigOption<?> option) {
        OptionTests.Proof proof = OptionTests.PROOFS.get(option.key());
        return String.format(" %s |%n", proof == null ? "– | –" : proof.cells());
    }

    private static String type(ConfigOption<?> option) {
        Class<?> type = classOf(option);
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(value -> "`" + value + "`")
                    .collect(Collectors.joining(", "));
        }
        return switch (type.getSimpleName()) {
            case "MemorySize" -> "size";
            default -> type.getSimpleName().toLowerCase(Locale.ROOT);
        };
    }

    private static Class<?> classOf(ConfigOption<?> option) {
        try {
            // Flink's own generator of such pages lies in the same package; this one doesn't.
            Method getClazz = ConfigOption.class.getDeclaredMethod("getClazz");
            getClazz.setAccessible(true);
            return (Class<?>) getClazz.invoke(option);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String defaultOf(Object value) {
        if (value == null) {
            return "none";
        }
        if (value instanceof Duration duration) {
            return "`" + TimeUtils.formatWithHighestUnit(duration) + "`";
        }
        if (value instanceof MemorySize size) {
            return "`" + size.getMebiBytes() + " mb`";
        }
        return value.toString().isEmpty() ? "empty" : "`" + value + "`";
    }

    private static String meaning(ConfigOption<?> option) {
        return option.description().getBlocks().stream()
                .map(block -> ((TextElement) block).getFormat())
                .collect(Collectors.joining(" "));
    }
}
