package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** A deployment named {@code fleet} on a real control plane. */
public abstract class FleetTestCase extends OperatorTestCase {

  public static final String FLEET = "fleet";

  public static SeiNodeDeploymentSpec fleetSpec(int replicas, String image) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(replicas)
        .template(new NodeTemplate(null, spec(image)))
        .build();
  }

  /** Limits with one setting; the others are unset. */
  public static InPlace atMostUnavailable(Object limit) {
    IntOrString value =
        limit instanceof Integer number ? new IntOrString(number) : new IntOrString((String) limit);
    return new InPlace(value, null, null, null, null);
  }

  public static SeiNodeDeploymentSpec fleetSpec(int replicas, String image, InPlace limits) {
    return fleetSpec(replicas, image)
        .withUpdateStrategy(new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null));
  }

  public SeiNodeDeployment create(SeiNodeDeploymentSpec spec) {
    return client.resource(Samples.fleet(namespace, FLEET, spec)).create();
  }

  /** Creates a fleet with image A and waits until it runs, undisturbed. */
  public void createReady(int replicas) {
    create(fleetSpec(replicas, A));
    awaitUpToDate(replicas, A);
  }

  /** Creates a fleet with image A and these limits, and waits until it runs. */
  public void createReady(int replicas, InPlace limits) {
    create(fleetSpec(replicas, A, limits));
    awaitUpToDate(replicas, A);
  }

  public void awaitUpToDate(int replicas, String image) {
    eventually(
        () -> {
          assertThat(status().phase()).isEqualTo(FleetPhase.READY);
          assertThat(status().readyReplicas()).isEqualTo(replicas);
          assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(FleetConditionType.READY, ConditionStatus.TRUE);
          assertThat(currentImages()).hasSize(replicas).containsOnly(image);
        });
  }

  /** Deletes the fleet alone, and waits until it is gone. */
  public void deleteOrphaning() {
    awaitCollectionOfNodes();
    client.resource(fleet()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    eventually(() -> assertThat(fleet()).isNull());
  }

  /**
   * Waits until the garbage collector knows nodes, and so which of them are a fleet's: it learns of
   * a new kind within half a minute, and before that takes the owner off none.
   */
  public void awaitCollectionOfNodes() {
    var node = new SeiNode();
    node.setSpec(spec(A));
    node.setMetadata(
        new ObjectMetaBuilder()
            .withGenerateName("sentinel-")
            // Where no operator looks.
            .withNamespace("default")
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("ConfigMap")
            .withName("gone")
            .withUid(UUID.randomUUID().toString())
            .endOwnerReference()
            .build());
    SeiNode orphan = client.resource(node).create();
    eventually(() -> assertThat(client.resource(orphan).get()).isNull());
  }

  public SeiNodeDeployment fleet() {
    return read(SeiNodeDeployment.class, FLEET);
  }

  public SeiNodeDeploymentStatus status() {
    return fleet().getStatus();
  }

  public SeiNode node(int ordinal) {
    return read(SeiNode.class, FLEET + "-" + ordinal);
  }

  public List<SeiNode> nodes() {
    return readAll(SeiNode.class);
  }

  public List<String> currentImages() {
    return nodes().stream().map(node -> node.getStatus().currentImage()).toList();
  }

  public List<String> specImages() {
    return nodes().stream().map(node -> node.getSpec().image()).toList();
  }

  /** Images of the pods there have been under an ordinal, oldest first. */
  public List<String> podImages(int ordinal) {
    return pods(ordinal).stream().map(PodRecord::image).toList();
  }

  /** Uids of the pods there have been, by ordinal: as long as it is equal, nothing restarted. */
  public List<List<String>> podUids(int replicas) {
    return IntStream.range(0, replicas)
        .mapToObj(ordinal -> pods(ordinal).stream().map(PodRecord::uid).toList())
        .toList();
  }

  public Condition nodeCondition(int ordinal, NodeConditionType type) {
    return Conditions.find(node(ordinal).getStatus().conditions(), type).orElseThrow();
  }

  /** Waits until everybody's events about what has happened so far are there. */
  public void awaitEvents(String reason, int count) {
    eventually(() -> assertThat(events(FLEET, reason)).hasSize(count));
  }

  /** Returns the Events of the fleet itself so far. */
  public List<Event> fleetEvents() {
    return eventsOf(FLEET).stream()
        .filter(event -> event.getInvolvedObject().getKind().equals(SeiNodeDeployment.KIND))
        .toList();
  }

  public List<PodRecord> pods(int ordinal) {
    return kubelet.history(namespace, FLEET + "-" + ordinal + "-0");
  }

  /** The templates that are kept; those of StatefulSets have the fleet's label as well. */
  public List<ControllerRevision> revisions() {
    return readAll(ControllerRevision.class).stream()
        .filter(
            revision ->
                revision.getMetadata().getOwnerReferences().stream()
                    .anyMatch(owner -> owner.getUid().equals(fleet().getMetadata().getUid())))
        .toList();
  }

  public void patch(String patch) {
    patch(fleet(), patch);
  }

  public void setImage(String image) {
    patch("{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(image));
  }

  public Condition condition(FleetConditionType type) {
    return Conditions.find(status().conditions(), type).orElse(null);
  }

  public void assertCondition(FleetConditionType type, ConditionStatus expected) {
    Condition condition = condition(type);
    assertThat(condition).as("%s", type).isNotNull();
    assertThat(condition.status()).as("%s", condition).isEqualTo(expected);
    assertThat(condition.observedGeneration())
        .as("%s", condition)
        .isEqualTo(fleet().getMetadata().getGeneration());
  }

  public void assertCondition(FleetConditionType type, ConditionStatus expected, Object reason) {
    assertCondition(type, expected);
    assertThat(condition(type).reason()).isEqualTo(reason.toString());
  }
}
