package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.EditReplacePatchable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * No rule locks up an object that was stored before it: the operator writes its status and its
 * finalizers, its user edits what is not broken, and it can be deleted.
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

  private static final List<Offender> OFFENDERS = new ArrayList<>();

  /** A sample's bad object, stored before the rule that it breaks. */
  private record Offender(RuleSample sample, Resource<GenericKubernetesResource> stored) {

    void takes(String change) {
      assertThat(refusal(stored, change)).as("%s: %s", sample, change).isEmpty();
    }

    void takesStatus(String change) {
      assertThat(refusal(stored.subresource("status"), change)).as("%s", sample).isEmpty();
    }

    boolean asksForMending() {
      return ASK_FOR_MENDING.stream().anyMatch(sample.message()::startsWith);
    }
  }

  @BeforeAll
  static void storeBeforeTheRules(KubernetesClient client) {
    CrdFile.installWithoutRules(client);
    RuleSample.ofNodes().forEach(sample -> store("SeiNode", sample, client));
    RuleSample.ofDeployments().forEach(sample -> store("SeiNodeDeployment", sample, client));
    CrdFile.installAll(client);
  }

  @AfterAll
  static void forget() {
    OFFENDERS.clear();
  }

  /** What is stored breaks no rule about a change. */
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

  private static void growingIsRefusedAndShrinkingIsNot(String message) {
    Offender fleet =
        OFFENDERS.stream()
            .filter(it -> it.sample().message().startsWith(message))
            .findFirst()
            .orElseThrow();
    int replicas = (int) fleet.sample().bad().get("replicas");

    String grown = "{'spec':{'replicas':%d}}".formatted(replicas + 1);
    assertThat(refusal(fleet.stored(), grown))
        .hasValueSatisfying(it -> assertThat(it).contains(message));
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
