package io.sei.operator.api.validation;

import io.sei.operator.api.v1alpha1.Validator;

/** Rules of validators; the messages are those of the CEL rules in the schema. */
final class ValidatorRules {

  private ValidatorRules() {}

  static void validator(Field at, Validator validator) {
    at.child("snapshot").ifSet(validator.snapshot(), ModeRules::snapshot);
    at.child("signingKey")
        .ifSet(
            validator.signingKey(),
            (field, key) -> key(field, key.secret(), "exactly one signing key source must be set"));
    at.child("nodeKey")
        .ifSet(
            validator.nodeKey(),
            (field, key) -> key(field, key.secret(), "exactly one node key source must be set"));
    at.child("operatorKeyring")
        .ifSet(
            validator.operatorKeyring(),
            (field, keyring) ->
                field.child("secret").ifSet(keyring.secret(), ValidatorRules::keyring));
    at.rejectIf(
        (validator.signingKey() == null) != (validator.nodeKey() == null),
        "signingKey and nodeKey must be set together (validators get both or neither)");
    at.rejectIf(
        validator.signingKey() != null && validator.genesisCeremony() != null,
        "signingKey and genesisCeremony are mutually exclusive");
    distinctSecrets(at, SecretNames.of(validator));
  }

  private static void key(Field at, Validator.KeySecret secret, String noSource) {
    at.rejectIf(secret == null, noSource);
    at.child("secret")
        .ifSet(secret, (field, set) -> field.child("secretName").mustNotBeEmpty(set.secretName()));
  }

  private static void keyring(Field at, Validator.KeyringSecret keyring) {
    at.child("secretName").mustNotBeEmpty(keyring.secretName());
    Field passphrase = at.child("passphraseSecretRef");
    passphrase.mustBeSet(keyring.passphraseSecretRef());
    passphrase.ifSet(
        keyring.passphraseSecretRef(),
        (field, reference) -> {
          field.child("secretName").mustNotBeEmpty(reference.secretName());
          field.child("key").mustNotBeEmpty(reference.key());
        });
  }

  private static void distinctSecrets(Field at, SecretNames names) {
    at.rejectIf(
        same(names.signingKey(), names.nodeKey()),
        "signingKey and nodeKey must reference distinct Secrets — packing both keys in one Secret"
            + " collapses the bootstrap-pod trust boundary");
    at.rejectIf(
        same(names.keyring(), names.signingKey()),
        "operatorKeyring and signingKey must reference distinct Secrets — collapsing them into one"
            + " Secret would force the sidecar/seid trust boundary to evaporate");
    at.rejectIf(
        same(names.keyring(), names.nodeKey()),
        "operatorKeyring and nodeKey must reference distinct Secrets");
    at.rejectIf(
        same(names.keyring(), names.passphrase()),
        "operatorKeyring data Secret and passphrase Secret must be distinct");
    at.rejectIf(
        same(names.passphrase(), names.signingKey()),
        "operatorKeyring passphrase Secret must not equal signingKey Secret");
    at.rejectIf(
        same(names.passphrase(), names.nodeKey()),
        "operatorKeyring passphrase Secret must not equal nodeKey Secret");
  }

  /** Missing names are errors of their own and equal nothing. */
  private static boolean same(String one, String other) {
    return one != null && !one.isEmpty() && one.equals(other);
  }

  /** The Secrets a validator names; null where it names none. */
  private record SecretNames(String signingKey, String nodeKey, String keyring, String passphrase) {

    static SecretNames of(Validator validator) {
      Validator.KeyringSecret keyring =
          validator.operatorKeyring() == null ? null : validator.operatorKeyring().secret();
      Validator.PassphraseSecretRef passphrase =
          keyring == null ? null : keyring.passphraseSecretRef();
      return new SecretNames(
          validator.signingKey() == null ? null : name(validator.signingKey().secret()),
          validator.nodeKey() == null ? null : name(validator.nodeKey().secret()),
          keyring == null ? null : keyring.secretName(),
          passphrase == null ? null : passphrase.secretName());
    }

    private static String name(Validator.KeySecret secret) {
      return secret == null ? null : secret.secretName();
    }
  }
}
