package io.sei.operator.testkit.samples;

import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.fleet.feature.FleetViewBuilder;
import io.sei.operator.fleet.feature.Revisions;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.ChildRenderer;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A fleet named {@code fleet} and its nodes, as one pass may find them. Immutable: each method
 * returns a changed copy.
 */
public final class FleetSample {

  public static final String A = "sei:a";
  public static final String B = "sei:b";
  public static final String C = "sei:c";

  private final SeiNodeDeployment fleet;
  private final List<FleetView.Child> children;
  private final List<ControllerRevision> revisions;
  private final Map<String, Optional<Instant>> live;

  private FleetSample(
      SeiNodeDeployment fleet,
      List<FleetView.Child> children,
      List<ControllerRevision> revisions,
      Map<String, Optional<Instant>> live) {
    this.fleet = fleet;
    this.children = children;
    this.revisions = revisions;
    this.live = live;
  }

  /** A fleet whose template is a full node with this image, and which has no nodes yet. */
  public static FleetSample aFleet(int replicas, String image) {
    SeiNodeDeployment fleet =
        fleet(
            SeiNodeDeploymentSpecBuilder.builder()
                .replicas(replicas)
                .template(template(image))
                .build());
    fleet.setStatus(SeiNodeDeploymentStatusBuilder.builder().build());
    return new FleetSample(fleet, List.of(), List.of(), Map.of());
  }

  /** A fleet as it was read, without its nodes. */
  public static FleetSample aFleet(SeiNodeDeployment fleet) {
    return new FleetSample(fleet, List.of(), List.of(), Map.of());
  }

  /** The node that the fleet makes of its template with an image: it runs that and is Ready. */
  public static NodeSample aChild(int ordinal, String image) {
    SeiNodeDeploymentSpec spec =
        SeiNodeDeploymentSpecBuilder.builder().template(template(image)).build();
    return aNode(new ChildRenderer().render(fleet(spec), ordinal, template(image)))
        .generation(1)
        .status(
            SeiNodeStatusBuilder.builder()
                .observedGeneration(1L)
                .phase(NodePhase.RUNNING)
                .syncedAt(LONG_AGO)
                .build())
        .ready()
        .stillRuns(image);
  }

  public static NodeTemplate template(String image) {
    return new NodeTemplate(null, Samples.fullNode(image));
  }

  /** The template of an image after the user requested a restart. */
  public static NodeTemplate restarted(String image, String restart) {
    return ChildRenderer.restarted(template(image), restart);
  }

  /** The hash of the template with an image. */
  public static String hash(String image) {
    return hash(template(image));
  }

  public static String hash(NodeTemplate template) {
    return ChildRenderer.hash(fleet(SeiNodeDeploymentSpecBuilder.builder().build()), template);
  }

  public static ControllerRevision revision(String hash, NodeTemplate template, long number) {
    return new ControllerRevisionBuilder()
        .withNewMetadata()
        .withName("fleet-" + hash + "-" + number)
        .withLabels(Map.of("sei.io/revision", hash))
        .endMetadata()
        .withRevision(number)
        .withData(template == null ? Map.of() : Map.of("template", template))
        .build();
  }

  private static SeiNodeDeployment fleet(SeiNodeDeploymentSpec spec) {
    SeiNodeDeployment fleet = Samples.fleet("sei", "fleet", spec);
    fleet.getMetadata().setUid("fleet-uid");
    fleet.getMetadata().setGeneration(7L);
    return fleet;
  }

  public FleetSample spec(UnaryOperator<SeiNodeDeploymentSpec> change) {
    SeiNodeDeployment changed = build();
    changed.setSpec(change.apply(fleet.getSpec()));
    return new FleetSample(changed, children, revisions, live);
  }

  /** Changes the spec of the nodes in the template. */
  public FleetSample template(UnaryOperator<SeiNodeSpec> change) {
    return spec(
        spec -> spec.withTemplate(spec.template().withSpec(change.apply(spec.template().spec()))));
  }

  /** The user edits the image of the template. */
  public FleetSample image(String image) {
    return template(spec -> spec.withImage(image));
  }

