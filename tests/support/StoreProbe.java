import io.partitionbridge.credentials.StoreKeys;
import io.partitionbridge.credentials.StoreSettings;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URI;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.security.token.DelegationTokenContainer;
import org.apache.flink.runtime.security.token.DelegationTokenReceiverRepository;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.WrappingProxy;

/**
 * A TaskManager as far as the store goes: Flink's plugins from the folder in FLINK_PLUGINS_DIR, the shim's translation of Flink's
 * configuration. Answers each line of standard input by a line of JSON.
 *
 * <ul>
 *   <li>{@code settings {…}}: the object "store" of a start message, for the bucket "lake" and a configuration
 *   <li>{@code refused {…}}: the first key that makes Flink's own sink write the table, and what to do
 *   <li>{@code success {…}}: writes `_SUCCESS` as Flink's policy does, with a configuration
 *   <li>{@code keys}: what the control call `credentials` answers now
 *   <li>{@code tokens {…}}: hands the plugin's receiver a delegation token, as the ResourceManager does
 * </ul>
 */
public final class StoreProbe {

    private static final URI BUCKET = URI.create("s3://lake");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static PluginManager plugins;
    private static Configuration configuration = new Configuration();
    private static StoreSettings settings;

    public static void main(String[] arguments) throws Exception {
        plugins = PluginUtils.createPluginManagerFromRootFolder(configuration);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ", 2);
            Object answer;
            try {
                answer = answer(words[0], words.length > 1 ? read(words[1]) : Map.of());
            } catch (IllegalArgumentException e) {
                answer = Map.of("error", e.getMessage());
            }
            System.out.println(JSON.writeValueAsString(answer));
        }
    }

    private static Object answer(String verb, Map<String, String> given) throws Exception {
        switch (verb) {
            case "settings":
                configuration = Configuration.fromMap(given);
                FileSystem.initialize(configuration, plugins);
                settings = new StoreSettings(configuration, BUCKET);
                return settings.resolve(System.getenv());
            case "refused":
                FileSystem.initialize(Configuration.fromMap(given), plugins);
                Map<String, String> refused = new LinkedHashMap<>();
                StoreKeys.unsupported(given, BUCKET)
                        .ifPresent(
                                each -> {
                                    refused.put("key", each.key());
                                    refused.put("remedy", each.remedy());
                                });
                return refused;
            case "success":
                FileSystem.initialize(Configuration.fromMap(given), plugins);
                FileSystem.get(BUCKET).create(new Path(BUCKET + "/t/_SUCCESS"), FileSystem.WriteMode.OVERWRITE).close();
                return Map.of();
            case "keys":
                return settings.currentKeys();
            case "tokens":
                handOut(given);
                return Map.of();
            default:
                throw new IllegalArgumentException(verb);
        }
    }

    private static Map<String, String> read(String json) throws Exception {
        Map<String, String> read = new LinkedHashMap<>();
        JSON.readTree(json).fields().forEachRemaining(each -> read.put(each.getKey(), each.getValue().asText()));
        return read;
    }

    private static void handOut(Map<String, String> given) throws Exception {
        FileSystem found = FileSystem.getUnguardedFileSystem(BUCKET);
        while (found instanceof WrappingProxy<?>) {
            found = (FileSystem) ((WrappingProxy<?>) found).getWrappedDelegate();
        }
        ClassLoader plugin = found.getClass().getClassLoader();
        boolean hadoop = found.getClass().getName().contains("s3.common");
        Object credentials = hadoop ? first(plugin, given) : second(plugin, given);
        DelegationTokenContainer container = new DelegationTokenContainer();
        container.addToken(hadoop ? "s3-hadoop" : "s3-native", InstantiationUtil.serializeObject(credentials));
        new DelegationTokenReceiverRepository(configuration, plugins).onNewTokensObtained(container);
    }

    private static Object first(ClassLoader plugin, Map<String, String> given) throws Exception {
        return Class.forName("com.amazonaws.services.securitytoken.model.Credentials", true, plugin)
                .getConstructor(String.class, String.class, String.class, Date.class)
                .newInstance(given.get("access"), given.get("secret"), given.get("token"), Date.from(expires(given)));
    }

    private static Object second(ClassLoader plugin, Map<String, String> given) throws Exception {
        String name = "org.apache.flink.fs.s3native.shaded.software.amazon.awssdk.services.sts.model.Credentials";
        Class<?> kind = Class.forName(name, true, plugin);
        Class<?> builder = Class.forName(name + "$Builder", true, plugin);
        Object made = kind.getMethod("builder").invoke(null);
        for (Map.Entry<String, String> each :
                Map.of("accessKeyId", "access", "secretAccessKey", "secret", "sessionToken", "token").entrySet()) {
            builder.getMethod(each.getKey(), String.class).invoke(made, given.get(each.getValue()));
        }
        builder.getMethod("expiration", Instant.class).invoke(made, expires(given));
        Method build = builder.getMethod("build");
        return build.invoke(made);
    }

    private static Instant expires(Map<String, String> given) {
        return Instant.now().plusSeconds(Long.parseLong(given.get("seconds")));
    }

    private StoreProbe() {}
}
