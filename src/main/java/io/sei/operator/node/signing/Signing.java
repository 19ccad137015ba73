package io.sei.operator.node.signing;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.PodParts;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Keys of validators and seeds: their Secrets in pods, and the lock of a signing key. */
public final class Signing {

  private final KubeApi api;
  private final SigningScope scope;

  private Signing(KubeApi api, Optional<SigningKeyLock> lock) {
    this.api = api;
    this.scope = new SigningScope(lock);
  }

  /**
   * Locks a signing key in the whole cluster, by its record.
   *
   * @param namespaces where the operator may look; empty for the whole cluster
   * @param isEndReported whether the kubelet reported the end of a pod, by its uid, before it went
   * @param memory by which nodes are woken that share a key
   */
  public static Signing inCluster(
      KubeApi api,
      Set<String> namespaces,
      Predicate<String> isEndReported,
      PerObjectState<ResourceID> memory) {
    var lastPods = new LastPods(api, isEndReported, memory);
    var usage = new KeyUsageIndex(api, namespaces, lastPods);
    return new Signing(api, Optional.of(new SigningKeyLock(api, usage, memory)));
  }

  /** Locks a signing key within each namespace, by the statuses of its nodes. */
  public static Signing inNamespaces(KubeApi api) {
    return new Signing(api, Optional.empty());
  }

  /** The feature that shapes pods and vetoes them. */
  public NodeFeature keys(NodeCaches caches, DataClaim claims, OwnedObjectSync owned) {
    return new Keys(
        new KeyTasks(api, new SigningKeyGuard(api, scope)),
        new SigningClaim(claims),
        new RemoteSigning(api, caches, owned));
  }

  /**
   * The feature that records and reports what signs.
   *
   * @param keys the key that the running seid of a node signs with; empty if it is not known
   */
  public NodeFeature records(
      Function<NodeView, Optional<String>> keys, Polling<ResourceID> polling) {
    return new Records(
        new KeyConditions(new SignersKey(keys), new ChangedSecret(api, scope, polling)),
        new SignatureRecord(),
        new OtherSigner(),
        new SigningRecords(api, scope),
        new NodeIdRecord(api));
  }

  /** Brings keys into pods, and lets one node sign with a key. */
  record Keys(KeyTasks tasks, SigningClaim claim, RemoteSigning remote) implements NodeFeature {

    @Override
    public Next observe(NodePass pass) {
      return claim.observe(pass);
    }

    @Override
    public void pod(SeiNode node, PodParts pod) {
      tasks.pod(node, pod);
      remote.pod(node, pod);
    }

    @Override
    public void config(NodeView view, ConfigParts parts) {
      remote.config(view, parts);
    }

    @Override
    public void operations(OperationParts operations) {
      tasks.operations(operations);
    }

    @Override
    public Veto veto(IrreversibleAct act, NodePass pass) {
      return tasks.veto(act, pass);
    }

    @Override
    public void keep(NodePass pass) {
      remote.keep(pass);
    }

    @Override
    public void conditions(ConditionParts conditions) {
      conditions.record(AwaitedKeys::record);
    }
  }

  /** Records and reports the keys that sign; a record that is refused holds no other feature up. */
  record Records(
      KeyConditions conditions,
      SignatureRecord signatures,
      OtherSigner others,
      SigningRecords records,
      NodeIdRecord nodeIds)
      implements NodeFeature {

    @Override
    public Next protect(NodePass pass) {
      return records.protect(pass);
    }

    @Override
    public void keep(NodePass pass) {
      records.keep(pass);
      nodeIds.keep(pass);
    }

    @Override
    public void conditions(ConditionParts parts) {
      conditions.conditions(parts);
      signatures.conditions(parts);
      others.conditions(parts);
      records.conditions(parts);
    }
  }
}
