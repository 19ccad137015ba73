package io.sei.operator.testkit.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directories of one control plane.
 *
 * @param work what is removed with it: keys, tokens, kubeconfigs
 * @param logs what stays for who looks for a cause
 */
record RunDirectories(Path work, Path logs) {

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** A container has 64 MiB of shared memory, which etcd's first log alone fills. */
  private static final long ROOM_FOR_ETCD = 512L << 20;

  static RunDirectories create() {
    Path target = ControlPlaneBinaries.projectDirectory().resolve("target");
    try {
      Path work = Files.createDirectories(target.resolve("control-plane-work"));
      Path logs = Files.createDirectories(target.resolve("control-plane-logs"));
      Path run = Files.createTempDirectory(work, "run-");
      return new RunDirectories(run, Files.createDirectory(logs.resolve(run.getFileName())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A directory for etcd, in memory where possible, because etcd is as fast as its disk. */
  Path createDataDirectory() {
    try {
      return hasRoom(SHARED_MEMORY, ROOM_FOR_ETCD)
          ? Files.createTempDirectory(SHARED_MEMORY, "sei-operator-etcd-")
          : Files.createDirectory(work.resolve("etcd"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether there is a directory that may be written to, with so many free bytes. */
  static boolean hasRoom(Path directory, long bytes) throws IOException {
    return Files.isWritable(directory) && Files.getFileStore(directory).getUsableSpace() >= bytes;
  }

  /**
   * Writes the file at once: a concurrent reader gets all of the earlier content, or all of this.
   */
  Path write(String name, String content) {
    try {
      Path whole = Files.createTempFile(work, name, ".new");
      Files.writeString(whole, content);
      return Files.move(whole, work.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void deleteWork() {
    if (!Files.exists(work)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(work)) {
      List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
