package io.sei.operator.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Collects the commands that the pages have an on-call engineer type, in a form that changes
 * nothing.
 */
public final class PageCommands {

  /** Their commands are typed as they stand, by tests of their own, or need Argo CD. */
  private static final Set<String> ELSEWHERE =
      Set.of("quickstart.md", "kubectl-plugin.md", "gitops.md", "machines.md");

  private static final Set<String> READS = Set.of("get", "describe", "logs", "auth");
  private static final Set<String> WRITES =
      Set.of(
          "patch",
          "annotate",
          "label",
          "create",
          "apply",
          "delete",
          "scale",
          "taint",
          "cordon",
          "uncordon");

  /** Interactive, blocking, or in need of a metrics server. */
  private static final Set<String> LEFT_OUT =
      Set.of("edit", "exec", "debug", "run", "top", "wait", "rollout", "sei");

  private static final Pattern OPTIONS = Pattern.compile("^kubectl (?:-n \\S+ )?(\\S+).*");
  private static final Pattern VARIABLE = Pattern.compile("([A-Z]+)=(\\$\\(kubectl .*\\))");
  private static final Pattern COMMENT = Pattern.compile("\\s+# .*");

  /** Filters of logs and lists, whose matches need not be there, and output made of a Secret. */
  private static final Pattern FILTER = Pattern.compile(" \\| (grep|tail|base64)\\b.*");

  private static final Pattern SAYS_WHERE = Pattern.compile(" -[nAk]\\b");

  private PageCommands() {}

  /** A command and the page that shows it. */
  public record Command(String page, String text) {}

  /**
   * Every kubectl command of the pages that reads, or writes once it is made a dry run.
   *
   * @param names what to put for the words that stand for names, by regular expression
   * @param namespace where it is typed
   */
  public static List<Command> all(Map<String, String> names, String namespace) {
    try {
      return Page.all().stream()
          .filter(page -> page.path().startsWith("docs"))
          .filter(page -> !ELSEWHERE.contains(page.path().getFileName().toString()))
          .flatMap(page -> commands(page).map(text -> new Command(page.path().toString(), text)))
          .filter(command -> !LEFT_OUT.contains(verb(command.text())))
          .map(command -> new Command(command.page(), harmless(command.text())))
          .map(command -> new Command(command.page(), named(command.text(), names, namespace)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> commands(Page page) {
    return typed(page).filter(line -> line.startsWith("kubectl "));
  }

  /** Every line that the page in a file has a reader type. */
  public static Stream<String> typed(Path file) {
    return typed(Page.read(file));
  }

  /**
   * Every line that a page has a reader type: without comments, lines that continue joined, and the
   * value of a variable in the place of its name.
   */
  static Stream<String> typed(Page page) {
    List<String> lines = new ArrayList<>();
    Map<String, String> variables = new HashMap<>();
    boolean continues = false;
    for (String typed : blocks(page)) {
      String line = typed.strip();
      Matcher variable = VARIABLE.matcher(line);
      for (Map.Entry<String, String> set : variables.entrySet()) {
        line = line.replace("$" + set.getKey(), '"' + set.getValue() + '"');
      }
      if (variable.matches()) {
        variables.put(variable.group(1), variable.group(2));
        continue;
      }
      line = COMMENT.matcher(line).replaceFirst("");
      if (continues) {
        line = lines.removeLast() + " " + line;
      }
      continues = line.endsWith("\\");
      lines.add(continues ? line.substring(0, line.length() - 1).strip() : line);
    }
    return lines.stream().filter(line -> !line.isEmpty());
  }

  private static List<String> blocks(Page page) {
    return page.code().stream()
        .filter(block -> !block.language().equals("yaml"))
        .flatMap(block -> block.text().lines())
        .toList();
  }

  private static String verb(String command) {
    var matcher = OPTIONS.matcher(command);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no verb in: " + command);
    }
    return matcher.group(1);
  }

  /** The command as a dry run, and without what filters its output. */
  static String harmless(String command) {
    String verb = verb(command);
    if (WRITES.contains(verb)) {
      return command + " --dry-run=server";
    }
    if (!READS.contains(verb)) {
      throw new IllegalArgumentException("neither a read nor a write: " + command);
    }
    return verb.equals("auth") ? command : FILTER.matcher(command).replaceFirst("");
  }

  static String named(String command, Map<String, String> names, String namespace) {
    String named = command;
    for (Map.Entry<String, String> name : names.entrySet()) {
      named = named.replaceAll("\\b(?:" + name.getKey() + ")\\b", name.getValue());
    }
    if (SAYS_WHERE.matcher(named).find()) {
      return named;
    }
    // kubectl takes no flag before the name of a plugin.
    return named.startsWith("kubectl sei ")
        ? named + " -n " + namespace
        : named.replaceFirst("^kubectl", "kubectl -n " + namespace);
  }
}
