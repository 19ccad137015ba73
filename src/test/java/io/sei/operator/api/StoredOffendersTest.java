package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.EditReplacePatchable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Bounds;
import io.sei.operator.api.v1alpha1.Sentences;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Keeps every object usable that was stored before a rule: the operator writes its status and its
 * finalizers, its user edits other fields, and it can be deleted.
 */
@ExclusiveControlPlane
class StoredOffendersTest {

  /**
   * Rules of the Go operator's CRDs about a whole spec; they have it mended before it is edited.
   */
  private static final List<String> ASK_FOR_MENDING =
      List.of(
          "exactly one of fullNode, archive, replayer, seed, or validator must be set",
          "peers is required when replayer mode is set",
          "genesis is meaningful only for validator-role deployments",
          "a validator with a signingKey must have replicas: 1",
          "a validator with a remoteSigner must have replicas: 1",
          "overrides cannot set chain.freeze_height");

  private static boolean checksRulesOfStatuses;

  private static final List<Offender> OFFENDERS = new ArrayList<>();

  /** A sample's bad object, stored before the rule that it breaks. */
  private record Offender(RuleSample sample, Resource<GenericKubernetesResource> stored) {

    void takes(String change) {
      assertThat(refusal(stored, change)).as("%s: %s", sample, change).isEmpty();
    }

    void takesStatus(String change) {
      assertThat(refusalOfStatus(stored, change, sample.message())).as("%s", sample).isEmpty();
    }

    boolean asksForMending() {
      return ASK_FOR_MENDING.stream().anyMatch(sample.message()::startsWith);
    }
  }

  /** More than each limit of a spec, kind by kind, stored before there were limits. */
  private static final Map<String, Resource<GenericKubernetesResource>> TOO_LARGE = new TreeMap<>();

  @BeforeAll
  static void storeBeforeTheRules(KubernetesClient client) {
    checksRulesOfStatuses = client.getKubernetesVersion().getMinor().equals("30");
    CrdFile.installWithoutRules(client);
    storeTooLarge("SeiNode", tooLargeNode(), client);
    storeTooLarge(
        "SeiNodeDeployment",
        Map.of(
            "replicas",
            1,
            "template",
            Map.of("metadata", Map.of("labels", entries(65, "x")), "spec", tooLargeNode())),
        client);
    RuleSample.ofNodes().forEach(sample -> store("SeiNode", sample, client));
    RuleSample.ofDeployments().forEach(sample -> store("SeiNodeDeployment", sample, client));
    CrdFile.installAll(client);
  }

  @AfterAll
  static void forget() {
    OFFENDERS.clear();
    TOO_LARGE.clear();
  }

  private static void storeTooLarge(
      String kind, Map<String, Object> spec, KubernetesClient client) {
    var object =
        RuleSamplesOnClusterTest.object(
            kind, Map.of("metadata", Map.of("name", "too-large"), "spec", spec));
    var stored = client.resource(object).inNamespace("default");
    stored.create();
    TOO_LARGE.put(kind, stored);
  }

  private static Map<String, Object> tooLargeNode() {
    var overrides = new TreeMap<String, Object>(entries(513, "x"));
    overrides.put("k".repeat(318), "x".repeat(65_537));
    var sources = new ArrayList<Map<String, Object>>();
    sources.add(Map.of("static", Map.of("addresses", Collections.nCopies(1001, "a@b:1"))));
    sources.add(Map.of("static", Map.of("addresses", List.of("a".repeat(512) + "@b:1"))));
    sources.addAll(Collections.nCopies(63, Map.of("label", Map.of("selector", Map.of("a", "b")))));
    return Map.of(
        "chainId",
        "local-1",
        "image",
        "sei:a",
        "fullNode",
        Map.of(),
        "peers",
        sources,
        "overrides",
        overrides,
        "podLabels",
        entries(65, "x".repeat(64)),
        "scheduling",
        Map.of("nodeSelector", entries(257, "x".repeat(513))));
  }

  private static Map<String, String> entries(int number, String value) {
    return IntStream.range(0, number)
        .boxed()
        .collect(Collectors.toMap(i -> "key-" + i, i -> value));
  }

  /** Stores only objects that break no rule about a change. */
  private static void store(String kind, RuleSample sample, KubernetesClient client) {
    if (sample.old() == null) {
      GenericKubernetesResource bad = RuleSamplesOnClusterTest.object(kind, sample.badObject());
      if (sample.badName() == null) {
        bad.getMetadata().setName("sample-" + OFFENDERS.size());
      }
      var stored = client.resource(bad).inNamespace("default");
      stored.create();
      OFFENDERS.add(new Offender(sample, stored));
    }
  }

