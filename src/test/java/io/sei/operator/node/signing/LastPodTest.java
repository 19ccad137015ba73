package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.KEY;
import static io.sei.operator.node.signing.SigningNode.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * seid of a validator does not start beside an earlier one: every pod, machine, status and deed of
 * a person, whatever the operator has seen of the earlier pod's end.
 */
class LastPodTest {

  private static final String LAST = "pod-last";
  private static final String MACHINE = "m-1";
  private static final Duration GRACE = Duration.ofMinutes(2);

  enum Next {
    /** The pod that the record names. */
    THE_SAME,
    ON_THE_SAME_MACHINE,
    ELSEWHERE
  }

  /** The machine of the last pod. */
  enum Last {
    REPORTS,
    /** The machine was silent until now. */
    IS_BACK,
    IS_SILENT,
    IS_GONE,
    IS_OUT_OF_SERVICE,
    IS_UNREADABLE
  }

  enum Person {
    NOTHING,
    NAMED_THE_POD,
    NAMED_ANOTHER_POD
  }

  enum Status {
    NAMES_THE_LAST_POD,
    /** The record was restored, or the operator ended before it was written. */
    NAMES_NO_POD
  }

  enum Key {
    NONE,
    MOUNTED,
    /** The pod is of the Go operator's template, which names no key. */
    MOUNTED_WITHOUT_NAME,
    REMOTE
  }

  /**
   * @param isEndReported whether the kubelet reported the end of the last pod, and the operator saw
   *     it
   * @param after since the operator first saw the next pod
   */
  record Row(
      Key key,
      Next next,
      Last last,
      Person person,
      Status status,
      boolean isEndReported,
      Duration after) {

    /** Returns whether nothing of the last pod can run any more, by what is proved. */
    boolean isSafe() {
      if (key == Key.NONE || next == Next.THE_SAME) {
        return true;
      }
      if (isEndReported || person == Person.NAMED_THE_POD) {
        return true;
      }
      boolean isOnItsVolume = next == Next.ON_THE_SAME_MACHINE;
      return switch (last) {
        case IS_SILENT -> false;
        case IS_GONE, IS_OUT_OF_SERVICE -> true;
        case IS_UNREADABLE -> isOnItsVolume;
        case REPORTS, IS_BACK -> isOnItsVolume || after.compareTo(GRACE.plusMinutes(1)) >= 0;
      };
    }
  }

  @Test
  void seidStartsOnceNothingOfTheLastPodCanRun() {
    List<Row> rows = rows();

    for (Row row : rows) {
      assertThat(isLetGo(row)).as(row.toString()).isEqualTo(row.isSafe());
    }
    assertThat(rows).hasSizeGreaterThan(1_000);
  }

  /** The record must not forget the last pod before nothing of it can run. */
  @Test
  void recordNamesThePodThatMaySign() {
    for (Row row : rows()) {
      if (row.key() != Key.NONE) {
        var world = new World(row);
        world.isLetGo(NOW);
        assertThat(world.recordedPod().equals(LAST)).as(row.toString()).isEqualTo(!world.letGo());
      }
    }
  }

  private static List<Row> rows() {
    var rows = new ArrayList<Row>();
    for (Key key : Key.values()) {
      for (Next next : Next.values()) {
        for (Last last : Last.values()) {
          for (Person person : Person.values()) {
            for (Status status : Status.values()) {
              for (boolean reported : new boolean[] {false, true}) {
                for (int minutes : new int[] {0, 1, 2, 3, 60}) {
                  rows.add(
                      new Row(
                          key, next, last, person, status, reported, Duration.ofMinutes(minutes)));
                }
              }
            }
          }
        }
      }
    }
    return rows;
  }

  private static boolean isLetGo(Row row) {
    var world = new World(row);
    return world.isLetGo(NOW) || !row.after().isZero() && world.isLetGo(NOW.plus(row.after()));
  }

  /** One row as an API server and an operator have it. */
  private static final class World {

    private final Row row;
    private final SigningNode signing;
    private final InMemoryApi api = new InMemoryApi(Set.of(), request -> {});
    private final KeyTasks keys;
    private final SigningRecords records;
    private final StatefulSet statefulSet;
    private final Pod pod;
    private SeiNodeStatus status;
    private boolean letGo;

