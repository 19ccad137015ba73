package io.sei.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.chain.Releases;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.node.KubernetesNodes;
import io.sei.operator.node.PodAccess;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.Sidecars;
import io.sei.operator.takeover.TakeoverGate;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Clock;
import java.util.function.Supplier;

/** Parts of the process that the SeiNode controller shares with others, or is configured by. */
@RecordBuilder
public record NodePorts(
    OperatorConfig config,
    KubernetesClient client,
    PerObjectState<ResourceID> memory,
    KubernetesNodes kubernetesNodes,
    PodAccess access,
    SidecarClient sidecar,
    Sidecars sidecars,
    HttpChainClient chain,
    Supplier<Releases> releases,
    NodePollers pollers,
    FairExecutor<ResourceID> logReads,
    Polling<ResourceID> polling,
    TakeoverGate takeover,
    EventRecorder events,
    OperatorMetrics metrics,
    Clock clock,
    Clock steady) {}
