package io.partitionbridge.credentials;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the store is and how it is spoken to: endpoint, region, proxy, access point, signature. */
final class StoreAddress {

    private static final String DEFAULT_REGION = "us-east-1";

    // s3.eu-west-1.amazonaws.com, s3-eu-west-1.…, s3.dualstack.eu-west-1.….cn,
    // bucket.s3.eu-west-1.…
    private static final Pattern AWS_HOST =
            Pattern.compile(
                    "(?:^|.*\\.)s3(?:[.-](?:fips|dualstack))*[.-]([a-z]{2}(?:-[a-z]+)+-\\d+)\\.amazonaws\\.com(?:\\.cn)?");

    private static final Pattern ADDRESS =
            Pattern.compile("localhost|\\[.*]|\\d+\\.\\d+\\.\\d+\\.\\d+");

    // arn:aws:s3:eu-west-1:123456789012:accesspoint/name
    private static final Pattern ACCESS_POINT =
            Pattern.compile("arn:[^:]+:s3[^:]*:([^:]*):\\d+:accesspoint[/:].+");

    private final StoreConfiguration keys;

    StoreAddress(StoreConfiguration keys) {
        this.keys = keys;
    }

    /**
     * @param tokens the region that goes with delegation tokens
     * @return endpoint, region, path_style, proxy, access_point, signature, region_of_instance;
     *     null where nothing is configured
     * @throws IllegalArgumentException for settings that contradict each other
     */
    Map<String, Object> resolve(Optional<String> tokens, Map<String, String> environment) {
        Optional<String> accessPoint = accessPoint();
        Optional<String> endpoint =
                keys.find(StoreKey.ENDPOINT)
                        .map(this::withScheme)
                        // An access point has a host of its own there.
                        .filter(url -> accessPoint.isEmpty() || !isAws(host(url)));
        Optional<String> host = endpoint.map(StoreAddress::host);
        boolean pinned = keys.isSet(StoreKey.PIN_REGION);
        if (pinned && keys.find(StoreKey.ENDPOINT).isPresent()) {
            throw new IllegalArgumentException(
                    "Flink's configuration has an S3 endpoint and 'pin-client-to-current-region'."
                            + " Remove one of them: the endpoint decides on the region.");
        }

        Map<String, Object> store = new LinkedHashMap<>();
        store.put("endpoint", endpoint.orElse(null));
        store.put(
                "region",
                accessPoint
                        .map(StoreAddress::regionOf)
                        .filter(name -> !name.isEmpty())
                        .or(() -> tokens)
                        .orElseGet(
                                () -> region(host, endpoint.isPresent() ? Map.of() : environment)));
        store.put(
                "path_style",
                accessPoint.isEmpty()
                        && keys.find(StoreKey.PATH_STYLE)
                                .map(Boolean::parseBoolean)
                                .orElse(
                                        host.filter(name -> ADDRESS.matcher(name).matches())
                                                .isPresent()));
        store.put("proxy", proxy().orElse(null));
        store.put("access_point", accessPoint.orElse(null));
        store.put(
                "signature",
                keys.find(StoreKey.SIGNER).filter(StoreKeys.VERSION_2::equals).isPresent()
                        ? "s3"
                        : "s3v4");
        store.put("region_of_instance", pinned);
        return store;
    }

    private Optional<String> accessPoint() {
        Optional<String> arn = keys.findOfBucket(StoreKey.ACCESS_POINT);
        if (arn.isEmpty() && keys.isSet(StoreKey.ACCESS_POINT_REQUIRED)) {
            throw new IllegalArgumentException(
                    String.format(
                            "'fs.s3a.accesspoint.required' of Flink's configuration is true, and bucket"
                                    + " '%s' has no access point. Set 'fs.s3a.bucket.%s.accesspoint.arn'.",
                            keys.bucket(), keys.bucket()));
        }
        arn.filter(name -> !ACCESS_POINT.matcher(name).matches())
                .ifPresent(
                        name -> {
                            throw new IllegalArgumentException(
                                    String.format(
                                            "'fs.s3a.bucket.%s.accesspoint.arn' of Flink's configuration is"
                                                    + " no ARN of an access point. Write it as"
                                                    + " arn:aws:s3:REGION:ACCOUNT:accesspoint/NAME.",
                                            keys.bucket()));
                        });
        return arn;
    }

    private static String regionOf(String arn) {
        Matcher matcher = ACCESS_POINT.matcher(arn);
        return matcher.matches() ? matcher.group(1) : "";
    }

    private static boolean isAws(String host) {
        return host.endsWith(".amazonaws.com") || host.endsWith(".amazonaws.com.cn");
    }

    private String region(Optional<String> host, Map<String, String> environment) {
        return keys.find(StoreKey.REGION)
                .or(() -> host.map(AWS_HOST::matcher).filter(Matcher::matches).map(m -> m.group(1)))
                .or(() -> Optional.ofNullable(environment.get("AWS_REGION")))
                .or(() -> Optional.ofNullable(environment.get("AWS_DEFAULT_REGION")))
                .orElse(DEFAULT_REGION);
    }

    // As hadoop-aws: without a port it's that of the endpoint's scheme.
    private Optional<String> proxy() {
        return keys.find(StoreKey.PROXY_HOST)
                .map(
                        host ->
                                String.format(
                                        "http://%s%s:%s",
                                        keys.find(StoreKey.PROXY_USERNAME)
                                                .map(this::withPassword)
                                                .orElse(""),
                                        host,
                                        keys.find(StoreKey.PROXY_PORT)
                                                .orElse(usesSsl() ? "443" : "80")));
    }

    private String withPassword(String user) {
        String password = keys.find(StoreKey.PROXY_PASSWORD).orElse("");
        return escaped(user) + ":" + escaped(password) + "@";
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private String withScheme(String endpoint) {
        return endpoint.contains("://")
                ? endpoint
                : (usesSsl() ? "https://" : "http://") + endpoint;
    }

    private boolean usesSsl() {
        return keys.find(StoreKey.SSL).map(Boolean::parseBoolean).orElse(true);
    }

    private static String host(String endpoint) {
        String host = URI.create(endpoint).getHost();
        return host == null ? "" : host;
    }
}
