package io.sei.operator.house;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures how large and how entangled the product is, and fails if it is larger than allowed.
 *
 * <p>Usage: {@code House [DIR]}, where DIR is a tree of this repository. It needs nothing but the
 * JDK and runs from source, so that it can measure an earlier commit, too.
 */
public final class House {

  /**
   * Tokens and types of commit fd07afaa, at which the present simplification began. The limits are
   * percentages of them; they are lowered with each step, to 78 and 80 in the end. A change that
   * has to raise a limit gives the reason in its commit.
   */
  private static final int TOKENS_AT_BEGIN = 464_167;

  private static final int TYPES_AT_BEGIN = 1_103;
  private static final int TOKENS_PERCENT = 108;
  private static final int TYPES_PERCENT = 102;

  private static final String ROOT = "src/main/java/io/sei/operator/";

  /** Data of others: the words of BIP-39, and what pages of seid's releases say. */
  private static final Set<String> DATA = Set.of("bip39-english.txt", "releases.yaml");

  private static final String TEXTS =
      "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'";

  private static final Pattern TEXT = Pattern.compile(TEXTS, Pattern.DOTALL);

  /** Text blocks, strings and characters are kept; comments are not. */
  private static final Pattern SLASHED =
      Pattern.compile("(" + TEXTS + ")|//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

  private static final Pattern HASHED = Pattern.compile("(?m)^\\s*#.*$");
  private static final Pattern MARKUP = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+).*;$");
  private static final Pattern TOKEN = Pattern.compile("[\\p{Alnum}]+|[^\\p{Alnum}\\s]");
  private static final Pattern TYPE =
      Pattern.compile("(?<![.\\w])(?:class|interface|enum|record)\\s+([A-Z]\\w*)");
  private static final Pattern HOOK =
      Pattern.compile("(?m)^  (?!static)(?:default )?[\\w<>?, .]+ (\\w+)\\([^;{}]*\\)(?: \\{|;)");

  private final Path tree;
  private long tokens;
  private int types;
  private int files;
  private int longest;
  private final Set<String> packages = new TreeSet<>();

  private final Map<Path, Set<String>> imports = new HashMap<>();

  private House(Path tree) {
    this.tree = tree;
  }

  /** Prints the figures, and exits with 1 if one of the held ones is above its limit. */
  public static void main(String[] arguments) throws IOException {
    var house = new House(Path.of(arguments.length == 0 ? "." : arguments[0]));
    house.read();
    house.print();
    if (arguments.length == 0 && !house.isWithinLimits()) {
      System.exit(1);
    }
  }

  private void read() throws IOException {
    for (Path file : files("src/main", "src/tools")) {
      if (DATA.contains(file.getFileName().toString())) {
        continue;
      }
      String text = withoutComments(file, Files.readString(file));
      if (file.toString().endsWith(".java")) {
        readJava(file, text);
        text = IMPORT.matcher(text).replaceAll("");
      }
      tokens += TOKEN.matcher(text).results().count();
    }
  }

  private void readJava(Path file, String text) {
    files++;
    longest = Math.max(longest, (int) text.lines().count());
    types += (int) TYPE.matcher(TEXT.matcher(text).replaceAll("")).results().count();
    String path = tree.relativize(file).toString();
    if (path.startsWith(ROOT)) {
      packages.add(path.substring(0, path.lastIndexOf('/')));
      imports.put(
          file,
          IMPORT
              .matcher(text)
              .results()
              .map(found -> found.group(1))
              .collect(toCollection(HashSet::new)));
    }
  }

  private List<Path> files(String... directories) throws IOException {
    var found = new ArrayList<Path>();
    for (String directory : directories) {
      // An earlier commit may have no such directory.
      if (!Files.exists(tree.resolve(directory))) {
        continue;
      }
      try (Stream<Path> walk = Files.walk(tree.resolve(directory))) {
        walk.filter(Files::isRegularFile).sorted().forEach(found::add);
      }
    }
    return found;
  }

  private static String withoutComments(Path file, String text) {
    String name = file.getFileName().toString();
    if (name.matches(".*\\.(java|go|js)")) {
      return SLASHED
          .matcher(text)
          .replaceAll(
              found -> found.group(1) == null ? "" : Matcher.quoteReplacement(found.group()));
    }
    return name.matches(".*\\.(xml|html|svg)")
        ? MARKUP.matcher(text).replaceAll("")
        : HASHED.matcher(text).replaceAll("");
  }

  private void print() throws IOException {
    row("tokens without imports and comments", tokens, TOKENS_AT_BEGIN, TOKENS_PERCENT);
    row("types", types, TYPES_AT_BEGIN, TYPES_PERCENT);
    row("files in Java", files);
    row("packages of src/main, at most 31 expected", packages.size());
    row("lines of the longest file, without comments", longest);
    row("hooks of a node's feature", hooks("node/feature/NodeFeature.java"));
    row("hooks of a fleet's feature", hooks("fleet/feature/FleetFeature.java"));
    row("lines of tests", testLines());
    System.out.println(
        "Files outside a feature's package, and the assembly, that import its types:");
    for (String directory : packages) {
      if (directory.matches(ROOT + "(node|fleet)/.+") && !directory.endsWith("/feature")) {
        String room = directory.substring(ROOT.length()).replace('/', '.');
        row("  " + room, references(directory + "/"));
      }
    }
  }

  private long references(String directory) {
    String prefix = directory.substring("src/main/java/".length()).replace('/', '.');
    return imports.entrySet().stream()
        .filter(file -> !tree.relativize(file.getKey()).toString().startsWith(directory))
        .filter(file -> !isAssembly(file.getKey()))
        .flatMap(file -> file.getValue().stream())
        .filter(imported -> imported.startsWith(prefix))
        .filter(imported -> Character.isUpperCase(imported.charAt(prefix.length())))
        .count();
  }

  /** The root package wires the others. */
  private boolean isAssembly(Path file) {
    String path = tree.relativize(file).toString();
    return path.startsWith(ROOT) && path.indexOf('/', ROOT.length()) < 0;
  }

  private long hooks(String file) throws IOException {
    Path path = tree.resolve(ROOT + file);
    return Files.exists(path)
        ? HOOK.matcher(withoutComments(path, Files.readString(path))).results().count()
        : 0;
  }

  private long testLines() throws IOException {
    long lines = 0;
    for (Path file : files("src/test", "src/testkit")) {
      if (file.toString().matches(".*\\.(java|go)")) {
        lines += Files.readString(file).lines().filter(line -> !line.isBlank()).count();
      }
    }
    return lines;
  }

  private boolean isWithinLimits() {
    return isWithin(tokens, TOKENS_AT_BEGIN, TOKENS_PERCENT)
        && isWithin(types, TYPES_AT_BEGIN, TYPES_PERCENT);
  }

  private static boolean isWithin(long figure, long begin, int percent) {
    return figure * 100 <= begin * percent;
  }

  private static void row(String name, long figure) {
    System.out.printf("%-48s %8d%n", name, figure);
  }

  private static void row(String name, long figure, long begin, int percent) {
    System.out.printf(
        "%-48s %8d, %.1f %% of %d, at most %d %%%s%n",
        name,
        figure,
        figure * 100.0 / Math.max(1, begin),
        begin,
        percent,
        isWithin(figure, begin, percent) ? "" : ": too many");
  }
}
