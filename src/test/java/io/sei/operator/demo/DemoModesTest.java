package io.sei.operator.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DemoModesTest {

  private static final Pattern MODES = Pattern.compile("(?m)^MODES := (.*)$");

  /** CI plays what {@code make demos} plays. */
  @Test
  void everyModeIsPlayedByCi() throws IOException {
    var all = new TreeSet<>(Script.modes());
    all.add("tour");

    Matcher played = MODES.matcher(Files.readString(Path.of("Makefile")));

    assertThat(played.find()).isTrue();
    assertThat(List.of(played.group(1).split(" "))).containsExactlyInAnyOrderElementsOf(all);
    assertThat(Files.readString(Path.of(".ci", "run"))).contains("\nmake demos ");
  }
}
