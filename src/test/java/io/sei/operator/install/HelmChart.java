package io.sei.operator.install;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The chart, and what Helm itself makes of it. */
final class HelmChart {

  static final Path DIRECTORY = Path.of("deploy", "helm", "sei-operator");

  /** Name of the release and of its namespace, in what is rendered for kustomize too. */
  static final String RELEASE = "sei-operator";

  private HelmChart() {}

  /** The chart for Helm's commands. */
  static Helm helm() {
    return new Helm(DIRECTORY);
  }

  /** Copies the chart; returns where it is. */
  static Path copyTo(Path directory) throws IOException {
    return copy(DIRECTORY, directory);
  }

  /** Copies all files of a directory; returns where they are. */
  static Path copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file));
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
    return to;
  }

  /** Renders for the oldest Kubernetes that the operator supports, instead of Helm's default. */
  static TemplateCommand template() {
    return helm().template().withKubeVersion("1.30");
  }

  /** Returns the notes that Helm prints after an installation with this file of values. */
  static String notes(Path values) {
    return helm()
        .install()
        .clientOnly()
        .dryRun()
        .withKubeVersion("1.30")
        .withName(RELEASE)
        .withNamespace(RELEASE)
        .withValuesFile(values)
        .call()
        .getOutput();
  }

  /** The objects of a release with these files of values, without CRDs, which are files anyway. */
  static Manifest render(Path... values) {
    TemplateCommand template =
        template().withName(RELEASE).withNamespace(RELEASE).set("crds.create", false);
    for (Path file : values) {
      template.withValuesFile(file);
    }
    return Manifest.parse(template.call());
  }
}
