package io.sei.operator.render;

import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Valid specs that set every field there is between them. */
final class EverySpec {

  private static final Path FILE = Path.of("src", "test", "resources", "everything.yaml");

  private EverySpec() {}

  /** Returns the specs by name. */
  static Map<String, SeiNodeSpec> all() {
    try {
      return Serialization.unmarshal(
          Files.readString(FILE).replace("PUBLIC_KEY", ThrowAwayKeys.PUBLIC_KEY),
          new TypeReference<Map<String, SeiNodeSpec>>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
