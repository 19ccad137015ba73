package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Plays scheduler, kubelet and volume binder for the pods of one namespace, or of all: binds claims
 * and pods, starts containers, reports their status, and ends deleted pods. Nothing is really run.
 * The container {@code seid} becomes ready when the node's sidecar has been marked ready, every
 * other container at once. In a pod that restarts nothing {@code seid} ends well at that moment,
 * unless a fault keeps it from getting ready. A sidecar exits with code 1 where its environment
 * lacks what a {@link SidecarEnvironment} demands.
 *
 * <p>It ignores resource requests, affinities and tolerations, and has one node of its own. Faults
 * can be injected at any time and act on pods that run already, see {@link PodFault}. It starts
 * when it is made and leaves all objects as they are when it is closed; at most one instance plays
 * for a namespace at a time.
 */
public final class KubeletSimulator implements AutoCloseable {
  private static final String NODE_NAME = "sim-node-0";

  private static final int POD_THREADS = 8;
  private static final int CLAIM_THREADS = 4;

  private final String nodeName;
  private final FaultRegistry faults = new FaultRegistry();
  private final PodHistory history;
  private final PodLifecycle lifecycle;
  private final VolumeBinder volumes;
  private final NodeHeartbeat heartbeat;
  private final SidecarSimulator sidecar;
  private final KeyedExecutor<ObjectKey> podWork;
  private final KeyedExecutor<ObjectKey> claimWork;
  private final SharedIndexInformer<PersistentVolumeClaim> claims;
  private final SharedIndexInformer<Pod> pods;

  /** Plays for all namespaces with {@link KubeletTiming#fast()}. */
  public KubeletSimulator(KubernetesClient client, SidecarSimulator sidecar) {
    this(client, sidecar, KubeletTiming.fast());
  }

  /** Plays for all namespaces with this timing. */
  public KubeletSimulator(KubernetesClient client, SidecarSimulator sidecar, KubeletTiming timing) {
    this(client, null, NODE_NAME, sidecar, timing);
  }

  private KubeletSimulator(
      KubernetesClient client,
      String namespace,
      String nodeName,
      SidecarSimulator sidecar,
      KubeletTiming timing) {
    Clock clock = Clock.systemUTC();
    this.sidecar = sidecar;
    this.nodeName = nodeName;
    history = new PodHistory(clock);
    heartbeat = new NodeHeartbeat(client, nodeName, clock);
    volumes = new VolumeBinder(client);
    lifecycle =
        new PodLifecycle(
            new PodApi(client),
            sidecar,
            faults,
            timing,
            nodeName,
            clock,
            new PodVolumes(this::cachedClaim),
            this::wakePod);
    podWork =
        new KeyedExecutor<>(
            "kubelet-pods", POD_THREADS, key -> lifecycle.step(key, cachedPod(key)));
    claimWork =
        new KeyedExecutor<>(
            "kubelet-claims", CLAIM_THREADS, key -> volumes.step(key, cachedClaim(key)));
    heartbeat.start(timing.heartbeat());
    claims =
        (namespace == null
                ? client.persistentVolumeClaims().inAnyNamespace()
                : client.persistentVolumeClaims().inNamespace(namespace))
            .runnableInformer(0);
    claims.addEventHandler(new ClaimEvents());
    pods =
        (namespace == null ? client.pods().inAnyNamespace() : client.pods().inNamespace(namespace))
            .runnableInformer(0);
    pods.addEventHandler(new PodEvents());
    if (sidecar != null) {
      sidecar.onReadyChange(this::readyChanged);
    }
    claims.run();
    pods.run();
  }

  /**
   * Plays for one namespace, with a node of its own, so that several of them get along with each
   * other. The sidecar may be null: seid is ready at once.
   */
  public static KubeletSimulator inNamespace(
      KubernetesClient client, SidecarSimulator sidecar, String namespace) {
    return inNamespace(client, sidecar, namespace, KubeletTiming.fast());
  }

  /** A kubelet for one namespace with this timing. */
  public static KubeletSimulator inNamespace(
      KubernetesClient client, SidecarSimulator sidecar, String namespace, KubeletTiming timing) {
    return new KubeletSimulator(client, namespace, nodeName(namespace), sidecar, timing);
  }

  private static String nodeName(String namespace) {
    return "sim-node-" + Digests.sha256(namespace).substring(0, 8);
  }

  /** Returns a kubelet on a node of this name: pods of another node are not its own. */
  public static KubeletSimulator onNode(
      KubernetesClient client, SidecarSimulator sidecar, String namespace, String nodeName) {
    return new KubeletSimulator(client, namespace, nodeName, sidecar, KubeletTiming.fast());
  }

  /** The node that every pod is bound to. */
  public String nodeName() {
    return nodeName;
  }

  /** Has the API server ask for logs at this port of 127.0.0.1, over TLS; else none can be read. */
  public void serveLogs(int port) {
    heartbeat.listenAt(port);
  }

  /** Injects a fault for every pod of this name, now and after a replacement. */
  public void inject(String namespace, String podName, PodFault fault) {
    ObjectKey pod = new ObjectKey(namespace, podName);
    faults.inject(pod, fault);
    podWork.wake(pod);
  }

  /** Injects a fault for every pod with a container of this image. */
  public void injectForImage(String image, PodFault fault) {
    faults.injectForImage(image, fault);
    wakeAllPods();
  }

