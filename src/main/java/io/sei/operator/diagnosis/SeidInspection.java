package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.sei.operator.base.Text;
import io.sei.operator.base.UntrustedText;
import io.sei.operator.render.PulledProgram;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Contents of an image by what its seid printed. The image is not trusted.
 *
 * @param version as {@code seid version --long} prints it; {@link #NO_VERSION} if the build has
 *     none, null if the image was not inspected
 * @param problem what keeps seid from running in it; null if nothing does
 */
public record SeidInspection(String version, String problem) {

  /** Version of a build that was made without one. */
  public static final String NO_VERSION = "unknown";

  /** Problem of an image whose container neither answers nor ends. */
  public static final SeidInspection HANGS =
      new SeidInspection(null, "seid version does not end; use an image of a released seid");

  private static final Pattern VERSION =
      Pattern.compile("(?m)^version:(?: +\"\"| +\"?([A-Za-z0-9._+-]{1,64})\"?)? *$");

  private static final Pattern NO_SEID = Pattern.compile("seid: (?:command )?not found");

  /** Of runc and of crun, which name the program, also where a directory is in its place. */
  private static final Pattern NO_SHELL =
      Pattern.compile("/bin/bash\\W.*(?:no such file|not found|permission denied|is a directory)");

  private static final int MAX_QUOTED = 200;

  /** Reads how the container of an inspection ended. */
  static SeidInspection of(ContainerStateTerminated end) {
    String said = end.getMessage() == null ? "" : end.getMessage();
    Matcher version = VERSION.matcher(said);
    if (version.find()) {
      String found = version.group(1);
      return new SeidInspection(found == null ? NO_VERSION : found, null);
    }
    return new SeidInspection(null, problem(said));
  }

  private static String problem(String said) {
    if (said.contains("exec format error")) {
      return "it is built for another architecture than its Kubernetes node has; build it for that"
          + " one";
    }
    if (said.startsWith(PulledProgram.TIMEOUT)) {
      return HANGS.problem();
    }
    if (NO_SEID.matcher(said).find()) {
      return "it has no program seid in its PATH; use an image of seid";
    }
    if (NO_SHELL.matcher(said).find()) {
      return "it has no /bin/bash, by which a node's pod starts seid; use an image that has it";
    }
    String quoted = Text.line(UntrustedText.clean(said), MAX_QUOTED);
    return quoted.isEmpty()
        ? "seid version prints nothing; use an image of a released seid"
        : "seid version prints no version; it prints: " + quoted;
  }
}
