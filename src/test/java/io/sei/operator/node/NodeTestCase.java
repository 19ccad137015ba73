package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.function.UnaryOperator;

/** A node named {@code node} on a real control plane. */
public abstract class NodeTestCase extends OperatorTestCase {

  public static final String NODE = "node";
  public static final String POD = "node-0";

  public SeiNode create(SeiNodeSpec spec) {
    return client.resource(Samples.node(namespace, NODE, spec)).create();
  }

  /** Creates the node with image A and waits until it runs, undisturbed. */
  public SeiNode createRunning() {
    create(spec(A));
    return awaitUpToDate(A);
  }

  public SeiNode awaitUpToDate(String image) {
    eventually(
        () -> {
          SeiNode node = node();
          assertThat(node.getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(node.getStatus().currentImage()).isEqualTo(image);
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertThat(runningImage()).isEqualTo(image);
        });
    return node();
  }

  public SeiNode node() {
    return read(SeiNode.class, NODE);
  }

  public Pod pod() {
    return read(Pod.class, POD);
  }

  public StatefulSet statefulSet() {
    return read(StatefulSet.class, NODE);
  }

  /** Waits until the StatefulSet controller has seen the StatefulSet as it is now. */
  public void awaitControllerCaughtUp() {
    eventually(
        () -> {
          StatefulSet now = statefulSet();
          assertThat(now.getStatus().getObservedGeneration())
              .isEqualTo(now.getMetadata().getGeneration());
        });
  }

  public String runningImage() {
    return image(pod().getSpec());
  }

  public static String image(PodSpec pod) {
    return pod.getContainers().stream()
        .filter(container -> container.getName().equals("seid"))
        .findFirst()
        .orElseThrow()
        .getImage();
  }

  /** Merge-patches the node, as {@code kubectl patch --type merge} does. */
  public void patch(String patch) {
    patch(node(), patch);
  }

  public void setImage(String image) {
    patch("{'spec':{'image':'%s'}}".formatted(image));
  }

  public void annotate(String key, String value) {
    patch("{'metadata':{'annotations':{'%s':'%s'}}}".formatted(key, value));
  }

  /** Edits the StatefulSet; again, if its controller has written to it meanwhile. */
  public void edit(UnaryOperator<StatefulSet> change) {
    await()
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(
            () ->
                client.apps().statefulSets().inNamespace(namespace).withName(NODE).edit(change)
                    != null);
  }

  /** Creates a claim of 10 GiB without an owner. */
  public void createClaim(String name) {
    client.resource(Samples.claim(namespace, name)).create();
  }

  public Condition condition(NodeConditionType type) {
    return Conditions.find(node().getStatus().conditions(), type).orElse(null);
  }

  public void assertCondition(NodeConditionType type, ConditionStatus status) {
    Condition condition = condition(type);
    assertThat(condition).as("%s", type).isNotNull();
    assertThat(condition.status()).as("%s", condition).isEqualTo(status);
    assertThat(condition.observedGeneration())
        .as("%s", condition)
        .isEqualTo(node().getMetadata().getGeneration());
  }

  public void assertCondition(NodeConditionType type, ConditionStatus status, Object reason) {
    assertCondition(type, status);
    assertThat(condition(type).reason()).isEqualTo(reason.toString());
  }

  public void awaitCondition(NodeConditionType type, ConditionStatus status, Object reason) {
    eventually(() -> assertCondition(type, status, reason));
  }

  public List<Event> events(String reason) {
    return events(NODE, reason);
  }
}
