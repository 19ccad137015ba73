package io.sei.operator.testkit.machine;

import java.util.Locale;

/** Images that a {@link Machine} can be asked to pull, and none of which a node can run. */
public enum UnusableImage {
  /** Has a shell, and no seid. */
  NO_SEID(true, null),
  /** Has a program seid, and no shell to start it. */
  NO_SHELL(false, "#!/bin/bash\n"),
  /** Has programs of another architecture. containerd pulls it all the same. */
  OTHER_ARCHITECTURE(true, null),
  /** Has a seid that never ends. */
  HANGS(true, "#!/bin/bash\nexec sleep 100000\n"),
  /** Has a seid that prints 10 MB, none of which is a version. */
  PRINTS_TEN_MEGABYTES(
      true,
      "#!/bin/bash\nline=$(printf 'x%.0s' {1..1023})\nfor i in {1..10240}; do echo $line; done\n");

  private final boolean hasShell;
  private final String seid;

  UnusableImage(boolean hasShell, String seid) {
    this.hasShell = hasShell;
    this.seid = seid;
  }

  /** The image, as a resource names it. */
  public String image() {
    return "ghcr.io/" + Chain.REPOSITORY + ":" + tag();
  }

  /** The tag, which is also the name of an upgrade that lists the image. */
  public String tag() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  boolean hasShell() {
    return hasShell;
  }

  /** The script that is called seid; null if there is none. */
  String seid() {
    return seid;
  }
}
