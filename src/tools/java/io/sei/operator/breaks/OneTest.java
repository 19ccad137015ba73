package io.sei.operator.breaks;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs one test class or method; ends with 10 if it is red, and with 11 if it runs no test. */
public final class OneTest {

  private static final int RED = 10;
  private static final int NOTHING = 11;

  private OneTest() {}

  /** Takes the simple name of a class, or one with a method: {@code Name#method}. */
  public static void main(String[] arguments) throws IOException {
    String[] named = arguments[0].split("#");
    Class<?> test = named(named[0], Path.of("target", "test-classes"));
    var listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(named.length == 1 ? List.of(selectClass(test)) : methods(test, named[1]))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.getFailures().stream()
        .limit(1)
        .forEach(failure -> System.out.println(failure.getException()));
    System.exit(summary.getTestsFoundCount() == 0 ? NOTHING : isRed(summary) ? RED : 0);
  }

  private static boolean isRed(TestExecutionSummary summary) {
    return summary.getTotalFailureCount() > 0;
  }

  private static List<? extends DiscoverySelector> methods(Class<?> test, String name) {
    return Arrays.stream(test.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .map(method -> selectMethod(test, method))
        .toList();
  }

  private static Class<?> named(String name, Path classes) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      Path file =
          files
              .filter(path -> path.endsWith(name + ".class"))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no test class " + name));
      String path = classes.relativize(file).toString();
      String className = path.substring(0, path.length() - ".class".length()).replace('/', '.');
      return Class.forName(className, false, OneTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
