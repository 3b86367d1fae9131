package io.partitionbridge.writer;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;

/** The plain spellings of Flink's S3 keys. */
final class PlainStoreKeys {

    private PlainStoreKeys() {}

    static Map<String, Object> resolve(
            Configuration taskManager, Map<String, String> environment, String bucket) {
        Map<String, Object> store = new LinkedHashMap<>();
        store.put("endpoint", taskManager.getString("s3.endpoint", null));
        store.put("region", taskManager.getString("s3.region", null));
        store.put(
                "path_style",
                Boolean.parseBoolean(taskManager.getString("s3.path.style.access", "false")));
        store.put("access_key", taskManager.getString("s3.access-key", null));
        store.put("secret_key", taskManager.getString("s3.secret-key", null));
        store.put("session_token", null);
        store.put("aws_environment", Map.of());
        return store;
    }
}
