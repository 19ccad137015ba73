package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Images of the machine's registry, made of this project's builds and nothing from outside. */
final class Images {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path PROJECT = ControlPlaneBinaries.projectDirectory();
  private static final Path DIRECTORY = PROJECT.resolve("target").resolve("machine/images");
  private static final Path RUNTIME = Path.of("/opt/sei-operator");

  /** Its program has another name than that of seictl, and its entry point says serve already. */
  private static final String IN_TREE_SIDECAR = "sei-protocol/sei-sidecar:186d65a";

  private static final List<String> APPLETS =
      List.of("sh mkdir sleep cat cp mv rm sync ls gzip base64 wc sha256sum tr cut".split(" "));

  /** A directory, and where it is in the image. */
  private record Layer(String from, String to) {}

  /**
   * An image.
   *
   * @param architecture empty for that of this machine
   * @param password null if none is asked for
   */
  private record Image(
      String name,
      List<Layer> layers,
      List<String> entrypoint,
      List<String> env,
      String user,
      String architecture,
      String password) {

    Image(String name, List<Layer> layers, List<String> entrypoint, List<String> env, String user) {
      this(name, layers, entrypoint, env, user, "", null);
    }
  }

  private final List<Image> images = new ArrayList<>();

  private Images() {}

  /**
   * Makes the files of all images and returns the list of them, for {@code
   * src/test/go/node/images}.
   */
  static Path make() {
    var images = new Images();
    try {
      Layer chain = seid("sei", Tools.program("chain"));
      Map<Release, Layer> releases = new EnumMap<>(Release.class);
      for (Release release : Release.values()) {
        Optional<Path> real = release.program();
        releases.put(release, real.isPresent() ? seid(release.name(), real.get()) : chain);
      }
      images.addOperatorAndSidecar(releases.get(Release.CURRENT));
      images.addChains(chain, releases);
      images.addUnusable();
      images.addProgram("pause:3.10", "pause");
      images.addProgram("coredns/coredns:v1.12.4", "coredns");
      images.addProgram("brancz/kube-rbac-proxy:v0.19.1", "kube-rbac-proxy");
      Path list = DIRECTORY.resolve("images.json");
      JSON.writeValue(list.toFile(), images.images);
      return list;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The content, the entrypoint and the user of the Dockerfile, on this machine's own libraries.
   * The archive of classes is that of the Dockerfile only if the property {@code training} names
   * the program that trains it, which takes half a minute.
   *
   * @param seid the simulated sidecar signs transactions with it
   */
  private void addOperatorAndSidecar(Layer seid) throws IOException {
    List<String> command = new ArrayList<>(List.of(PROJECT.resolve("hack/runtime.sh").toString()));
    command.add(PROJECT.resolve("target/sei-operator.jar").toString());
    command.add(RUNTIME.toString());
    String training = System.getProperty("training");
    if (training != null) {
      command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
      command.add("-Dkubernetes=" + System.getProperty("kubernetes"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), training));
    }
    Run.quietly(
        Map.of("JAVA_HOME", System.getProperty("java.home")), command.toArray(String[]::new));
    for (String file : List.of("target/sbom.json", "LICENSE")) {
      Path copied = PROJECT.resolve(file);
      Files.copy(
          copied, RUNTIME.resolve(copied.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    Layer base = base();
    Layer runtime = new Layer(RUNTIME.toString(), RUNTIME.toString());
    Dockerfile dockerfile = Dockerfile.read(PROJECT.resolve("Dockerfile"));
    // The chart's own name for it, and the one that docs/quickstart.md gives.
    for (String name : List.of("library/sei-operator", "sei-operator")) {
      addOperator(name + ":" + dockerfile.version(), List.of(base, runtime), dockerfile);
    }
    String sidecar = "sei-protocol/seictl:v0.0.50";
    String newerSidecar = "sei-protocol/seictl:v0.0.70";
    Optional<Path> real = Optional.ofNullable(System.getenv("SEICTL")).map(Path::of);
    if (real.isPresent()) {
      Path root = DIRECTORY.resolve("seictl");
      program(real.get(), root.resolve("usr/bin/seictl"));
      for (String name : List.of(sidecar, newerSidecar)) {
        addSidecar(name, List.of(layer(root)), List.of(), "/usr/bin/seictl");
      }
    } else {
      List<Layer> simulated = List.of(base, runtime, simulatedSidecar(), seid);
      addSidecar(sidecar, simulated, List.of(), "/usr/bin/seictl");
      List<String> newer = List.of("SIDECAR_VERSION=V0_0_70");
      addSidecar(newerSidecar, simulated, newer, "/usr/bin/seictl");
      List<String> inTree = List.of("SIDECAR_VERSION=IN_TREE");
      addSidecar(IN_TREE_SIDECAR, simulated, inTree, "/usr/bin/sei-sidecar", "serve");
    }
  }

  private void addSidecar(
      String name, List<Layer> layers, List<String> environment, String... entryPoint) {
    images.add(new Image(name, layers, List.of(entryPoint), environment, ""));
  }

  private void addOperator(String name, List<Layer> layers, Dockerfile dockerfile) {
    images.add(new Image(name, layers, dockerfile.entrypoint(), List.of(), dockerfile.user()));
  }

  private Layer simulatedSidecar() throws IOException {
    Path root = DIRECTORY.resolve("simulated-sidecar");
    shell(root);
    Path classes = root.resolve("opt/sidecar/io/sei/operator/testkit");
    Files.createDirectories(classes);
    try (var compiled =
        Files.newDirectoryStream(
            PROJECT.resolve("target/test-classes/io/sei/operator/testkit"), "*.class")) {
      for (Path file : compiled) {
        Files.copy(file, classes.resolve(file.getFileName()));
      }
    }
    script(
        root.resolve("usr/bin/seictl"),
        """
        #!/bin/bash
        exec /opt/sei-operator/jre/bin/java -Xmx32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
          -Xshare:auto -XX:-UsePerfData -cp /opt/sidecar:/opt/sei-operator/sei-operator.jar \
          io.sei.operator.testkit.SidecarContainer "${0##*/}" "$@"
        """);
    Files.copy(
        root.resolve("usr/bin/seictl"),
        root.resolve("usr/bin/sei-sidecar"),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.COPY_ATTRIBUTES);
    return layer(root);
  }

  private void addChains(Layer test, Map<Release, Layer> releases) throws IOException {
    List<Layer> layers = List.of(test);
    for (Chain chain : Chain.values()) {
      addScratch(Chain.REPOSITORY + ":" + chain.tag(), layers, chain.environment());
    }
    releases.forEach(
        (release, layer) ->
            addScratch(release.repositoryTag(), List.of(layer), release.environment()));
    images.add(
        new Image(
            Chain.PRIVATE_REPOSITORY + ":" + Chain.V1.tag(),
            layers,
            List.of(),
            Chain.V1.environment(),
            "",
            "",
            Chain.PASSWORD));
    Path exporter = DIRECTORY.resolve("exporter");
    shell(exporter);
    program(Tools.program("pause"), exporter.resolve("usr/bin/pause"));
    script(
        exporter.resolve("usr/local/bin/sei-cosmos-exporter"), "#!/bin/bash\nexec pause :9300\n");
    addScratch("sei-protocol/sei-cosmos-exporter:v1", List.of(layer(exporter)), List.of());
  }

  private void addUnusable() throws IOException {
    for (UnusableImage image : UnusableImage.values()) {
      Path root = DIRECTORY.resolve("unusable").resolve(image.tag());
      if (image.hasShell()) {
        shell(root);
      }
      boolean isOfAnother = image == UnusableImage.OTHER_ARCHITECTURE;
      if (isOfAnother) {
        becomeOfAnotherMachine(root.resolve("bin/bash"));
      }
      if (image.seid() != null) {
        script(root.resolve("usr/bin/seid"), image.seid());
      }
      images.add(
          new Image(
              Chain.REPOSITORY + ":" + image.tag(),
              List.of(layer(root)),
              List.of(),
              List.of(),
              "",
              isOfAnother ? "s390x" : "",
              null));
    }
  }

  /** Changes the machine in the header of a program, at byte 18, to one that no test runs on. */
  private static void becomeOfAnotherMachine(Path program) throws IOException {
    byte[] elf = Files.readAllBytes(program);
    elf[18] = 22;
    elf[19] = 0;
    Files.write(program, elf);
  }

  private static Layer seid(String directory, Path program) throws IOException {
    Path root = DIRECTORY.resolve(directory);
    shell(root);
    program(program, root.resolve("usr/bin/seid"));
    return layer(root);
  }

  private void addProgram(String name, String program) throws IOException {
    Path root = DIRECTORY.resolve(program);
    program(Tools.program(program), root.resolve(program));
    images.add(new Image(name, List.of(layer(root)), List.of("/" + program), List.of(), ""));
  }

  private void addScratch(String name, List<Layer> layers, List<String> environment) {
    images.add(new Image(name, layers, List.of(), environment, ""));
  }

  /** The shared libraries of Java, as this machine has them, and who the user is. */
  private Layer base() throws IOException {
    Path root = DIRECTORY.resolve("base");
    String said =
        Run.quietly(
            Map.of(),
            "sh",
            "-c",
            "find %1$s/jre -name '*.so' -o -path '*/bin/java' | xargs ldd".formatted(RUNTIME));
    for (String word : said.split("\\s+")) {
      if (word.startsWith("/lib") || word.startsWith("/usr/lib")) {
        Path copied = root.resolve(word.substring(1));
        Files.createDirectories(copied.getParent());
        Files.copy(Path.of(word).toRealPath(), copied, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Files.createDirectories(root.resolve("etc"));
    Files.writeString(root.resolve("etc/passwd"), "nonroot:x:65532:65532::/home/nonroot:/none\n");
    Files.writeString(root.resolve("etc/nsswitch.conf"), "hosts: files dns\n");
    return layer(root);
  }

  /** bash for start scripts, and of the rest only what those and the script of a genesis need. */
  private static void shell(Path root) throws IOException {
    program(Tools.debian("bin/bash-static"), root.resolve("bin/bash"));
    program(Tools.debian("bin/busybox"), root.resolve("bin/busybox"));
    for (String name : APPLETS) {
      Files.createSymbolicLink(root.resolve("bin").resolve(name), Path.of("busybox"));
    }
  }

  private static void program(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from.toRealPath(), to, StandardCopyOption.REPLACE_EXISTING);
    executable(to);
  }

  private static void script(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    executable(file);
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Layer layer(Path root) {
    return new Layer(root.toString(), "/");
  }
}
