package io.sei.operator.diagnosis;

/**
 * Where seid stopped for an upgrade.
 *
 * @param upgrade name of the upgrade; null if the message was cut before it
 * @param height height of the upgrade; null if the message was cut before it
 */
public record Halt(String upgrade, Long height) {

  /** The halt for a human, such as {@code upgrade "v6" at height 100}. */
  @Override
  public String toString() {
    String name = upgrade == null ? "an upgrade" : "upgrade \"" + upgrade + "\"";
    return height == null ? name : name + " at height " + height;
  }
}
