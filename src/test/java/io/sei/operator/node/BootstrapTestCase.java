package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Lifetimes;
import io.sei.operator.testkit.PodFault;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes that bootstrap, with a record of everything that ever had their volume. */
public abstract class BootstrapTestCase extends ConfigTestCase {

  public static final String PEERS =
      "'overrides':{'network.p2p.persistent_peers':'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1,e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1'}";

  public static final String BOOT = "sei:boot";
  public static final String JOB = NODE + "-bootstrap";

  Lifetimes<StatefulSet> statefulSets;
  Lifetimes<Pod> ownPods;
  Lifetimes<Pod> jobPods;

  @BeforeEach
  public void record() {
    var pods = client.pods().inNamespace(namespace);
    statefulSets =
        Lifetimes.of(client.apps().statefulSets().inNamespace(namespace), statefulSet -> true);
    ownPods = Lifetimes.of(pods, pod -> !Labels.isOfBootstrap(pod));
    jobPods = Lifetimes.of(pods, Labels::isOfBootstrap);
  }

  /** Whatever a test is about, the volume never has two users. */
  @AfterEach
  public void volumeHadOneUserAtATime() {
    // The three watches need not be equally far; what really overlapped stays so.
    eventually(
        () -> {
          for (var pod : jobPods.all()) {
            assertThat(statefulSets.all()).noneMatch(pod::overlaps);
            assertThat(ownPods.all()).noneMatch(pod::overlaps);
            assertThat(jobPods.all()).filteredOn(pod::overlaps).hasSize(1);
          }
        });
    List.of(statefulSets, ownPods, jobPods).forEach(Lifetimes::close);
  }

  /** Its peers are an override: state sync asks them for a block, also with a snapshot at hand. */
  public static SeiNodeSpec bootstrapping(String more) {
    return specOf(
        "'fullNode':{'snapshot':{'s3':{'targetHeight':1000},'bootstrapImage':'%s'}},%s%s"
            .formatted(BOOT, PEERS, more));
  }

  public void setBootstrapImage(String image) {
    patch(
        "{'spec':{'fullNode':{'snapshot':{'bootstrapImage':%s}}}}"
            .formatted(image == null ? "null" : "'" + image + "'"));
  }

  /** Keeps the seid of bootstrap pods from reaching its height. */
  public void holdReplay() {
    kubelet.injectForImage(BOOT, PodFault.NEVER_READY);
  }

  public void awaitReplay() {
    awaitStep(TaskTypes.AWAIT_BOOTSTRAP);
    eventually(() -> assertThat(sidecar.isReady(namespace, NODE)).isTrue());
  }

  public Job job() {
    return read(Job.class, JOB);
  }

  /** The uids of all pods that bootstrap Jobs ever had, oldest first. */
  public List<String> jobPodUids() {
    return jobPods.all().stream().map(life -> life.last().getMetadata().getUid()).toList();
  }

  /** The operator would look again by itself, but only every half minute. */
  public void lookNow() {
    annotate(Annotations.EXPLAIN, "now");
  }
}
