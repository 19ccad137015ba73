package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Version, user and command of the operator's image, as the Dockerfile has them.
 *
 * @param version the default of its argument {@code VERSION}
 * @param user the user id and the group id
 * @param entrypoint the command
 */
public record Dockerfile(String version, String user, List<String> entrypoint) {

  /** Reads the last stage of a Dockerfile; throws if it does not say one of these. */
  public static Dockerfile read(Path file) {
    try {
      String text = Files.readString(file).replace("\\\n", "");
      String[] entrypoint =
          new ObjectMapper().readValue(find(text, "ENTRYPOINT (\\[.*])"), String[].class);
      return new Dockerfile(
          find(text, "ARG VERSION=(\\S+)"), find(text, "USER (\\S+)"), List.of(entrypoint));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String find(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    if (!matcher.find()) {
      throw new IllegalArgumentException("the Dockerfile has no " + pattern);
    }
    return matcher.group(1);
  }
}
