package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The faults that hit one pod now.
 *
 * @param faults the faults, by pod or by image
 * @param unpullableImages the images that cannot be pulled
 */
record ActiveFaults(List<PodFault> faults, Set<String> unpullableImages) {

  boolean has(Class<? extends PodFault> type) {
    return find(type).isPresent();
  }

  <T extends PodFault> Optional<T> find(Class<T> type) {
    return faults.stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  /** These faults, and a seid that panics at each start. */
  ActiveFaults withPanic(String message) {
    var more = new ArrayList<>(faults);
    more.add(new PodFault.Panics(message));
    return new ActiveFaults(List.copyOf(more), unpullableImages);
  }

  boolean canPull(Container container) {
    return !unpullableImages.contains(container.getImage());
  }

  /** Why this container of the pod keeps exiting, empty when it does not. */
  Optional<Crash> crashOf(Pod pod, Container container) {
    if (container.getName().equals(PodShape.SIDECAR)) {
      return find(PodFault.SidecarCrashLoop.class)
          .map(f -> new Crash(1, "panic: open sidecar.db: disk I/O error"))
          .or(() -> SidecarCommand.of(container).end(container.getImage()))
          .or(() -> refusal(container));
    }
    boolean runsSeid = container.getName().equals(PodShape.mainContainer(pod).getName());
    if (!runsSeid || PodShape.isHeld(pod)) {
      return Optional.empty();
    }
    return find(PodFault.HaltedAtUpgrade.class)
        .map(f -> Crash.panic(haltMessage(f)))
        .or(() -> find(PodFault.ImageTooEarly.class).map(f -> Crash.panic(tooEarlyMessage(f))))
        .or(
            () ->
                find(PodFault.HaltedByConfiguration.class)
                    .map(f -> Crash.configuredHalt(f.height())))
        .or(() -> find(PodFault.Dies.class).map(f -> new Crash(f.exit(), f.log())))
        .or(() -> find(PodFault.Panics.class).map(f -> Crash.panic(f.message())))
        .or(() -> find(PodFault.CrashLoop.class).map(f -> Crash.error(f.exitCode())));
  }

  /** A sidecar does not start without the environment that it demands. */
  private static Optional<Crash> refusal(Container sidecar) {
    SidecarVersion version =
        SidecarCommand.isInTree(sidecar.getImage())
            ? SidecarVersion.IN_TREE
            : SidecarVersion.V0_0_70;
    return SidecarEnvironment.of(sidecar)
        .refusal(version)
        .map(words -> new Crash(1, SidecarEnvironment.logLine(version, words)));
  }

  private static String haltMessage(PodFault.HaltedAtUpgrade fault) {
    return "UPGRADE \"%s\" NEEDED at height: %d: {\"upgradeType\":\"major\"}"
        .formatted(fault.upgradeName(), fault.height());
  }

  private static String tooEarlyMessage(PodFault.ImageTooEarly fault) {
    return "BINARY UPDATED BEFORE TRIGGER! UPGRADE \"%s\" - in binary but not executed on chain"
        .formatted(fault.upgradeName());
  }
}
