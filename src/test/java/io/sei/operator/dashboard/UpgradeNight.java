package io.sei.operator.dashboard;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fleets of a chain a day before its upgrade: one rolls out a release, one could not pull the
 * upgrade's image on a machine, and one is prepared. It is what the pictures of the page show.
 */
final class UpgradeNight {

  private static final String RUNNING = "ghcr.io/sei-protocol/sei:v6.7.4";
  private static final String ROLLED_OUT = "ghcr.io/sei-protocol/sei:v6.7.5";
  private static final String UPGRADE = "ghcr.io/sei-protocol/sei:v6.8.0";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** A namespace of its own, whose name the pictures show. */
  static final String NAMESPACE = "pacific";

  private final KubernetesClient client;
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  UpgradeNight(KubernetesClient client) {
    this.client = client;
  }

  void store() {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    SeiNodeDeployment rpc = fleet("rpc", "full", 8, 5, ROLLED_OUT, "Upgrading", "RollingOut");
    for (int ordinal = 0; ordinal < 8; ordinal++) {
      node(rpc, ordinal, ordinal > 2 ? ROLLED_OUT : RUNNING, ordinal == 2, true);
    }
    SeiNodeDeployment archive = fleet("archive", "archive", 3, 3, RUNNING, "Ready", "ImagePull");
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      node(archive, ordinal, RUNNING, false, ordinal != 2);
    }
    fillDisk("archive-1");
    SeiNodeDeployment sentries = fleet("sentry", "full", 4, 4, RUNNING, "Ready", "AllNodesReady");
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      node(sentries, ordinal, RUNNING, false, true);
    }
    event("rpc-3", "Updated", "the pod runs image " + ROLLED_OUT, 190);
    event("rpc-2", "PlanStarted", "update to image " + ROLLED_OUT, 95);
    event("rpc-2", "PodReplaced", "deleted pod rpc-2-0 to update it", 90);
  }

  private SeiNodeDeployment fleet(
      String name, String mode, int replicas, int updated, String image, String phase, String why) {
    SeiNodeSpec node =
        SeiNodeSpecBuilder.builder(Samples.fullNode(image)).chainId("pacific-1").build();
    SeiNodeDeploymentSpec spec =
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(replicas)
            .template(new NodeTemplate(null, node))
            .build();
    SeiNodeDeployment stored = client.resource(Samples.fleet(NAMESPACE, name, spec)).create();
    boolean rolls = updated < replicas;
    Map<String, Object> status = new HashMap<>();
    status.put("phase", phase);
    status.put("reason", why);
    status.put("mode", mode);
    status.put("ready", (rolls ? replicas - 1 : replicas) + "/" + replicas);
    status.put("updatedReplicas", updated);
    status.put("chain", chain());
    status.put("conditions", List.of(condition("Ready", !rolls, why, "every node is Ready")));
    if ("archive".equals(mode)) {
      status.put(
          "snapshots",
          Map.of("latest", Map.of("name", "archive-1", "creationTime", ago(Duration.ofHours(3)))));
    }
    return write(stored, status);
  }

  private Map<String, ?> chain() {
    return Map.of(
        "height",
        174_001_233,
        "at",
        ago(Duration.ofSeconds(12)),
        "blocksPerSecond",
        "2.5",
        "nextUpgrade",
        Map.of("name", "v6.8", "height", 174_220_000));
  }

  private void node(
      SeiNodeDeployment fleet, int ordinal, String image, boolean updates, boolean pulled) {
    String name = fleet.getMetadata().getName() + "-" + ordinal;
    SeiNode node = Samples.node(NAMESPACE, name, fleet.getSpec().template().spec());
    node.getMetadata().setOwnerReferences(FleetOwner.references(fleet));
    SeiNode stored = client.resource(node).create();
    Map<String, Object> entry = new HashMap<>();
    entry.put("name", "v6.8");
    entry.put("height", 174_220_000);
    entry.put("image", UPGRADE);
    entry.put("state", pulled ? "Ready" : "Scheduled");
    if (pulled) {
      entry.put("pulledAt", ago(Duration.ofHours(5)));
    } else {
      entry.put("pullError", "manifest unknown");
      entry.put("pullFailedAt", ago(Duration.ofMinutes(4)));
    }
    Map<String, Object> status = new HashMap<>();
    status.put("phase", "Running");
    status.put("reason", updates ? "PodReplacing" : pulled ? "PodReady" : "ImagePull");
    status.put("mode", "full");
    status.put("currentImage", image);
    status.put("upgrades", List.of(entry));
    status.put(
        "conditions",
        List.of(
            condition("Ready", !updates, updates ? "PodReplacing" : "PodReady", "the pod"),
            condition(
                "UpToDate", !updates, updates ? "PlanActive" : "UpToDate", "update to v6.7.5"),
            condition("Reconciling", updates, updates ? "PlanActive" : "UpToDate", "update"),
            condition(
                "UpgradesReady",
                pulled,
                pulled ? "UpgradesReady" : "ImagePull",
                pulled
                    ? "prepared for v6.8"
                    : "upgrade v6.8: " + UPGRADE + " cannot be pulled: manifest unknown")));
    if (updates) {
      status.put("plan", plan());
    }
    write(stored, status);
  }

  private void fillDisk(String name) {
    SeiNode node = client.resources(SeiNode.class).inNamespace(NAMESPACE).withName(name).get();
    String message = "container seid: no space left on device; 0 B of 10Ti are free (restarts: 7)";
    Map<String, Object> status = new HashMap<>();
    status.put("reason", "DiskFull");
    status.put(
        "conditions",
        List.of(
            condition("Ready", false, "DiskFull", message),
            condition("Stalled", true, "DiskFull", message),
            condition("UpgradesReady", true, "UpgradesReady", "prepared for v6.8")));
    write(node, status);
  }

  private static Map<String, ?> plan() {
    return Map.of(
        "id", "rollout",
        "kind", "Rollout",
        "phase", "Active",
        "tasks",
            List.of(
                Map.of("id", "1", "type", "apply-statefulset", "status", "Complete"),
                Map.of("id", "2", "type", "apply-service", "status", "Complete"),
                Map.of(
                    "id", "3",
                    "type", "replace-pod",
                    "status", "Pending",
                    "reason", "PodReplacing",
                    "message", "41 s of 120 s"),
                Map.of("id", "4", "type", "observe-image", "status", "Pending"),
                Map.of("id", "5", "type", "mark-ready", "status", "Pending")));
  }

  private void event(String node, String reason, String message, int secondsAgo) {
    String at = ago(Duration.ofSeconds(secondsAgo));
    client
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withGenerateName(node + ".")
                .endMetadata()
                .withNewInvolvedObject()
                .withKind("SeiNode")
                .withNamespace(NAMESPACE)
                .withName(node)
                .endInvolvedObject()
                .withReason(reason)
                .withMessage(message)
                .withType("Normal")
                .withFirstTimestamp(at)
                .withLastTimestamp(at)
                .withNewSource()
                .withComponent("sei-operator")
                .endSource()
                .build())
        .create();
  }

  private String ago(Duration age) {
    return now.minus(age).toString();
  }

  private Map<String, ?> condition(String type, boolean isTrue, String reason, String message) {
    return Map.of(
        "type",
        type,
        "status",
        isTrue ? "True" : "False",
        "reason",
        reason,
        "message",
        message,
        "observedGeneration",
        1,
        "lastTransitionTime",
        ago(Duration.ofMinutes(2)));
  }

  private <T extends HasMetadata> T write(T stored, Map<String, Object> status) {
    status.put("observedGeneration", stored.getMetadata().getGeneration());
    return client
        .resource(stored)
        .subresource("status")
        .patch(MERGE, Serialization.asJson(Map.of("status", status)));
  }
}
