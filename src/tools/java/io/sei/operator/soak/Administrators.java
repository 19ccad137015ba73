package io.sei.operator.soak;

import static io.sei.operator.soak.People.any;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.Denials.Answer;
import io.sei.operator.testkit.MutatingWebhook;
import io.sei.operator.testkit.RandomActions.Action;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Administrators' actions: policies, injected fields, manual edits. */
final class Administrators {

  private static final List<String> LIMITED =
      List.of("count/statefulsets.apps", "count/services", "requests.storage");
  private static final List<String> FORBIDDEN = List.of("statefulsets", "services");

  private static final List<String> EDITS_OF_STATEFUL_SETS =
      List.of(
          "{'spec':{'replicas':0}}",
          "{'metadata':{'labels':{'sei.io/chain':'other'}}}",
          "{'metadata':{'ownerReferences':null}}",
          "{'spec':{'template':{'metadata':{'annotations':{'by':'hand'}}}}}");
  private static final String EDIT_OF_SERVICES = "{'spec':{'ports':[{'name':'rpc','port':1}]}}";

  /** Answers to an edit of what is gone, has just changed, or is forbidden. */
  private static final Set<Integer> NOT_NOW = Set.of(403, 404, 409, 422);

  private final SoakWorld world;
  private final boolean orphans;
  private final Denials denials;
  private String limited;
  private String forbidden;
  private MutatingWebhook webhook;

  /**
   * @param orphans whether nodes are orphaned, which takes up to half a minute after a start
   */
  Administrators(SoakWorld world, boolean orphans) {
    this.world = world;
    this.orphans = orphans;
    this.denials = new Denials(world.client(), world.namespace());
  }

  List<Action> actions() {
    return List.of(
        new Action("a quota comes or goes", 3, this::limit),
        new Action("a policy comes or goes", 3, this::forbid),
        new Action("a webhook comes or goes", 2, this::mutate),
        new Action("edit by hand", 5, this::edit),
        new Action("orphan a node and apply it again", orphans ? 2 : 0, this::orphan));
  }

  /** Everything is allowed, and nothing is added any more. */
  void settle() {
    allow();
    raise();
    remove();
  }

  private String limit(Random random) {
    String resource = any(LIMITED, random);
    if (limited != null) {
      return "raised for " + raise();
    }
    world.nodes();
    denials.forbidAny(resource);
    limited = resource;
    return resource;
  }

  private String raise() {
    String was = limited;
    if (limited != null) {
      world.nodes();
      denials.removeQuota();
      limited = null;
    }
    return was;
  }

  private String forbid(Random random) {
    String resource = any(FORBIDDEN, random);
    String name = any(SoakWorld.ALL, random);
    if (forbidden != null) {
      return "lifted for " + allow();
    }
    world.nodes();
    denials.deny(resource, name, Answer.FORBIDDEN, "CREATE", "UPDATE");
    forbidden = resource;
    return resource + " " + name;
  }

  private String allow() {
    String was = forbidden;
    if (forbidden != null) {
      world.nodes();
      denials.allow(forbidden);
      forbidden = null;
    }
    return was;
  }

  private String mutate(Random random) {
    if (webhook != null) {
      remove();
      return "gone";
    }
    world.nodes();
    webhook = new MutatingWebhook(world.client(), world.namespace());
    return "there";
  }

  private void remove() {
    if (webhook != null) {
      world.nodes();
      webhook.close();
      webhook = null;
    }
  }

  private String edit(Random random) {
    String name = any(SoakWorld.ALL, random);
    String patch = any(EDITS_OF_STATEFUL_SETS, random);
    return random.nextInt(4) == 0
        ? edit(Service.class, name, EDIT_OF_SERVICES)
        : edit(StatefulSet.class, name, patch);
  }

  private <T extends HasMetadata> String edit(Class<T> type, String name, String patch) {
    try {
      world.patch(type, name, patch);
      return "%s %s %s".formatted(type.getSimpleName(), name, patch);
    } catch (KubernetesClientException e) {
      if (NOT_NOW.contains(e.getCode())) {
        return "%s %s: %d".formatted(type.getSimpleName(), name, e.getCode());
      }
      throw e;
    }
  }

  /** A policy that refuses the garbage collector its updates keeps an orphaned node forever. */
  private String orphan(Random random) {
    String name = any(SoakWorld.NODES, random);
    if (forbidden != null) {
      return "not while there is a policy";
    }
    world.recreateNode(name, DeletionPropagation.ORPHAN, any(People.GOOD, random));
    return name;
  }
}
