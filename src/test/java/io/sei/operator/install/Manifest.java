package io.sei.operator.install;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Objects as YAML, comments included.
 *
 * @param documents one for each object
 */
record Manifest(List<Document> documents) {

  /** Copies the list. */
  Manifest {
    documents = List.copyOf(documents);
  }

  /** One object. */
  record Document(String text) {

    JsonNode content() {
      return Serialization.unmarshal(text, JsonNode.class);
    }

    /** Returns the identity of the object in a cluster. */
    String key() {
      return String.join(
          " ",
          content().path("kind").asText(),
          content().at("/metadata/namespace").asText(),
          content().at("/metadata/name").asText());
    }
  }

  /** Everything in the text that has a kind. */
  static Manifest parse(String text) {
    return new Manifest(
        Arrays.stream(text.split("(?m)^---\n"))
            .filter(document -> document.lines().anyMatch(line -> line.startsWith("kind:")))
            .map(document -> new Document(document.strip() + "\n"))
            .toList());
  }

  static Manifest read(Path file) {
    try {
      return parse(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a file that begins with this comment. */
  String text(String comment) {
    return documents.stream()
        .map(Document::text)
        .collect(Collectors.joining("---\n", "# " + comment + "\n---\n", ""));
  }

  /** Both, this first. */
  Manifest and(Manifest other) {
    return new Manifest(Stream.concat(documents.stream(), other.documents.stream()).toList());
  }

  /** The objects that the other has no equal of. */
  Manifest without(Manifest other) {
    return only(document -> !other.documents.contains(document));
  }

  Manifest only(Predicate<Document> which) {
    return new Manifest(documents.stream().filter(which).toList());
  }

  Set<String> keys() {
    return documents.stream().map(Document::key).collect(Collectors.toSet());
  }

  Set<JsonNode> contents() {
    return documents.stream().map(Document::content).collect(Collectors.toSet());
  }

  boolean isEmpty() {
    return documents.isEmpty();
  }
}
