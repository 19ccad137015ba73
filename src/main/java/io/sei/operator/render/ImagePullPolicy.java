package io.sei.operator.render;

/**
 * The pull policy that the API server gives a new container. It is rendered, because the server
 * gives it once: a container that got {@code Always} for {@code latest} keeps it when a tag takes
 * the place of {@code latest}, and then needs the registry at every start.
 */
final class ImagePullPolicy {

  private ImagePullPolicy() {}

  static String of(String image) {
    var digest = image.indexOf('@');
    if (digest >= 0) {
      return "IfNotPresent";
    }
    var name = image.substring(image.lastIndexOf('/') + 1);
    var tag = name.indexOf(':');
    return tag < 0 || name.substring(tag + 1).equals("latest") ? "Always" : "IfNotPresent";
  }
}
