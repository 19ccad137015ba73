package io.sei.operator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RegisteredController;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.base.ReconcileThreads;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.chain.KnownReleases;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SyncState;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.config.Shard;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.SeiNodeDeploymentReconciler;
import io.sei.operator.fleet.feature.ReadyConfirmation;
import io.sei.operator.fleet.genesis.BlockProduction;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.ListPages;
import io.sei.operator.kube.ReconcileGate;
import io.sei.operator.kube.ReconcileTrigger;
import io.sei.operator.kube.ServiceAccountTokens;
import io.sei.operator.kube.SharedRecords;
import io.sei.operator.kube.WatchMonitor;
import io.sei.operator.node.ChainPoller;
import io.sei.operator.node.KubernetesNodes;
import io.sei.operator.node.PodAccess;
import io.sei.operator.node.SeiNodeReconciler;
import io.sei.operator.node.SidecarCredentials;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.sync.SyncPoller;
import io.sei.operator.node.volume.HttpUsageClient;
import io.sei.operator.node.volume.UsagePoller;
import io.sei.operator.observability.HealthReport;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.BackingOffSidecarClient;
import io.sei.operator.sidecar.HttpSidecarClient;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.Sidecars;
import io.sei.operator.takeover.OperatorLeases;
import io.sei.operator.takeover.OtherInstallation;
import io.sei.operator.takeover.TakeoverGate;
import io.sei.operator.task.SeiNodeTaskReconciler;
import io.sei.operator.task.TaskController;
import io.sei.operator.task.TasksOfNodes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operator, put together: what runs in the process, and in tests inside another. */
public final class SeiOperator implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SeiOperator.class);

  /** Reconciles in flight get this long to end; the pod's own grace period must be longer. */
  private static final Duration SHUTDOWN = Duration.ofSeconds(10);

  /** Reads of pod logs at a time: each may hold a MiB and take the kubelet ten seconds. */
  private static final int LOG_READS = 8;

  private static final int LOG_SHARE = 2;

  /** Requests to the RPC of nodes at a time; one that is not answered takes two seconds. */
  private static final int POLLS = 64;

  private static final int POLL_SHARE = 8;

  /** Requests to sidecars at a time: hundreds of dead ones in a namespace delay no healthy one. */
  private static final int SIDECAR_POLLS = 512;

  private static final int SIDECAR_POLL_SHARE = 32;

  /** Checks of watches within the permitted silence: renewals are an eighth late at most. */
  private static final int LOOKS_PER_SILENCE = 8;

  private static final List<Supplier<? extends CustomResource<?, ?>>> KINDS =
      List.of(SeiNode::new, SeiNodeDeployment::new, SeiNodeTask::new);

  private final TasksOfNodes tasks;
  private final PerObjectState<ResourceID> fleetMemory = new PerObjectState<>();
  private final PerObjectMap<ResourceID, String> restartObstacles = fleetMemory.newMap();
  private final Shard shard;
  private final ReconcileGate gate;
  private final SteadyClock steady = new SteadyClock();
  private final ScheduledExecutorService sidecarRetries = threads(1, "sidecars");
  private final ExecutorService sidecarReads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("sidecar-reads-", 0).factory());
  private final ScheduledExecutorService usagePolls = threads(1, "usage");
  private final FairExecutor<ResourceID> logReads = fair("pod-logs", LOG_READS, LOG_SHARE);
  private final FairExecutor<ResourceID> polls = fair("polls", POLLS, POLL_SHARE);
  private final FairExecutor<ResourceID> sidecarPolls =
      fair("sidecar-polls", SIDECAR_POLLS, SIDECAR_POLL_SHARE);
  private final ScheduledExecutorService leaseLooks = threads(1, "leases");
  private final ScheduledExecutorService watchRenewals = threads(1, "watch-renewals");
  private final ScheduledExecutorService releaseLooks = threads(1, "releases");
  private final Clock clock;
  private final Operator framework;
  private final OperatorMetrics metrics;
  private final KubernetesNodes kubernetesNodes;
  private final PodAccess access;
  private final HttpSidecarClient sidecarHttp;
  private final SidecarClient sidecar;
  private final HttpChainClient chain;
  private final KnownReleases releases;
  private final Optional<HttpUsageClient> usage;
  private final ReconcileTrigger<SeiNode> nodeWakes = new ReconcileTrigger<>();
  private final PerObjectState<ResourceID> nodeMemory = new PerObjectState<>(nodeWakes::soon);
  private final NodePollers pollers;
  private final WatchMonitor watchMonitor;
  private final Duration watchSilence;
  private final EventRecorder nodeEvents;
  private final EventRecorder deploymentEvents;
  private final EventRecorder taskEvents;
  private final boolean managesAll;
  private final OtherInstallation otherInstallation;
  private final TakeoverGate takeover;
  private final SeiNodeReconciler nodes;
  private final SeiNodeDeploymentReconciler fleets;
  private final List<RegisteredController<?>> controllers;

  /**
   * Puts the operator together; asks the API server for nothing.
   *
   * @param client stays open when the operator is closed
   * @param watchMonitor of the client's watches
   * @param leaderElection empty where no other replica can be running
   * @param instance name of this process, for events
   * @param clock for what is stored and compared with the times of others
   */
  public SeiOperator(
      OperatorConfig config,
      KubernetesClient client,
      WatchMonitor watchMonitor,
      Optional<LeaderElectionConfiguration> leaderElection,
      String instance,
      Clock clock) {
    this(config, client, watchMonitor, leaderElection, instance, clock, () -> {}, feature -> true);
  }

  /**
   * Makes an operator for a process that ends when the operator can no longer see the cluster.
   *
   * @param onBlindness run when a watch has ended and is not renewed, since cached objects then
   *     become outdated
   * @param nodeFeatures those that are on, which outside of tests are all
   */
  public SeiOperator(
      OperatorConfig config,
      KubernetesClient client,
      WatchMonitor watchMonitor,
      Optional<LeaderElectionConfiguration> leaderElection,
      String instance,
      Clock clock,
      Runnable onBlindness,
      Predicate<NodeFeature> nodeFeatures) {
    this.clock = clock;
    this.watchMonitor = watchMonitor;
    this.watchSilence = config.process().watchSilence();
    this.shard = config.process().shard();
    this.gate = new ReconcileGate(shard::owns);
    this.metrics = new OperatorMetrics(clock);
    this.kubernetesNodes = new KubernetesNodes(new KubeApi(client), steady);
    this.access = new PodAccess(kubernetesNodes, credentials(config, client), clock);
    this.sidecarHttp = new HttpSidecarClient(config.sidecar(), access, metrics.registry());
    var backingOff =
        new BackingOffSidecarClient(sidecarHttp, nodeWakes::soon, sidecarReads, sidecarRetries);
    this.sidecar = backingOff;
    this.chain = new HttpChainClient(config.nodeRpc());
    this.usage =
        HttpUsageClient.of(
            config.prometheus(), config.process().watchNamespaces(), Names.CLAIM_PREFIX);
    var polling = new Polling<>(nodeMemory, polls, steady);
    this.pollers =
        new NodePollers(
            new ChainPoller(chain, clock, polling),
            new SyncPoller(chain, clock, polling),
            new UsagePoller(usage, config.prometheus().interval(), clock, nodeMemory, usagePolls));
    this.nodeEvents = new EventRecorder(client, SeiNodeReconciler.NAME, instance);
    this.deploymentEvents = new EventRecorder(client, SeiNodeDeploymentReconciler.NAME, instance);
    this.taskEvents = new EventRecorder(client, SeiNodeTaskReconciler.NAME, instance);
    this.managesAll = config.process().watchNamespaces().isEmpty();
    String own = config.leaderElection().leaseNamespace().orElse(client.getNamespace());
    this.releases = releases(config, client, own);
    metrics.ofReleases(() -> releases.problem().isPresent());
    var leases = new OperatorLeases(client);
    this.otherInstallation = new OtherInstallation(client, leases, own, steady);
    boolean takesSameLease =
        leaderElection.isPresent()
            && config.leaderElection().leaseName().equals(OperatorLeases.NAME);
    this.takeover =
        new TakeoverGate(
            leases::in,
            config.takeover(),
            Optional.ofNullable(own).filter(_ -> takesSameLease),
            steady);
    metrics.ofHandsOff(() -> handsOff().keySet().stream());
    var reconciles = new ReconcileThreads(config.process().reconcileThreads());
    metrics.ofWaits(reconciles::waiting, backingOff::slow);
    metrics.ofWatches(watchMonitor::age, watchMonitor::renewals);
    this.framework = framework(client, leaderElection, reconciles, onBlindness);
    this.tasks = new TasksOfNodes(this::height);
    this.nodes = nodes(config, client, nodeFeatures);
    this.fleets = fleets(config, client);
    this.controllers =
        List.of(
            framework.register(
                nodes,
                overrides -> {
                  configure(overrides, config, SeiNodeReconciler.NAME);
                  overrides.withOnUpdateFilter(nodes::concerns);
                }),
            framework.register(
                fleets,
                overrider -> configure(overrider, config, SeiNodeDeploymentReconciler.NAME)),
            registerTasks(config, client));
  }

  private Operator framework(
      KubernetesClient client,
      Optional<LeaderElectionConfiguration> leaderElection,
      ReconcileThreads reconciles,
      Runnable onBlindness) {
    return new Operator(
        overrides -> {
          overrides
              .withKubernetesClient(client)
              .withCloseClientOnStop(false)
              .withResourceCloner(new SharedRecords(KINDS, client.getKubernetesSerialization()))
              .withExecutorService(reconciles)
              .withReconciliationTerminationTimeout(SHUTDOWN)
              .withInformerStoppedHandler(
                  (informer, error) -> watchEnded(informer, error, onBlindness))
              .withMetrics(metrics.framework());
          leaderElection.ifPresent(overrides::withLeaderElectionConfiguration);
        });
  }

  private OptionalLong height(SeiNode node) {
    return pollers.sync().last(node).stream().mapToLong(SyncState::height).findAny();
  }

  private Optional<SidecarCredentials> credentials(OperatorConfig config, KubernetesClient client) {
    return config
        .sidecar()
        .account()
        .map(
            account ->
                new SidecarCredentials(
                    account, config.takeover(), new ServiceAccountTokens(client, steady)));
  }

  private KnownReleases releases(OperatorConfig config, KubernetesClient client, String namespace) {
    String name = config.process().releasesConfigMap();
    var api = new KubeApi(client);
    return new KnownReleases(
        namespace + "/" + name,
        () -> namespace == null ? Optional.empty() : api.get(ConfigMap.class, namespace, name),
        nodeEvents::record);
  }

  private static FairExecutor<ResourceID> fair(String name, int permits, int share) {
    return new FairExecutor<>(
        name, owner -> owner.getNamespace().orElse(""), new FairSemaphore(permits, share, share));
  }

  private static ScheduledExecutorService threads(int count, String name) {
    return Executors.newScheduledThreadPool(
        count, Thread.ofPlatform().daemon().name(name).factory());
  }

  private SeiNodeReconciler nodes(
      OperatorConfig config, KubernetesClient client, Predicate<NodeFeature> on) {
    NodePorts ports =
        NodePortsBuilder.builder()
            .config(config)
            .client(client)
            .memory(nodeMemory)
            .kubernetesNodes(kubernetesNodes)
            .access(access)
            .sidecar(sidecar)
            .sidecars(
                new Sidecars(
                    sidecar, new Polling<>(nodeMemory, sidecarPolls, steady), nodeWakes::within))
            .chain(chain)
            .releases(releases::current)
            .pollers(pollers)
            .logReads(logReads)
            .polling(new Polling<>(nodeMemory, logReads, steady))
            .takeover(takeover)
            .events(nodeEvents)
            .metrics(metrics)
            .clock(clock)
            .steady(steady)
            .build();
    return new SeiNodeReconciler(
        nodeWakes, nodeMemory, caches -> new NodeAssembly(ports, caches).kernel(on), gate);
  }

  private SeiNodeDeploymentReconciler fleets(OperatorConfig config, KubernetesClient client) {
    var assembly =
        new FleetAssembly(
            config.pod().configuredAtStart(),
            new ReadyConfirmation(
                config.process().confirmReadyAfterBlock(),
                config.process().confirmReadyWithoutBlock()),
            client,
            node ->
                pollers
                    .sync()
                    .last(node)
                    .map(state -> new BlockProduction.Block(state.height(), state.time())),
            kubernetesNodes::leaving,
            tasks::isSeidEndNear,
            tasks::requestsRestart,
            tasks::hasAbandonedRestart,
            restartObstacles,
            pollers.chains()::lastHeard,
            fleetMemory,
            takeover,
            deploymentEvents,
            metrics,
            clock,
            steady);
    return new SeiNodeDeploymentReconciler(fleetMemory, assembly::pipeline, gate);
  }

  private RegisteredController<SeiNodeTask> registerTasks(
      OperatorConfig config, KubernetesClient client) {
    var controller =
        new TaskController(
            new KubeApi(client),
            sidecar,
            chain,
            fleet -> restartObstacles.get(ResourceID.fromResource(fleet)),
            taskEvents,
            clock);
    return framework.register(
        new SeiNodeTaskReconciler(controller, tasks, gate),
        overrides -> configure(overrides, config, SeiNodeTaskReconciler.NAME));
  }

  /** Retries never stop, and nothing is looked at for longer than ten minutes without a reason. */
  private <P extends HasMetadata> void configure(
      ControllerConfigurationOverrider<P> overrides, OperatorConfig config, String fieldManager) {
    if (!config.process().watchNamespaces().isEmpty()) {
      overrides.settingNamespaces(config.process().watchNamespaces());
    }
    overrides
        .withGenerationAware(false)
        .withGenericFilter(gate::admits)
        .withOnUpdateFilter(ReconcileGate::concerns)
        .withTriggerReconcilerOnAllEvents(true)
        .withFieldManager(fieldManager)
        .withInformerListLimit(ListPages.SIZE)
        .withReconciliationMaxInterval(Duration.ofMinutes(10))
        .withRetry(
            new GenericRetry()
                .setInitialInterval(500)
                .setIntervalMultiplier(2)
                .setMaxInterval(60_000)
                .withoutMaxAttempts());
  }

  /** Before the first list has succeeded the start itself fails. */
  private static void watchEnded(
      SharedIndexInformer<?> informer, Throwable error, Runnable onBlindness) {
    if (error != null && informer.hasSynced()) {
      log.error(
          "The watch of {} was interrupted: {}",
          informer.getApiTypeClass(),
          error.getMessage(),
          error);
      onBlindness.run();
    }
  }

  /** Returns once no other operator that manages all namespaces runs, if this one does. */
  void awaitOtherInstallation() {
    if (managesAll) {
      Prerequisites.await(TakeoverGate.PERIOD, otherInstallation::obstacles);
    }
  }

  /** Starts watching, and reconciling once this process leads. Returns when the caches are full. */
  public void start() {
    if (takeover.isOpen()) {
      takeover.look();
      long gatePeriod = TakeoverGate.PERIOD.toMillis();
      leaseLooks.scheduleWithFixedDelay(
          takeover::look, gatePeriod, gatePeriod, TimeUnit.MILLISECONDS);
    }
    long period = watchSilence.dividedBy(LOOKS_PER_SILENCE).toMillis();
    watchRenewals.scheduleWithFixedDelay(
        () -> watchMonitor.renewSilent(watchSilence), period, period, TimeUnit.MILLISECONDS);
    releases.look();
    framework.start();
    long lookPeriod = KnownReleases.PERIOD.toMillis();
    releaseLooks.scheduleWithFixedDelay(
        this::readReleases, lookPeriod, lookPeriod, TimeUnit.MILLISECONDS);
    metrics.ofControllers(
        controllers.stream().map(controller -> controller.getConfiguration().getName()));
    // Before, there are no caches to read, and a scrape would fail.
    metrics.ofNodes(nodes::nodes, nodes::hasReadyPod);
    metrics.ofDeployments(fleets::deployments);
    metrics.ofShard(shard.index(), shard.count());
  }

  /** Reads the list of releases, and reconciles every node if it has changed. */
  private void readReleases() {
    Releases before = releases.current();
    releases.look();
    if (!before.equals(releases.current())) {
      nodes.nodes().map(ResourceID::fromResource).forEach(nodeMemory::wake);
    }
  }

  /** Metrics of the operator. */
  public OperatorMetrics metrics() {
    return metrics;
  }

  /** Adds to the operator's readiness what keeps its hands off. */
  HealthReport readiness(HealthReport report) {
    var problems = new ArrayList<String>();
    otherInstallation.waitsFor().values().forEach(finding -> problems.add(finding.message()));
    problems.addAll(report.problems());
    var notes = new ArrayList<>(report.notes());
    takeover
        .confirmed()
        .values()
        .forEach(finding -> notes.add("not taking over: " + finding.message()));
    releases.problem().ifPresent(notes::add);
    return new HealthReport(problems, notes);
  }

  private Map<String, Finding> handsOff() {
    var causes = new TreeMap<>(takeover.confirmed());
    causes.putAll(otherInstallation.waitsFor());
    return causes;
  }

  /** The framework, for its health. */
  public Operator framework() {
    return framework;
  }

  /** The controllers, for their health; the framework gives them out only once it is started. */
  List<RegisteredController<?>> controllers() {
    return controllers;
  }

  /** Ends reconciles in flight, then everything else; safe to call twice. */
  @Override
  public void close() {
    gate.shut(SHUTDOWN);
    framework.stop();
    List.of(sidecarRetries, sidecarReads, usagePolls, leaseLooks, watchRenewals, releaseLooks)
        .forEach(ExecutorService::shutdownNow);
    logReads.close();
    polls.close();
    sidecarPolls.close();
    nodeEvents.close();
    deploymentEvents.close();
    taskEvents.close();
    sidecarHttp.close();
    chain.close();
    usage.ifPresent(HttpUsageClient::close);
    metrics.close();
  }
}
