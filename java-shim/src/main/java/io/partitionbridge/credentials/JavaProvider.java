package io.partitionbridge.credentials;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A class of the user's that gives AWS credentials: AWSCredentialsProvider of the SDK's first
 * generation, or AwsCredentialsProvider of the second. It is called by name, since each S3 plugin
 * brings an SDK of its own; made as the plugins make it, by a static create() or getInstance(), or
 * a public constructor that takes nothing, Hadoop's configuration, or the bucket and that.
 */
final class JavaProvider {

    private static final Logger LOG = LoggerFactory.getLogger(JavaProvider.class);

    private static final List<String> FACTORIES = List.of("create", "getInstance");
    private static final List<String> CALLS = List.of("resolveCredentials", "getCredentials");

    private final Class<?> kind;
    private final URI bucket;
    private final Map<String, String> hadoop;
    @Nullable private Object provider;
    @Nullable private SessionKeys last;

    private JavaProvider(Class<?> kind, URI bucket, Map<String, String> hadoop) {
        this.kind = kind;
        this.bucket = bucket;
        this.hadoop = hadoop;
    }

    /**
     * @param hadoop what Hadoop's configuration is to have, for a class that asks for it
     * @return empty for a class that can't be seen, made or called
     */
    static Optional<JavaProvider> find(
            StoreClasses classes, String name, URI bucket, Map<String, String> hadoop) {
        return classes.find(name)
                .filter(kind -> call(kind).isPresent())
                .filter(kind -> factory(kind).isPresent() || constructor(kind).isPresent())
                .map(kind -> new JavaProvider(kind, bucket, hadoop));
    }

    /**
     * Those that the class gives now; where it fails and has given some before, those, since they
     * may be good still.
     *
     * @return empty where it has given none so far
     */
    @SuppressWarnings("try")
    synchronized Optional<SessionKeys> keys() {
        try (TemporaryClassLoaderContext ignored =
                TemporaryClassLoaderContext.of(kind.getClassLoader())) {
            if (provider == null) {
                provider = make();
            }
            Method call = call(kind).orElseThrow();
            call.setAccessible(true);
            last = SessionKeys.of(call.invoke(provider)).orElse(last);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            LOG.warn("{} gives no credentials", kind.getName(), cause);
        }
        return Optional.ofNullable(last);
    }

    private Object make() throws ReflectiveOperationException {
        Optional<Method> factory = factory(kind);
        if (factory.isPresent()) {
            return factory.get().invoke(null);
        }
        Constructor<?> constructor = constructor(kind).orElseThrow();
        Object[] arguments = new Object[constructor.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = constructor.getParameterTypes()[i];
            arguments[i] = type == URI.class ? bucket : HadoopSettings.make(type, hadoop);
        }
        return constructor.newInstance(arguments);
    }

    private static Optional<Method> call(Class<?> kind) {
        return Arrays.stream(kind.getMethods())
                .filter(method -> CALLS.contains(method.getName()))
                .filter(method -> method.getParameterCount() == 0)
                .findFirst();
    }

    private static Optional<Method> factory(Class<?> kind) {
        return Arrays.stream(kind.getMethods())
                .filter(method -> FACTORIES.contains(method.getName()))
                .filter(method -> method.getParameterCount() == 0)
                .filter(method -> Modifier.isStatic(method.getModifiers()))
                .filter(method -> kind.isAssignableFrom(method.getReturnType()))
                .findFirst();
    }

    // With the bucket before without, as hadoop-aws.
    private static Optional<Constructor<?>> constructor(Class<?> kind) {
        return Arrays.stream(kind.getConstructors())
                .filter(each -> takes(each.getParameterTypes()))
                .max((one, other) -> one.getParameterCount() - other.getParameterCount());
    }

    private static boolean takes(Class<?>[] types) {
        return switch (types.length) {
            case 0 -> true;
            case 1 -> types[0].getName().equals(HadoopSettings.KIND);
            case 2 -> types[0] == URI.class && types[1].getName().equals(HadoopSettings.KIND);
            default -> false;
        };
    }
}
