package io.sei.operator.testkit;

import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sidecars that answer for their health and the identity of their nodes, and nothing else. */
public final class StubbedSidecars {

  private StubbedSidecars() {}

  /** A client of sidecars that answer like this. */
  public static SidecarClient client(
      Supplier<CompletableFuture<SidecarHealth>> health,
      Function<SidecarAddress, Optional<String>> nodeId) {
    return (SidecarClient)
        Proxy.newProxyInstance(
            SidecarClient.class.getClassLoader(),
            new Class<?>[] {SidecarClient.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "healthAsync" -> health.get();
                  case "nodeIdAsync" ->
                      CompletableFuture.completedFuture(
                          nodeId.apply((SidecarAddress) arguments[0]));
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
