package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.kube.KubernetesClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua54.Lua54;

/** Computes what GitOps tools make of objects: with the library kstatus, with CEL, and with Lua. */
public final class GitOpsTools {

  private static final GoTool KSTATUS =
      new GoTool("test/go/kstatus", "sei.io/operator/test/kstatus");
  private static final Path HEALTH = Path.of("deploy", "argocd", "health.lua");

  private GitOpsTools() {}

  /**
   * The health of an object.
   *
   * @param kstatus by the library
   * @param flux by the expressions
   * @param argo by the health check that is shipped
   */
  public record Health(String kstatus, String flux, String argo) {}

  /**
   * The health of objects, in their order.
   *
   * @param expressions such as {@code failed=status.phase == 'Failed'}
   */
  public static List<Health> health(List<HasMetadata> objects, List<String> expressions) {
    List<String> flux = kstatus(objects, expressions);
    var all = new ArrayList<Health>();
    try (Lua lua = new Lua54()) {
      lua.openLibraries();
      String script = Files.readString(HEALTH);
      for (int i = 0; i < objects.size(); i++) {
        String[] statuses = flux.get(i).split("\t");
        all.add(new Health(statuses[0], statuses[1], argo(lua, script, objects.get(i))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(all);
  }

  private static String argo(Lua lua, String script, HasMetadata object) {
    lua.push(map(object), Lua.Conversion.FULL);
    lua.setGlobal("obj");
    lua.load(script);
    lua.pCall(0, 1);
    String status = String.valueOf(lua.toMap(-1).get("status"));
    lua.pop(1);
    return status;
  }

  private static Map<?, ?> map(HasMetadata object) {
    return KubernetesClients.serialization().convertValue(object, Map.class);
  }

  private static List<String> kstatus(List<HasMetadata> objects, List<String> expressions) {
    try {
      Path input = Files.createTempFile("objects", ".jsonl");
      Files.write(input, objects.stream().map(KubernetesClients.serialization()::asJson).toList());
      List<String> command = new ArrayList<>(List.of(KSTATUS.find().toString()));
      command.addAll(expressions);
      Process process =
          new ProcessBuilder(command)
              .redirectInput(input.toFile())
              .redirectErrorStream(true)
              .start();
      List<String> output;
      try (var reader = process.inputReader()) {
        output = reader.lines().toList();
      }
      Files.delete(input);
      if (process.waitFor() != 0 || output.size() != objects.size()) {
        throw new IllegalStateException(command + ": " + String.join("\n", output));
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running kstatus", e);
    }
  }
}