    World(Row row) {
      this.row = row;
      signing =
          row.key() == Key.REMOTE
              ? SigningNode.remote("a", "alice")
              : SigningNode.local("a", "alice");
      var lastPods =
          new LastPods(
              api.api(), uid -> row.isEndReported() && uid.equals(LAST), new PerObjectState<>());
      var lock =
          new SigningKeyLock(
              api.api(), new KeyUsageIndex(api.api(), Set.of(), lastPods), new PerObjectState<>());
      var scope = new SigningScope(Optional.of(lock));
      keys = new KeyTasks(api.api(), new SigningKeyGuard(api.api(), scope));
      records = new SigningRecords(api.api(), scope);
      List<HasMetadata> workload = signing.workload();
      statefulSet = (StatefulSet) workload.get(0);
      pod = next((Pod) workload.get(1));
      signing.secret().ifPresent(api::put);
      api.put(signing.node());
      api.put(record());
      machine().ifPresent(api::put);
      if (row.last() == Last.IS_UNREADABLE) {
        api.forbid(Node.class);
      }
      SigningRecord named = new SigningRecord(recordName(), LAST, null, null);
      status =
          SeiNodeStatus.empty()
              .with(
                  next ->
                      next.statefulSet(new StatefulSetRef("alice", "sts-alice"))
                          .signingPublicKey(KEY)
                          .signingRecord(row.status() == Status.NAMES_THE_LAST_POD ? named : null));
    }

    private Pod next(Pod of) {
      var next = new PodBuilder(of);
      next.editMetadata().withUid(row.next() == Next.THE_SAME ? LAST : "pod-next").endMetadata();
      next.editSpec().withNodeName(row.next() == Next.ELSEWHERE ? "m-2" : MACHINE).endSpec();
      if (row.key() == Key.MOUNTED_WITHOUT_NAME) {
        next.editSpec()
            .editMatchingContainer(container -> true)
            .withEnv(List.of())
            .endContainer()
            .endSpec();
      }
      return next.build();
    }

    private String recordName() {
      return signing.signer(null).proves()
          ? signing.signer(null).record()
          : signing.signer(null).declaredRecord();
    }

    private SeiSigningKey record() {
      SeiSigningKeySpec held = signing.signer(null).holding(State.ARMED);
      var record = new SeiSigningKey();
      record.setMetadata(Samples.node(null, recordName(), null).getMetadata());
      record.getMetadata().setResourceVersion("1");
      record.setSpec(
          held.with(
              next ->
                  next.holder(held.holder().with(last -> last.podUid(LAST).machine(MACHINE)))
                      .endedPodUid(
                          switch (row.person()) {
                            case NOTHING -> null;
                            case NAMED_THE_POD -> LAST;
                            case NAMED_ANOTHER_POD -> "pod-first";
                          })));
      return record;
    }

    private Optional<Node> machine() {
      if (row.last() == Last.IS_GONE) {
        return Optional.empty();
      }
      Instant since = row.last() == Last.IS_BACK ? NOW : NOW.minus(Duration.ofDays(1));
      var machine =
          new NodeBuilder()
              .withNewMetadata()
              .withName(MACHINE)
              .endMetadata()
              .withNewSpec()
              .endSpec()
              .withNewStatus()
              .addNewCondition()
              .withType("Ready")
              .withStatus(
                  row.last() == Last.IS_SILENT || row.last() == Last.IS_OUT_OF_SERVICE
                      ? "Unknown"
                      : "True")
              .withLastTransitionTime(since.toString())
              .endCondition()
              .endStatus();
      if (row.last() == Last.IS_OUT_OF_SERVICE) {
        machine
            .editSpec()
            .addNewTaint("NoExecute", "node.kubernetes.io/out-of-service", null, "nodeshutdown")
            .endSpec();
      }
      return Optional.of(machine.build());
    }

    /** Runs a pass that would let seid start, and the one after it. */
    boolean isLetGo(Instant now) {
      for (int pass = 0; pass < 2 && !letGo; pass++) {
        NodePass current = pass(now);
        letGo = keys.veto(IrreversibleAct.RELEASE_SEID, current).isNone();
        records.keep(current);
        status = current.draft();
      }
      return letGo;
    }

    boolean letGo() {
      return letGo;
    }

    String recordedPod() {
      return row.next() == Next.THE_SAME && letGo
          ? "the same"
          : api.records().findFirst().orElseThrow().getSpec().holder().podUid();
    }

    private NodePass pass(Instant now) {
      SeiNode node =
          row.key() == Key.NONE ? aNode("sei:a").named("a", "alice").build() : signing.node();
      return aNode(node)
          .status(status)
          .withPod(pod)
          .claim((PersistentVolumeClaim) signing.boundClaim())
          .with(view -> view.withStatefulSet(Optional.of(statefulSet)))
          .now(now)
          .pass();
    }
  }
}
