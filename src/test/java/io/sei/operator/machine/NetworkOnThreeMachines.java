package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.testkit.machine.Chain;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * A chain of four validators on three machines, which goes on without any one of them, and what its
 * blocks have on record of who signed.
 *
 * @param rpc the answer of a pod's RPC to a path
 */
record NetworkOnThreeMachines(BinaryOperator<String> rpc) {

  static final String FLEET = "net";
  static final List<String> VALIDATORS = List.of("net-0", "net-1", "net-2", "net-3");

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The block_id_flag of a validator without a vote; others are of a vote for a block, or nil. */
  private static final int ABSENT = 1;

  static final String MANIFEST =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: %1$s}
      spec:
        replicas: 4
        genesis:
          chainId: lab-1
          accountBalance: 50000000usei
          # Who misses half of the default, 100, is jailed, and signs no more for that reason.
          overrides: {slashing.params.signed_blocks_window: "100000"}
        template:
          spec:
            chainId: lab-1
            image: %2$s
            validator: {}
            sidecar: {image: "ghcr.io/sei-protocol/seictl:v0.0.70"}
            peers: [{label: {selector: {sei.io/chain: lab-1}}}]
            terminationGracePeriodSeconds: 10
            resources: {requests: {cpu: 10m, memory: 64Mi}}
            scheduling:
              topologySpreadConstraints:
                - maxSkew: 1
                  topologyKey: kubernetes.io/hostname
                  whenUnsatisfiable: DoNotSchedule
                  nodeTaintsPolicy: Honor
                  labelSelector: {matchLabels: {sei.io/nodedeployment: %1$s}}
      """
          .formatted(FLEET, Chain.V1.image());

  /** The address by which blocks name a validator, as its own RPC has it. */
  String address(String pod) {
    return answer(pod, "status").at("/validator_info/address").asText();
  }

  /** The heights from one to another whose commit has a vote of a validator. */
  List<Integer> signedBy(String address, String observer, int from, int to) {
    return IntStream.rangeClosed(from, to)
        .filter(height -> isSignedBy(address, answer(observer, "commit?height=" + height)))
        .boxed()
        .toList();
  }

  private static boolean isSignedBy(String address, JsonNode commit) {
    JsonNode signatures = commit.at("/signed_header/commit/signatures");
    assertThat(signatures.isArray()).as("the signatures of " + commit).isTrue();
    for (JsonNode signature : signatures) {
      if (signature.path("validator_address").asText().equals(address)) {
        return signature.path("block_id_flag").asInt() != ABSENT;
      }
    }
    return false;
  }

  /** Asserts that no block up to a height has evidence of a validator that signed twice. */
  void assertNoEvidence(String observer, int to) {
    for (int height = 1; height <= to; height++) {
      JsonNode evidence = answer(observer, "block?height=" + height).at("/block/evidence/evidence");
      assertThat(evidence.size()).as("evidence in block %d: %s", height, evidence).isZero();
    }
  }

  private JsonNode answer(String pod, String path) {
    try {
      return JSON.readTree(rpc.apply(pod, path));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
