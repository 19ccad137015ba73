package io.sei.operator.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** {@code docs/configuration.md}: every setting, as the code has it. */
public final class ConfigPage {

  static final Path FILE = Path.of("docs", "configuration.md");

  private static final String HEAD =
      """
      <!-- Generated from ConfigKeys by 'make docs'; do not edit. -->
      # Configuration

      The operator is configured by environment variables. Each has a default, so that it runs
      with none of them set; a variable that is set to nothing counts as unset. A value that is not
      allowed stops the start with one line that names the variable, the value and what it must be.
      """;

  private ConfigPage() {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** What the page must contain. */
  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    for (ConfigKey.Concern concern : ConfigKey.Concern.values()) {
      page.append("\n## ").append(concern.title()).append("\n\n");
      page.append("| Variable | Default | Must be | What it is |\n|---|---|---|---|\n");
      page.append(
          ConfigKeys.all().stream()
              .filter(key -> key.concern() == concern)
              .map(ConfigPage::row)
              .collect(Collectors.joining()));
    }
    return page.toString();
  }

  private static String row(ConfigKey<?> key) {
    String fallback = key.defaultText().isEmpty() ? "(empty)" : "`" + key.defaultText() + "`";
    return "| `%s` | %s | %s | %s |\n"
        .formatted(key.name(), fallback, cell(key.type().allowed()), cell(key.doc()));
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
