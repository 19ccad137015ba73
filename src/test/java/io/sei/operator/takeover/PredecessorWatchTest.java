package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.takeover.PredecessorWrites.Write;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which writes are a Go operator's, and until when one keeps this operator off. */
class PredecessorWatchTest {

  private static final Instant STARTED = Instant.parse("2026-06-01T12:00:00.500Z");
  private static final String WRITTEN = "2026-06-01T12:00:10Z";

  /** The clock of the watch, moved by hand. */
  private final class Hand extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  private Instant now = Instant.parse("2026-06-01T12:00:11Z");
  private boolean runs;
  private int questions;

  private final PredecessorWatch watch = new PredecessorWatch(this::runs, STARTED, new Hand());

  @ParameterizedTest(name = "{0} {1} of {2} at {3}: {4}")
  @CsvSource({
    "manager,            Update, status, 2026-06-01T12:00:10Z, true",
    "sei-k8s-controller, Update, status, 2026-06-01T12:00:10Z, true",
    "manager,            Update, status, 2026-06-01T12:00:00Z, false",
    "manager,            Update, status, 2026-05-01T12:00:00Z, false",
    "manager,            Update, status, yesterday,            false",
    "manager,            Update, status,                     , false",
    "manager,            Update,       , 2026-06-01T12:00:10Z, false",
    "sei-operator,       Update, status, 2026-06-01T12:00:10Z, false",
    "kubectl,            Update, status, 2026-06-01T12:00:10Z, false",
    "seinode-controller, Apply,        , 2026-06-01T12:00:10Z, false",
    "                  , Update, status, 2026-06-01T12:00:10Z, false",
  })
  void writesOfANode(
      String manager, String operation, String subresource, String time, boolean contested) {
    SeiNode node = node(entry(manager, operation, subresource, time));

    assertThat(watch.contest(node, Optional.empty()).isPresent()).isEqualTo(contested);
  }

  @ParameterizedTest(name = "{0} {1} on a StatefulSet with {2}: {3}")
  @CsvSource({
    "seinode-controller, Apply,  nothing,              true",
    "seinode-controller, Apply,  sei.io/rendered-hash, false",
    "seinode-controller, Apply,  sei.io/spec-hash,     false",
    "seinode-controller, Update, nothing,              false",
    "manager,            Update, nothing,              false",
    "kubectl,            Apply,  nothing,              false",
  })
  void writesOfAStatefulSet(String manager, String operation, String has, boolean contested) {
    Optional<Write> contest =
        watch.contest(
            node(), Optional.of(statefulSet(has, entry(manager, operation, null, WRITTEN))));

    assertThat(contest.isPresent()).isEqualTo(contested);
  }

  @Test
  void theLatestWriteIsNamed() {
    SeiNode node = node(entry("manager", "Update", "status", WRITTEN));
    StatefulSet applied =
        statefulSet("nothing", entry("seinode-controller", "Apply", null, "2026-06-01T12:00:11Z"));

    assertThat(watch.contest(node, Optional.of(applied)))
        .contains(
            new Write(
                "seinode-controller", "StatefulSet node", Instant.parse("2026-06-01T12:00:11Z")));
  }

  @Test
  void silenceEndsItUnlessALeaseIsHeldAndIsAskedAboutOnce() {
    SeiNode node = node(entry("manager", "Update", "status", WRITTEN));
    now = Instant.parse(WRITTEN).plus(PredecessorWatch.SILENCE).minusSeconds(1);
    assertThat(watch.contest(node, Optional.empty())).isPresent();
    assertThat(questions).isZero();

    now = now.plusSeconds(1);
    runs = true;
    assertThat(watch.contest(node, Optional.empty())).isPresent();
    runs = false;
    assertThat(watch.contest(node, Optional.empty())).isEmpty();
    assertThat(watch.contest(node, Optional.empty())).isEmpty();
    assertThat(questions).isEqualTo(2);

    SeiNode again = node(entry("manager", "Update", "status", "2026-06-01T12:30:00Z"));
    assertThat(watch.contest(again, Optional.empty())).isPresent();
  }

  private boolean runs() {
    questions++;
    return runs;
  }

  private static SeiNode node(ManagedFieldsEntry... entries) {
    var node = new SeiNode();
    node.getMetadata().setName("node");
    node.getMetadata().setManagedFields(List.of(entries));
    return node;
  }

  private static StatefulSet statefulSet(String has, ManagedFieldsEntry entry) {
    boolean onTemplate = has.equals("sei.io/spec-hash");
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("node")
        .addToAnnotations(onTemplate ? "other" : has, "1")
        .withManagedFields(entry)
        .endMetadata()
        .withNewSpec()
        .withNewTemplate()
        .withNewMetadata()
        .addToAnnotations(onTemplate ? has : "other", "1")
        .endMetadata()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static ManagedFieldsEntry entry(
      String manager, String operation, String subresource, String time) {
    return new ManagedFieldsEntryBuilder()
        .withManager(manager)
        .withOperation(operation)
        .withSubresource(subresource)
        .withTime(time)
        .build();
  }
}
