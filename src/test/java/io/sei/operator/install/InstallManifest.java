package io.sei.operator.install;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code manifests/install.yaml}: the CRDs and the kustomize base in one file. The base changes
 * nothing about its resources, so they are put one after the other as they are; kustomize's own
 * output differs between versions.
 */
public final class InstallManifest {

  static final Path FILE = Path.of("manifests", "install.yaml");
  static final Path BASE = Path.of("deploy", "kustomize", "base");

  private InstallManifest() {}

  /** Writes the file. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** What the file must contain. */
  static String text() {
    List<String> documents = new ArrayList<>();
    documents.add(
        "# Generated from crds/ and deploy/kustomize/base by 'make manifests'; do not edit.\n");
    CrdFile.all().forEach(crd -> documents.add(document(read(crd.path()))));
    JsonNode base =
        Serialization.unmarshal(read(BASE.resolve("kustomization.yaml")), JsonNode.class);
    base.get("resources").forEach(it -> documents.add(document(read(BASE.resolve(it.asText())))));
    return String.join("---\n", documents);
  }

  /** The objects of the committed file, in its order. */
  static List<HasMetadata> objects() {
    return Arrays.stream(read(FILE).split("(?m)^---\n"))
        .filter(document -> document.lines().anyMatch(line -> line.startsWith("kind:")))
        .map(document -> (HasMetadata) Serialization.unmarshal(document))
        .toList();
  }

  private static String document(String file) {
    return file.replaceAll("(?m)^---\n", "");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
