package io.sei.operator.fleet.genesis;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.FleetSample;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The container of a ceremony of one validator has ended. */
class ChainGenesisTest {

  private static final String POD = "fleet-genesis-1";
  private static final String CUT = "-----BEGIN GENESIS 900 ";

  private final FaultyApiServer server = new FaultyApiServer(Config.empty());
  private final KubernetesClient client = KubernetesClients.create(server.config());
  private final FleetSample sample =
      aFleet(1, A)
          .spec(
              spec ->
                  spec.withGenesis(
                      new Genesis("lab-1", "10000000usei", "10000000usei", null, null, null)))
          .template(
              node ->
                  node.withChainId("lab-1")
                      .withFullNode(null)
                      .withValidator(ValidatorBuilder.builder().build()))
          .status(status -> status.withGenesis(FleetGenesis.begun()));
  private final SeiNodeDeployment fleet = sample.build();
  private final KeySecretNames names = KeySecretNames.of("fleet-0");
  private final Job job =
      new JobBuilder(CeremonyJob.render(fleet, List.of(names), Duration.ofMinutes(1)))
          .editMetadata()
          .withUid("job-uid")
          .endMetadata()
          .build();

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  /** The kubelet reports the end of a container before all that it printed can be read. */
  @Test
  void logThatIsCutIsReadAgainUntilTheJobIsComplete() {
    serve(job, CUT);

    assertThat(message()).isEqualTo("the genesis is read");

    serve(
        new JobBuilder(job)
            .withNewStatus()
            .addNewCondition()
            .withType("Complete")
            .withStatus("True")
            .endCondition()
            .endStatus()
            .build(),
        CUT);

    assertThat(message()).contains("the log of the ceremony has no whole genesis");
  }

  private String message() {
    var pass = new FleetPass(sample.view(), live -> live);
    ChainGenesis.of(new KubeApi(client), Clock.fixed(pass.now(), ZoneOffset.UTC)).prepare(pass);
    return pass.proposals().get(FleetConditionType.GENESIS_CEREMONY_COMPLETE).message();
  }

  /** Makes the API server know the keys, a Job and its pod with a log, and nothing else. */
  private void serve(Job ceremony, String log) {
    Pod pod =
        aPod(POD)
            .namespace("sei")
            .status(CeremonyJob.CONTAINER, status -> status.ended(End.exit(0, null)))
            .build();
    pod.getMetadata()
        .getOwnerReferences()
        .add(
            new OwnerReferenceBuilder()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName(ceremony.getMetadata().getName())
                .withUid("job-uid")
                .withController(true)
                .build());
    Map<String, String> answers =
        names.render(fleet, ValidatorKeys.make(new SecureRandom())).stream()
            .map(ChainGenesisTest::stored)
            .collect(
                Collectors.toMap(
                    secret -> "secrets/" + secret.getMetadata().getName(), Serialization::asJson));
    answers.put("jobs/" + ceremony.getMetadata().getName(), Serialization.asJson(ceremony));
    answers.put(
        "pods",
        Serialization.asJson(
            new PodListBuilder().withNewMetadata().endMetadata().withItems(pod).build()));
    answers.put("log", log);
    server.heal();
    server.inject(request -> true, ApiFault.error(404, "NotFound"));
    answers.forEach((end, body) -> server.answer("/" + end, body));
  }

  private static Secret stored(Secret written) {
    String file = written.getStringData().keySet().iterator().next();
    byte[] content = written.getStringData().get(file).getBytes(UTF_8);
    return new SecretBuilder(written)
        .withStringData(null)
        .withData(Map.of(file, Base64.getEncoder().encodeToString(content)))
        .build();
  }
}
