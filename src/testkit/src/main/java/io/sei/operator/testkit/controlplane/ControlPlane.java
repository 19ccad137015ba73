package io.sei.operator.testkit.controlplane;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A real etcd, kube-apiserver and kube-controller-manager on loopback. There is no scheduler and no
 * kubelet: pods are created and deleted as objects, but nothing runs them.
 *
 * <p>Its processes die with this JVM, even if the JVM is killed.
 */
public final class ControlPlane implements AutoCloseable {

  /** The user of {@link #client()} and {@link #kubectl(String...)}. */
  public static final String ADMIN = "admin";

  /**
   * The user an operator under test should be: the ServiceAccount that its admission policies name,
   * with every right.
   */
  public static final String OPERATOR = "system:serviceaccount:sei-operator:sei-operator";

  private static final String CONTROLLER_MANAGER = "kube-controller-manager";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
  private static final Duration KUBECTL_TIMEOUT = Duration.ofMinutes(2);

  private final Options options;
  private final RunDirectories directories;
  private final ComponentCommands commands;
  private final Credentials credentials;
  private final Thread shutdownHook = new Thread(this::stop, "control-plane-shutdown");

  private ComponentProcess etcd;
  private ComponentProcess apiServer;
  private ComponentProcess controllerManager;
  private KubernetesClient client;
  private ClusterCache cache;

  /**
   * How a control plane is to be set up.
   *
   * @param audit whether every request is written to {@link ControlPlane#auditLog()}
   * @param address where the API server listens; other than on loopback, a real kubelet is expected
   * @param apiServerFlags flags added to those of the kube-apiserver
   * @param controllerFlags flags added to those of the kube-controller-manager
   */
  public record Options(
      boolean audit, String address, List<String> apiServerFlags, List<String> controllerFlags) {

    /** Copies the flags. */
    public Options {
      apiServerFlags = List.copyOf(apiServerFlags);
      controllerFlags = List.copyOf(controllerFlags);
    }

    /** Returns the options without audit log, kubelet and extra flags. */
    public static Options defaults() {
      return new Options(false, "127.0.0.1", List.of(), List.of());
    }

    /**
     * Returns the options for a machine with this address, whose kubelet and pods have to reach it.
     */
    public Options at(String machine) {
      return new Options(audit, machine, apiServerFlags, controllerFlags);
    }

    /** Returns the options with the audit log on. */
    public Options withAuditLog() {
      return new Options(true, address, apiServerFlags, controllerFlags);
    }

    /** Returns the options with these flags added to the kube-apiserver's. */
    public Options withApiServerFlags(String... flags) {
      List<String> all = new ArrayList<>(apiServerFlags);
      all.addAll(List.of(flags));
      return new Options(audit, address, all, controllerFlags);
    }

    /** Returns the options under which a silent Node counts as lost after 20 s instead of 50. */
    public Options losingNodesSoon() {
      return new Options(
          audit,
          address,
          apiServerFlags,
          List.of("--node-monitor-grace-period=20s", "--node-monitor-period=1s"));
    }
  }

  /** Result of a run of kubectl. */
  public record KubectlResult(int exitCode, String stdout, String stderr) {}

  private ControlPlane(ControlPlaneBinaries binaries, Options options) {
    this.options = options;
    this.directories = RunDirectories.create();
    this.commands = new ComponentCommands(binaries, options.address(), freePorts());
    this.credentials = Credentials.create(directories.work(), ADMIN, OPERATOR, CONTROLLER_MANAGER);
  }

  /** Starts all components and returns when the API server is ready and the controllers work. */
  public static ControlPlane start(Options options) {
    ControlPlaneBinaries binaries = ControlPlaneBinaries.locate();
    try {
      return startOnce(binaries, options);
    } catch (ComponentFailedException e) {
      // Somebody else may have taken a port between its choice and its use.
      return startOnce(binaries, options);
    }
  }

  /** Starts all components with {@link Options#defaults()}. */
  public static ControlPlane start() {
    return start(Options.defaults());
  }

