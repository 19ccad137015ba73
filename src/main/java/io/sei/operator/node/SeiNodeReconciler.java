package io.sei.operator.node;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The framework's side of the SeiNode controller: watches, wake-ups and errors. */
@ControllerConfiguration(name = SeiNodeReconciler.NAME)
public final class SeiNodeReconciler implements Reconciler<SeiNode> {

  /** Name of the controller, of its field manager and of its events' source. */
  public static final String NAME = "seinode-controller";

  private static final Logger log = LoggerFactory.getLogger(SeiNodeReconciler.class);

  /** The watch brings the newer version within moments; an event ends the wait. */
  private static final Duration AFTER_CONFLICT = Duration.ofMillis(200);

  /** The framework cannot take zero. */
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final Function<NodeCaches, NodePipeline> assembly;
  private final SidecarMonitor sidecars;
  private volatile NodePipeline pipeline;
  private volatile IndexerResourceCache<SeiNode> nodes;

  /**
   * @param assembly makes the pipeline once the caches are there
   */
  public SeiNodeReconciler(SidecarMonitor sidecars, Function<NodeCaches, NodePipeline> assembly) {
    this.sidecars = sidecars;
    this.assembly = assembly;
  }

  /**
   * Whether an update of a node concerns the operator: its own status writes do not, but
   * annotations do, which the framework leaves out by default.
   */
  public static boolean concerns(SeiNode now, SeiNode before) {
    return !Objects.equals(now.getMetadata().getGeneration(), before.getMetadata().getGeneration())
        || now.isMarkedForDeletion() != before.isMarkedForDeletion()
        || !Objects.equals(
            now.getMetadata().getAnnotations(), before.getMetadata().getAnnotations())
        || !Objects.equals(now.getMetadata().getFinalizers(), before.getMetadata().getFinalizers())
        || now.isMarkedForDeletion();
  }

  /** Every node in the cache; none before the controller was registered. */
  public Stream<SeiNode> nodes() {
    return nodes == null ? Stream.of() : nodes.list();
  }

  @Override
  public List<EventSource<?, SeiNode>> prepareEventSources(EventSourceContext<SeiNode> context) {
    var caches = new NodeCaches(context);
    pipeline = assembly.apply(caches);
    nodes = context.getPrimaryCache();
    var sources = new ArrayList<EventSource<?, SeiNode>>(caches.eventSources());
    sources.add(sidecars);
    return sources;
  }

  @Override
  public UpdateControl<SeiNode> reconcile(SeiNode node, Context<SeiNode> context) {
    if (context.isPrimaryResourceDeleted()) {
      pipeline.forget(ResourceID.fromResource(node));
      return UpdateControl.noUpdate();
    }
    try {
      return control(pipeline.run(node, context).orElse(null));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      log.debug("Something changed during the reconcile, reading again: {}", e.getMessage());
      return control(AFTER_CONFLICT);
    } catch (Error e) {
      // The framework never again reconciles a resource whose reconcile ended in an Error.
      throw new IllegalStateException("reconcile ended in " + e, e);
    }
  }

  private static UpdateControl<SeiNode> control(Duration recheck) {
    UpdateControl<SeiNode> control = UpdateControl.noUpdate();
    if (recheck != null) {
      control.rescheduleAfter(recheck.compareTo(AT_ONCE) < 0 ? AT_ONCE : recheck);
    }
    return control;
  }
}
