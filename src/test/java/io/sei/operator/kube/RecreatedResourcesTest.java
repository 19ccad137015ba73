package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A resource is there again only if another one of its name is. */
class RecreatedResourcesTest {

  @ParameterizedTest
  @CsvSource({", false", "deleted, false", "another, true"})
  void isToldByItsUid(String cached, boolean isThereAgain) {
    var resources = new RecreatedResources<SeiNode>(cacheOf(cached), task -> {});

    assertThat(resources.check(node("deleted"))).isEqualTo(isThereAgain);
  }

  @SuppressWarnings("unchecked")
  private static IndexerResourceCache<SeiNode> cacheOf(String uid) {
    return (IndexerResourceCache<SeiNode>)
        Proxy.newProxyInstance(
            RecreatedResourcesTest.class.getClassLoader(),
            new Class<?>[] {IndexerResourceCache.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("get");
              assertThat(arguments[0]).isEqualTo(ResourceID.fromResource(node("deleted")));
              return Optional.ofNullable(uid).map(RecreatedResourcesTest::node);
            });
  }

  private static SeiNode node(String uid) {
    var node = new SeiNode();
    node.getMetadata().setNamespace("sei");
    node.getMetadata().setName("rpc-0");
    node.getMetadata().setUid(uid);
    return node;
  }
}
