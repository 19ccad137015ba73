package io.sei.operator.node.feature;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.plan.Step;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerRequestTest {

  private static final String EC2 = "{'type':'ec2Tags','region':'r','tags':{'a':'b'}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[{'type':'static','addresses':['a@h:1']}] | a@h:1",
        "[{'type':'static','addresses':['a@h:1','b@h:2']},{'type':'static','addresses':['a@h:1']}]"
            + " | a@h:1,b@h:2",
        "[{'type':'static','addresses':['a@h:1']}," + EC2 + "] |",
        "[" + EC2 + "] |",
      })
  void peersThatAreKnownAreSetAsAKeyWhichEveryVersionDoes(String sources, String key) {
    JsonNode params = json("{'sources':" + sources + "}");

    Step step = PeerSources.request(params, List.of());

    assertThat(step)
        .isEqualTo(
            key == null
                ? new Step("discover-peers", params)
                : new Step(
                    "config-apply",
                    json(
                        "{'incremental':true,'overrides':{'network.p2p.persistent_peers':'%s'}}"
                            .formatted(key))));
  }

  /** Peers that a user names are the only ones that a node gets. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'peers':['a@h:1','b@h:2']} | null | a@h:1,b@h:2",
        "{'peers':['a@h:1']} | [{'static':{'addresses':['c@h:3']}}] | c@h:3",
        "{'peers':['a@h:1']} | [] | a@h:1",
        "{'peers':[]} | null |",
        "{} | null |",
      })
  void validatorOfACeremonyHasTheOthersAsPeersUnlessItsSpecNamesSome(
      String ceremony, String peers, String key) {
    var spec =
        Serialization.unmarshal(
            json("{'validator':{'genesisCeremony':%s},'peers':%s}".formatted(ceremony, peers))
                .toString(),
            SeiNodeSpec.class);

    assertThat(
            PeerSources.step(spec)
                .map(step -> PeerSources.request(step.params(), List.of()))
                .map(step -> step.params().at("/overrides/network.p2p.persistent_peers").asText()))
        .isEqualTo(Optional.ofNullable(key));
  }

  @Test
  void peersThatAreReadyComeFirstSinceOldSidecarsAskOnlyTheFirst() {
    JsonNode params = json("{'sources':[{'type':'static','addresses':['a@h:1','b@h:2','c@h:3']}]}");

    Step step = PeerSources.request(params, List.of("c@h:3"));

    assertThat(step.params().at("/overrides/network.p2p.persistent_peers").asText())
        .isEqualTo("c@h:3,a@h:1,b@h:2");
  }
}
