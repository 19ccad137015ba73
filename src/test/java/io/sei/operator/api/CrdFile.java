package io.sei.operator.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDGenerator.AbstractCRDOutput;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.testkit.controlplane.SnapshotCrds;
import io.sei.operator.testkit.samples.Samples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A CRD of the project: what the generator makes of a model class, with the printer columns in the
 * order in which the class declares them (the generator sorts them by JSON path).
 */
public record CrdFile(Class<? extends CustomResource<?, ?>> model) {

  private static final Path COMMITTED = Path.of("crds");

  /** Deleting a CRD deletes all objects of its kind, and with nodes their data. */
  private static final Map<String, String> KEPT =
      Map.of(
          "helm.sh/resource-policy", "keep",
          "argocd.argoproj.io/sync-options", "Prune=false,Delete=false");

  /** Generated schemas, since the generator takes a second for each model. */
  private static final Map<Class<?>, String> GENERATED = new ConcurrentHashMap<>();

  /** All CRDs of the project. */
  public static List<CrdFile> all() {
    return List.of(
        new CrdFile(SeiNode.class),
        new CrdFile(SeiNodeDeployment.class),
        new CrdFile(SeiNodeTask.class),
        new CrdFile(SeiSigningKey.class));
  }

  /** Writes every CRD to {@code crds/}. */
  public static void main(String[] args) throws IOException {
    for (CrdFile crd : all()) {
      Files.writeString(crd.path(), crd.text());
    }
  }

  /** Creates or replaces every committed CRD, and waits until the API server serves it. */
  public static void installAll(KubernetesClient client) {
    install(client, crd -> {});
    await().atMost(1, TimeUnit.MINUTES).until(() -> refusesAnEmptySpec(client));
  }

  /**
   * Installs the CRDs without validation rules, patterns and limits, as if objects were stored
   * before there were any.
   */
  public static void installWithoutRules(KubernetesClient client) {
    install(
        client,
        crd ->
            crd.getSpec()
                .getVersions()
                .forEach(version -> dropRules(version.getSchema().getOpenAPIV3Schema())));
    await().atMost(1, TimeUnit.MINUTES).until(() -> !refusesAnEmptySpec(client));
  }

  private static void dropRules(JSONSchemaProps schema) {
    schema.setXKubernetesValidations(List.of());
    schema.setPattern(null);
    schema.setMaxLength(null);
    schema.setMaxItems(null);
    schema.setMaxProperties(null);
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(CrdFile::dropRules);
    }
    if (schema.getItems() != null && schema.getItems().getSchema() != null) {
      dropRules(schema.getItems().getSchema());
    }
    if (schema.getAdditionalProperties() != null
        && schema.getAdditionalProperties().getSchema() != null) {
      dropRules(schema.getAdditionalProperties().getSchema());
    }
  }

  /** Returns whether rules are in force: a spec without a mode breaks one, and nothing else. */
  private static boolean refusesAnEmptySpec(KubernetesClient client) {
    var node =
        Samples.node(
            "default",
            "rules",
            SeiNodeSpecBuilder.builder().chainId("atlantic-2").image("sei:a").build());
    try {
      client.resource(node).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      return e.getMessage().contains("exactly one of");
    }
  }

  /** Creates or replaces every committed CRD, each with a change. */
  public static void install(KubernetesClient client, Consumer<CustomResourceDefinition> change) {
    for (CrdFile crd : all()) {
      CustomResourceDefinition definition = crd.definition();
      change.accept(definition);
      client.resource(definition).createOr(NonDeletingOperation::update);
      client
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .withName(crd.name())
          .waitUntilCondition(SnapshotCrds::isEstablished, 60, TimeUnit.SECONDS);
    }
  }

  /** Name of the CRD, such as {@code seinodes.sei.io}. */
  public String name() {
    return CustomResource.getCRDName(model);
  }

  /** The committed file. */
  public Path path() {
    return COMMITTED.resolve(name() + ".yaml");
  }

  /** Returns the text that the committed file must have. */
  public String text() {
    return "# Generated from the Java model by 'make crds'; do not edit.\n"
        + Serialization.asYaml(definition());
  }

  private CustomResourceDefinition definition() {
    String generated = GENERATED.computeIfAbsent(model, _ -> generate(model));
    var crd = Serialization.unmarshal(generated, CustomResourceDefinition.class);
    crd.getMetadata().setAnnotations(new TreeMap<>(KEPT));
    for (CustomResourceDefinitionVersion version : crd.getSpec().getVersions()) {
      version.setAdditionalPrinterColumns(inDeclaredOrder(version.getAdditionalPrinterColumns()));
      version.getAdditionalPrinterColumns().forEach(CrdFile::dropDefaultPriority);
      withoutRepetitions(version.getSchema().getOpenAPIV3Schema());
    }
    return crd;
  }

  private static String generate(Class<? extends CustomResource<?, ?>> model) {
    var text = new ByteArrayOutputStream();
    int generated =
        new CRDGenerator()
            .customResourceClasses(List.of(model))
            .forCRDVersions("v1")
            .withOutput(new OneFile(text))
            .generate();
    if (generated != 1) {
      throw new IllegalStateException("no CRD was generated for " + model);
    }
    return text.toString(UTF_8);
  }

  /** The only file that the generator writes. */
  private static final class OneFile extends AbstractCRDOutput<ByteArrayOutputStream> {

    private final ByteArrayOutputStream file;

    OneFile(ByteArrayOutputStream file) {
      this.file = file;
    }

    @Override
    protected ByteArrayOutputStream createStreamFor(String name) {
      return file;
    }
  }

  /** The generator finds the rule of a record component on its field and on its accessor. */
  private static void withoutRepetitions(JSONSchemaProps schema) {
    List<ValidationRule> rules = schema.getXKubernetesValidations();
    if (rules != null) {
      schema.setXKubernetesValidations(rules.stream().distinct().toList());
    }
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(CrdFile::withoutRepetitions);
    }
    if (schema.getItems() != null && schema.getItems().getSchema() != null) {
      withoutRepetitions(schema.getItems().getSchema());
    }
  }

  /** The API server stores no priority of 0: a file with one differs from its object for ever. */
  private static void dropDefaultPriority(CustomResourceColumnDefinition column) {
    if (Integer.valueOf(0).equals(column.getPriority())) {
      column.setPriority(null);
    }
  }

  private List<CustomResourceColumnDefinition> inDeclaredOrder(
      List<CustomResourceColumnDefinition> columns) {
    List<String> declared =
        Arrays.stream(model.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(AdditionalPrinterColumn::name)
            .toList();
    var ordered = new ArrayList<>(columns);
    ordered.sort(Comparator.comparingInt(column -> declared.indexOf(column.getName())));
    return ordered;
  }
}
