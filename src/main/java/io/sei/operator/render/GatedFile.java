package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.List;

/**
 * A file of seid's configuration that a Job looks into. The file alone is mounted, read-only, from
 * a claim that is read-only in the pod as well: otherwise the kubelet would make a directory of a
 * missing file on the volume.
 *
 * @param name such as app.toml
 * @param keys the keys to look for, each after its section and a dot
 */
public record GatedFile(String name, List<String> keys) {

  /** Begins the termination message: a digit for each key follows, 1 if the file has it. */
  public static final String FOUND = "keys ";

  /** Termination message of a container whose mount is not a file. */
  public static final String NO_FILE = "no file";

  private static final String DIRECTORY = "/gate/";

  /**
   * Uses nothing but bash, and prints nothing of the file. Names of other keys are not kept, so
   * that no file fills the memory; what is longer than 4 KiB or 100,000 lines is cut there.
   */
  private static final String SCRIPT =
      """
      LC_ALL=C
      declare -A wanted
      for key in "$@"; do wanted[$key]=0; done
      note() { [ -z "${wanted[$1]}" ] || wanted[$1]=1; }
      section=
      lines=0
      answer="%s"
      if [ -f "$0" ]; then
        while [ $((lines += 1)) -le 100000 ] && { IFS= read -r -n 4096 line || [ -n "$line" ]; }; do
          line=${line#"${line%%%%[![:space:]]*}"}
          if [[ $line =~ ^\\[[[:space:]]*([A-Za-z0-9_.-]+)[[:space:]]*\\] ]]; then
            section=${BASH_REMATCH[1]}
            note "$section"
            section+=.
          elif [[ $line =~ ^\\"?([A-Za-z0-9_.-]+)\\"?[[:space:]]*= ]]; then
            note "$section${BASH_REMATCH[1]}"
          fi
        done <"$0"
        answer="%s"
        for key in "$@"; do answer+=${wanted[$key]}; done
      fi
      printf %%s "$answer" >/dev/termination-log
      """
          .formatted(NO_FILE, FOUND);

  /** Checks that no name or key is more than one. */
  public GatedFile {
    keys = keys.stream().filter(key -> key.matches("[A-Za-z0-9_.-]{1,200}")).toList();
  }

  /** Name of the container that looks into the file. */
  public String container() {
    return "gate-" + name.replace('.', '-');
  }

  void read(ContainerBuilder container) {
    String path = DIRECTORY + name;
    container
        .withCommand("/bin/bash", "-c", SCRIPT, path)
        .addAllToCommand(keys)
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withVolumeMounts(
            new VolumeMountBuilder()
                .withName(Volumes.DATA)
                .withMountPath(path)
                .withSubPath("config/" + name)
                .withReadOnly(true)
                .build());
  }
}
