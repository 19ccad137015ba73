package io.sei.operator.api.validation;

import static io.sei.operator.api.validation.SpecSamples.s3;
import static io.sei.operator.api.validation.SpecSamples.validator;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.Validator.KeySecret;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.OperatorKeyring;
import io.sei.operator.api.v1alpha1.Validator.PassphraseSecretRef;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValidatorRulesTest {

  private static final String KEYRING = "spec.validator.operatorKeyring.secret";

  static Stream<Validator> valid() {
    return Stream.of(
        new Validator(null, null, null, null, null),
        keys("sign", "node", null),
        keys("sign", "node", keyring("ring", null, "pass", "phrase")),
        keys("sign", "node", keyring("ring", "node_admin-2", "pass", "phrase")),
        new Validator(null, null, null, null, new OperatorKeyring(null)),
        new Validator(s3(10L), ceremony("c", "1usei", "2usei", 0), null, null, null));
  }

  @ParameterizedTest
  @MethodSource("valid")
  void accepts(Validator validator) {
    assertThat(SpecValidation.validate("val", validator(validator))).isEmpty();
  }

  static Stream<Arguments> broken() {
    return Stream.of(keyRules(), keyringRules(), distinctness()).flatMap(rules -> rules);
  }

  private static Stream<Arguments> keyRules() {
    String together =
        "spec.validator: signingKey and nodeKey must be set together (validators get both or"
            + " neither)";
    return Stream.of(
        arguments(together, new Validator(null, null, signing("sign"), null, null)),
        arguments(together, new Validator(null, null, null, node("node"), null)),
        arguments(
            "spec.validator.signingKey: exactly one signing key source must be set",
            new Validator(null, null, new SigningKey(null), node("node"), null)),
        arguments(
            "spec.validator.nodeKey: exactly one node key source must be set",
            new Validator(null, null, signing("sign"), new NodeKey(null), null)),
        arguments(
            "spec.validator.signingKey.secret.secretName: must not be empty",
            keys(null, "node", null)),
        arguments(
            "spec.validator: signingKey and genesisCeremony are mutually exclusive",
            new Validator(null, ceremony("c", "1", "2", 0), signing("sign"), node("node"), null)),
        arguments(
            "spec.validator.snapshot: exactly one of s3 or stateSync must be set",
            new Validator(new Snapshot(null, null, null, null, null), null, null, null, null)));
  }

  private static Stream<Arguments> keyringRules() {
    return Stream.of(
        arguments(KEYRING + ".secretName: must not be empty", withKeyring(null, null, "pass", "k")),
        arguments(
            KEYRING + ".passphraseSecretRef: must be set",
            keys("sign", "node", new OperatorKeyring(new KeyringSecret("ring", null, null)))),
        arguments(
            KEYRING + ".passphraseSecretRef.secretName: must not be empty",
            withKeyring("ring", null, "", "k")),
        arguments(
            KEYRING + ".passphraseSecretRef.key: must not be empty",
            withKeyring("ring", null, "pass", null)));
  }

  private static Stream<Arguments> distinctness() {
    return Stream.of(
        arguments(
            "spec.validator: signingKey and nodeKey must reference distinct Secrets — packing both"
                + " keys in one Secret collapses the bootstrap-pod trust boundary",
            keys("sign", "sign", null)),
        arguments(
            "spec.validator: operatorKeyring and signingKey must reference distinct Secrets —"
                + " collapsing them into one Secret would force the sidecar/seid trust boundary to"
                + " evaporate",
            withKeyring("sign", null, "pass", "k")),
        arguments(
            "spec.validator: operatorKeyring and nodeKey must reference distinct Secrets",
            withKeyring("node", null, "pass", "k")),
        arguments(
            "spec.validator: operatorKeyring data Secret and passphrase Secret must be distinct",
            withKeyring("ring", null, "ring", "k")),
        arguments(
            "spec.validator: operatorKeyring passphrase Secret must not equal signingKey Secret",
            withKeyring("ring", null, "sign", "k")),
        arguments(
            "spec.validator: operatorKeyring passphrase Secret must not equal nodeKey Secret",
            withKeyring("ring", null, "node", "k")));
  }

  @ParameterizedTest
  @MethodSource("broken")
  void rejects(String error, Validator validator) {
    assertThat(SpecValidation.validate("val", validator(validator)))
        .extracting(FieldError::toString)
        .isEqualTo(List.of(error));
  }

  private static Validator withKeyring(String name, String keyName, String passphrase, String key) {
    return keys("sign", "node", keyring(name, keyName, passphrase, key));
  }

  private static Validator keys(String signing, String node, OperatorKeyring keyring) {
    return new Validator(null, null, signing(signing), node(node), keyring);
  }

  private static SigningKey signing(String secret) {
    return new SigningKey(new KeySecret(secret));
  }

  private static NodeKey node(String secret) {
    return new NodeKey(new KeySecret(secret));
  }

  private static OperatorKeyring keyring(
      String name, String keyName, String passphrase, String key) {
    return new OperatorKeyring(
        new KeyringSecret(name, keyName, new PassphraseSecretRef(passphrase, key)));
  }

  private static GenesisCeremony ceremony(
      String chainId, String staking, String balance, Integer index) {
    return new GenesisCeremony(chainId, staking, balance, index);
  }
}
