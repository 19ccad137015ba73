package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.base.Text;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * PURE: how far the kubelet is with a pod whose containers were given other resources. Amounts go
 * by the names {@code requests.cpu}, {@code limits.memory} and so on.
 */
public final class PodResize {

  private static final String PENDING = "PodResizePending";
  private static final String IN_PROGRESS = "PodResizeInProgress";

  /** A runtime counts CPU in 1024ths, which a kubelet rounds on their way back. */
  private static final BigDecimal CPU_ROUNDING = new BigDecimal("0.001");

  private PodResize() {}

  /** Amounts of resources by name; null has none. */
  public static Map<String, String> amounts(ResourceRequirements resources) {
    Map<String, String> amounts = new TreeMap<>();
    if (resources != null) {
      resources.getRequests().forEach((of, it) -> amounts.put("requests." + of, it.toString()));
      resources.getLimits().forEach((of, it) -> amounts.put("limits." + of, it.toString()));
    }
    return amounts;
  }

  /** Amounts in a pod's spec for a container or init container. */
  public static Map<String, String> amounts(Pod pod, String container) {
    return Stream.of(pod.getSpec().getContainers(), pod.getSpec().getInitContainers())
        .flatMap(List::stream)
        .filter(candidate -> container.equals(candidate.getName()))
        .findFirst()
        .map(Container::getResources)
        .map(PodResize::amounts)
        .orElseGet(Map::of);
  }

  /** Returns whether two amounts are the same, or both not set. */
  public static boolean isSame(String one, String other) {
    return Objects.equals(one, other) || isWithin(one, other, BigDecimal.ZERO);
  }

  private static boolean isWithin(String one, String other, BigDecimal rounding) {
    try {
      return one != null
          && other != null
          && number(one).subtract(number(other)).abs().compareTo(rounding) <= 0;
    } catch (IllegalArgumentException | ArithmeticException notAnAmount) {
      return false;
    }
  }

  private static BigDecimal number(String amount) {
    return new Quantity(amount).getNumericalAmount();
  }

  /** Returns whether the spec of a pod says what its containers were to be given. */
  public static boolean isSpecified(Pod pod, List<ResizedContainer> resized) {
    return resized.stream()
        .allMatch(
            container ->
                agrees(
                    amounts(pod, container.name()),
                    container.from(),
                    container.to(),
                    BigDecimal.ZERO));
  }

  /**
   * Returns whether the kubelet says that the containers of a pod have what they were to be given.
   */
  public static boolean isApplied(Pod pod, List<ResizedContainer> resized) {
    return isSpecified(pod, resized)
        && PodFacts.condition(pod, PENDING, "True").isEmpty()
        && PodFacts.condition(pod, IN_PROGRESS, "True").isEmpty()
        && ObservedPod.hasKubeletCaughtUp(pod)
        && resized.stream()
            .allMatch(
                container ->
                    reported(pod, container)
                        .filter(
                            has ->
                                agrees(
                                    amounts(has), container.from(), container.to(), CPU_ROUNDING))
                        .isPresent());
  }

  /**
   * Returns whether a kubelet that says what containers have does not say yet that they have what
   * they were to be given.
   */
  public static boolean isOpen(Pod pod, List<ResizedContainer> resized) {
    return !isApplied(pod, resized)
        && resized.stream().anyMatch(container -> reported(pod, container).isPresent());
  }

  private static Optional<ResourceRequirements> reported(Pod pod, ResizedContainer container) {
    return PodFacts.status(pod, container.name()).map(ContainerStatus::getResources);
  }

  private static boolean agrees(
      Map<String, String> has,
      Map<String, String> other,
      Map<String, String> wanted,
      BigDecimal ofCpu) {
    return Stream.concat(other.keySet().stream(), wanted.keySet().stream())
        .allMatch(
            of ->
                Objects.equals(has.get(of), wanted.get(of))
                    || isWithin(
                        has.get(of),
                        wanted.get(of),
                        of.endsWith(".cpu") ? ofCpu : BigDecimal.ZERO));
  }

  /**
   * Returns why the kubelet does not resize a pod: {@code Infeasible}, {@code Deferred} or {@code
   * Error}, and its message. Empty while the resize may be in progress.
   */
  public static Optional<String> obstacle(Pod pod) {
    return PodFacts.condition(pod, PENDING, "True")
        .filter(condition -> isOfThisSpec(pod, condition))
        .or(
            () ->
                PodFacts.condition(pod, IN_PROGRESS, "True")
                    .filter(condition -> "Error".equals(condition.getReason())))
        .map(
            condition ->
                Text.line(
                    condition.getReason() + ": " + condition.getMessage(),
                    PodFacts.MAX_LAST_WORDS));
  }

  /** A kubelet before Kubernetes 1.34 does not say. */
  private static boolean isOfThisSpec(Pod pod, PodCondition condition) {
    Long observed = condition.getObservedGeneration();
    Long generation = pod.getMetadata().getGeneration();
    return observed == null || generation == null || observed >= generation;
  }

  /** Describes the changes, such as {@code requests.cpu of seid 4 -> 6}. */
  public static String words(List<ResizedContainer> resized) {
    return String.join(
        ", ", resized.stream().flatMap(container -> words(container).stream()).distinct().toList());
  }

  private static List<String> words(ResizedContainer container) {
    return Stream.concat(container.from().keySet().stream(), container.to().keySet().stream())
        .distinct()
        .sorted()
        .map(
            of ->
                "%s of %s %s -> %s"
                    .formatted(
                        of,
                        container.name(),
                        container.from().getOrDefault(of, "none"),
                        container.to().getOrDefault(of, "none")))
        .toList();
  }
}