  /**
   * Halts the pod at the height of an upgrade, for as long as it runs the image it runs now: the
   * halt comes back with the same image, and ends with another one.
   *
   * @throws IllegalStateException when there is no such pod
   */
  public void halt(String namespace, String podName, String upgradeName, long height) {
    ObjectKey key = new ObjectKey(namespace, podName);
    Pod pod = cachedPod(key).orElseThrow(() -> new IllegalStateException("There is no pod " + key));
    String image = PodShape.mainContainer(pod).getImage();
    faults.halt(key, image, new PodFault.HaltedAtUpgrade(upgradeName, height));
    podWork.wake(key);
  }

  /** Clears the faults injected for pods of this name; those of its image stay. */
  public void clear(String namespace, String podName) {
    ObjectKey pod = new ObjectKey(namespace, podName);
    faults.clear(pod);
    podWork.wake(pod);
  }

  /** Clears the faults injected for this image. */
  public void clearImage(String image) {
    faults.clearImage(image);
    wakeAllPods();
  }

  /** Clears all faults of pods and images. */
  public void clearAll() {
    faults.clearAll();
    wakeAllPods();
  }

  /** Leaves pending claims unbound while true. */
  public void holdVolumeBinding(boolean hold) {
    volumes.hold(hold);
    if (!hold) {
      claims.getStore().list().forEach(claim -> claimWork.wake(ObjectKey.of(claim)));
    }
  }

  /**
   * Cuts the node off: no heartbeats, {@code Ready=Unknown}, its pods marked unready once, as the
   * node lifecycle controller does, and no longer touched. Their sidecars are unreachable though
   * they run on. Pods are not evicted: that takes five minutes in a cluster.
   */
  public void loseNode() {
    if (sidecar != null) {
      sidecar.cutOff(true);
    }
    loseKubelet();
  }

  /** Ends the kubelet alone: the processes at the addresses of its pods still answer. */
  public void loseKubelet() {
    lifecycle.nodeLost(true);
    heartbeat.lose();
    wakeAllPods();
  }

  /** Brings the node back; its pods run on, and what was asked for meanwhile is done. */
  public void recoverNode() {
    heartbeat.recover();
    lifecycle.nodeLost(false);
    if (sidecar != null) {
      sidecar.cutOff(false);
    }
    wakeAllPods();
  }

  /** Another tag of an image: what is reported of it has the same id. */
  public static String anotherTagOf(String image) {
    return image + ContainerStatuses.ANOTHER_TAG;
  }

  /**
   * The kubelet neither hears nor says anything from now on, though its node is not missed yet: its
   * containers go on as they were asked to until now.
   */
  public void freeze() {
    lifecycle.freeze(
        pods.getStore().list().stream().collect(Collectors.toMap(ObjectKey::of, pod -> pod)));
    wakeAllPods();
  }

  /**
   * A frozen kubelet says what became of the containers, of pods that it has just heard of, and
   * does nothing about them before {@link #thaw()}. A real one does so in one go.
   */
  public void report() {
    lifecycle.reportFrozen();
    wakeAllPods();
  }

  /** The kubelet does what was asked for meanwhile. */
  public void thaw() {
    lifecycle.thaw();
    wakeAllPods();
  }

  /** The pod instances seen under this name, oldest first. */
  public List<PodRecord> history(String namespace, String podName) {
    return history.of(new ObjectKey(namespace, podName));
  }

  /** Stops; pods, claims and the node stay as they are. */
  @Override
  public void close() {
    pods.stop();
    claims.stop();
    podWork.close();
    claimWork.close();
    heartbeat.close();
  }

  private Optional<Pod> cachedPod(ObjectKey key) {
    return Optional.ofNullable(pods.getStore().getByKey(cacheKey(key)));
  }

  private Optional<PersistentVolumeClaim> cachedClaim(ObjectKey key) {
    return Optional.ofNullable(claims.getStore().getByKey(cacheKey(key)));
  }

  private static String cacheKey(ObjectKey key) {
    return Cache.namespaceKeyFunc(key.namespace(), key.name());
  }

  private void wakePod(ObjectKey pod) {
    podWork.wake(pod);
  }

  private void wakeAllPods() {
    pods.getStore().list().forEach(pod -> podWork.wake(ObjectKey.of(pod)));
  }

  private void readyChanged(String namespace, String node) {
    pods.getStore().list().stream()
        .filter(pod -> namespace.equals(pod.getMetadata().getNamespace()))
        .filter(pod -> PodShape.seiNode(pod).filter(node::equals).isPresent())
        .forEach(pod -> podWork.wake(ObjectKey.of(pod)));
  }

  private final class PodEvents implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      history.seen(pod);
      podWork.wake(ObjectKey.of(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      // A watch that was interrupted can miss the end of one pod and the start of the next.
      if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
        history.gone(before);
      }
      onAdd(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean finalStateUnknown) {
      history.gone(pod);
      podWork.wake(ObjectKey.of(pod));
    }
  }

  private final class ClaimEvents implements ResourceEventHandler<PersistentVolumeClaim> {
    @Override
    public void onAdd(PersistentVolumeClaim claim) {
      claimWork.wake(ObjectKey.of(claim));
      pods.getStore().list().stream()
          .filter(pod -> pod.getSpec().getNodeName() == null)
          .filter(pod -> PodVolumes.claimNames(pod).contains(claim.getMetadata().getName()))
          .forEach(pod -> podWork.wake(ObjectKey.of(pod)));
    }

    @Override
    public void onUpdate(PersistentVolumeClaim before, PersistentVolumeClaim claim) {
      onAdd(claim);
    }

    @Override
    public void onDelete(PersistentVolumeClaim claim, boolean finalStateUnknown) {
      volumes.gone(claim);
      onAdd(claim);
    }
  }
}