  public FleetSample annotation(String key, String value) {
    SeiNodeDeployment changed = build();
    changed.setMetadata(changed.getMetadata().edit().addToAnnotations(key, value).build());
    return new FleetSample(changed, children, revisions, live);
  }

  public FleetSample status(UnaryOperator<SeiNodeDeploymentStatus> change) {
    SeiNodeDeployment changed = build();
    changed.setStatus(change.apply(fleet.getStatus()));
    return new FleetSample(changed, children, revisions, live);
  }

  /** Gives the fleet all its nodes: they run its template and are Ready. */
  public FleetSample ready() {
    FleetSample full = this;
    for (int ordinal = 0; ordinal < fleet.getSpec().replicas(); ordinal++) {
      full = full.child(ordinal, fleet.getSpec().template().spec().image());
    }
    return full;
  }

  public FleetSample child(int ordinal, String image) {
    return child(ordinal, aChild(ordinal, image));
  }

  public FleetSample child(int ordinal, String image, UnaryOperator<NodeSample> change) {
    return child(ordinal, change.apply(aChild(ordinal, image)));
  }

  public FleetSample child(int ordinal, NodeSample child) {
    return child(ordinal, child.build());
  }

  public FleetSample child(int ordinal, SeiNode child) {
    return new FleetSample(
        fleet, appended(children, new FleetView.Child(child, ordinal)), revisions, live);
  }

  /** Adds the nodes from ordinal 0 on, each as its words say: {@code "ready, paused outdated"}. */
  public FleetSample children(
      String image, String words, Map<String, UnaryOperator<NodeSample>> own) {
    String[] nodes = words.split(",\\s*");
    FleetSample fleet = this;
    for (int ordinal = 0; ordinal < nodes.length; ordinal++) {
      fleet = fleet.child(ordinal, aChild(ordinal, image).words(nodes[ordinal], own));
    }
    return fleet;
  }

  /** The pod of a node was read live and was Ready. */
  public FleetSample readyLive(int ordinal) {
    var all = new HashMap<>(live);
    all.put("fleet-" + ordinal, Optional.of(LONG_AGO));
    return new FleetSample(fleet, children, revisions, Map.copyOf(all));
  }

  /** Keeps the template with an image as a ControllerRevision. */
  public FleetSample kept(String image) {
    return kept(hash(image), template(image));
  }

  /** Keeps the template with an image and with changes that are no part of its hash. */
  public FleetSample kept(String image, UnaryOperator<SeiNodeSpec> change) {
    NodeTemplate template = template(image);
    return kept(hash(image), template.withSpec(change.apply(template.spec())));
  }

  public FleetSample keptRestarted(String image, String restart) {
    NodeTemplate template = restarted(image, restart);
    return kept(hash(template), template);
  }

  public FleetSample kept(List<ControllerRevision> all) {
    return new FleetSample(fleet, children, List.copyOf(all), live);
  }

  private FleetSample kept(String hash, NodeTemplate template) {
    ControllerRevision revision = revision(hash, template, revisions.size() + 1);
    return new FleetSample(fleet, children, appended(revisions, revision), live);
  }

  private static <T> List<T> appended(List<T> list, T element) {
    return Stream.concat(list.stream(), Stream.of(element)).toList();
  }

  public SeiNodeDeployment build() {
    SeiNodeDeployment built = Samples.fleet("", "", fleet.getSpec());
    built.setMetadata(new ObjectMetaBuilder(fleet.getMetadata()).build());
    built.setStatus(fleet.getStatus());
    return built;
  }

  public FleetView view() {
    SeiNodeDeployment built = build();
    NodeTemplate template = ChildRenderer.template(built);
    return FleetViewBuilder.builder()
        .deployment(built)
        .stored(RecordedConditions.of(built.getStatus()))
        .template(template)
        .templateHash(ChildRenderer.hash(built, template))
        .children(children)
        .revisions(new Revisions(revisions, KubernetesClients.serialization()))
        .live(live)
        .sources(DisruptionSource.among(OfflineFleet.FEATURES))
        .confirmation(OfflineFleet.CONFIRMATION)
        .now(NOW)
        .build();
  }

  public FleetPass pass() {
    return new FleetPass(view(), live -> live);
  }
}
