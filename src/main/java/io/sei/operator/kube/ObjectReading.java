package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.sei.operator.base.Unreadable;
import java.util.ArrayList;
import java.util.List;

/** A Kubernetes object that is being read, and the fields of it that could not be read. */
final class ObjectReading {

  private static final Object CURRENT = ObjectReading.class;
  private static final Object MANY = KubernetesResourceList.class;

  /** The context of the object's own fields. */
  private final JsonStreamContext fields;

  private final List<Unreadable.Field> unreadable = new ArrayList<>();
  private String field = "";

  private final boolean oneOfMany;

  private ObjectReading(JsonStreamContext fields, boolean oneOfMany) {
    this.fields = fields;
    this.oneOfMany = oneOfMany;
  }

  /** Marks the next objects as items of a list or events of a watch. */
  static void isOneOfMany(DeserializationContext context) {
    context.setAttribute(MANY, true);
  }

  /** Begins to read an object, at its first token or field. */
  static ObjectReading begin(JsonParser parser, DeserializationContext context) {
    var reading =
        new ObjectReading(
            parser.getParsingContext(), Boolean.TRUE.equals(context.getAttribute(MANY)));
    context.setAttribute(CURRENT, reading);
    return reading;
  }

  /** The object that is being read; null if none is. */
  static ObjectReading in(DeserializationContext context) {
    return (ObjectReading) context.getAttribute(CURRENT);
  }

  /** Ends reading the object. */
  static void end(DeserializationContext context) {
    context.setAttribute(CURRENT, null);
  }

  /**
   * Begins to read a field.
   *
   * @param parent the context of the object that it is a field of
   * @return whether it is a field of the object itself or of its metadata, and not of an object
   *     within it
   */
  boolean begin(JsonStreamContext parent, String name) {
    if (parent == fields) {
      field = name;
      return true;
    }
    return field.equals("metadata") && parent.getParent() == fields;
  }

  /** Returns whether the object is one of a list or of a watch, of which many are kept. */
  boolean isOneOfMany() {
    return oneOfMany;
  }

  /** Returns whether the field that is read is the spec, which a user writes. */
  boolean isReadingSpec() {
    return field.equals("spec");
  }

  /** Adds the field at this place to the unreadable ones: its value was left out. */
  void leaveOut(JsonStreamContext place, String problem) {
    unreadable.add(new Unreadable.Field(path(place), problem));
  }

  /**
   * Notes that a field could not be read.
   *
   * @param parent the context of the object that it is a field of
   */
  void fail(JsonStreamContext parent, String name, Exception cause) {
    var path = new StringBuilder(parent == fields ? name : field + "." + name);
    if (cause instanceof LimitedParser.TooLarge large) {
      unreadable.add(new Unreadable.Field(path.toString(), large.getOriginalMessage()));
      return;
    }
    if (cause instanceof JsonMappingException e) {
      e.getPath().forEach(step -> append(path, step.getFieldName(), step.getIndex()));
    }
    unreadable.add(new Unreadable.Field(path.toString(), "has another type than its schema says"));
  }

  /** The fields that could not be read. */
  Unreadable unreadable() {
    return new Unreadable(unreadable);
  }

  private String path(JsonStreamContext place) {
    var steps = new ArrayList<JsonStreamContext>();
    for (JsonStreamContext it = place; it != null && it != fields; it = it.getParent()) {
      steps.addFirst(it);
    }
    steps.addFirst(fields);
    var path = new StringBuilder();
    steps.forEach(step -> append(path, step.getCurrentName(), step.getCurrentIndex()));
    return path.toString();
  }

  private static void append(StringBuilder path, String name, int index) {
    if (name == null) {
      path.append('[').append(index).append(']');
    } else {
      path.append(path.isEmpty() ? "" : ".").append(name);
    }
  }
}
