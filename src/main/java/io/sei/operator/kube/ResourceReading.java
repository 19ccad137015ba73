package io.sei.operator.kube;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.JsonNodeDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.base.Unreadable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Reads Kubernetes objects field by field, so that a field that cannot be read costs its object and
 * not the list or the watch that the object came in.
 *
 * <p>Such an object is a stub, and names the fields ({@link Unreadable}). A custom resource lacks
 * only those. A built-in object has nothing but metadata.
 */
final class ResourceReading extends BeanDeserializerModifier {

  private static final long serialVersionUID = 1;

  /** Limits of the spec of a custom resource. */
  private static final LimitedParser.Limits SPEC = LimitedParser.Limits.ofSize(256 << 10);

  /** Limits of the other parts of an object of a namespace. */
  private static final LimitedParser.Limits BUILT_IN = LimitedParser.Limits.ofSize(512 << 10);

  /** Limits of each field of metadata, such as owner references and finalizers. */
  private static final LimitedParser.Limits METADATA = LimitedParser.Limits.ofSize(64 << 10);

  /** Limits of a ConfigMap in a list: the operator's own are smaller, others are left out. */
  private static final LimitedParser.Limits CONFIG = LimitedParser.Limits.ofSize(16 << 10);

  private static final Set<String> PARTS = Set.of("spec", "status");

  private static final Set<String> DATA = Set.of("data", "binaryData");

  private static final Set<String> ENTRIES = Set.of("labels", "annotations");

  /** Stands for a value that is left out. */
  static final TextNode LEFT_OUT = TextNode.valueOf("(left out: too large)");

  private final transient KubernetesSerialization kinds;

  private ResourceReading(KubernetesSerialization kinds) {
    this.kinds = kinds;
  }

  /** Registers this reading with a mapper, which is that of {@code kinds}. */
  static void register(ObjectMapper mapper, KubernetesSerialization kinds) {
    mapper.registerModule(
        new SimpleModule("resource-reading")
            .addDeserializer(JsonNode.class, freeForm())
            .setDeserializerModifier(new ResourceReading(kinds)));
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private static JsonDeserializer<JsonNode> freeForm() {
    var plain = JsonNodeDeserializer.getDeserializer(JsonNode.class);
    return (JsonDeserializer) new FreeFormDeserializer(plain, () -> LEFT_OUT);
  }

  @Override
  public BeanDeserializerBuilder updateBuilder(
      DeserializationConfig config, BeanDescription type, BeanDeserializerBuilder builder) {
    List<SettableBeanProperty> fields = new ArrayList<>();
    builder.getProperties().forEachRemaining(fields::add);
    for (SettableBeanProperty field : fields) {
      if (isResource(type) || type.getBeanClass() == ObjectMeta.class) {
        builder.addOrReplaceProperty(new Field(read(field, type), type.getBeanClass()), true);
      } else if (type.getBeanClass() == WatchEvent.class && field.getName().equals("object")) {
        builder.addOrReplaceProperty(
            field.withValueDeserializer(new WatchedObjectDeserializer(kinds)), true);
      }
    }
    return builder;
  }

  @Override
  public JsonDeserializer<?> modifyDeserializer(
      DeserializationConfig config, BeanDescription type, JsonDeserializer<?> deserializer) {
    if (KubernetesResourceList.class.isAssignableFrom(type.getBeanClass())) {
      return new Page(deserializer);
    }
    if (type.getBeanClass() == Object.class) {
      return new FreeFormDeserializer(deserializer, LEFT_OUT::textValue);
    }
    return isResource(type) && deserializer instanceof BeanDeserializerBase
        ? new Resource(deserializer)
        : deserializer;
  }

  private static SettableBeanProperty read(SettableBeanProperty field, BeanDescription type) {
    return type.getBeanClass() == ControllerRevision.class && field.getName().equals("data")
        ? field.withValueDeserializer(new RevisionData())
        : field;
  }

  /** Reads the data of a ControllerRevision. */
  private static final class RevisionData extends JsonDeserializer<JsonText> {
    @Override
    public JsonText deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return JsonText.of(parser);
    }
  }

  private static boolean isResource(BeanDescription type) {
    return HasMetadata.class.isAssignableFrom(type.getBeanClass());
  }

  /** Reads a page of a list. */
  private static final class Page extends DelegatingDeserializer {
    private static final long serialVersionUID = 1;

