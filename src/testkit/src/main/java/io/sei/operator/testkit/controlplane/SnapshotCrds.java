package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The CRDs of VolumeSnapshots, which a cluster has beside its storage drivers. */
public final class SnapshotCrds {

  private SnapshotCrds() {}

  /** Creates them, and waits until the API server serves them. */
  public static void install(KubernetesClient client) {
    Path directory =
        ControlPlaneBinaries.projectDirectory().resolve("target").resolve("snapshot-crds");
    ControlPlaneBinaries.runScript(Path.of("hack", "snapshot-crds.sh"), directory);
    try (Stream<Path> files = Files.list(directory)) {
      files.map(file -> create(client, file)).toList().forEach(name -> await(client, name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String create(KubernetesClient client, Path file) {
    return client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .load(file.toFile())
        .createOr(NonDeletingOperation::update)
        .getMetadata()
        .getName();
  }

  private static void await(KubernetesClient client, String name) {
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName(name)
        .waitUntilCondition(SnapshotCrds::isEstablished, 60, TimeUnit.SECONDS);
  }

  /** Returns whether the API server serves a CRD. */
  public static boolean isEstablished(CustomResourceDefinition crd) {
    return crd != null
        && crd.getStatus() != null
        && crd.getStatus().getConditions() != null
        && crd.getStatus().getConditions().stream()
            .anyMatch(
                condition ->
                    condition.getType().equals("Established")
                        && condition.getStatus().equals("True"));
  }
}
