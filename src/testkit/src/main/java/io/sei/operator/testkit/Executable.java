package io.sei.operator.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Makes scripts that a test has written executable. */
public final class Executable {

  private static final String COPY = "install -m 755 \"$0\" \"$0.new\" && mv \"$0.new\" \"$0\"";

  private Executable() {}

  /**
   * Makes a file executable, as a copy that another process writes. A file that this process has
   * open for writing may be inherited by a process that another test starts at that moment, and
   * Linux refuses to run a file that is open for writing ("Text file busy").
   */
  public static void make(Path file) throws IOException {
    try {
      Process copy =
          new ProcessBuilder(List.of("sh", "-c", COPY, file.toString())).inheritIO().start();
      if (copy.waitFor() != 0) {
        throw new IOException("cannot make %s executable".formatted(file));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making %s executable".formatted(file), e);
    }
  }
}
