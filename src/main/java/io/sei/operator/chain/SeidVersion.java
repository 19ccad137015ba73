package io.sei.operator.chain;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PURE: major and minor version of a running seid, as its RPC reports it in {@code abci_info}. */
public record SeidVersion(int major, int minor) {

  private static final Pattern VERSION =
      Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4})\\.\\d{1,4}\\b.*");

  /**
   * Parses a version such as v6.8.0 or v6.8.0-rc2; empty for anything else, such as a branch name.
   */
  public static Optional<SeidVersion> parse(String text) {
    Matcher version = VERSION.matcher(text);
    return version.matches()
        ? Optional.of(
            new SeidVersion(Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2))))
        : Optional.empty();
  }

  /** Returns whether this version serves gRPC, which v6.8.0 and its release candidates removed. */
  public boolean servesGrpc() {
    return major < 6 || (major == 6 && minor < 8);
  }
}
