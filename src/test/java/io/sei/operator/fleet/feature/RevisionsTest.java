package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.revision;
import static io.sei.operator.testkit.samples.FleetSample.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.kube.KubernetesClients;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The templates that are kept. */
class RevisionsTest {

  @Test
  void givesBackExactlyWhatWasKept() {
    Revisions kept = kept(revision("a", template(A), 1), revision("b", template(B), 2));

    assertThat(kept.template("a")).contains(template(A));
    assertThat(kept.template("b")).contains(template(B));
    assertThat(kept.template("c")).isEmpty();
    assertThat(kept.has("a", template(A))).isTrue();
    assertThat(kept.has("a", template(B))).isFalse();
  }

  @Test
  void whatBelongsToOneNodeIsNoPartOfATemplate() {
    NodeTemplate ofANode =
        template(A)
            .withSpec(
                template(A)
                    .spec()
                    .with(builder -> builder.externalAddress("host:26656").paused(true)));
    Revisions kept = kept(revision("a", template(A), 1));

    assertThat(kept.has("a", ofANode)).isTrue();
    assertThat(kept.has("a", template(B))).isFalse();
  }

  @Test
  void aRevisionWithoutATemplateIsNotKept() {
    Revisions kept = kept(revision("a", null, 1), revision("b", new NodeTemplate(null, null), 2));

    assertThat(kept.template("a")).isEmpty();
    assertThat(kept.template("b")).isEmpty();
  }

  @Test
  void theNewestOfAHashCounts() {
    Revisions kept = kept(revision("a", template(B), 7), revision("a", template(A), 3));

    assertThat(kept.template("a")).contains(template(B));
    assertThat(kept.next()).isEqualTo(8);
    assertThat(kept().next()).isEqualTo(1);
  }

  @Test
  void onlyTheOldestUnusedTemplatesAreSuperfluous() {
    Revisions kept =
        kept(
            revision("needed", template(A), 1),
            revision("x", template(A), 2),
            revision("y", template(A), 3),
            revision("z", template(A), 4));

    assertThat(kept.superfluous(Set.of("needed"), 3)).isEmpty();
    assertThat(kept.superfluous(Set.of("needed"), 1))
        .extracting(ControllerRevision::getRevision)
        .containsExactly(2L, 3L);
  }

  @Test
  void ofANeededHashOnlyTheNewestIsNeeded() {
    Revisions kept = kept(revision("needed", template(A), 1), revision("needed", template(B), 2));

    assertThat(kept.superfluous(Set.of("needed"), 0))
        .extracting(ControllerRevision::getRevision)
        .containsExactly(1L);
  }

  private static Revisions kept(ControllerRevision... revisions) {
    return new Revisions(List.of(revisions), KubernetesClients.serialization());
  }
}
