package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CrdFileTest {

  static Stream<CrdFile> crds() {
    return CrdFile.all().stream();
  }

  @ParameterizedTest
  @MethodSource("crds")
  void committedCrdIsWhatTheModelGenerates(CrdFile crd) throws IOException {
    assertThat(Files.readString(crd.path()))
        .as("run 'make crds' and commit %s", crd.path())
        .isEqualTo(crd.text());
  }

  /** Deleting a CRD deletes all nodes: neither Helm nor Argo CD does it by the way. */
  @ParameterizedTest
  @MethodSource("crds")
  void noToolDeletesACrdByItself(CrdFile crd) throws IOException {
    assertThat(Files.readString(crd.path()))
        .contains("helm.sh/resource-policy: \"keep\"")
        .contains("argocd.argoproj.io/sync-options: \"Prune=false,Delete=false\"");
  }

  @Test
  void everyCommittedCrdHasAModel() throws IOException {
    try (Stream<Path> committed = Files.list(Path.of("crds"))) {
      assertThat(committed).containsExactlyInAnyOrderElementsOf(crds().map(CrdFile::path).toList());
    }
  }
}
