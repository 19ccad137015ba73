package io.sei.operator.fleet.feature;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.SpecFields;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The templates of a deployment that are kept as ControllerRevisions, so that a node that is not
 * rolled yet, or is recreated, or is rolled back, gets exactly what it had.
 */
public final class Revisions {

  private final List<ControllerRevision> kept;
  private final KubernetesSerialization serialization;

  /**
   * @param kept the deployment's own revisions, and those that one of its name left behind
   */
  public Revisions(List<ControllerRevision> kept, KubernetesSerialization serialization) {
    this.kept =
        kept.stream().sorted(Comparator.comparing(ControllerRevision::getRevision)).toList();
    this.serialization = serialization;
  }

  /**
   * The revisions that a deleted deployment of the same name left behind, by the name under which
   * this one keeps them.
   */
  public Map<String, ControllerRevision> inherited(SeiNodeDeployment deployment) {
    Map<String, ControllerRevision> inherited = new TreeMap<>();
    for (ControllerRevision revision : kept) {
      String name = Names.revision(deployment, hash(revision), revision.getRevision());
      if (!name.equals(revision.getMetadata().getName())) {
        inherited.put(name, revision);
      }
    }
    return inherited;
  }

  /** The newest template with a hash, without the fields that belong to one node. */
  public Optional<NodeTemplate> template(String hash) {
    return kept.stream()
        .filter(revision -> hash(revision).equals(hash))
        .reduce((older, newer) -> newer)
        .map(this::template)
        .filter(template -> template.spec() != null);
  }

  /**
   * Returns whether this very template, without the fields of one node, is the newest one of its
   * hash.
   */
  public boolean has(String hash, NodeTemplate template) {
    return template(hash).filter(SpecFields.versioned(template)::equals).isPresent();
  }

  /** The number the next revision gets. */
  public long next() {
    return kept.isEmpty() ? 1 : kept.get(kept.size() - 1).getRevision() + 1;
  }

  /** Unused revisions beyond the newest {@code limit} of them. */
  public List<ControllerRevision> superfluous(Set<String> needed, int limit) {
    List<ControllerRevision> unneeded =
        kept.stream().filter(revision -> !needed.contains(hash(revision))).toList();
    Set<String> newest =
        kept.stream()
            .filter(revision -> needed.contains(hash(revision)))
            .collect(
                Collectors.toMap(Revisions::hash, revision -> revision, (older, newer) -> newer))
            .values()
            .stream()
            .map(revision -> revision.getMetadata().getName())
            .collect(Collectors.toSet());
    List<ControllerRevision> outdated =
        kept.stream()
            .filter(revision -> needed.contains(hash(revision)))
            .filter(revision -> !newest.contains(revision.getMetadata().getName()))
            .toList();
    int surplus = Math.max(0, unneeded.size() + outdated.size() - limit);
    return Stream.concat(outdated.stream(), unneeded.stream())
        .sorted(Comparator.comparing(ControllerRevision::getRevision))
        .limit(surplus)
        .toList();
  }

  private NodeTemplate template(ControllerRevision revision) {
    JsonNode data = serialization.convertValue(revision.getData(), JsonNode.class);
    return serialization.convertValue(data.path("template"), NodeTemplate.class);
  }

  /** The hash of a revision's template. */
  public static String hash(ControllerRevision revision) {
    return revision.getMetadata().getLabels().getOrDefault(Labels.REVISION, "");
  }
}
