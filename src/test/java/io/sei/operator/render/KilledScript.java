package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.sei.operator.testkit.Executable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs the script of a container, and kills it at one of its commands.
 *
 * @param bin the commands, which count themselves
 */
public record KilledScript(Path bin, Path count) {

  /** Removes what counts first, so that a death in the middle of it is the worst there can be. */
  private static final String COMMAND =
      """
      #!/bin/sh
      n=$(($(/bin/cat "$COUNT") + 1))
      echo $n > "$COUNT"
      if [ $n -eq $DEATH ]; then
        case "%1$s $*" in rm*data*) /bin/rm -f data/priv_validator_state.json ;; esac
        kill -9 $PPID
        exit 1
      fi
      exec %1$s "$@"
      """;

  /** Returns a script with the commands that change something. */
  public static KilledScript in(Path directory) throws IOException {
    var script =
        new KilledScript(
            Files.createDirectory(directory.resolve("bin")), directory.resolve("count"));
    for (String name : List.of("cp", "mv", "rm", "mkdir")) {
      script.put(name, COMMAND.formatted("/bin/" + name));
    }
    // A real sync waits for all that the machine has to write.
    script.put("sync", COMMAND.formatted("/bin/true"));
    return script;
  }

  /** Adds a command that can be killed. */
  public void with(String name, String script) throws IOException {
    put(name + "-itself", script);
    put(name, COMMAND.formatted(bin.resolve(name + "-itself")));
  }

  private void put(String name, String content) throws IOException {
    Path file = Files.writeString(bin.resolve(name), content);
    Executable.make(file);
  }

  /**
   * Runs it.
   *
   * @param death the command at which it is killed, counted from 1; 0 for none
   * @return whether it got that far
   */
  public boolean run(Container container, Path home, int death) throws Exception {
    Files.writeString(count, "0");
    var builder = new ProcessBuilder(container.getCommand()).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    for (EnvVar variable : container.getEnv()) {
      builder.environment().put(variable.getName(), variable.getValue());
    }
    builder.environment().put("HOME", home.toString());
    builder.environment().put("COUNT", count.toString());
    builder.environment().put("DEATH", Integer.toString(death));
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    int exit = builder.start().waitFor();
    if (death == 0) {
      assertThat(exit).isZero();
    }
    return Integer.parseInt(Files.readString(count).trim()) >= death;
  }
}
