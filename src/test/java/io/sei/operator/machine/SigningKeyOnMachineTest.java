package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A validator whose key a kubelet mounts: after its Secret was changed, and on its way to a remote
 * signer.
 */
@Execution(ExecutionMode.CONCURRENT)
class SigningKeyOnMachineTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();
  private static final String SIGNING = "signing";
  private static final String IDENTITY = "identity";
  private static final String STATE = "/.sei/data/priv_validator_state.json";
  private static final Pattern HEIGHT = Pattern.compile("\"height\": *\"(\\d+)\"");

  private static final String SIGNERS_POD = "remote";

  /** The signer of {@code src/test/go/chain}, on a disk that outlives its container. */
  private static final String SIGNER =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: %s}
      spec:
        terminationGracePeriodSeconds: 5
        containers:
          - name: signer
            image: %s
            command: [/bin/bash, -c]
            args:
              - >-
                [[ -e /signer/state.json ]] || cp /state/state.json /signer/;
                exec seid signer --chain-id atlantic-2 --dial tcp://%s-signer:26659
                --key /key/%s --state /signer/state.json
            volumeMounts:
              - {name: key, mountPath: /key}
              - {name: state, mountPath: /state}
              - {name: disk, mountPath: /signer}
        volumes:
          - {name: key, secret: {secretName: signers-key}}
          - {name: state, secret: {secretName: signers-state}}
          - {name: disk, emptyDir: {}}
      """
          .formatted(SIGNERS_POD, V1, NODE, SigningKey.FILE);

  @Test
  @Tag("long")
  void seidDoesNotSignWithAKeyThatWasSwappedUnderIt() throws IOException {
    String key = startWithItsKeyInASecret();
    String pod = podUid();
    assertThat(seid("spec.containers", "env[?(@.name=='SEI_SIGNING_PUBLIC_KEY')].value"))
        .isEqualTo(status("status.signingPublicKey"));

    put(ThrowAwayKeys.SIGNING_KEY);
    // The kubelet brings a Secret that was changed to its volume within a minute or so.
    eventually(
        () -> {
          if (!exitCode().equals("78")) {
            signal("KILL", "seid");
          }
          assertThat(exitCode()).isEqualTo("78");
        });
    eventually(
        () ->
            assertThat(message("Ready") + message("Stalled"))
                .contains("the mounted signing key is not the one this pod was started for"));
    assertThat(podUid()).isEqualTo(pod);

    put(key);

    awaitReady();
    awaitHeight(POD, awaitHeight(POD, 1) + 1);
    assertThat(podUid()).isEqualTo(pod);
  }

  /**
   * Follows docs/validators.md. The signer does not sign twice, whatever it is asked: that rule is
   * its library's, and its state the validator's own.
   */
  @Test
  @Tag("long")
  void keyGoesToARemoteSignerAndBackWithItsStateAndBlocksGoOn() throws IOException {
    createSecret("signers-key", SigningKey.FILE, startWithItsKeyInASecret());
    String key = status("status.signingPublicKey");
    String claim = status("status.dataClaimUid");
    hold("\"Immediate\"");
    awaitHeld();
    String state = inPod("cat " + STATE);
    int signed = height(state);
    createSecret("signers-state", "state.json", state);

    patch(
        """
        {"spec":{"dataVolume":{"acceptDataLoss":"%1$s"},
        "validator":{"signingKey":null,"acceptSigningStateLoss":"%1$s",
        "remoteSigner":{"listen":"tcp://0.0.0.0:26659","publicKey":"%2$s"}}}}\
        """
            .formatted(claim, key));
    apply(SIGNER);
    hold("null");
    awaitBlocks(V1);

    assertThat(awaitHeight(POD, signed + 1)).isGreaterThan(signed);
    assertThat(rpc(POD, "status")).contains("\"value\":\"" + key + "\"");
    eventually(
        () ->
            assertThat(message("SigningKeyReady"))
                .startsWith("the remote signer has the key that"));
    assertThat(record("claim.uid")).isEqualTo("remote-signer");
    assertThat(inPod("ls /.sei/config /.sei/data"))
        .contains(SigningKey.FILE + ".local", "priv_validator_state.json.local");
    assertThat(signersHeight()).isGreaterThan(signed);

    String remote = podUid();
    patch(
        """
        {"spec":{"validator":{"remoteSigner":null,"acceptSigningStateLoss":null,
        "signingKey":{"secret":{"secretName":"%s"}}}}}\
        """
            .formatted(SIGNING));
    eventually(
        () -> assertThat(condition("SigningKeyReady")).isEqualTo("False/SigningStateMissing"));
    awaitHeight(POD, awaitHeight(POD, 1) + 2);
    assertThat(podUid()).isEqualTo(remote);

    patch(
        """
        {"spec":{"maintenance":{"hold":"Immediate"},
        "validator":{"acceptSigningStateLoss":"remote-signer"}}}\
        """);
    awaitHeld();
    String last = kubectl("exec", SIGNERS_POD, "--", "cat", "/signer/state.json");
    kubectl("delete", "pod", SIGNERS_POD, "--wait=true");
    inPod("cat >%s <<'EOF'\n%s\nEOF".formatted(STATE, last));
    hold("null");
    awaitBlocks(V1);

    awaitHeight(POD, height(last) + 1);
    assertThat(record("claim.uid")).isEqualTo(claim);
  }

  /** A validator that has made its keys itself, and signs with them as its Secrets have them. */
  private String startWithItsKeyInASecret() throws IOException {
    apply(Manifests.node(NODE, V1).replace("fullNode: {}", "validator: {}"));
    awaitBlocks(V1);
    String key = config(SigningKey.FILE);
    createSecret(SIGNING, SigningKey.FILE, key);
    createSecret(IDENTITY, NodeKey.FILE, config(NodeKey.FILE));
    patch(
        """
        {"spec":{"validator":{"signingKey":{"secret":{"secretName":"%s"}},
        "nodeKey":{"secret":{"secretName":"%s"}}}}}\
        """
            .formatted(SIGNING, IDENTITY));
    eventually(() -> assertThat(status("status.signingPublicKey")).isNotEmpty());
    awaitBlocks(V1);
    return key;
  }

  private void hold(String how) {
    patch("{\"spec\":{\"maintenance\":{\"hold\":%s}}}".formatted(how));
  }

  private void awaitHeld() {
    kubectl("wait", "seinode/" + NODE, "--for=condition=Held", "--timeout=3m");
  }

  private int signersHeight() {
    return height(kubectl("exec", SIGNERS_POD, "--", "cat", "/signer/state.json"));
  }

  private static int height(String state) {
    Matcher matcher = HEIGHT.matcher(state);
    assertThat(matcher.find()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** A field of the record of the key. */
  private String record(String field) {
    return machine
        .kubectl(
            "get",
            "seisigningkeys",
            "-o",
            "jsonpath={.items[?(@.spec.holder.namespace=='%s')].spec.%s}"
                .formatted(namespace, field))
        .strip();
  }

  private String exitCode() {
    return seid("status.containerStatuses", "lastState.terminated.exitCode");
  }

  private String config(String file) {
    return inPod("cat /.sei/config/" + file);
  }

  private String inPod(String script) {
    return kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", script);
  }

  private void createSecret(String name, String file, String content) throws IOException {
    var path = Files.writeString(directory.resolve(name), content);
    kubectl("create", "secret", "generic", name, "--from-file=" + file + "=" + path);
  }

  private void put(String key) {
    var patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("stringData").put(SigningKey.FILE, key);
    kubectl("patch", "secret", SIGNING, "--type=merge", "-p", patch.toString());
  }
}
