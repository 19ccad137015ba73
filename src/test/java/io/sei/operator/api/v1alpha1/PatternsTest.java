package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers as seid v6.6.2 reads them at its start. */
class PatternsTest {

  private static final String ID = "3f472746f46493309650e5a033076689996c8881";

  @ParameterizedTest
  @ValueSource(
      strings = {
        ID + "@peer:26656",
        ID + "@10.0.0.1:1",
        ID + "@[2001:db8::1]:65535",
        "3F472746F46493309650E5A033076689996C8881@h.example:26656"
      })
  void peersThatSeidTakesPass(String peer) {
    assertThat(peer).matches(Patterns.PEER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zz@h.example:26656",
        "3f472746f46493309650e5a033076689996c888@h.example:26656",
        ID + "@tcp://peer:26656",
        "mconn://" + ID + "@peer:26656",
        ID + "@2001:db8::1:26656",
        ID + "@peer:0",
        ID + "@peer:99999",
        ID + "@peer",
        ID + "@:26656",
        "peer:26656"
      })
  void peersThatEndSeidAtItsStartAreRefused(String peer) {
    assertThat(peer).doesNotMatch(Patterns.PEER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host:0", "host:99999", "host", "a@host:1", "2001:db8::1:26656"})
  void addressesWithoutAPortThatExistsAreRefused(String address) {
    // RE2, as the API server has it, knows a class and a bracket that Java spells otherwise.
    String inJava =
        Patterns.ADDRESS.replace("[:space:]", "\\s").replace("[[]", "\\[").replace("[]]", "\\]");

    assertThat(address).doesNotMatch(inJava);
  }
}