    Page(JsonDeserializer<?> delegate) {
      super(delegate);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
      return new Page(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      ObjectReading.isOneOfMany(context);
      return super.deserialize(parser, context);
    }
  }

  /** Reads an object; makes it a stub if some of its fields could not be read. */
  private static final class Resource extends DelegatingDeserializer {
    private static final long serialVersionUID = 1;

    Resource(JsonDeserializer<?> delegate) {
      super(delegate);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
      return new Resource(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (ObjectReading.in(context) != null) {
        // It is part of another object, such as the claim template of a StatefulSet.
        return super.deserialize(parser, context);
      }
      ObjectReading reading = ObjectReading.begin(parser, context);
      try {
        Object object = super.deserialize(parser, context);
        Unreadable unreadable = reading.unreadable();
        return unreadable.fields().isEmpty()
            ? object
            : stub((HasMetadata) object, unreadable, context);
      } finally {
        ObjectReading.end(context);
      }
    }

    private HasMetadata stub(
        HasMetadata object, Unreadable unreadable, DeserializationContext context)
        throws IOException {
      HasMetadata stub = object instanceof CustomResource ? object : empty(context);
      stub.setMetadata(Objects.requireNonNullElseGet(object.getMetadata(), ObjectMeta::new));
      unreadable.recordOn(stub);
      return stub;
    }

    private HasMetadata empty(DeserializationContext context) throws IOException {
      var plain = (BeanDeserializerBase) getDelegatee();
      return (HasMetadata) plain.getValueInstantiator().createUsingDefault(context);
    }
  }

  /** Reads a field of an object or of its metadata; leaves it out if that fails. */
  private static final class Field extends SettableBeanProperty.Delegating {
    private static final long serialVersionUID = 1;

    private final Class<?> type;

    Field(SettableBeanProperty delegate, Class<?> type) {
      super(delegate);
      this.type = type;
    }

    @Override
    protected SettableBeanProperty withDelegate(SettableBeanProperty delegate) {
      return new Field(delegate, type);
    }

    @Override
    public void deserializeAndSet(JsonParser parser, DeserializationContext context, Object object)
        throws IOException {
      JsonStreamContext parent = LimitedParser.parentOf(parser);
      ObjectReading reading = ObjectReading.in(context);
      if (reading == null || !reading.begin(parent, getName())) {
        // It is part of another object.
        delegate.deserializeAndSet(parser, context, object);
        return;
      }
      try {
        read(parser, context, object, reading);
      } catch (JacksonException | RuntimeException e) {
        if (isMalformed(e)) {
          throw e;
        }
        LimitedParser.skipRest(parser, parent);
        if (!isData() || !reading.isOneOfMany()) {
          reading.fail(parent, getName(), e);
        }
      }
    }

    private void read(
        JsonParser parser, DeserializationContext context, Object object, ObjectReading reading)
        throws IOException {
      if (ENTRIES.contains(getName()) && type == ObjectMeta.class) {
        var entries = new MetadataEntries(parser, !reading.isOneOfMany());
        delegate.deserializeAndSet(entries, context, object);
        if (entries.isExcessive()) {
          reading.leaveOut(parser.getParsingContext(), MetadataEntries.problem());
        }
        return;
      }
      LimitedParser.Limits limits = limits(reading);
      delegate.deserializeAndSet(
          limits == null ? parser : new LimitedParser(parser, limits), context, object);
    }

    /** Returns whether a field is the data of a ConfigMap, which may be anything. */
    private boolean isData() {
      return type == ConfigMap.class && DATA.contains(getName());
    }

    /**
     * Returns whether the document is no JSON, so that the parser cannot find the end of the field.
     */
    private static boolean isMalformed(Exception failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof StreamReadException && !(cause instanceof InputCoercionException)) {
          return true;
        }
      }
      return false;
    }

    /** The limits of the field; null if it is as large as the API server lets it be. */
    private LimitedParser.Limits limits(ObjectReading reading) {
      if (type == ObjectMeta.class) {
        return METADATA;
      }
      if (isData()) {
        return reading.isOneOfMany() ? CONFIG : null;
      }
      if (CustomResource.class.isAssignableFrom(type)) {
        return getName().equals("spec") ? SPEC : null;
      }
      return Namespaced.class.isAssignableFrom(type) && PARTS.contains(getName()) ? BUILT_IN : null;
    }
  }
}
