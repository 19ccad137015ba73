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
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code docs/third-party.md}: libraries of the jar, from the SBOM, and modules of the plugin. */
public final class ThirdPartyPage {

  static final Path FILE = Path.of("docs", "third-party.md");

  private static final Path SBOM = Path.of("target", "sbom.json");
  private static final String HEAD =
      """
      <!-- Generated from the SBOM and the kubectl plugin by 'make docs'; do not edit. -->
      # Third-party software

      These libraries are part of `sei-operator.jar`. The build writes the same as an SBOM in the form of
      CycloneDX to `target/sbom.json`; in the image it is `/opt/sei-operator/sbom.json`. Texts of
      licences are in the jar under `META-INF`. The image also holds parts of OpenJDK
      (GPL-2.0-only with Classpath-exception-2.0), whose notices are in `/opt/sei-operator/jre/legal`, and the packages of
      its base image, such as glibc, which the second SBOM of a release lists.

      | Library | Version | Licence |
      |---|---|---|
      """;
  private static final Path PLUGIN = Path.of("src", "kubectl-sei");
  private static final Pattern REQUIRED = Pattern.compile("(?m)^\t(\\S+) (v\\S+)");
  private static final String HEAD_OF_PLUGIN =
      """

      ## In the kubectl plugin

      `kubectl sei` is linked with these Go modules, and with Go's standard library (BSD-3-Clause). Not every platform
      has all of them. Each archive of the plugin has this page.

      | Module | Version | Licence |
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
    return table(HEAD, libraries()) + table(HEAD_OF_PLUGIN, modules());
  }

  private static String table(String head, List<Library> libraries) {
    return libraries.stream()
        .map(
            library ->
                row(
                    code(library.name()),
                    library.version(),
                    String.join(" or ", library.licences())))
        .collect(Collectors.joining("", head, ""));
  }

  /** Returns the modules in the plugin's go.mod, of all platforms; their licences are on record. */
  static List<Library> modules() {
    try {
      JsonNode licences = new ObjectMapper().readTree(PLUGIN.resolve("licences.json").toFile());
      return REQUIRED
          .matcher(Files.readString(PLUGIN.resolve("go.mod")))
          .results()
          .map(
              module ->
                  new Library(
                      module.group(1),
                      module.group(2),
                      List.of(licences.path(module.group(1)).asText("not known"))))
          .sorted(Comparator.comparing(Library::name))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
