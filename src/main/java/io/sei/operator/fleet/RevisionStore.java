package io.sei.operator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.Revisions;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.render.Labels;
import io.sei.operator.render.PerNodeFields;
import io.sei.operator.render.TemplateHash;
import java.net.HttpURLConnection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Writes the ControllerRevisions of deployments. */
public final class RevisionStore {

  /** As many as a StatefulSet keeps by default. */
  private static final int HISTORY = 10;

  private final KubernetesClient client;
  private final KubeApi api;

  public RevisionStore(KubernetesClient client, KubeApi api) {
    this.client = client;
    this.api = api;
  }

  /**
   * Keeps the template in force, and that of any node which is of none that is kept: then what a
   * node is can always be made again.
   *
   * @return whether everything is kept and known to be; if not, a watch event will tell
   */
  public boolean record(FleetSnapshot snapshot) {
    Revisions revisions = snapshot.revisions();
    Map<String, NodeTemplate> missing = new LinkedHashMap<>();
    for (FleetSnapshot.Child child : snapshot.children()) {
      String hash = TemplateHash.of(child.node());
      boolean asGiven = hash.equals(child.view().templateHash());
      if (asGiven && !hash.equals(snapshot.templateHash()) && revisions.template(hash).isEmpty()) {
        missing.put(hash, ChildRenderer.templateOf(child.node()));
      }
    }
    if (!revisions.has(snapshot.templateHash(), snapshot.template())) {
      missing.put(snapshot.templateHash(), snapshot.template());
    }
    long number = revisions.next();
    for (Map.Entry<String, NodeTemplate> template : missing.entrySet()) {
      write(snapshot, template.getKey(), template.getValue(), number++);
    }
    return missing.isEmpty();
  }

  /** Lets go of revisions that nobody can come back to. */
  public void prune(FleetSnapshot snapshot) {
    Set<String> needed = new HashSet<>();
    needed.add(snapshot.templateHash());
    needed.add(snapshot.status().templateHash());
    snapshot.children().forEach(child -> needed.add(child.view().templateHash()));
    for (ControllerRevision revision : snapshot.revisions().superfluous(needed, HISTORY)) {
      api.delete(revision, Propagation.BACKGROUND, false);
    }
  }

  private void write(FleetSnapshot snapshot, String hash, NodeTemplate template, long number) {
    SeiNodeDeployment owner = snapshot.deployment();
    ObjectNode data = JsonNodeFactory.instance.objectNode();
    data.set(
        "template",
        sorted(
            client
                .getKubernetesSerialization()
                .convertValue(PerNodeFields.without(template), JsonNode.class)));
    ControllerRevision revision =
        new ControllerRevisionBuilder()
            .withNewMetadata()
            .withName(owner.getMetadata().getName() + "-" + hash + "-" + number)
            .withNamespace(owner.getMetadata().getNamespace())
            .addToLabels(Labels.NODE_DEPLOYMENT, owner.getMetadata().getName())
            .addToLabels(Labels.REVISION, hash)
            .withOwnerReferences(FleetOwner.reference(owner))
            .endMetadata()
            .withRevision(number)
            .withData(data)
            .build();
    try {
      api.create(revision);
    } catch (KubernetesClientException e) {
      // It was written by an earlier reconcile, whose event is still under way.
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  /**
   * With the keys in the order in which the API server writes them. The data of a revision is
   * immutable and compared byte by byte, so any patch of one that is in another order is refused,
   * also that of the garbage collector which takes the owner off.
   */
  private static JsonNode sorted(JsonNode node) {
    if (node.isArray()) {
      ArrayNode items = JsonNodeFactory.instance.arrayNode();
      node.forEach(item -> items.add(sorted(item)));
      return items;
    }
    if (!node.isObject()) {
      return node;
    }
    var fields = new TreeMap<String, JsonNode>();
    node.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    fields.forEach(object::set);
    return object;
  }
}
