package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The faults in force, by pod name, by image, and by both. */
final class FaultRegistry {
  private record Halt(String image, PodFault fault) {}

  private final Map<ObjectKey, Map<Class<?>, PodFault>> byPod = new HashMap<>();
  private final Map<String, Map<Class<?>, PodFault>> byImage = new HashMap<>();
  private final Map<ObjectKey, Halt> halts = new HashMap<>();

  synchronized void inject(ObjectKey pod, PodFault fault) {
    byPod.computeIfAbsent(pod, k -> new HashMap<>()).put(fault.getClass(), fault);
  }

  synchronized void injectForImage(String image, PodFault fault) {
    byImage.computeIfAbsent(image, k -> new HashMap<>()).put(fault.getClass(), fault);
  }

  synchronized void halt(ObjectKey pod, String image, PodFault fault) {
    halts.put(pod, new Halt(image, fault));
  }

  synchronized void clear(ObjectKey pod) {
    byPod.remove(pod);
    halts.remove(pod);
  }

  synchronized void clearImage(String image) {
    byImage.remove(image);
  }

  synchronized void clearAll() {
    byPod.clear();
    byImage.clear();
    halts.clear();
  }

  synchronized ActiveFaults of(Pod pod) {
    ObjectKey key = ObjectKey.of(pod);
    String seidImage = PodShape.mainContainer(pod).getImage();
    List<PodFault> active = new ArrayList<>(byPod.getOrDefault(key, Map.of()).values());
    Set<String> unpullable = new HashSet<>();
    if (active.stream().anyMatch(PodFault.ImagePull.class::isInstance)) {
      unpullable.add(seidImage);
    }
    byImage.forEach(
        (image, faults) -> {
          if (PodShape.usesImage(pod, image)) {
            active.addAll(faults.values());
            if (faults.containsKey(PodFault.ImagePull.class)) {
              unpullable.add(image);
            }
          }
        });
    Halt halt = halts.get(key);
    if (halt != null && halt.image().equals(seidImage)) {
      active.add(halt.fault());
    }
    return new ActiveFaults(List.copyOf(active), Set.copyOf(unpullable));
  }
}
