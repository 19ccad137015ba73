package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.install.ThirdPartyPage.Library;
import io.sei.operator.testkit.GoldenLines;
import io.sei.operator.testkit.OperatorJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** Compares the contents of the jar with a list, and of two builds with each other. */
class JarTest {

  private static final Set<String> ACCEPTED =
      Set.of(
          "Apache-2.0",
          "MIT",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "CC0-1.0",
          "EPL-2.0",
          "ISC",
          "LGPL-2.1-only");

  @Test
  void entriesOfTheProjectHaveNotTheTimeOfTheBuild() throws IOException {
    Matcher time =
        Pattern.compile("<project.build.outputTimestamp>([^<]+)<")
            .matcher(Files.readString(Path.of("pom.xml")));
    assertThat(time.find()).isTrue();
    LocalDateTime expected = LocalDateTime.ofInstant(Instant.parse(time.group(1)), ZoneOffset.UTC);

    try (JarFile jar = new JarFile(OperatorJar.FILE.toFile())) {
      // Those of libraries keep the times they have there.
      assertThat(jar.stream().filter(entry -> entry.getName().startsWith("io/sei/")))
          .isNotEmpty()
          .extracting(ZipEntry::getTimeLocal)
          .containsOnly(expected);
      assertThat(jar.getEntry(JarFile.MANIFEST_NAME).getTimeLocal()).isEqualTo(expected);
    }
  }

  @Test
  void pageOfLicencesIsUpToDate() {
    GoldenLines.compare(
        ThirdPartyPage.FILE, ThirdPartyPage.text(), "run 'make docs' and commit the result");
  }

  @Test
  void everyLicenceIsOneThatWasLookedAt() {
    for (List<Library> linked : List.of(ThirdPartyPage.libraries(), ThirdPartyPage.modules())) {
      assertThat(linked)
          .isNotEmpty()
          .allSatisfy(
              library ->
                  assertThat(library.licences())
                      .as(library.name())
                      .isNotEmpty()
                      .allSatisfy(
                          licence -> assertThat(licence.split(" AND ")).isSubsetOf(ACCEPTED)));
    }
  }

  @Test
  void everyLibraryInTheJarIsInTheSbom() throws IOException {
    Set<String> inTheJar = new HashSet<>();
    try (JarFile jar = new JarFile(OperatorJar.FILE.toFile())) {
      for (ZipEntry entry : jar.stream().toList()) {
        if (entry.getName().endsWith("/pom.properties")) {
          Properties maven = new Properties();
          maven.load(jar.getInputStream(entry));
          inTheJar.add(maven.getProperty("groupId") + ":" + maven.getProperty("artifactId"));
        }
      }
    }
    inTheJar.remove("io.sei:sei-operator");

    assertThat(inTheJar)
        .isNotEmpty()
        .isSubsetOf(
            ThirdPartyPage.libraries().stream().map(Library::name).collect(Collectors.toSet()));
  }
}
