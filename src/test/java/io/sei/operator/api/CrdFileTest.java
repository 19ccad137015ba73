package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.testkit.GoldenLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CrdFileTest {

  /** Characters of a description that is more than a repetition of the name. */
  private static final int PARAGRAPH = 80;

  static Stream<CrdFile> crds() {
    return CrdFile.all().stream();
  }

  @ParameterizedTest
  @MethodSource("crds")
  void committedCrdIsWhatTheModelGenerates(CrdFile crd) {
    GoldenLines.compare(crd.path(), crd.text(), "run 'make crds' and commit the result");
  }

  /** Deleting a CRD deletes all nodes: neither Helm nor Argo CD does it by the way. */
  @ParameterizedTest
  @MethodSource("crds")
  void noToolDeletesACrdByItself(CrdFile crd) throws IOException {
    assertThat(Files.readString(crd.path()))
        .contains("helm.sh/resource-policy: \"keep\"")
        .contains("argocd.argoproj.io/sync-options: \"Prune=false,Delete=false\"");
  }

  /** {@code kubectl apply} keeps the object in an annotation, and annotations have 256 KiB. */
  @ParameterizedTest
  @MethodSource("crds")
  void crdFitsIntoTheAnnotationOfAClientSideApply(CrdFile crd) throws IOException {
    Object definition = Serialization.unmarshal(Files.readString(crd.path()), Object.class);

    assertThat(Serialization.asJson(definition).length()).isLessThan(250 * 1024);
  }

  /** The API server drops it, and Argo CD would compare the file with the object for ever. */
  @ParameterizedTest
  @MethodSource("crds")
  void noColumnHasTheDefaultPriority(CrdFile crd) throws IOException {
    assertThat(Files.readString(crd.path())).doesNotContain("priority: 0");
  }

  /** {@code kubectl explain} prints these as the DESCRIPTION of the kind and of its two parts. */
  @ParameterizedTest
  @MethodSource("crds")
  void kubectlExplainDescribesEveryKindWithItsSpecAndStatus(CrdFile crd) throws IOException {
    JSONSchemaProps schema =
        Serialization.unmarshal(Files.readString(crd.path()), CustomResourceDefinition.class)
            .getSpec()
            .getVersions()
            .getFirst()
            .getSchema()
            .getOpenAPIV3Schema();
    JSONSchemaProps status = schema.getProperties().get("status");

    assertThat(schema.getDescription()).hasSizeGreaterThan(PARAGRAPH);
    assertThat(schema.getProperties().get("spec").getDescription()).hasSizeGreaterThan(PARAGRAPH);
    if (status.getProperties() != null && !status.getProperties().isEmpty()) {
      assertThat(status.getDescription()).hasSizeGreaterThan(PARAGRAPH);
    }
  }

  @Test
  void everyCommittedCrdHasAModel() throws IOException {
    try (Stream<Path> committed = Files.list(Path.of("crds"))) {
      assertThat(committed).containsExactlyInAnyOrderElementsOf(crds().map(CrdFile::path).toList());
    }
  }
}
