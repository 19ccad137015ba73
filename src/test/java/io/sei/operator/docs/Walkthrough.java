package io.sei.operator.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The commands that a part of a page shows after {@code $}, with what it shows below each. */
public final class Walkthrough {

  private Walkthrough() {}

  /**
   * Command of one or, after a backslash, several lines.
   *
   * @param output the lines that the page shows below it
   */
  public record Step(String command, List<String> output) {}

  /**
   * Lines without what differs in every run: ages, uids, sizes of volumes, which are a setting,
   * column widths, what kubectl prints while it waits, and the namespace, which older ones do not
   * name.
   */
  public static List<String> comparable(List<String> output) {
    return output.stream()
        .filter(line -> !line.matches("[IWE]\\d{4} .*|Waiting for deployment .*"))
        .map(line -> line.replaceFirst(" from \\S+ namespace$", ""))
        // First, because a part of a uid may look like an age.
        .map(line -> line.replaceAll("pvc-[0-9a-f-]{36}", "pvc"))
        .map(line -> line.replaceAll("\\b(\\d+[dhms])+\\b", "AGE"))
        .map(line -> line.replaceAll("\\b\\d+Gi\\b", "SIZE"))
        .map(line -> line.replaceAll(" +", " ").strip())
        .toList();
  }

  /** The steps of the part of docs/quickstart.md that has this heading. */
  public static List<Step> of(String heading) {
    List<Step> steps = new ArrayList<>();
    Page.parse(Path.of("docs", "quickstart.md"), part(heading)).code().stream()
        .map(Page.Block::text)
        .filter(text -> text.startsWith("$ "))
        .flatMap(String::lines)
        .forEach(line -> add(line, steps));
    return steps;
  }

  private static void add(String line, List<Step> steps) {
    if (line.startsWith("$ ")) {
      steps.add(new Step(line.substring(2), new ArrayList<>()));
      return;
    }
    Step last = steps.remove(steps.size() - 1);
    if (last.command().endsWith("\\")) {
      steps.add(new Step(last.command() + "\n" + line, last.output()));
    } else {
      last.output().add(line);
      steps.add(last);
    }
  }

  private static String part(String heading) {
    try {
      String page = Files.readString(Path.of("docs", "quickstart.md"));
      int start = page.indexOf("\n## " + heading + "\n");
      if (start < 0) {
        throw new IllegalArgumentException("docs/quickstart.md has no part " + heading);
      }
      int end = page.indexOf("\n## ", start + 1);
      return page.substring(start, end < 0 ? page.length() : end);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
