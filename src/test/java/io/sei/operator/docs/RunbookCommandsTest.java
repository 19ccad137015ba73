package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of every runbook in the state that the runbook is for, with a real kubectl and
 * the plugin; {@code make test} runs a few of each verb. A command that writes is a dry run, so
 * that each finds the same state.
 */
class RunbookCommandsTest extends OperatorTestCase {

  private static final Path RUNBOOKS = Path.of("docs", "runbooks");
  private static final Path OPERATOR = Path.of("deploy", "kustomize", "base", "operator.yaml");
  private static final int THREADS = 4;

  /** Containers whose image has a shell and tools; those of sidecar and proxy are distroless. */
  private static final Set<String> WITH_SHELL = Set.of("seid");

  /** Commands that are judged by rule, since no kubelet runs containers here. */
  private static final Set<String> IN_CONTAINERS = Set.of("exec", "logs", "top");

  private static final Set<String> DRY_RUNS_OF_PLUGIN =
      Set.of(
          "restart",
          "rollback",
          "pause",
          "resume",
          "hold",
          "release",
          "grow",
          "set-image",
          "upgrades add",
          "retry",
          "reset-data");

  /** Secrets that exist in these states; in others a command creates one. */
  private static final Set<String> WITH_SECRET =
      Set.of("SigningKeyChanged", "SigningKeyInvalid", "KeySecretInvalid");

  private static final Pattern SPAN = Pattern.compile("kubectl .*\\b(?:NODE|NS|FLEET|CLASS)\\b.*");
  private static final Pattern VERB = Pattern.compile("^kubectl (?:-n \\S+ )?(\\S+)(.*)");
  private static final Pattern EXEC = Pattern.compile("(?: -it?)? \\S+-0(?: -c (\\S+))? -- .*");
  private static final Pattern CONTAINER = Pattern.compile(" -c (\\S+)");
  private static final Pattern OF_OTHER = Pattern.compile(" ((?:job|deploy)/\\S+).*");
  private static final Pattern PROXY = Pattern.compile(" --raw \\S+-0:(\\d+)/proxy/\\S+");
  private static final Pattern TIMEOUT = Pattern.compile("--timeout=\\S+");
  private static final Pattern HOLDS = Pattern.compile("^kubectl sei hold ");
  private static final Pattern RELEASES = Pattern.compile("^kubectl sei release ");

  /** Commands that are not run, each with the reason. */
  private static final Map<String, String> NOT_RUN =
      Map.of(
          "kubectl -n NS run seid-version",
          "no kubelet runs the container to its end here",
          "kubectl -n sei-operator get servicemonitor",
          "the kind is the Prometheus operator's, whose CRDs no test installs",
          "defaultRules:",
          "values of the chart kube-prometheus-stack",
          "helm upgrade sei-operator ",
          "ChartOnClusterTest upgrades the chart",
          "seid ",
          "typed into the shell that the command before opened in the container");

  private static final String THINGS_THEY_NAME =
      """
      apiVersion: snapshot.storage.k8s.io/v1
      kind: VolumeSnapshot
      metadata: {name: snapshot}
      spec: {source: {persistentVolumeClaimName: data-other}}
      ---
      apiVersion: v1
      kind: ResourceQuota
      metadata: {name: quota}
      spec: {hard: {pods: "1000"}}
      ---
      apiVersion: coordination.k8s.io/v1
      kind: Lease
      metadata: {name: bc1f5b0a.sei.io}
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: sei-releases}
      ---
      apiVersion: batch/v1
      kind: Job
      metadata: {name: ceremonyfailed-fleet-genesis}
      spec:
        suspend: true
        template: {spec: {restartPolicy: Never, containers: [{name: genesis, image: seid}]}}
      ---
      apiVersion: batch/v1
      kind: Job
      metadata: {name: sidecartaskfailed-bootstrap}
      spec:
        suspend: true
        template: {spec: {restartPolicy: Never, containers: [{name: seid, image: seid}]}}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata: {name: operator}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
      subjects: [{kind: ServiceAccount, name: sei-operator, namespace: sei-operator}]
      ---
      apiVersion: v1
      kind: Service
      metadata: {name: remotesignermissing-signer}
      spec: {ports: [{port: 26659}]}
      ---
      apiVersion: sei.io/v1alpha1
      kind: SeiNode
      metadata: {name: other}
      spec: {chainId: atlantic-2, image: "sei:a", validator: {}}
      """;

  /** Each run of kubectl is a process; PageNamesTest has every command of every page. */
  private static final int MOST_OF_A_VERB = Cases.count(2, Integer.MAX_VALUE);

  @TempDir Path directory;

  private TestStorageClass storageClass;

