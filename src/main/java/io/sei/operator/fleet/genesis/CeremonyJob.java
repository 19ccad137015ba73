package io.sei.operator.fleet.genesis;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ContainerResources;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SecurityContexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * PURE: the Job in which seid's own commands make a genesis. Its pod has the validators' keys and
 * no token, a directory in memory, and nothing of a node.
 */
final class CeremonyJob {

  /** Name of the only container. */
  static final String CONTAINER = "genesis";

  /** On the Job: generation of the fleet's spec from which it was made. */
  private static final String GENERATION = "sei.io/generation";

  private static final String HOME = "/home/genesis";
  private static final String SCRATCH = "home";
  private static final long NONROOT = 65532L;
  private static final int OWNER_MAY_READ = 0400;

  private CeremonyJob() {}

  static String name(SeiNodeDeployment fleet) {
    return fleet.getMetadata().getName() + "-genesis";
  }

  /** Returns whether a Job was made from the spec as it is now. */
  static boolean isOf(Job job, SeiNodeDeployment fleet) {
    return Annotations.has(job, GENERATION, generation(fleet));
  }

  private static String generation(SeiNodeDeployment fleet) {
    return String.valueOf(fleet.getMetadata().getGeneration());
  }

  /**
   * The Job to create.
   *
   * @param secrets of the validators, by ordinal
   * @param limit how long it may take
   */
  static Job render(SeiNodeDeployment fleet, List<KeySecretNames> secrets, Duration limit) {
    SeiNodeSpec node = fleet.getSpec().template().spec();
    List<Integer> ordinals = IntStream.range(0, secrets.size()).boxed().toList();
    var volumes = new ArrayList<Volume>();
    volumes.add(
        new VolumeBuilder()
            .withName(SCRATCH)
            .withNewEmptyDir()
            .withMedium("Memory")
            .endEmptyDir()
            .build());
    ordinals.forEach(ordinal -> volumes.add(keys(ordinal, secrets.get(ordinal))));
    return new JobBuilder()
        .withNewMetadata()
        .withName(name(fleet))
        .withNamespace(fleet.getMetadata().getNamespace())
        // Not on its pod, which is none of the fleet's nodes.
        .addToLabels(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName())
        .addToAnnotations(GENERATION, generation(fleet))
        .withOwnerReferences(FleetOwner.reference(fleet))
        .endMetadata()
        .withNewSpec()
        // Trying again is the fleet's decision, which first reports why it failed.
        .withBackoffLimit(0)
        .withActiveDeadlineSeconds(limit.toSeconds())
        .withNewTemplate()
        .withNewMetadata()
        .withAnnotations(Annotations.withoutCloudTokens(List.of(CONTAINER)))
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withImagePullSecrets(node.placement().imagePullSecrets())
        .withServiceAccountName(node.placement().serviceAccountName())
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withNewSecurityContext()
        // A Secret of mode 0400 is read by its group as well.
        .withFsGroup(NONROOT)
        .endSecurityContext()
        .withContainers(container(fleet, node, ordinals))
        .withVolumes(volumes)
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Container container(
      SeiNodeDeployment fleet, SeiNodeSpec node, List<Integer> ordinals) {
    Genesis genesis = fleet.getSpec().genesis();
    var mounts = new ArrayList<VolumeMount>();
    mounts.add(new VolumeMountBuilder().withName(SCRATCH).withMountPath(HOME).build());
    ordinals.forEach(ordinal -> mounts.add(mount(ordinal)));
    return new ContainerBuilder()
        .withName(CONTAINER)
        .withImage(node.image())
        .withCommand(
            "/bin/bash", "-c", CeremonyScript.of(fleet.getMetadata().getName(), genesis, ordinals))
        .withEnv(new EnvVar("HOME", HOME, null), new EnvVar("TMPDIR", HOME, null))
        .withVolumeMounts(mounts)
        // Every home is in memory, and counts.
        .withResources(ContainerResources.of("100m", "256Mi", "2Gi"))
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }

  private static VolumeMount mount(int ordinal) {
    return new VolumeMountBuilder()
        .withName(name(ordinal))
        .withMountPath(CeremonyScript.KEYS + "/" + ordinal)
        .withReadOnly(true)
        .build();
  }

  private static Volume keys(int ordinal, KeySecretNames secrets) {
    return new VolumeBuilder()
        .withName(name(ordinal))
        .withNewProjected()
        .withDefaultMode(OWNER_MAY_READ)
        .addNewSource()
        .withNewSecret()
        .withName(secrets.signingKey())
        .endSecret()
        .endSource()
        .addNewSource()
        .withNewSecret()
        .withName(secrets.nodeKey())
        .endSecret()
        .endSource()
        .addNewSource()
        .withNewSecret()
        .withName(secrets.account())
        .endSecret()
        .endSource()
        .endProjected()
        .build();
  }

  private static String name(int ordinal) {
    return "keys-" + ordinal;
  }
}
