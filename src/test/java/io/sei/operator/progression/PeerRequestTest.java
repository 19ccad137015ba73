package io.sei.operator.progression;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.plan.Step;
import java.util.List;
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

  @Test
  void peersThatAreReadyComeFirstSinceOldSidecarsAskOnlyTheFirst() {
    JsonNode params = json("{'sources':[{'type':'static','addresses':['a@h:1','b@h:2','c@h:3']}]}");

    Step step = PeerSources.request(params, List.of("c@h:3"));

    assertThat(step.params().at("/overrides/network.p2p.persistent_peers").asText())
        .isEqualTo("c@h:3,a@h:1,b@h:2");
  }
}
