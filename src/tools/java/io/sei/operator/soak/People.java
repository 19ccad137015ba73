package io.sei.operator.soak;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.Ownership;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RandomActions.Action;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Random;

/** Actions of people and machines on nodes and the fleet. */
final class People {

  static final List<String> GOOD = List.of("sei:a", "sei:b", "sei:c");

  /** A key that no sidecar knows. */
  static final String REFUSED = "no.such";

  private static final List<String> FLAPPING = List.of("alone-0", "fleet-0", "fleet-1", "fleet-2");
  private static final String CRASHES = "sei:crashes";
  private static final String NEVER_READY = "sei:never-ready";
  private static final String MISSING = "sei:missing";

  private final SoakWorld world;

  People(SoakWorld world) {
    this.world = world;
    world.kubelet().injectForImage(CRASHES, PodFault.CRASH_LOOP);
    world.kubelet().injectForImage(NEVER_READY, PodFault.NEVER_READY);
    world.kubelet().injectForImage(MISSING, PodFault.IMAGE_PULL);
  }

  /** Fleet nodes are taken down by their image and readiness only, so that it is known by what. */
  List<Action> actions() {
    return List.of(
        new Action("image of a node", 8, this::setImage),
        new Action("image of the fleet", 8, this::setFleetImage),
        new Action("scale the fleet", 4, this::scale),
        new Action("hold or release rollouts", 3, this::holdRollouts),
        new Action("pause or resume a node", 3, this::pause),
        new Action("restart a node", 2, this::restart),
        new Action("a node falls behind or catches up", 4, this::flap),
        new Action("configuration of a node", 2, this::configure),
        new Action("configuration of the fleet", 4, this::configureFleet),
        new Action("delete the claim of a pod that runs", 4, this::deleteClaim),
        new Action("accept the loss of a node's data", 3, this::acceptLoss),
        new Action("delete a pod", 3, this::deletePod),
        new Action("delete a StatefulSet", 2, this::deleteStatefulSet),
        new Action("delete and re-create a node", 2, this::recreate),
        new Action("sidecar restarts", 3, this::restartSidecar),
        new Action("sidecar falls silent or answers again", 3, this::silenceSidecar));
  }

  /** Everything is wanted as it can be, and nothing is ill. */
  void settle(String image) {
    world.sidecar().faultsOfAll().clear();
    FLAPPING.forEach(node -> world.kubelet().clear(world.namespace(), node + "-0"));
    for (String node : SoakWorld.NODES) {
      world.sidecar().faults(world.namespace(), node).clear();
      patch(node, "{'spec':{'image':'%s','paused':false,'overrides':null}}".formatted(image));
    }
    patchFleet(
        ("{'spec':{'replicas':3,'updateStrategy':{'type':'InPlace','paused':false},"
                + "'template':{'spec':{'image':'%s','overrides':null}}}}")
            .formatted(image));
    SoakWorld.ALL.forEach(this::acceptLoss);
  }

  private String setImage(Random random) {
    String node = anyNode(random);
    String image = anyImage(random);
    patch(node, "{'spec':{'image':'%s'}}".formatted(image));
    return node + " to " + image;
  }

