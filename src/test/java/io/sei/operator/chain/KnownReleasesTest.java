package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.kube.ObjectEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A list of releases in a ConfigMap, good and bad. */
class KnownReleasesTest {

  private static final String NEXT =
      "releases: [{version: v6.9.0, source: 'https://example.org', plan: v6.9}]";

  private final List<ObjectEvent> events = new ArrayList<>();
  private Supplier<Optional<ConfigMap>> configMap = Optional::empty;
  private final KnownReleases known =
      new KnownReleases(
          "sei-operator/sei-releases",
          () -> configMap.get(),
          (regarding, event) -> events.add(event));

  @Test
  void withoutConfigMapTheBuiltInListHolds() {
    known.look();

    assertThat(known.current()).isEqualTo(ReleaseReader.builtIn());
    assertThat(known.problem()).isEmpty();
  }

  @Test
  void aConfigMapExtendsTheListUntilItIsDeleted() {
    stores(Map.of(KnownReleases.KEY, NEXT));
    known.look();
    assertThat(known.current().ofPlan("v6.9")).isPresent();
    assertThat(known.current().ofPlan("v6.8")).isPresent();

    configMap = Optional::empty;
    known.look();

    assertThat(known.current()).isEqualTo(ReleaseReader.builtIn());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "hello", "releases: [", "a: &a [*a]", "releases:\n- {version: v6.9.0}"})
  void theLastGoodListStaysAndTheFaultIsNamedOnce(String text) {
    stores(Map.of(KnownReleases.KEY, NEXT));
    known.look();

    stores(Map.of(KnownReleases.KEY, text));
    known.look();
    known.look();

    assertThat(known.current().ofPlan("v6.9")).isPresent();
    assertThat(known.problem().orElseThrow())
        .startsWith(
            "key releases.yaml of ConfigMap sei-operator/sei-releases is no list of releases: ");
    assertThat(events).singleElement().matches(ObjectEvent::warning);

    stores(Map.of(KnownReleases.KEY, NEXT));
    known.look();
    assertThat(known.problem()).isEmpty();
  }

  @Test
  void aFaultNamesLineAndField() {
    stores(Map.of(KnownReleases.KEY, "releases:\n- version: v6.9.0\n  source: ftp://x\n"));
    known.look();

    assertThat(known.problem().orElseThrow())
        .contains("line 2: releases[0] source must be an https:// URL")
        .endsWith("; the last one that was stays");
  }

  @Test
  void aConfigMapWithoutTheKeyIsNamed() {
    stores(Map.of("releases.yml", NEXT));
    known.look();
    assertThat(known.problem().orElseThrow()).contains("it is missing");

    stores(null);
    known.look();
    assertThat(known.problem().orElseThrow()).contains("it is missing");
  }

  @Test
  void whatTheApiServerRefusesLosesNothing() {
    stores(Map.of(KnownReleases.KEY, NEXT));
    known.look();

    configMap =
        () -> {
          throw new KubernetesClientException("configmaps \"sei-releases\" is forbidden");
        };
    known.look();

    assertThat(known.current().ofPlan("v6.9")).isPresent();
    assertThat(known.problem().orElseThrow())
        .contains("sei-operator/sei-releases cannot be read")
        .contains("is forbidden");
    assertThat(events).isEmpty();
  }

  private void stores(Map<String, String> data) {
    ConfigMap stored =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("sei-releases")
            .endMetadata()
            .withData(data)
            .build();
    configMap = () -> Optional.of(stored);
  }
}