  private static ControlPlane startOnce(ControlPlaneBinaries binaries, Options options) {
    ControlPlane controlPlane = new ControlPlane(binaries, options);
    Runtime.getRuntime().addShutdownHook(controlPlane.shutdownHook);
    try {
      controlPlane.startEtcd();
      controlPlane.startApiServer();
      controlPlane.startControllerManager();
      controlPlane.awaitControllers();
      ControlPlaneSetup.FOUND.installOnStart(controlPlane.client());
      return controlPlane;
    } catch (RuntimeException e) {
      controlPlane.close();
      throw e;
    }
  }

  /** The address of the API server. */
  public String url() {
    return commands.apiServerUrl();
  }

  /** A kubeconfig for one of the users, {@link #ADMIN} or {@link #OPERATOR}. */
  public String kubeconfigYaml(String user) {
    return credentials.kubeconfig(user, url());
  }

  /** A file that holds {@link #kubeconfigYaml(String)}; it lives as long as this control plane. */
  public Path kubeconfig(String user) {
    // KUBECONFIG is a list of files, which a colon separates.
    return directories.write(
        "kubeconfig-" + user.replace(':', '-') + ".yaml", kubeconfigYaml(user));
  }

  /** A client configuration for one of the users that takes nothing from the environment. */
  public Config config(String user) {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl(url())
        .withCaCertData(credentials.authorityData())
        .withOauthToken(credentials.token(user))
        .withNamespace("default")
        .build();
  }

  /** The administrator's client; it is shared and closed with this control plane. */
  public synchronized KubernetesClient client() {
    if (client == null) {
      client = newClient(config(ADMIN));
    }
    return client;
  }

  /** Returns the cache of this control plane's objects; shared and closed with it. */
  public synchronized ClusterCache cache() {
    if (cache == null) {
      cache = new ClusterCache(client());
    }
    return cache;
  }

  /** A new client for one of the users, which the caller closes. */
  public KubernetesClient newClient(String user) {
    return newClient(config(user));
  }

  /** The version of the API server, such as {@code v1.20.2}. */
  public String serverVersion() {
    return client().getKubernetesVersion().getGitVersion();
  }

  /** The audit log: one JSON event at level Metadata per line, complete up to the last response. */
  public Path auditLog() {
    if (!options.audit()) {
      throw new IllegalStateException("this control plane was started without an audit log");
    }
    return directories.logs().resolve("audit.log");
  }

  /** Returns the directory of the components' logs; they outlive this control plane. */
  public Path logDirectory() {
    return directories.logs();
  }

  /** Kills the controller manager: from now on no controller acts. */
  public synchronized void stopControllerManager() {
    if (controllerManager != null) {
      controllerManager.kill();
      controllerManager = null;
    }
  }

  /** Starts the controller manager unless it runs; its controllers catch up soon after. */
  public synchronized void startControllerManager() {
    if (controllerManager == null) {
      controllerManager =
          ComponentProcess.start(
              CONTROLLER_MANAGER,
              directories.logs().resolve("kube-controller-manager.log"),
              commands.kubeControllerManager(
                  kubeconfig(CONTROLLER_MANAGER), credentials, options.controllerFlags()));
    }
  }

  /** Starts one more controller, which most tests have no use for, until it is killed. */
  public ComponentProcess startController(String name) {
    return ComponentProcess.start(
        name,
        directories.logs().resolve(name + "-controller.log"),
        commands.controller(name, kubeconfig(CONTROLLER_MANAGER)));
  }

  /** Kills the API server, starts it again at the same address and waits until it is ready. */
  public synchronized void restartApiServer() {
    apiServer.kill();
    startApiServer();
  }

  /** Runs kubectl as the administrator and waits for its end. */
  public KubectlResult kubectl(String... arguments) {
    return adminKubectl().run(KUBECTL_TIMEOUT, arguments);
  }

