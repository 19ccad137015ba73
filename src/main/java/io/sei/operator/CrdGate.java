package io.sei.operator;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.kube.SchemaGaps;
import io.sei.operator.observability.HealthReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the start of the operator for as long as the installed CRDs lack fields that this build
 * has: the API server would drop them from every status that it writes, and from every spec that a
 * user applies, and say nothing.
 */
final class CrdGate {

  private static final Logger log = LoggerFactory.getLogger(CrdGate.class);

  private static final Duration WHILE_HELD = Duration.ofSeconds(10);

  /** CRDs are seldom replaced, and each is read as a whole. */
  private static final Duration WHILE_RUNNING = Duration.ofMinutes(5);

  /** More would tell the user nothing new. */
  private static final int NAMED = 8;

  private static final List<Model> MODELS =
      List.of(
          new Model(SeiNode.class, SeiNodeSpec.class, SeiNodeStatus.class),
          new Model(
              SeiNodeDeployment.class, SeiNodeDeploymentSpec.class, SeiNodeDeploymentStatus.class),
          new Model(SeiNodeTask.class, SeiNodeTaskSpec.class, SeiNodeTaskStatus.class),
          new Model(SeiSigningKey.class, SeiSigningKeySpec.class));

  private record Model(
      Class<? extends HasMetadata> kind, Class<?> spec, Optional<Class<?>> status) {

    Model(Class<? extends HasMetadata> kind, Class<?> spec) {
      this(kind, spec, Optional.empty());
    }

    Model(Class<? extends HasMetadata> kind, Class<?> spec, Class<?> status) {
      this(kind, spec, Optional.of(status));
    }

    String crd() {
      return HasMetadata.getFullResourceName(kind);
    }

    Optional<String> obstacle(JsonNode crd) {
      var gaps = new ArrayList<String>();
      for (JsonNode version : crd.path("spec").path("versions")) {
        if (version.path("name").asText().equals(HasMetadata.getVersion(kind))) {
          JsonNode fields = version.path("schema").path("openAPIV3Schema").path("properties");
          gaps.addAll(SchemaGaps.of(spec, "spec", fields.path("spec")));
          status.ifPresent(
              type -> gaps.addAll(SchemaGaps.of(type, "status", fields.path("status"))));
        }
      }
      return gaps.isEmpty() ? Optional.empty() : Optional.of(words(crd(), gaps));
    }
  }

  private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";

  private static final String APPLY = "kubectl apply --server-side --force-conflicts -f crds/";

  private final KubernetesClient client;
  private Optional<CompletableFuture<List<String>>> ahead = Optional.empty();
  private volatile List<String> obstacles = List.of();

  CrdGate(KubernetesClient client) {
    this.client = client;
  }

  /** A gate that looks already, while its caller does something else. */
  static CrdGate looking(KubernetesClient client) {
    var gate = new CrdGate(client);
    gate.ahead = Optional.of(CompletableFuture.supplyAsync(gate::look));
    return gate;
  }

  /**
   * Returns once the CRDs have every field. Where they cannot be read it returns at once, and logs
   * that.
   */
  void await() {
    Prerequisites.await(WHILE_HELD, this::obstacles);
  }

  private List<String> obstacles() {
    try {
      obstacles = ahead.map(CrdGate::join).orElseGet(this::look);
    } catch (KubernetesClientException e) {
      if (obstacles.isEmpty()) {
        log.warn(
            "Cannot check whether the installed CRDs are those of this version; apply them: {}: {}",
            APPLY,
            reason(e));
      }
    }
    ahead = Optional.empty();
    return obstacles;
  }

  private static List<String> join(CompletableFuture<List<String>> look) {
    try {
      return look.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof KubernetesClientException cause ? cause : e;
    }
  }

  private static String reason(KubernetesClientException e) {
    return isForbidden(e)
        ? "the operator has no right to get customresourcedefinitions"
        : StartFailure.causes(e);
  }

  /**
   * Looks again now and then.
   *
   * @param onOutdated run when the CRDs were replaced by ones that lack fields: a start is held by
   *     then
   */
  void watch(Runnable onOutdated) {
    Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("crds").factory())
        .scheduleWithFixedDelay(
            () -> lookAgain(onOutdated),
            WHILE_RUNNING.toSeconds(),
            WHILE_RUNNING.toSeconds(),
            TimeUnit.SECONDS);
  }

  /** Looks once more; what cannot be read is no reason to stop. */
  void lookAgain(Runnable onOutdated) {
    try {
      obstacles = look();
    } catch (RuntimeException e) {
      // It would be the last look.
      log.debug("Cannot read the CRDs: {}", e.getMessage());
    }
    if (!obstacles.isEmpty()) {
      obstacles.forEach(obstacle -> log.error("Stopped: {}", obstacle));
      onOutdated.run();
    }
  }

  private List<String> look() {
    return MODELS.stream().flatMap(model -> model.obstacle(read(model.crd())).stream()).toList();
  }

  private JsonNode read(String crd) {
    // Null for one that was deleted: what is not served ends the watches, and a start fails by it.
    return Optional.ofNullable(client.raw(CRDS + crd))
        .map(text -> client.getKubernetesSerialization().unmarshal(text, JsonNode.class))
        .orElseGet(MissingNode::getInstance);
  }

  /** Returns problem and remedy. */
  private static String words(String crd, List<String> gaps) {
    String more = gaps.size() > NAMED ? " and %d more".formatted(gaps.size() - NAMED) : "";
    return "the installed CRD %s is of another version and lacks %s%s; apply the CRDs of this version: %s"
        .formatted(
            crd, String.join(", ", gaps.subList(0, Math.min(NAMED, gaps.size()))), more, APPLY);
  }

  /** Status of the operator: first of all, the obstacles of its start. */
  HealthReport readiness(HealthReport operator) {
    var problems = new ArrayList<>(obstacles);
    problems.addAll(operator.problems());
    return new HealthReport(problems, operator.notes());
  }
}
