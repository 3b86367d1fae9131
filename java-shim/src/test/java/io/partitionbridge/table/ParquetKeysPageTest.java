package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.table.ParquetKey.Fate;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.parquet.crypto.EncryptionPropertiesFactory;
import org.apache.parquet.crypto.keytools.KeyToolkit;
import org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.codec.ZstandardCodec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/parquet-keys.md is made from {@link ParquetKey}: this test fails when the page is out of
 * date, and writes it with {@code -Ddocs.write=true} ({@code make options}).
 */
class ParquetKeysPageTest {

    private static final Path PAGE = Path.of("..", "docs", "parquet-keys.md");

    private static final String INTRODUCTION =
            """
            # Options of Parquet

            <!-- Made from the code by `make options`; a test fails when this page is out of date. -->

            Flink hands every `parquet.*` option of a table to parquet-mr. The bridge encodes with pyarrow (`arrow`) where that makes the file that
            was asked for, and else with Flink's own format (`host`); `sink.writer.encoder` can demand either. Keys that aren't on this page are encoded by
            `host`. A `#` is followed by a column's path, a `*` stands for any rest of a name.

            | keys | encoder | meaning |
            | --- | --- | --- |
            """;

    @Test
    @DisplayName("The page has every key with its encoder.")
    void thePageTellsTheEncoderOfEveryKey() throws Exception {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        for (ParquetKey key : ParquetKey.values()) {
            page.append(
                    String.format(
                            "| %s | %s | %s |%n",
                            key.names.stream()
                                    .map(name -> "`" + ParquetKey.PREFIX + name + "`")
                                    .collect(Collectors.joining(", ")),
                            key.fate == Fate.HOST ? "`host`" : "`arrow`",
                            (key.fate == Fate.NO_MEANING ? "without meaning for the sink: " : "")
                                    + key.meaning));
        }
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/parquet-keys.md is out of date: run `make options` and commit it")
                .isEqualTo(page.toString());
    }

    static Stream<String> names() {
        return Arrays.stream(ParquetKey.values())
                .flatMap(key -> key.names.stream())
                .map(name -> name.endsWith("#") ? name + "v" : name.replace("*", "any.thing"));
    }

    @ParameterizedTest
    @MethodSource("names")
    @DisplayName("The plan of a table with the key has the encoder that the page tells.")
    void thePlannerDecidesAsThePageTells(String name) {
        ParquetKey key = ParquetKey.find(ParquetKey.PREFIX + name).orElseThrow();
        boolean arrow =
                ParquetOptions.unsupported(Map.of(ParquetKey.PREFIX + name, good(key))).isEmpty();

        assertThat(arrow).isEqualTo(key.fate != Fate.HOST);
        assertThat(key.names)
                .as("no other key is taken for it")
                .anySatisfy(known -> assertThat(name).startsWith(known.replaceAll("[*]$", "")));
    }

    private static String good(ParquetKey key) {
        return switch (key.value) {
            case CODEC -> "ZSTD";
            case NUMBER, SIZE -> "4";
            case VERSION -> "V1";
            case UNIT -> "MICROS";
            case ANY -> "true";
        };
    }

    @Test
    @DisplayName("No key of the parquet-mr that Flink uses is forgotten.")
    void knowsEveryKeyOfParquet() throws IllegalAccessException {
        List<String> forgotten = new ArrayList<>();
        for (Class<?> type :
                List.of(
                        ParquetOutputFormat.class,
                        ParquetInputFormat.class,
                        ZstandardCodec.class,
                        EncryptionPropertiesFactory.class,
                        PropertiesDrivenCryptoFactory.class,
                        KeyToolkit.class)) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && Modifier.isPublic(field.getModifiers())
                        && field.get(null) instanceof String key
                        && key.startsWith(ParquetKey.PREFIX)
                        && ParquetKey.find(key).isEmpty()) {
                    forgotten.add(key);
                }
            }
        }
        assertThat(forgotten).isEmpty();
    }
}