  /**
   * Runs a command that calls kubectl, as the administrator, and waits for its end.
   *
   * @param pathBefore directories that come first on its PATH; may be empty
   */
  public KubectlResult callingKubectl(String pathBefore, List<String> command) {
    return adminKubectl().run(KUBECTL_TIMEOUT, command, pathBefore);
  }

  /**
   * Starts a long-running command, as an administrator and with kubectl on its PATH. The caller
   * reads its output, and errors go where those of the tests go.
   */
  public Process start(List<String> command, Map<String, String> environment) throws IOException {
    return adminKubectl().start(command, environment);
  }

  private Kubectl adminKubectl() {
    return new Kubectl(commands.binaries().kubectl(), kubeconfig(ADMIN), directories);
  }

  /** Kills all components and removes their data; the logs stay. */
  @Override
  public void close() {
    stop();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and the hook has nothing left to do.
    }
  }

  private synchronized void stop() {
    if (cache != null) {
      cache.close();
      cache = null;
    }
    if (client != null) {
      client.close();
      client = null;
    }
    stopControllerManager();
    if (apiServer != null) {
      apiServer.kill();
    }
    if (etcd != null) {
      etcd.kill();
    }
    directories.deleteWork();
  }

  private void startEtcd() {
    Path data = directories.createDataDirectory();
    etcd =
        ComponentProcess.startWithScratch(
            "etcd", directories.logs().resolve("etcd.log"), data, commands.etcd(data));
    awaitReady(etcd, "etcd", () -> accepts("127.0.0.1", commands.ports().etcdClient()));
  }

  private void startApiServer() {
    List<String> flags = new ArrayList<>(options.apiServerFlags());
    if (options.audit()) {
      flags.addAll(auditFlags());
    }
    apiServer =
        ComponentProcess.start(
            "kube-apiserver",
            directories.logs().resolve("kube-apiserver.log"),
            commands.kubeApiServer(credentials, flags));
    awaitReady(
        apiServer,
        "kube-apiserver",
        () ->
            accepts(options.address(), commands.ports().apiServer())
                && credentials.hasServingCertificate());
    Config impatient =
        new ConfigBuilder(config(ADMIN))
            .withRequestRetryBackoffLimit(0)
            .withConnectionTimeout(1000)
            .withRequestTimeout(2000)
            .build();
    try (KubernetesClient probe = newClient(impatient)) {
      awaitReady(apiServer, "kube-apiserver", () -> isReady(probe));
    }
  }

  private List<String> auditFlags() {
    Path policy =
        directories.write(
            "audit-policy.yaml",
            """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules:
              - level: Metadata
            """);
    return List.of(
        "--audit-policy-file=" + policy,
        "--audit-log-path=" + auditLog(),
        // Far above any test's need: a rotated log would lose lines that are to be counted.
        "--audit-log-maxsize=10000");
  }

  /** The default service account is the first thing the controllers of a new cluster make. */
  private void awaitControllers() {
    awaitReady(
        controllerManager,
        CONTROLLER_MANAGER,
        () -> client().serviceAccounts().inNamespace("default").withName("default").get() != null);
  }

  private static void awaitReady(ComponentProcess process, String name, Callable<Boolean> ready) {
    try {
      await(name)
          .atMost(START_TIMEOUT)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                process.requireAlive();
                return ready.call();
              });
    } catch (ConditionTimeoutException e) {
      throw new ComponentFailedException(name + " was not ready in " + START_TIMEOUT, e);
    }
  }

  private static boolean isReady(KubernetesClient probe) {
    try {
      return "ok".equals(probe.raw("/readyz"));
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  private static KubernetesClient newClient(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .withKubernetesSerialization(ControlPlaneSetup.FOUND.serialization())
        .build();
  }

  private static boolean accepts(String address, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static ComponentCommands.Ports freePorts() {
    // Held open together, or the same port might be handed out twice.
    try (ServerSocket first = loopbackSocket();
        ServerSocket second = loopbackSocket();
        ServerSocket third = loopbackSocket()) {
      return new ComponentCommands.Ports(
          first.getLocalPort(), second.getLocalPort(), third.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerSocket loopbackSocket() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}