  /** None acts: nothing changes the states. */
  @Override
  protected void startOperator() {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR));
  }

  @AfterEach
  void deleteStorageClass() {
    storageClass.close();
  }

  @Test
  void everyCommandWorksInTheStateOfItsRunbook() throws Exception {
    createThingsTheyName();
    Map<Page, RunbookState> states = new LinkedHashMap<>();
    for (Page page : pages()) {
      states.put(page, RunbookState.of(client, namespace, name(page)));
    }
    createAll(states);
    assertNamesEveryPage(states.values());

    List<Callable<Optional<String>>> runs = new ArrayList<>();
    Map<String, Integer> ofVerb = new HashMap<>();
    Set<String> distinct = new HashSet<>();
    for (Map.Entry<Page, RunbookState> entry : states.entrySet()) {
      boolean isHeld = false;
      for (String command : commands(entry.getKey())) {
        boolean isHeldNow = isHeld;
        String verb = verbOf(command);
        // One that names no node is the same in every state, and a second restart within a second
        // is refused.
        boolean isNew =
            distinct.add(PageCommands.named(command, names(entry.getValue()), namespace));
        if (IN_CONTAINERS.contains(verb)
            || isNew && ofVerb.merge(verb, 1, Integer::sum) <= MOST_OF_A_VERB) {
          runs.add(() -> failure(entry.getValue(), command, isHeldNow));
        }
        isHeld = !RELEASES.matcher(command).find() && (isHeld || HOLDS.matcher(command).find());
      }
    }
    assertThat(ofVerb)
        .containsKeys("get", "describe", "patch", "annotate", "sei why", "sei restart");
    List<String> failures = inParallel(runs).stream().flatMap(Optional::stream).toList();
    assertThat(failures).as("%s", String.join("\n", failures)).isEmpty();
  }

  /** The verb of a command; that of the plugin is two words. */
  private static String verbOf(String command) {
    Matcher verb = VERB.matcher(command);
    if (!verb.matches()) {
      return command;
    }
    return verb.group(1).equals("sei")
        ? "sei " + verb.group(2).strip().split(" ")[0]
        : verb.group(1);
  }

  private void createAll(Map<Page, RunbookState> states) throws Exception {
    List<Callable<Boolean>> creations = new ArrayList<>();
    for (Map.Entry<Page, RunbookState> entry : states.entrySet()) {
      RunbookState state = entry.getValue();
      creations.add(Executors.callable(() -> state.create(kubelet), true));
      if (commands(entry.getKey()).stream().anyMatch(command -> command.contains("FLEET"))) {
        creations.add(Executors.callable(state::createFleet, true));
      }
    }
    inParallel(creations);
    eventually(() -> assertThat(states.values()).allMatch(RunbookState::isThere));
    states.values().stream()
        .filter(state -> state.page().equals("SeiDataVolumeAtRisk"))
        .forEach(RunbookState::nameVolume);
    // The states stay: none of their containers crashes again and again meanwhile.
    kubelet.close();
  }

  /** The first command of each page, for all states at once: it names the page of each. */
  private void assertNamesEveryPage(Collection<RunbookState> states) {
    String problems = sh("kubectl sei why -n " + namespace).stdout();
    assertThat(states)
        .filteredOn(RunbookState::isOfStalledNode)
        .allSatisfy(state -> assertThat(problems).contains("runbooks/" + state.page() + ".md"));
  }

  private static <T> List<T> inParallel(List<Callable<T>> tasks) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<T> results = new ArrayList<>();
      for (Future<T> task : threads.invokeAll(tasks)) {
        results.add(task.get());
      }
      return results;
    }
  }

  private static List<Page> pages() throws IOException {
    return Page.all().stream().filter(page -> RUNBOOKS.equals(page.path().getParent())).toList();
  }

  private static String name(Page page) {
    return page.path().getFileName().toString().replace(".md", "");
  }

  /**
   * Returns the commands of the blocks, and those of the text that name an object; a manifest is
   * applied.
   */
  private List<String> commands(Page page) throws IOException {
    List<String> commands = new ArrayList<>(PageCommands.typed(page).toList());
    page.spans().stream().filter(span -> SPAN.matcher(span).matches()).forEach(commands::add);
    for (Page.Block block : page.code()) {
      if (block.language().equals("yaml")) {
        commands.add(applying(block.text()));
      }
    }
    return commands;
  }

  /** A manifest is created, under a name that is free. */
  private String applying(String yaml) throws IOException {
    if (!yaml.startsWith("apiVersion:")) {
      return yaml.strip();
    }
    Path file = Files.createTempFile(directory, "manifest", ".yaml");
    String manifest =
        yaml.replace("NODE", "gone")
            .replace("CLASS", storageClass.name())
            .replace("VOLUME", "volume")
            .replace("SIZE", "10Gi")
            .replace("namespace: NS", "namespace: " + namespace);
    Files.writeString(file, manifest);
    return "kubectl -n NS create -f " + file;
  }

  /** Why a command does not work; empty if it does. */
  private Optional<String> failure(RunbookState state, String typed, boolean isHeld) {
    if (NOT_RUN.keySet().stream().anyMatch(typed::startsWith)) {
      return Optional.empty();
    }
    String command = PageCommands.named(typed, names(state), namespace);
    Matcher verb = VERB.matcher(command);
    if (!verb.matches()) {
      return Optional.of(state.page() + ": neither kubectl nor in NOT_RUN: " + typed);
    }
    Optional<String> failure =
        isInContainer(verb)
            ? refusal(state, verb, isHeld)
            : run(state, runnable(command, verb), verb.group(1));
    return failure.map(why -> "%s: %s%n    %s".formatted(state.page(), typed, why));
  }

  private static boolean isInContainer(Matcher command) {
    return IN_CONTAINERS.contains(command.group(1)) || PROXY.matcher(command.group(2)).matches();
  }

  private static String runnable(String command, Matcher verb) {
    return switch (verb.group(1)) {
      case "edit" -> "KUBE_EDITOR=true " + command;
      case "wait" -> TIMEOUT.matcher(command).replaceFirst("--timeout=1s");
      // No kubelet starts the container that -i would attach to.
      case "debug" -> command.replace(" -i ", " ");
      case "rollout" -> command;
      case "sei" -> runnableOfPlugin(command, verb.group(2).strip().split(" ")[0]);
      default -> PageCommands.harmless(command);
    };
  }

  private static String runnableOfPlugin(String command, String verb) {
    if (verb.equals("wait")) {
      return command + " --timeout=1s";
    }
    String path = command.startsWith("kubectl sei upgrades add ") ? "upgrades add" : verb;
    return DRY_RUNS_OF_PLUGIN.contains(path) ? command + " --dry-run=server" : command;
  }

  private Optional<String> run(RunbookState state, String command, String verb) {
    KubectlResult result = sh(command);
    if (isExpected(state, command, verb, result)) {
      return Optional.empty();
    }
    return Optional.of(command + "\n    " + result);
  }

  private KubectlResult sh(String command) {
    return controlPlane.callingKubectl(
        KubectlSei.program().getParent().toString(),
        List.of("/bin/sh", "-c", "cd " + directory + "; " + command));
  }

  private static boolean isExpected(
      RunbookState state, String command, String verb, KubectlResult result) {
    if (command.contains(" sei why ")) {
      boolean namesIt = result.stdout().contains("runbooks/" + state.page() + ".md");
      return result.exitCode() <= 1
          && (namesIt || !state.isOfStalledNode() || !command.contains(state.name()));
    }
    if (command.contains(" sei wait ")) {
      // Converged, in need of a person, or out of time.
      return Set.of(0, 1, 3).contains(result.exitCode())
          && (result.stdout() + result.stderr()).contains(state.name());
    }
    if (verb.equals("wait")) {
      return result.exitCode() == 0 || result.stderr().contains("timed out");
    }
    if (verb.equals("auth")) {
      return Set.of("yes", "no").contains(result.stdout().strip());
    }
    return result.exitCode() == 0;
  }

  /** Why a container cannot be asked in this state; empty if it can. */
  private Optional<String> refusal(RunbookState state, Matcher command, boolean isHeld) {
    Matcher other = OF_OTHER.matcher(command.group(2));
    if (other.matches()) {
      String get = "kubectl -n " + namespace + " get " + other.group(1);
      return run(state, get, "get");
    }
    if (!state.hasPod()) {
      return Optional.of("the node has no pod");
    }
    if (!state.isMachineReachable()) {
      return Optional.of("the kubelet does not answer");
    }
    Pod pod = state.pod();
    return switch (command.group(1)) {
      case "exec" -> refusalOfExec(pod, command.group(2), isHeld);
      case "logs" -> refusalOfLogs(pod, command.group(2));
      case "top" -> isRunning(pod, "seid") ? Optional.empty() : Optional.of("seid does not run");
      default -> refusalOfProxy(pod, command.group(2));
    };
  }

  private static Optional<String> refusalOfExec(Pod pod, String arguments, boolean isHeld) {
    Matcher exec = EXEC.matcher(arguments);
    if (!exec.matches() || exec.group(1) == null) {
      return Optional.of("name the container: the pod has several");
    }
    String container = exec.group(1);
    if (!WITH_SHELL.contains(container)) {
      return Optional.of("the image of " + container + " has neither shell nor tools");
    }
    return isHeld || isRunning(pod, container)
        ? Optional.empty()
        : Optional.of(container + " does not run: hold the node first");
  }

  private static Optional<String> refusalOfLogs(Pod pod, String arguments) {
    if (arguments.contains(" --all-containers")) {
      return Optional.empty();
    }
    Matcher container = CONTAINER.matcher(arguments);
    if (!container.find()) {
      return Optional.of("name the container: the pod has several");
    }
    Optional<ContainerStatus> status = RunbookState.statusOf(pod, container.group(1));
    if (status.isEmpty()) {
      return Optional.of("there is no container " + container.group(1));
    }
    boolean hasEnded = status.get().getLastState().getTerminated() != null;
    if (arguments.contains(" --previous")) {
      return hasEnded ? Optional.empty() : Optional.of("there was no run before");
    }
    boolean hasRun =
        hasEnded
            || status.get().getState().getRunning() != null
            || status.get().getState().getTerminated() != null;
    return hasRun ? Optional.empty() : Optional.of(container.group(1) + " never ran");
  }

  private static Optional<String> refusalOfProxy(Pod pod, String arguments) {
    Matcher proxy = PROXY.matcher(arguments);
    if (!proxy.matches()) {
      throw new IllegalArgumentException(arguments);
    }
    int port = Integer.parseInt(proxy.group(1));
    boolean isServed =
        pod.getSpec().getContainers().stream()
            .filter(container -> isRunning(pod, container.getName()))
            .flatMap(container -> container.getPorts().stream())
            .anyMatch(served -> served.getContainerPort() == port);
    return isServed ? Optional.empty() : Optional.of("nothing that runs has port " + port);
  }

  private static boolean isRunning(Pod pod, String container) {
    return RunbookState.statusOf(pod, container)
        .filter(status -> status.getState().getRunning() != null)
        .isPresent();
  }

  private void createThingsTheyName() throws IOException {
    storageClass = new TestStorageClass(client, namespace, true);
    Files.writeString(directory.resolve("file"), "{}");
    Files.createDirectory(directory.resolve("keyring"));
    Files.writeString(directory.resolve("keyring").resolve("keyhash"), "{}");
    client
        .load(new ByteArrayInputStream(THINGS_THEY_NAME.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(namespace)
        .create();
    for (String page : WITH_SECRET) {
      client
          .resource(ThrowAwayKeys.signingKey(page.toLowerCase(Locale.ROOT) + "-secret"))
          .inNamespace(namespace)
          .create();
    }
    createOperator();
  }

  /** Its Deployment as the chart makes it, and a pod of it; in the namespace of the test. */
  private void createOperator() throws IOException {
    try (InputStream objects = Files.newInputStream(OPERATOR)) {
      client.load(objects).items().stream()
          .filter(Deployment.class::isInstance)
          .map(Deployment.class::cast)
          .forEach(this::createOperator);
    }
  }

  private void createOperator(Deployment deployment) {
    client
        .resource(
            new PodBuilder()
                .withMetadata(
                    new ObjectMetaBuilder().withName("operator").withNamespace(namespace).build())
                .withSpec(deployment.getSpec().getTemplate().getSpec())
                .editSpec()
                .withServiceAccountName(null)
                .endSpec()
                .build())
        .create();
    deployment.getMetadata().setNamespace(namespace);
    deployment.getSpec().setReplicas(0);
    client.resource(deployment).create();
    Deployment theirs =
        new DeploymentBuilder(deployment).editMetadata().withName("theirs").endMetadata().build();
    client.resource(theirs).create();
  }

  private Map<String, String> names(RunbookState state) {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("KUBE_NODE", kubelet.nodeName());
    names.put("NODE", state.name());
    names.put("FLEET", state.fleet());
    names.put("(?<=-n )sei-operator", namespace);
    names.put("NS|THEIRS", namespace);
    names.put("THEIR_DEPLOYMENT", "theirs");
    names.put("POD", "operator");
    names.put("SNAPSHOT", "snapshot");
    names.put("QUOTA", "quota");
    names.put("SECRET", state.name() + "-secret");
    names.put("CONFIGMAP", state.name() + "-genesis");
    names.put("FILE", "file");
    names.put("KEYRING", "keyring");
    names.put("(?<=storageclass )CLASS", storageClass.name());
    names.put("OTHER", "other");
    names.put("UPGRADE", "v6.8");
    names.put("HEIGHT", "245131382");
    names.put("ID(?=@HOST)", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");
    names.put("(?:REGISTRY/)?IMAGE(?::TAG)?", "ghcr.io/sei-protocol/sei:v6.6.2");
    return names;
  }
}
