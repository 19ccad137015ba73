package io.sei.operator.install;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;

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

  /** The objects of a release with these files of values, without CRDs. */
  static Manifest render(Path... values) {
    TemplateCommand template = template().withName(RELEASE).withNamespace(RELEASE);
    for (Path file : values) {
      template.withValuesFile(file);
    }
    return Manifest.parse(template.call());
  }
}