  private String setFleetImage(Random random) {
    String image = anyImage(random);
    patchFleet("{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(image));
    return image;
  }

  private String scale(Random random) {
    int replicas = 1 + random.nextInt(SoakWorld.MOST_REPLICAS);
    patchFleet("{'spec':{'replicas':%d}}".formatted(replicas));
    return String.valueOf(replicas);
  }

  private String holdRollouts(Random random) {
    boolean paused = random.nextInt(3) == 0;
    patchFleet("{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}".formatted(paused));
    return String.valueOf(paused);
  }

  private String pause(Random random) {
    String node = anyNode(random);
    boolean paused = random.nextInt(3) == 0;
    patch(node, "{'spec':{'paused':%s}}".formatted(paused));
    return node + " " + paused;
  }

  private String restart(Random random) {
    String node = anyNode(random);
    int value = random.nextInt(1000);
    patch(
        node, "{'metadata':{'annotations':{'sei.io/restart-requested-at':'%d'}}}".formatted(value));
    return node;
  }

  private String flap(Random random) {
    String node = any(FLAPPING, random);
    boolean behind = random.nextBoolean();
    if (behind) {
      world.kubelet().inject(world.namespace(), node + "-0", PodFault.NEVER_READY);
    } else {
      world.kubelet().clear(world.namespace(), node + "-0");
    }
    return node + (behind ? " behind" : " caught up");
  }

  private String configure(Random random) {
    String node = anyNode(random);
    String overrides = anyOverrides(random);
    patch(node, "{'spec':{'overrides':%s}}".formatted(overrides));
    return node + " " + overrides;
  }

  private String configureFleet(Random random) {
    String overrides = anyOverrides(random);
    patchFleet("{'spec':{'template':{'spec':{'overrides':%s}}}}".formatted(overrides));
    return overrides;
  }

  /** Returns overrides that may be refused; the next choice that is accepted repairs them. */
  private static String anyOverrides(Random random) {
    return random.nextInt(3) == 0
        ? "{'%s':'1'}".formatted(REFUSED)
        : "{'%s':null,'mempool.size':'%d'}".formatted(REFUSED, 1000 + random.nextInt(4));
  }

  /** Without a pod that mounts it the claim would be gone at once, and nothing left to keep. */
  private String deleteClaim(Random random) {
    String node = any(SoakWorld.ALL, random);
    Pod pod = world.pod(node);
    PersistentVolumeClaim claim = world.claim(node);
    if (pod == null || pod.isMarkedForDeletion() || claim == null) {
      return node + " has no pod or no claim";
    }
    SoakWorld.asked(() -> world.client().resource(claim).delete());
    return node;
  }

  private String acceptLoss(Random random) {
    return acceptLoss(any(SoakWorld.ALL, random));
  }

  private String acceptLoss(String node) {
    PersistentVolumeClaim claim = world.claim(node);
    if (claim == null || !claim.isMarkedForDeletion()) {
      return node + " has nothing to lose";
    }
    String uid = claim.getMetadata().getUid();
    try {
      patch(node, "{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}".formatted(uid));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return node + " was just scaled away";
      }
      throw e;
    }
    return node;
  }

  private String deletePod(Random random) {
    String node = anyNode(random);
    SoakWorld.asked(() -> world.resource(Pod.class, node + "-0").delete());
    return node;
  }

  private String deleteStatefulSet(Random random) {
    String node = anyNode(random);
    var propagation =
        random.nextBoolean() ? DeletionPropagation.ORPHAN : DeletionPropagation.BACKGROUND;
    var resource = world.resource(StatefulSet.class, node);
    StatefulSet live = SoakWorld.asked(resource::get);
    if (live == null || !isOfTheNodeThatIsThere(live, node)) {
      return node + " has none";
    }
    SoakWorld.asked(() -> resource.withPropagationPolicy(propagation).delete());
    return node + " " + propagation;
  }

  /** A pod orphaned by an earlier node has no owner, and keeps the claim of that node forever. */
  private boolean isOfTheNodeThatIsThere(StatefulSet statefulSet, String node) {
    SeiNode present = world.node(node);
    return present != null && Ownership.of(statefulSet, present) instanceof Ownership.Ours;
  }

  private String recreate(Random random) {
    String node = anyNode(random);
    world.recreateNode(node, DeletionPropagation.BACKGROUND, GOOD.get(0));
    return node;
  }

  private String restartSidecar(Random random) {
    String node = anyNode(random);
    world.sidecar().restart(world.namespace(), node);
    return node;
  }

  private String silenceSidecar(Random random) {
    String node = anyNode(random);
    var faults = world.sidecar().faults(world.namespace(), node);
    if (random.nextBoolean()) {
      faults.down();
      return node + " silent";
    }
    faults.clear();
    return node + " answers";
  }

  private static String anyNode(Random random) {
    return any(SoakWorld.NODES, random);
  }

  static String any(List<String> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private static String anyImage(Random random) {
    if (random.nextInt(4) != 0) {
      return any(GOOD, random);
    }
    return any(List.of(CRASHES, NEVER_READY, MISSING), random);
  }

  private void patch(String node, String patch) {
    world.patch(SeiNode.class, node, patch);
  }

  private void patchFleet(String patch) {
    world.patch(SeiNodeDeployment.class, SoakWorld.FLEET, patch);
  }
}
