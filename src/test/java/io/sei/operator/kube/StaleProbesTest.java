package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StaleProbesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'tcpSocket':{'port':1}} | {'tcpSocket':{'port':2},'periodSeconds':9} | false",
        "{'tcpSocket':{'port':1}} | {'httpGet':{'port':1,'scheme':'HTTP'}}     | true",
        "{'tcpSocket':{'port':1}} | {'tcpSocket':{'port':1},'httpGet':{'scheme':'HTTP'}} | true",
        "{'tcpSocket':{'port':1}} | {'periodSeconds':10}                       | true",
        "                         | {'tcpSocket':{'port':1}}                   | true",
      })
  void probeThatIsNotRenderedOrOfAnotherKindIsTakenAway(String wanted, String live, boolean gone) {
    JsonNode rendered = pod("seid", wanted);
    JsonNode found = pod("seid", live);

    assertThat(StaleProbes.paths(rendered, found))
        .isEqualTo(gone ? List.of("spec.template.spec.containers[seid].startupProbe") : List.of());
    assertThat(StaleProbes.removal(rendered, found))
        .isEqualTo(
            gone
                ? json(
                    "{'spec':{'template':{'spec':{'containers':[{'name':'seid','image':'x'}]}}}}")
                : json("{}"));
  }

  @Test
  void containersThatAreNotOursKeepTheirProbes() {
    assertThat(StaleProbes.paths(pod("seid", null), pod("foreign", "{'exec':{}}"))).isEmpty();
  }

  private static JsonNode pod(String container, String probe) {
    return json(
        "{'spec':{'template':{'spec':{'containers':[{'name':'%s','image':'x'%s}]}}}}"
            .formatted(container, probe == null ? "" : ",'startupProbe':" + probe));
  }
}
