package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Executable;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code hack/jdk.sh}, and its callers, on machines whose own Java may be too old. */
class JdkScriptTest {

  private static final Path PROJECT = ControlPlaneBinaries.projectDirectory();
  private static final String WHAT_TO_INSTALL =
      "jdk: error: no JDK 25 or newer in JAVA_HOME, on the PATH or in %s;"
          + " install openjdk-25-jdk-headless, or Temurin 25 from https://adoptium.net";

  /** Programs other than Java that the scripts and the Makefile call. */
  private static final List<String> TOOLS =
      List.of("bash", "sh", "dirname", "readlink", "sed", "make", "grep", "env");

  @TempDir Path temp;

  private final Map<String, String> environment = new LinkedHashMap<>();
  private final Map<String, String> fakes =
      new LinkedHashMap<>(Map.of("mvn", "echo \"mvn with $JAVA_HOME, first ${PATH%%:*}\""));

  private record Run(int exitCode, List<String> output) {}

  @Test
  void javaHomeComesFirst() throws Exception {
    Path home = jdk("chosen", "26");
    onPath(jdk("default", "25.0.3"));
    environment.put("JAVA_HOME", home.toString());

    assertThat(script().output()).containsExactly(home.toString());
  }

  @Test
  void theOneOnThePathIsTakenIfItIsNewEnough() throws Exception {
    Path home = jdk("default", "25.0.3");
    onPath(home);
    environment.put("JAVA_HOME", jdk("old", "21.0.8").toString());

    assertThat(script().output()).containsExactly(home.toString());
  }

  @Test
  void anOlderDefaultGivesWayToOneThatIsInstalledBesideIt() throws Exception {
    onPath(jdk("default", "17.0.15"));
    installed("java-17", "17.0.15");
    installed("java-8", "1.8.0_452");
    Path home = installed("temurin-25", "25.0.3");

    assertThat(script("bash", "-c", "echo $JAVA_HOME; echo ${PATH%%:*}").output())
        .containsExactly(home.toString(), home.resolve("bin").toString());
  }

  @Test
  void aRuntimeWithoutACompilerIsNone() throws Exception {
    Files.delete(installed("jre-25", "25.0.3").resolve("bin/javac"));

    assertThat(script()).isEqualTo(failure());
  }

  @Test
  void whereThereIsNoneALineSaysWhatToInstall() throws Exception {
    onPath(jdk("default", "17.0.15"));

    assertThat(script("mvn")).isEqualTo(failure());
  }

  @Test
  void makeRunsMavenOnIt() throws Exception {
    onPath(jdk("default", "17.0.15"));
    Path home = installed("temurin-25", "25.0.3");

    assertThat(run("make", "-s", "build").output())
        .containsExactly("mvn with %s, first %s/bin".formatted(home, home));
  }

  @Test
  void makeSaysWhatToInstall() throws Exception {
    assertThat(run("make", "-s", "build").output().get(0))
        .isEqualTo(WHAT_TO_INSTALL.formatted(jvms()));
  }

  /** All of them, or one would compile or test with another Java than the rest. */
  @Test
  void everyRecipeGoesByIt() throws IOException {
    assertThat(Files.readAllLines(PROJECT.resolve("Makefile")))
        .filteredOn(line -> line.matches(".*(?<!/)\\b(java|mvn) -.*|.*hack/runtime.*"))
        .isNotEmpty()
        .allMatch(line -> line.contains("$(JDK)"));
  }

  @Test
  void aBuildServerInstallsWhatAptOffers() throws Exception {
    buildServer();
    fakes.put("apt-cache", "[ \"$2\" = openjdk-25-jdk-headless ]");

    Run ci = run(".ci/run");

    assertThat(ci.output())
        .containsSubsequence(
            "ci: installing openjdk-25-jdk-headless",
            "apt-get install -y -qq --no-install-recommends openjdk-25-jdk-headless");
  }

  @Test
  void aBuildServerWhoseAptHasNoneSaysWhatToInstall() throws Exception {
    buildServer();
    fakes.put("apt-cache", "exit 100");

    Run ci = run(".ci/run");

    assertThat(ci.exitCode()).isEqualTo(1);
    assertThat(ci.output())
        .containsExactly("apt-get update -qq", WHAT_TO_INSTALL.formatted(jvms()));
  }

  private void buildServer() {
    for (String tool : List.of("make", "git", "curl", "unshare", "ip")) {
      fakes.put(tool, "exit 0");
    }
    fakes.put("id", "echo 0");
    fakes.put("apt-get", "echo apt-get \"$@\"");
  }

  private Run failure() {
    return new Run(1, List.of(WHAT_TO_INSTALL.formatted(jvms())));
  }

  private Path jvms() {
    return temp.resolve("jvm");
  }

  private Path installed(String name, String version) throws IOException {
    return jdk("jvm/" + name, version);
  }

  /** A JDK of which no more than what tells its version is there. */
  private Path jdk(String name, String version) throws IOException {
    Path home = temp.resolve(name);
    executable(home.resolve("bin/javac"), "exit 0");
    Files.writeString(
        home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"%s\"\n".formatted(version));
    return home.toRealPath();
  }

  private void onPath(Path home) throws IOException {
    Path tools = Files.createDirectories(temp.resolve("tools"));
    Files.createSymbolicLink(tools.resolve("javac"), home.resolve("bin/javac"));
  }

  private Run script(String... command) throws Exception {
    return run(Stream.concat(Stream.of("hack/jdk.sh"), Stream.of(command)).toArray(String[]::new));
  }

  /** Runs a command in the project, with nothing on the PATH but what this test has put there. */
  private Run run(String... command) throws Exception {
    Path tools = Files.createDirectories(temp.resolve("tools"));
    for (String tool : TOOLS) {
      fakes.putIfAbsent(tool, "exec %s \"$@\"".formatted(ofThisMachine(tool)));
    }
    for (var fake : fakes.entrySet()) {
      executable(tools.resolve(fake.getKey()), fake.getValue());
    }
    List<String> all = new ArrayList<>(List.of("/usr/bin/env"));
    all.addAll(List.of(command));
    var builder = new ProcessBuilder(all).directory(PROJECT.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("JVMS", jvms().toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes());
    return new Run(process.waitFor(), said.lines().toList());
  }

  private static void executable(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Executable.make(file);
  }

  private static Path ofThisMachine(String tool) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + tool + " on the PATH"));
  }
}
