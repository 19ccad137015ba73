package io.sei.operator.demo;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.ServedDashboard;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;
import org.slf4j.LoggerFactory;

/**
 * Shows the operator at work: the real one, on a real control plane, with pods that are simulated.
 * Exits with 1 if a scene does not reach its end, and with 0 at Ctrl-C.
 */
public final class Demo {

  private static final Duration POLL = Duration.ofMillis(20);
  private static final int LOG_TAIL = 20;

  private final Terminal terminal;
  private final Script script;
  private final AtomicBoolean interrupted = new AtomicBoolean();
  private final Instant began = Instant.now();
  private volatile Stage stage;

  private Demo(Terminal terminal, Script script) {
    this.terminal = terminal;
    this.script = script;
  }

  /**
   * Plays all scenes; {@code --colour} is for terminals. FAULT=NAME shows one way to be stuck
   * instead, MODE=validator a validator, MODE=network a chain that a fleet makes, MODE=upgrade what
   * a fleet does about its chain's plan; DEMO_KEEP=1 leaves it running.
   */
  public static void main(String[] arguments) {
    Terminal terminal = new Terminal(List.of(arguments).contains("--colour"));
    String fault = System.getenv().getOrDefault("FAULT", "");
    String mode = System.getenv().getOrDefault("MODE", "");
    Optional<Script> script = fault.isEmpty() ? Script.ofMode(mode) : Script.ofFault(fault);
    if (script.isEmpty()) {
      boolean asked = fault.equals("list");
      terminal.line(asked ? "" : "There is no such " + (fault.isEmpty() ? "MODE." : "FAULT."));
      Script.choice().forEach(terminal::line);
      System.exit(asked ? 0 : 2);
    }
    System.exit(new Demo(terminal, script.orElseThrow()).play() ? 0 : 1);
  }

  private boolean play() {
    Thread hook = new Thread(this::interrupt, "demo-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      terminal.line("Starting etcd, kube-apiserver, kube-controller-manager and the operator.");
      stage = Stage.open(terminal);
      return present();
    } catch (RuntimeException e) {
      awaitInterruptIfAny();
      terminal.bad("The demo " + (stage == null ? "cannot start: " : "broke off: ") + e);
      return false;
    } finally {
      awaitInterruptIfAny();
      Runtime.getRuntime().removeShutdownHook(hook);
      if (stage != null) {
        stage.close();
      }
    }
  }

  private boolean present() {
    terminal.line(
        "Kubernetes %s, operator with process id %d. Kubelet and sidecars are simulated."
            .formatted(stage.serverVersion(), stage.operator().pid()));
    boolean complete = playAll();
    sayWhereToLook();
    if (keeps()) {
      keepPlaying();
    }
    return complete;
  }

  /** Draws what was printed so far to the file of {@code -Ddemo.picture}, if there is one. */
  private void draw() {
    String picture = System.getProperty("demo.picture");
    if (picture == null) {
      return;
    }
    try {
      terminal.recording().write(Path.of(picture));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void keepPlaying() {
    var typed = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    try (ServedDashboard dashboard = stage.dashboard();
        LiveView view = new LiveView(stage.client(), Stage.NAMESPACE, terminal, began)) {
      terminal.line("The dashboard is at " + dashboard.address());
      new Playground(stage, terminal::line).play(typed);
      awaitInterrupt();
    }
  }

  private boolean playAll() {
    Summary summary = new Summary();
    try (LiveView view = new LiveView(stage.client(), Stage.NAMESPACE, terminal, began)) {
      int number = 1;
      for (Scene scene : script.scenes()) {
        terminal.title(number++ + ". " + scene.story());
        if (!play(scene, view, summary)) {
          explain();
          break;
        }
      }
    }
    draw();
    summary.print(
        terminal,
        stage.requests(),
        script.pods().stream()
            .flatMap(pod -> stage.kubelet().history(Stage.NAMESPACE, pod).stream())
            .toList(),
        stage.operator());
    if (!script.faults().isEmpty()) {
      FaultScenes.print(terminal, summary, script.faults());
    }
    return summary.isComplete();
  }

  private boolean play(Scene scene, LiveView view, Summary summary) {
    Instant start = Instant.now();
    stage.begin(script.name() + "/" + scene.name());
    scene.action().accept(stage);
    boolean ended = awaitEnd(scene, view);
    awaitInterruptIfAny();
    Duration took = Duration.between(start, Instant.now());
    summary.add(scene, start, took, ended);
    String line =
        "%7s  %s: %s %s"
            .formatted(
                "",
                scene.name(),
                ended ? "as expected, after" : "NOT REACHED in",
                Terminal.seconds(took));
    if (ended) {
      terminal.good(line);
      scene.encore().accept(stage);
      if (script.faults().isEmpty()) {
        stage.showSei("why");
      }
    } else {
      terminal.bad(line);
    }
    return ended;
  }

  private boolean awaitEnd(Scene scene, LiveView view) {
    try {
      await()
          .atMost(scene.limit())
          .pollDelay(Duration.ZERO)
          .pollInterval(POLL)
          .failFast("the operator has ended", () -> !stage.operator().isAlive())
          .until(() -> scene.end().test(stage, view));
      return true;
    } catch (ConditionTimeoutException | TerminalFailureException e) {
      return false;
    }
  }

  /** The end of the operator's log, for who has to find out why. */
  private void explain() {
    Path log = stage.operator().log();
    try {
      List<String> lines = Files.readAllLines(log);
      terminal.line("The end of " + log + ":");
      lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()).forEach(terminal::line);
    } catch (IOException e) {
      terminal.line("(" + log + " is not readable: " + e + ")");
    }
  }

  private void sayWhereToLook() {
    terminal.line("");
    if (!keeps()) {
      terminal.line("To look around afterwards, run: DEMO_KEEP=1 make demo");
      return;
    }
    Path here = Path.of("").toAbsolutePath();
    terminal.line("Running until Ctrl-C. To look around:");
    terminal.line("  export KUBECONFIG=" + stage.kubeconfig());
    terminal.line(
        "  " + ControlPlaneBinaries.directory().resolve("kubectl") + " get snd,seinodes -o wide");
    terminal.line("  " + KubectlSei.program() + " status");
    stage.operator().metricsUrl().ifPresent(url -> terminal.line("  curl -s " + url));
    terminal.line("  tail -f " + here.resolve(stage.operator().log()));
    terminal.line("To break something, type here:");
    Playground.help().forEach(line -> terminal.line("  " + line));
  }

  private static boolean keeps() {
    return "1".equals(System.getenv("DEMO_KEEP"));
  }

  /** Ctrl-C is a way to end it. What breaks meanwhile is not reported. */
  private void interrupt() {
    interrupted.set(true);
    ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    if (stage != null) {
      stage.close();
    }
    Runtime.getRuntime().halt(0);
  }

  /** Everything fails while everything is being shut down. */
  private void awaitInterruptIfAny() {
    if (interrupted.get()) {
      awaitInterrupt();
    }
  }

  /** The shutdown hook ends this process; there is nothing left to do here. */
  private static void awaitInterrupt() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
