package io.sei.operator.testkit.machine;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Versions that the pages name. Each is the seid that a variable has the path of, or else the chain
 * of {@code src/test/go/chain} with what that version knows.
 */
public enum Release {
  /** Does not know the upgrade to the next. */
  CURRENT("v6.4.4", "SEID", ""),
  /** Knows the upgrade {@link #UPGRADE}. */
  NEXT("v6.5.2", "SEID_NEXT", Release.UPGRADE);

  /** Name of a plan for {@link #NEXT}. */
  public static final String UPGRADE = "v6.5";

  private final String tag;
  private final String variable;
  private final String handlers;

  Release(String tag, String variable, String handlers) {
    this.tag = tag;
    this.variable = variable;
    this.handlers = handlers;
  }

  /** The image, as a resource names it. */
  public String image() {
    return "ghcr.io/" + name(tag);
  }

  String repositoryTag() {
    return name(tag);
  }

  /** The real one, if there is one. */
  Optional<Path> program() {
    return Optional.ofNullable(System.getenv(variable)).map(Path::of);
  }

  List<String> environment() {
    return Chain.environment("", handlers);
  }

  private static String name(String tag) {
    return Chain.REPOSITORY + ":" + tag;
  }
}
