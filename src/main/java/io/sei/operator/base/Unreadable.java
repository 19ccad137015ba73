package io.sei.operator.base;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The fields of an object that the operator could not read, or did not keep because of their size.
 * An object with any is a stub: what those fields say is unknown, which is neither absent nor new.
 *
 * <p>They are kept with the object's metadata, under a name that the API server never serves there,
 * so that every copy of a stub is one too.
 */
public record Unreadable(List<Field> fields) {

  private static final String KEY = "sei.io/unreadable";

  /**
   * A field.
   *
   * @param path the field within its object, such as {@code spec.configValues[0].value}
   * @param problem why, to follow the path in a sentence, such as {@code is larger than 256 KiB}
   */
  public record Field(String path, String problem) {

    private static Field of(Object kept) {
      return kept instanceof Map<?, ?> copied
          ? new Field(Objects.toString(copied.get("path")), Objects.toString(copied.get("problem")))
          : (Field) kept;
    }

    /** The field for a human, such as {@code spec.configValues is larger than 256 KiB}. */
    @Override
    public String toString() {
      return path + " " + problem;
    }
  }

  public Unreadable {
    fields = List.copyOf(fields);
  }

  /** The fields of an object that were not read. */
  public static Unreadable of(HasMetadata object) {
    Object kept = object.getMetadata().getAdditionalProperties().get(KEY);
    return new Unreadable(
        kept instanceof List<?> known ? known.stream().map(Field::of).toList() : List.of());
  }

  /** Returns whether an object was not read as a whole. */
  public static boolean isStub(HasMetadata object) {
    return object.getMetadata().getAdditionalProperties().containsKey(KEY);
  }

  /** Marks an object as a stub with these fields. */
  public void recordOn(HasMetadata object) {
    object.getMetadata().setAdditionalProperty(KEY, fields);
  }

  /** Returns whether everything but the spec was read. */
  public boolean isOfSpecOnly() {
    return fields.stream().map(Field::path).allMatch(path -> path.startsWith("spec"));
  }

  /** All fields for a human. */
  @Override
  public String toString() {
    return fields.stream().map(Field::toString).collect(Collectors.joining("; "));
  }
}
