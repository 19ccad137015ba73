package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The flag by which a proxy accepts the tokens of one audience; without it, the API server's. */
public final class ProxyAudience {

  private static final String FLAG = "--auth-token-audiences";

  private ProxyAudience() {}

  /** The argument by which a proxy accepts the tokens of one audience. */
  public static String flag(String audience) {
    return FLAG + "=" + audience;
  }

  /** Returns whether an argument of a container is this flag. */
  public static boolean isFlag(String argument) {
    return argument.startsWith(FLAG);
  }

  /**
   * The audience that the proxy of a pod was started with, by its arguments, which nothing changes
   * in a pod that exists; empty without the flag. More than one flag is no audience of ours.
   */
  public static Optional<String> of(Pod pod) {
    if (pod.getSpec() == null) {
      return Optional.empty();
    }
    List<String> flags =
        Stream.concat(
                pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
            .filter(container -> Names.PROXY.equals(container.getName()))
            .flatMap(container -> container.getArgs().stream())
            .filter(ProxyAudience::isFlag)
            .toList();
    return flags.isEmpty()
        ? Optional.empty()
        : Optional.of(
            flags.stream()
                .map(flag -> flag.substring(flag.indexOf('=') + 1))
                .collect(Collectors.joining(",")));
  }
}
