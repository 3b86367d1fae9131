package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.credentials.StoreKey.Fate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/store-keys.md is made from {@link StoreKey}: this test fails when the page is out of date,
 * and writes it with {@code -Ddocs.write=true} ({@code make options}).
 */
class StoreKeysPageTest {

    private static final Path PAGE = Path.of("..", "docs", "store-keys.md");

    private static final String INTRODUCTION =
            """
            # Keys of Flink's configuration that the bridge's store reads

            <!-- Made from the code by `make options`; a test fails when this page is out of date. -->

            The bridge takes access, encryption and placement from where Flink's S3 plugins take them: Flink's configuration, under the
            prefixes `fs.s3a.`, `s3a.`, `s3.` and `presto.s3.`, in this order where several are set, and s3-fs-native's `fs.s3.aws.credentials.provider`. A key of one bucket,
            `fs.s3a.bucket.NAME.…`, goes before the general one. A `*` stands for any rest of a name. Keys that aren't on this page fall back: they may decide on
            access, encryption or placement. `'sink.fallback' = 'forbid'` makes an error of each. A test reads all keys
            of the three plugins of Flink 2.3 and finds them here. No plugin has a key for an object's tags; its content type is `application/octet-stream`, as with s3-fs-hadoop.

            Delegation tokens that Flink's JobManager fetches for S3 (`security.delegation.token.provider.s3-hadoop.*`, `.s3-presto.*`, `.s3-native.*`) are used where the plugin on the
            TaskManager has received them, and go, as in the plugin, before configured keys (s3-fs-native: after them). The writer asks for fresh ones every minute.

            `_SUCCESS` and what else a commit policy writes goes through Flink's plugin, which honours [those keys that it knows itself](#what-holds-for-success-files).
            """;

    private static final String SUCCESS_FILES =
            """

            ## What holds for success files

            Data files are kept as all these keys say. What Flink's own commit policies write (`_SUCCESS`, and what a custom policy writes by Flink's file system) is kept as far as the
            installed plugin knows the key, under its own prefixes: `fs.s3a.`, `s3a.` and `s3.` for s3-fs-hadoop, `presto.s3.` and `s3.` for s3-fs-presto, `s3.` for s3-fs-native. Keys of one
            bucket are s3-fs-hadoop's only. Where a bucket's policy demands more than the plugin can say, `_SUCCESS` is refused though the data files are not: set the bucket's default
            encryption, or a plugin that knows the key. [`partition-bridge doctor`](doctor.md) warns of keys that the plugin doesn't know.

            | key | s3-fs-hadoop | s3-fs-presto | s3-fs-native |
            | --- | --- | --- | --- |
            """;

    @Test
    void thePageTellsTheFateOfEveryKey() throws Exception {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        table(page, Fate.TRANSLATED, "Translated");
        table(page, Fate.NO_MEANING, "Without meaning for a writer");
        table(page, Fate.FALLS_BACK, "Flink's own sink writes the table");
        page.append(SUCCESS_FILES);
        for (StoreKey key : S3Plugin.OF_OBJECTS) {
            for (String name : key.names) {
                page.append(
                        String.format(
                                "| `%s` | %s |%n",
                                name,
                                Arrays.stream(S3Plugin.values())
                                        .map(plugin -> plugin.knows(name) ? "yes" : "–")
                                        .collect(Collectors.joining(" | "))));
            }
        }
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/store-keys.md is out of date: run `make options` and commit it")
                .isEqualTo(page.toString());
    }

    private static void table(StringBuilder page, Fate fate, String title) {
        page.append("\n## ").append(title).append("\n\n| keys | meaning |\n| --- | --- |\n");
        Arrays.stream(StoreKey.values())
                .filter(key -> key.fate == fate)
                .forEach(
                        key ->
                                page.append(
                                        String.format(
                                                "| %s | %s |%n",
                                                key.names.stream()
                                                        .map(name -> "`" + name + "`")
                                                        .collect(Collectors.joining(", ")),
                                                key.meaning)));
    }
}
