package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.unreadable;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClaimHoldersTest {

  private static final String CLAIM = "brought";
  private static final SeiNode SELF = node("self", CLAIM);
  private static final SeiNode OTHER = node("other", CLAIM);
  private static final SeiNode ELSEWHERE = node("other", "another-claim");
  private static final Optional<String> FREE = Optional.empty();
  private static final Optional<String> OTHERS = Optional.of("SeiNode other");

  @Test
  void claimIsItsNodesThatHasMarkedItForAsLongAsTheNodeNamesIt() {
    assertThat(holder(claim(CLAIM), OTHER)).isEqualTo(FREE);
    assertThat(holder(marked("uid-other"), OTHER)).isEqualTo(OTHERS);
    assertThat(holder(marked("uid-other"), ELSEWHERE)).isEqualTo(FREE);
    assertThat(holder(marked("uid-gone"), OTHER)).isEqualTo(FREE);
    assertThat(holder(marked("uid-self"), OTHER)).isEqualTo(FREE);
    assertThat(ClaimHolders.isMarked(SELF, marked("uid-self"))).isTrue();
    assertThat(ClaimHolders.isMarked(SELF, marked("uid-other"))).isFalse();
  }

  @Test
  void claimThatANodeOwnsOrIsLabelledWithOrMakesIsThatNodes() {
    PersistentVolumeClaim labelled =
        new PersistentVolumeClaimBuilder(claim(CLAIM))
            .editMetadata()
            .addToLabels(Labels.NODE, "other")
            .endMetadata()
            .build();
    PersistentVolumeClaim owned =
        new PersistentVolumeClaimBuilder(claim(CLAIM))
            .editMetadata()
            .addNewOwnerReference()
            .withKind("SeiNode")
            .withName("other")
            .withUid("uid-other")
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .build();

    assertThat(holder(labelled, ELSEWHERE)).isEqualTo(OTHERS);
    assertThat(holder(owned, ELSEWHERE)).isEqualTo(OTHERS);
    assertThat(holder(marked("uid-self", labelled), ELSEWHERE)).as("marked since").isEqualTo(FREE);
    assertThat(holder(marked("uid-self", owned), ELSEWHERE)).isEqualTo(OTHERS);
    assertThat(holder(labelled)).as("retained by a node that is gone").isEqualTo(FREE);
  }

  @Test
  void nodeThatHasRunHasTheDataWithoutAMark() {
    SeiNode ran = node("other", CLAIM);
    ran.setStatus(SeiNodeStatus.empty().with(builder -> builder.currentImage("sei:a")));

    assertThat(holder(claim(CLAIM), ran)).isEqualTo(OTHERS);
    assertThat(holder(marked("uid-self"), ran)).isEqualTo(FREE);
  }

  @Test
  void whatMountsTheClaimHasItWhoeverMadeIt() {
    Pod ended = pod("done", "other", "Succeeded");

    assertThat(mounted(List.of(pod("job", "other", "Running")), List.of())).contains("Pod job");
    assertThat(mounted(List.of(pod("self-0", "self", "Running"), ended), List.of())).isEmpty();
    assertThat(mounted(List.of(), List.of(statefulSet("db", "other", 1))))
        .contains("StatefulSet db");
    assertThat(
            mounted(
                List.of(), List.of(statefulSet("db", "other", 0), statefulSet("self", "self", 1))))
        .isEmpty();
  }

  @Test
  void whatCannotBeReadMayMountAnyClaim() {
    Pod pod = unreadable(pod("job", "other", "Running"), "spec");
    pod.setSpec(null);
    Pod own = unreadable(pod("self-0", "self", "Running"), "spec");
    own.setSpec(null);
    StatefulSet set = unreadable(statefulSet("db", "other", 0), "spec");
    set.setSpec(null);

    assertThat(mounted(List.of(pod), List.of())).contains("Pod job");
    assertThat(mounted(List.of(own), List.of())).isEmpty();
    assertThat(mounted(List.of(), List.of(set))).contains("StatefulSet db");
  }

  @Test
  void nodeThatCannotBeReadKeepsTheClaimThatItHasMarked() {
    SeiNode stub = unreadable(node("other", CLAIM), "spec");
    stub.setSpec(null);

    assertThat(holder(marked("uid-other"), stub)).isEqualTo(OTHERS);
    assertThat(holder(claim(CLAIM), stub)).isEqualTo(FREE);
    assertThat(holder(marked("uid-self"), stub)).isEqualTo(FREE);
  }

  private static Optional<String> holder(PersistentVolumeClaim claim, SeiNode... nodes) {
    return ClaimHolders.holder(SELF, claim, new KeyUsage(List.of(nodes), List.of(), List.of()));
  }

  private static Optional<String> mounted(List<Pod> pods, List<StatefulSet> statefulSets) {
    return ClaimHolders.holder(SELF, claim(CLAIM), new KeyUsage(List.of(SELF), statefulSets, pods));
  }

  private static SeiNode node(String name, String imported) {
    var volume = Samples.imported(imported);
    var spec = SeiNodeSpecBuilder.builder().dataVolume(volume).build();
    SeiNode node = Samples.node(null, name, spec);
    node.getMetadata().setUid("uid-" + name);
    return node;
  }

  private static PersistentVolumeClaim claim(String name) {
    return yaml(PersistentVolumeClaim.class, "metadata: {name: %s}", name);
  }

  private static PersistentVolumeClaim marked(String uid) {
    return marked(uid, claim(CLAIM));
  }

  private static PersistentVolumeClaim marked(String uid, PersistentVolumeClaim claim) {
    return new PersistentVolumeClaimBuilder(claim)
        .editMetadata()
        .addToAnnotations(Annotations.CLAIM_OWNER_UID, uid)
        .endMetadata()
        .build();
  }

  private static Pod pod(String name, String node, String phase) {
    return aPod(name).label(Labels.NODE, node).claim(CLAIM).phase(phase).build();
  }

  private static StatefulSet statefulSet(String name, String node, int replicas) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels(Labels.NODE, node)
        .endMetadata()
        .withNewSpec()
        .withReplicas(replicas)
        .withNewTemplate()
        .withSpec(pod(name, node, null).getSpec())
        .endTemplate()
        .endSpec()
        .build();
  }
}
