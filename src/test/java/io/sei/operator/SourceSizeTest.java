package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Files and methods that can be read in one go, tests included. */
class SourceSizeTest {

  private static final int FILE_LINES = 700;

  /** A method of guard clauses reads from top to bottom; to cut it in two would hide its order. */
  private static final int METHOD_LINES = 80;

  @Test
  void filesAreShort() throws IOException {
    var tooLong = new ArrayList<String>();
    for (Path source : sources()) {
      long lines = Files.readAllLines(source).size();
      if (lines >= FILE_LINES) {
        tooLong.add(source + " has " + lines + " lines");
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void methodsAreShort() throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources()));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      var tooLong = new ArrayList<String>();
      for (CompilationUnitTree unit : task.parse()) {
        new LongMethods(unit, positions, tooLong).scan(unit, null);
      }
      assertThat(tooLong).isEmpty();
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      assertThat(sources).hasSizeGreaterThan(100);
      return sources;
    }
  }

  private static final class LongMethods extends TreeScanner<Void, Void> {

    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> found;

    LongMethods(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
      this.unit = unit;
      this.positions = positions;
      this.found = found;
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      long end = positions.getEndPosition(unit, method);
      // What the compiler adds, such as the constructor of a record, ends nowhere.
      if (end >= 0) {
        var lines = unit.getLineMap();
        long start = lines.getLineNumber(positions.getStartPosition(unit, method));
        long length = lines.getLineNumber(end) - start + 1;
        if (length >= METHOD_LINES) {
          found.add(
              "%s:%d %s has %d lines"
                  .formatted(unit.getSourceFile().getName(), start, method.getName(), length));
        }
      }
      return super.visitMethod(method, nothing);
    }
  }
}
