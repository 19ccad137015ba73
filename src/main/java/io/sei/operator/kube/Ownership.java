package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.Optional;

/** Ownership of an object, by its controller owner reference. */
public sealed interface Ownership {

  /** The object belongs to the resource that asks. */
  record Ours() implements Ownership {}

  /** The object has no owner. */
  record Unowned() implements Ownership {}

  /** The object belongs to another. */
  record Foreign(String owner) implements Ownership {}

  /** Returns whether {@code object} belongs to {@code owner}. */
  static boolean isOurs(HasMetadata object, HasMetadata owner) {
    return of(object, owner) instanceof Ours;
  }

  /** Returns the ownership of {@code object} as seen by {@code owner}. */
  static Ownership of(HasMetadata object, HasMetadata owner) {
    return of(object, owner.getMetadata().getUid());
  }

  /** Returns the ownership of {@code object} as seen by the resource with that uid. */
  static Ownership of(HasMetadata object, String ownerUid) {
    Optional<OwnerReference> controller = controller(object);
    if (controller.isPresent() && !controller.get().getUid().equals(ownerUid)) {
      return new Foreign(controller.get().getKind() + "/" + controller.get().getName());
    }
    boolean ours =
        object.getMetadata().getOwnerReferences().stream()
            .anyMatch(reference -> reference.getUid().equals(ownerUid));
    return ours ? new Ours() : new Unowned();
  }

  /** The object's controller, if it has one. */
  static Optional<OwnerReference> controller(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(reference -> Boolean.TRUE.equals(reference.getController()))
        .findFirst();
  }
}
