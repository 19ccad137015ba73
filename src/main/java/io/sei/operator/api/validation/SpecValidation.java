package io.sei.operator.api.validation;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rules of a SeiNode's spec once more, for objects that were stored before the API server
 * enforced them: those whose breach would be carried out as something nobody asked for. Beyond the
 * schema these are the rules that the Go operator checks only when it plans.
 *
 * <p>Lengths, patterns and ranges are left to the API server, which refuses what comes of them; so
 * are rules about a change, such as immutability, which need the old object.
 */
public final class SpecValidation {

  /** The StatefulSet controller's revision label takes name, dash and hash in 63 characters. */
  static final int MAX_NAME = 52;

  private static final Pattern PEER = Pattern.compile("[^@,\\s]+@[^@,\\s]+:\\d{1,5}");

  private SpecValidation() {}

  /** Every broken rule, in the order of the fields; empty if the spec is valid. Never throws. */
  public static List<FieldError> validate(String name, SeiNodeSpec spec) {
    var errors = new ArrayList<FieldError>();
    var metadataName = new Field("metadata.name", errors);
    metadataName.mustNotBeEmpty(name);
    metadataName.mustNotBeLongerThan(MAX_NAME, name);
    var root = new Field("spec", errors);
    root.mustBeSet(spec);
    root.ifSet(spec, SpecValidation::spec);
    return List.copyOf(errors);
  }

  private static void spec(Field at, SeiNodeSpec spec) {
    at.child("chainId").mustNotBeEmpty(spec.chainId());
    at.child("image").mustNotBeEmpty(spec.image());
    at.child("peers").each(spec.peers(), SpecValidation::peers);
    at.child("dataVolume").ifSet(spec.dataVolume(), SpecValidation::dataVolume);
    mode(at, spec);
  }

  private static void mode(Field at, SeiNodeSpec spec) {
    at.rejectIf(
        set(spec.fullNode(), spec.archive(), spec.replayer(), spec.validator()) != 1,
        "exactly one of fullNode, archive, replayer, or validator must be set");
    at.child("peers")
        .rejectIf(
            spec.replayer() != null && (spec.peers() == null || spec.peers().isEmpty()),
            "peers is required when replayer mode is set");
    at.child("fullNode").ifSet(spec.fullNode(), ModeRules::fullNode);
    at.child("archive").ifSet(spec.archive(), ModeRules::archive);
    at.child("replayer").ifSet(spec.replayer(), ModeRules::replayer);
    at.child("validator").ifSet(spec.validator(), ValidatorRules::validator);
  }

  private static void peers(Field at, PeerSource source) {
    at.rejectIf(
        set(source.ec2Tags(), source.staticPeers(), source.label()) != 1,
        "exactly one of ec2Tags, static, or label must be set");
    at.child("ec2Tags")
        .ifSet(
            source.ec2Tags(),
            (field, ec2) -> {
              field.child("region").mustNotBeEmpty(ec2.region());
              field.child("tags").mustNotBeEmpty(ec2.tags());
            });
    at.child("static")
        .ifSet(
            source.staticPeers(),
            (field, peers) -> {
              Field addresses = field.child("addresses");
              addresses.mustNotBeEmpty(peers.addresses());
              addresses.each(
                  peers.addresses(),
                  (item, address) ->
                      item.rejectIf(!PEER.matcher(address).matches(), "must be nodeId@host:port"));
            });
    at.child("label")
        .ifSet(
            source.label(),
            (field, label) -> field.child("selector").mustNotBeEmpty(label.selector()));
  }

  private static void dataVolume(Field at, DataVolume volume) {
    at.child("import")
        .ifSet(
            volume.importClaim(),
            (field, claim) -> field.child("pvcName").mustNotBeEmpty(claim.pvcName()));
  }

  /** How many of the values are set. */
  static long set(Object... values) {
    return Stream.of(values).filter(Objects::nonNull).count();
  }
}