  @Test
  void nothingTheOperatorWritesIsRefusedAndWhatIsNotBrokenCanBeEdited() {
    assertThat(OFFENDERS).hasSizeGreaterThan(80);
    for (Offender offender : OFFENDERS) {
      offender.takes("{'metadata':{'finalizers':['sei.io/test'],'labels':{'a':'b'}}}");
      offender.takesStatus("{'status':{'phase':'Pending'}}");
      if (!offender.asksForMending()) {
        offender.takes("{'spec':{'paused':true}}");
      }
    }
    growingIsRefusedAndShrinkingIsNot("metadata.name is too long");
    growingIsRefusedAndShrinkingIsNot("a template that imports a claim must have replicas: 1");
    for (Offender offender : OFFENDERS) {
      offender.stored().delete();
      offender.takes("{'metadata':{'finalizers':null}}");
      assertThat(offender.stored().get()).as("%s", offender.sample()).isNull();
    }
  }

  /** Kubernetes compares each field with what was stored: what did not change is not refused. */
  @Test
  void anObjectThatIsLargerThanTheLimitsIsEditedWhereItIsNot() {
    var stored = TOO_LARGE.get("SeiNode");
    assertThat(refusal(stored, "{'metadata':{'finalizers':['sei.io/test']}}")).isEmpty();
    assertThat(refusalOfStatus(stored, "{'status':{'phase':'Pending'}}", Bounds.KEY_MESSAGE))
        .isEmpty();
    assertThat(refusal(stored, "{'spec':{'image':'sei:b','paused':true}}")).isEmpty();
    assertThat(refusal(stored, "{'spec':{'overrides':{'one':'more'}}}"))
        .hasValueSatisfying(text -> assertThat(text).contains("must have at most 512 items"));
    assertThat(refusal(stored, "{'spec':{'overrides':null}}")).isEmpty();
    assertThat(refusal(stored, "{'metadata':{'finalizers':null}}")).isEmpty();

    var fleet = TOO_LARGE.get("SeiNodeDeployment");
    assertThat(refusal(fleet, "{'spec':{'replicas':2,'template':{'spec':{'image':'sei:b'}}}}"))
        .isEmpty();
    assertThat(refusalOfStatus(fleet, "{'status':{'phase':'Pending'}}", Bounds.KEY_MESSAGE))
        .isEmpty();
    assertThat(refusal(fleet, "{'spec':{'template':{'spec':{'podLabels':{'one':'more'}}}}}"))
        .hasValueSatisfying(text -> assertThat(text).contains("must have at most 64 items"));
    TOO_LARGE.values().forEach(Resource::delete);
  }

  /**
   * Kubernetes 1.30 checks every CEL rule again when a status is written; those that stand for a
   * pattern accept what is stored.
   */
  private static Optional<String> refusalOfStatus(
      Resource<GenericKubernetesResource> stored, String change, String rule) {
    Optional<String> refusal = refusal(stored.subresource("status"), change);
    boolean isOfPattern = Sentences.OF_PATTERNS.values().stream().anyMatch(rule::endsWith);
    return checksRulesOfStatuses && !isOfPattern
        ? refusal.filter(text -> !text.contains(rule))
        : refusal;
  }

  private static void growingIsRefusedAndShrinkingIsNot(String message) {
    Offender fleet =
        OFFENDERS.stream()
            .filter(offender -> offender.sample().message().startsWith(message))
            .findFirst()
            .orElseThrow();
    int replicas = (int) fleet.sample().bad().get("replicas");

    String grown = "{'spec':{'replicas':%d}}".formatted(replicas + 1);
    assertThat(refusal(fleet.stored(), grown))
        .hasValueSatisfying(text -> assertThat(text).contains(message));
    fleet.takes("{'spec':{'replicas':%d}}".formatted(replicas - 1));
  }

  private static Optional<String> refusal(
      EditReplacePatchable<GenericKubernetesResource> resource, String change) {
    try {
      resource.patch(PatchContext.of(PatchType.JSON_MERGE), change.replace('\'', '"'));
      return Optional.empty();
    } catch (KubernetesClientException e) {
      return Optional.of(e.getMessage());
    }
  }
}
