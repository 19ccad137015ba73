package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** PURE: which images {@code spec.upgradePolicy.imageTemplates} come to. */
final class ImageTemplates {

  private static final Pattern TEMPLATE = Pattern.compile(UpgradePolicy.TEMPLATE);

  /** Names of upgrades that may become part of a tag: any account may propose any name. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

  /** Sei names the plan of a release v6.8, and tags its image v6.8.0. */
  private static final Pattern WITHOUT_PATCH = Pattern.compile("v?[0-9]+\\.[0-9]+");

  /** A tag with a patch version. */
  private static final String WITH_PATCH = "{name}.";

  /** Image id of a pulled image, which ends with its digest. */
  private static final Pattern DIGEST = Pattern.compile("@(sha256:[0-9a-f]{64})$");

  private final List<String> templates;

  private ImageTemplates(List<String> templates) {
    this.templates = templates;
  }

  static ImageTemplates of(SeiNodeSpec spec) {
    return new ImageTemplates(
        Stream.ofNullable(spec.upgradePolicy())
            .map(UpgradePolicy::imageTemplates)
            .flatMap(Stream::ofNullable)
            .flatMap(List::stream)
            .filter(text -> TEMPLATE.matcher(text).matches())
            .toList());
  }

  boolean isEmpty() {
    return templates.isEmpty();
  }

  /** The images of an upgrade, in their order; none if its name cannot be part of a tag. */
  List<String> images(String upgrade) {
    return NAME.matcher(upgrade).matches()
        ? templates.stream()
            .flatMap(template -> tags(template, upgrade))
            .filter(tag -> !tag.endsWith(":latest"))
            .distinct()
            .toList()
        : List.of();
  }

  private static Stream<String> tags(String template, String upgrade) {
    String plain = template.replace("{name}", upgrade);
    return WITHOUT_PATCH.matcher(upgrade).matches() && !template.contains(WITH_PATCH)
        ? Stream.of(template.replace("{name}", upgrade + ".0"), plain)
        : Stream.of(plain);
  }

  /** The image to try after that of an entry, which has no digest, could not be pulled. */
  Optional<String> after(UpgradeStatus entry) {
    List<String> images = images(entry.name());
    int next = images.indexOf(entry.image()) + 1;
    return next > 0 && next < images.size() ? Optional.of(images.get(next)) : Optional.empty();
  }

  /** The image to try first for an entry without a digest. */
  String first(UpgradeStatus entry) {
    List<String> images = images(entry.name());
    return images.isEmpty() ? entry.image() : images.getFirst();
  }

  /** An image without its digest. */
  static String tagged(String image) {
    int digest = image.indexOf('@');
    return digest < 0 ? image : image.substring(0, digest);
  }

  /** Returns the digest at the end of an image or image id. */
  static Optional<String> digest(String image) {
    Matcher digest = DIGEST.matcher(image);
    return digest.find() ? Optional.of(digest.group(1)) : Optional.empty();
  }
}
