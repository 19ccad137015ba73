package io.sei.operator.install;

import static io.sei.operator.docs.Markdown.code;
import static io.sei.operator.docs.Markdown.row;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** {@code docs/third-party.md}: what is in the jar beside the operator, from the SBOM. */
public final class ThirdPartyPage {

  static final Path FILE = Path.of("docs", "third-party.md");

  private static final Path SBOM = Path.of("target", "sbom.json");
  private static final String HEAD =
      """
      <!-- Generated from the SBOM by 'make docs'; do not edit. -->
      # Third-party software

      These libraries are part of `sei-operator.jar`. The build writes the same as an SBOM in the form of
      CycloneDX to `target/sbom.json`; in the image it is `/opt/sei-operator/sbom.json`. Texts of
      licences are in the jar under `META-INF`. The image also holds parts of OpenJDK
      (GPL-2.0-only with Classpath-exception-2.0), whose notices are in `/opt/sei-operator/jre/legal`.

      | Library | Version | Licence |
      |---|---|---|
      """;

  private ThirdPartyPage() {}

  /** A library of the jar. */
  record Library(String name, String version, List<String> licences) {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** Returns the text of the page. */
  static String text() {
    return libraries().stream()
        .map(
            library ->
                row(
                    code(library.name()),
                    library.version(),
                    String.join(" or ", library.licences())))
        .collect(Collectors.joining("", HEAD, ""));
  }

  /** Returns the libraries of the SBOM, by name. */
  static List<Library> libraries() {
    List<Library> libraries = new ArrayList<>();
    try {
      for (JsonNode component : new ObjectMapper().readTree(SBOM.toFile()).get("components")) {
        List<String> licences = new ArrayList<>();
        for (JsonNode licence : component.path("licenses")) {
          licences.add(licence(licence));
        }
        libraries.add(
            new Library(
                component.get("group").asText() + ":" + component.get("name").asText(),
                component.get("version").asText(),
                licences));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    libraries.sort(Comparator.comparing(Library::name));
    return libraries;
  }

  private static String licence(JsonNode entry) {
    JsonNode licence = entry.path("license");
    String name =
        entry.path("expression").asText(licence.path("id").asText(licence.path("name").asText()));
    return switch (name) {
      // Names that the SBOM's author knows no identifier for.
      case "Apache 2 License" -> "Apache-2.0";
      case "GNU Lesser General Public License" -> "LGPL-2.1-only";
      default -> name;
    };
  }
}
