package io.partitionbridge.state;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serializer of the state's elements: byte[] where restored, {@link LiveEntry} where not yet known.
 *
 * <p>Format and snapshot are those of Flink's own byte-array serializer, so any Flink job reads the
 * state without the bridge on its class path.
 */
public final class BridgeFilesSerializer extends TypeSerializer<Object> {

    private static final long serialVersionUID = 1L;

    public static final BridgeFilesSerializer INSTANCE = new BridgeFilesSerializer();

    private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;

    /** So Flink takes the reference in the synchronous phase instead of waiting for a copy. */
    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<Object> duplicate() {
        return this;
    }

    @Override
    public Object createInstance() {
        return BYTES.createInstance();
    }

    @Override
    public Object copy(Object from) {
        return from;
    }

    @Override
    public Object copy(Object from, Object reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Object element, DataOutputView target) throws IOException {
        BYTES.serialize(
                element instanceof LiveEntry live ? live.bytes() : (byte[]) element, target);
    }

    @Override
    public Object deserialize(DataInputView source) throws IOException {
        return BYTES.deserialize(source);
    }

    @Override
    public Object deserialize(Object reuse, DataInputView source) throws IOException {
        return BYTES.deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        BYTES.copy(source, target);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BridgeFilesSerializer;
    }

    @Override
    public int hashCode() {
        return BridgeFilesSerializer.class.hashCode();
    }

    @Override
    @SuppressWarnings("unchecked")
    public TypeSerializerSnapshot<Object> snapshotConfiguration() {
        return (TypeSerializerSnapshot<Object>)
                (TypeSerializerSnapshot<?>) BYTES.snapshotConfiguration();
    }
}
