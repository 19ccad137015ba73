package io.sei.operator.node.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StatefulSetIdentityTest {

  private static final String NODE = "node";
  private static final String NODE_UID = "node-uid";
  private static final String U = "uid-u";
  private static final String X = "uid-x";

  private static final SeiNodeStatus NOTHING = SeiNodeStatus.empty();
  private static final SeiNodeStatus TRACKS_U =
      NOTHING.withStatefulSet(new StatefulSetRef(NODE, U));
  private static final SeiNodeStatus REPLACES_X = NOTHING.withReplacing(X);

  private static final IdentityAction APPLY = new IdentityAction.Apply();
  private static final IdentityAction FORGET = new IdentityAction.Forget();
  private static final IdentityAction DELETE = new IdentityAction.Delete();
  private static final IdentityAction AWAIT = new IdentityAction.AwaitDeletion();

  static Stream<Arguments> table() {
    return Stream.of(
        row("nothing recorded, absent", NOTHING, null, APPLY),
        row("replacing, absent", REPLACES_X, null, APPLY),
        row("nothing recorded, ours", NOTHING, ours(X), APPLY),
        row("nothing recorded, ownerless and like ours", NOTHING, likeOurs(X), APPLY),
        row("replacing, another of ours", REPLACES_X, ours(U), APPLY),
        row("replacing, the one to replace, ours", REPLACES_X, ours(X), DELETE),
        row("replacing, the one to replace, ownerless", REPLACES_X, likeOurs(X), DELETE),
        row("replacing, another's", REPLACES_X, foreign(X), conflict("Deployment/another")),
        row("nothing recorded, another's", NOTHING, foreign(X), conflict("Deployment/another")),
        row(
            "nothing recorded, ownerless and unlike ours",
            NOTHING,
            statefulSet(X, Map.of("app", "x"), Map.of("app", "x")),
            conflict("no owner, and its labels or selector do not match this node")),
        row(
            "nothing recorded, ownerless with our label and another selector",
            NOTHING,
            statefulSet(X, Labels.selector(NODE), Map.of("app", "x")),
            conflict("no owner, and its labels or selector do not match this node")),
        row(
            "nothing recorded, ownerless with our selector and no label",
            NOTHING,
            statefulSet(X, null, Labels.selector(NODE)),
            conflict("no owner, and its labels or selector do not match this node")),
        row("recorded, the same", TRACKS_U, ours(U), APPLY),
        row("recorded, the same though ownerless", TRACKS_U, likeOurs(U), APPLY),
        row("recorded, absent", TRACKS_U, null, FORGET),
        row("recorded, another of another", TRACKS_U, foreign(X), conflict("Deployment/another")),
        row("recorded, another of ours", TRACKS_U, ours(X), new IdentityAction.BeginReplacement(X)),
        row(
            "recorded, another ownerless",
            TRACKS_U,
            likeOurs(X),
            new IdentityAction.BeginReplacement(X)),
        row("nothing recorded, terminating", NOTHING, terminating(ours(X)), AWAIT),
        row("recorded, terminating", TRACKS_U, terminating(ours(U)), AWAIT),
        row("recorded, another terminating", TRACKS_U, terminating(foreign(X)), AWAIT),
        row("replacing, terminating", REPLACES_X, terminating(ours(X)), AWAIT));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("table")
  void decides(String name, SeiNodeStatus status, StatefulSet live, IdentityAction expected) {
    assertThat(StatefulSetIdentity.decide(node(), status, Optional.ofNullable(live)))
        .isEqualTo(expected);
  }

  private static Arguments row(
      String name, SeiNodeStatus status, StatefulSet live, IdentityAction expected) {
    return Arguments.of(name, status, live, expected);
  }

  private static IdentityAction conflict(String owner) {
    return new IdentityAction.Conflict(owner);
  }

  private static SeiNode node() {
    SeiNode node = Samples.node(null, NODE, null);
    node.getMetadata().setUid(NODE_UID);
    return node;
  }

  private static StatefulSet ours(String uid) {
    return owned(likeOurs(uid), "SeiNode", NODE, NODE_UID);
  }

  private static StatefulSet foreign(String uid) {
    return owned(likeOurs(uid), "Deployment", "another", "another-uid");
  }

  private static StatefulSet likeOurs(String uid) {
    return statefulSet(uid, Labels.selector(NODE), Labels.selector(NODE));
  }

  private static StatefulSet owned(StatefulSet object, String kind, String name, String uid) {
    var owner = new OwnerReference(null, null, true, kind, name, uid);
    object.getMetadata().setOwnerReferences(List.of(owner));
    return object;
  }

  private static StatefulSet terminating(StatefulSet object) {
    object.getMetadata().setDeletionTimestamp("2026-06-01T00:00:00Z");
    return object;
  }

  private static StatefulSet statefulSet(
      String uid, Map<String, String> labels, Map<String, String> selector) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName(NODE)
        .withUid(uid)
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(selector)
        .endSelector()
        .endSpec()
        .build();
  }
}
