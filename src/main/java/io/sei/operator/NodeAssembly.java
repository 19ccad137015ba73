package io.sei.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.node.BackgroundReads;
import io.sei.operator.node.LostStatus;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.config.ConfigRestart;
import io.sei.operator.node.config.Configuration;
import io.sei.operator.node.config.ResolvedPeers;
import io.sei.operator.node.config.SeidRestart;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.hold.Hold;
import io.sei.operator.node.objects.ExporterReady;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.node.objects.Replay;
import io.sei.operator.node.rollout.InPlaceUpdate;
import io.sei.operator.node.rollout.LeavingMachine;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.node.rollout.RestartBackOffs;
import io.sei.operator.node.rollout.UpdatePulls;
import io.sei.operator.node.signing.Signing;
import io.sei.operator.node.sync.BucketSnapshots;
import io.sei.operator.node.sync.ChainSync;
import io.sei.operator.node.sync.Frozen;
import io.sei.operator.node.sync.GivenGenesis;
import io.sei.operator.node.sync.StateSync;
import io.sei.operator.node.upgrade.Upgrades;
import io.sei.operator.node.volume.DataLifecycle;
import io.sei.operator.node.volume.VolumeChanges;
import io.sei.operator.node.volume.VolumeProtection;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Labels;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Lists the features of a SeiNode in the order in which a pass asks them. Each hook of {@link
 * NodeFeature} is called on all features in that order.
 */
public final class NodeAssembly {

  private final NodePorts ports;
  private final NodeCaches caches;
  private final NodeCore core;
  private final Signing signing;

  public NodeAssembly(NodePorts ports, NodeCaches caches) {
    this.ports = ports;
    this.caches = caches;
    this.core = new NodeCore(ports, caches);
    var process = ports.config().process();
    this.signing =
        process.signsByNamespace()
            ? Signing.inNamespaces(core.api)
            : Signing.inCluster(
                core.api, process.watchNamespaces(), caches::hasReportedEnd, ports.memory());
  }

  /** The controller, in which passes ask the features that are on: outside of tests, all. */
  Kernel<SeiNode, ?, ?> kernel(Predicate<NodeFeature> on) {
    Applier applier = core.applier();
    var owned = new OwnedObjectSync(new OwnedObjects(core.api, applier, Labels.NODE), caches);
    List<NodeFeature> podFeatures = podFeatures(owned).stream().filter(on).toList();
    NodeObjects objects = core.objects(podFeatures, applier, owned);
    BackgroundReads reads = core.reads();
    var diagnosis = new NodeDiagnosis(core.live, reads.logs());
    var lostStatus = new LostStatus(ports.sidecar(), objects);
    List<NodeFeature> features =
        features(podFeatures, lostStatus, diagnosis, caches::pod).stream().filter(on).toList();
    return core.kernel(podFeatures, features, objects, reads, diagnosis);
  }

  /** Features that shape a pod or its files, or veto an act; renderers are built with them. */
  public List<NodeFeature> podFeatures(OwnedObjectSync owned) {
    boolean retainsVolumes = ports.config().process().retainVolumes();
    return List.of(
        new ResolvedPeers(),
        new Replay(),
        new VolumeProtection(core.api, caches, owned, core.volumes, retainsVolumes),
        signing.keys(caches, core.claims, owned),
        new GivenGenesis(core.api),
        new BucketSnapshots(),
        new StateSync(),
        new Frozen(),
        new Hold(),
        new LeavingMachine(
            core.live::machine,
            node -> core.volumes.volume(node).flatMap(VolumeFacts::onlyNode).isPresent()),
        new DataLifecycle(core.api, core.claims, core.volumes));
  }

  /**
   * Every feature: those of pods first.
   *
   * @param reported pod of a node as its kubelet reports it
   */
  public List<NodeFeature> features(
      List<NodeFeature> podFeatures,
      LostStatus lostStatus,
      NodeDiagnosis diagnosis,
      Function<SeiNode, Optional<Pod>> reported) {
    var pollers = ports.pollers();
    var polling = ports.polling();
    var vetoes = new Vetoes(podFeatures);
    var puller = new ImagePuller(core.api, ports.memory(), ports.steady());
    List<NodeFeature> others =
        List.of(
            lostStatus,
            new Upgrades(
                core.api,
                caches,
                core.claims,
                puller,
                ports.releases(),
                core.running,
                core.volumes::volume),
            new VolumeChanges(
                core.api, caches, vetoes, core.volumes, pollers.usage(), ports.memory()),
            new ChainSync(pollers.sync(), core.logs::endOfNewest, polling),
            new ExporterReady(core.logs::beginningOfExporter, ports.releases(), polling),
            podUpdates(vetoes, puller, diagnosis, reported),
            new Configuration(podFeatures, configRestart(vetoes)),
            signing.records(pollers.sync()::signingKey, polling));
    return Stream.concat(podFeatures.stream(), others.stream()).toList();
  }

  private PodUpdates podUpdates(
      Vetoes vetoes,
      ImagePuller puller,
      NodeDiagnosis diagnosis,
      Function<SeiNode, Optional<Pod>> reported) {
    var pulls =
        new UpdatePulls(
            puller,
            namespace -> caches.nodes(namespace).flatMap(node -> caches.pod(node).stream()),
            core.live::isMachineLost,
            ports.memory().newMap());
    return new PodUpdates(
        core.api,
        caches,
        vetoes,
        new InPlaceUpdate(
            core.api,
            caches,
            core.live::isMachineLost,
            core.deadline,
            pulls,
            ports.metrics().registry()),
        pulls,
        new RestartBackOffs(reported, ports.memory(), core.live::machineTakesPods),
        pass -> diagnosis.of(pass),
        ports.config().pod().updatedInPlace());
  }

  private ConfigRestart configRestart(Vetoes vetoes) {
    return new ConfigRestart(
        ports.sidecar(),
        new SeidRestart(new PodDeletion(core.api, caches), vetoes),
        ports.config().pod().configuredAtStart());
  }
}
