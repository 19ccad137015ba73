package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Unreadable;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An object that cannot be read is a stub; what comes with it is read. */
class ResourceReadingTest {

  private static final String SPEC = "'chainId':'c','image':'i','fullNode':{}";

  private final KubernetesSerialization serialization = KubernetesClients.serialization();

  static Stream<Arguments> tooLarge() {
    return Stream.of(
        Arguments.of("[".repeat(1_100) + "]".repeat(1_100), "has more than 16 levels"),
        Arguments.of("[".repeat(9_000) + "]".repeat(9_000), "has more than 16 levels"),
        Arguments.of("{'a':".repeat(17) + "1" + "}".repeat(17), "has more than 16 levels"),
        Arguments.of("'" + "x".repeat(4097) + "'", "is larger than 4 KiB"),
        Arguments.of("[" + "[],".repeat(40_000) + "1]", "is larger than 4 KiB"),
        Arguments.of("[" + "12345,".repeat(800) + "1]", "is larger than 4 KiB"),
        Arguments.of("9".repeat(100_000), "is larger than 4 KiB"),
        Arguments.of("{'" + "k".repeat(257) + "':1}", "has a key of more than 256 characters"),
        Arguments.of("{'" + "k".repeat(60_000) + "':1}", "is larger than 4 KiB"));
  }

  @ParameterizedTest(name = "{index}: {1}")
  @MethodSource("tooLarge")
  void aFreeFormValueThatIsTooLargeIsLeftOut(String value, String problem) {
    String spec = SPEC + ",'configValues':[%s,%s]".formatted(entry("1"), entry(value));

    List<SeiNode> nodes = list(node("a", spec + ",'paused':true"), node("b", SPEC));

    assertThat(unreadable(nodes.getFirst()))
        .containsExactly(new Unreadable.Field("spec.configValues[1].value", problem));
    assertThat(nodes.getFirst().getSpec().configValues())
        .extracting(ConfigValue::value)
        .extracting(JsonNode::asText)
        .containsExactly("1", ResourceReading.LEFT_OUT.textValue());
    assertThat(nodes.getFirst().getSpec().paused()).isTrue();
    assertReadAsAWhole(nodes.get(1));
    assertThat(watched(node("a", spec)))
        .isInstanceOfSatisfying(SeiNode.class, node -> assertThat(unreadable(node)).hasSize(1));
    assertThat(unreadable(serialization.unmarshal(json(node("a", spec)), SeiNode.class)))
        .hasSize(1);
  }

  @Test
  void aFreeFormValueMayBeAsLargeAsItsLimits() {
    String deep = "[".repeat(16) + "]".repeat(16);
    String wide = "'" + "x".repeat(4000) + "'";
    String key = "{'" + "k".repeat(256) + "':1}";
    List<SeiNode> nodes =
        list(
            node(
                "a",
                SPEC
                    + ",'configValues':[%s,%s,%s]".formatted(entry(deep), entry(wide), entry(key))),
            node("b", SPEC));

    nodes.forEach(ResourceReadingTest::assertReadAsAWhole);
    assertThat(nodes.getFirst().getSpec().configValues().get(1).value().asText()).hasSize(4000);
  }

  @Test
  void aSpecThatIsTooLargeIsNotRead() {
    String large = "'image':'%s'".formatted("i".repeat(256 << 10));

    List<SeiNode> nodes =
        list(node("a", "'chainId':'c'," + large, "'phase':'Running'"), node("b", SPEC));

    assertThat(unreadable(nodes.getFirst()))
        .containsExactly(new Unreadable.Field("spec", "is larger than 256 KiB"));
    assertThat(nodes.getFirst().getSpec()).isNull();
    assertThat(nodes.getFirst().getStatus().phase()).hasToString("Running");
    assertReadAsAWhole(nodes.get(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'spec':7 | spec",
        "'spec':['a',{'b':[]}] | spec",
        "'spec':{'image':{'a':1}} | spec.image",
        "'spec':{'chainId':'c','peers':[{'label':{'selector':[1]}}]} |"
            + " spec.peers[0].label.selector",
        "'spec':{'peers':'none'} | spec.peers",
        "'spec':{'podLabels':{'a':['b']}} | spec.podLabels.a",
        "'spec':{'upgrades':[{'name':'v1','height':'many'}]} | spec.upgrades[0].height",
      })
  void aSpecOfAnotherTypeIsNotRead(String spec, String path) {
    List<SeiNode> nodes =
        list(
            "{'metadata':{'name':'a','uid':'1'},%s,'status':{'phase':'Running'}}".formatted(spec),
            node("b", SPEC));

    assertThat(unreadable(nodes.getFirst()))
        .containsExactly(new Unreadable.Field(path, "has another type than its schema says"));
    assertThat(nodes.getFirst().getMetadata().getUid()).isEqualTo("1");
    assertThat(nodes.getFirst().getSpec()).isNull();
    assertThat(nodes.getFirst().getStatus().phase()).hasToString("Running");
    assertReadAsAWhole(nodes.get(1));
  }

  @Test
  void statusAndMetadataOfAnotherTypeAreNotRead() {
    List<SeiNode> nodes =
        list(
            "{'metadata':{'name':'a','labels':['x'],'uid':'1'},'spec':{%s},'status':[1,[2]]}"
                .formatted(SPEC),
            node("b", SPEC));

    assertThat(unreadable(nodes.getFirst()))
        .extracting(Unreadable.Field::path)
        .containsExactly("metadata.labels", "status");
    assertThat(nodes.getFirst().getSpec().image()).isEqualTo("i");
    assertReadAsAWhole(nodes.get(1));
  }

  @Test
  void aCopyOfAStubIsAStub() {
    SeiNode stub = list(node("a", "'image':7,'peers':7")).getFirst();

    SeiNode copy = new SharedRecords(List.of(SeiNode::new), serialization).clone(stub);

    assertThat(unreadable(copy)).isEqualTo(unreadable(stub)).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'spec':{'replicas':'many'}",
        "'spec':{'replicas':1},'status':{'replicas':[]}",
        "'spec':{'volumeClaimTemplates':[{'spec':7}]}",
      })
  void aBuiltInObjectThatCannotBeReadHasMetadataOnly(String fields) {
    StatefulSetList sets =
        list(
            StatefulSetList.class,
            "{'metadata':{'name':'a','uid':'1'},%s}".formatted(fields),
            "{'metadata':{'name':'b'},'spec':{'replicas':1},'status':{'replicas':1}}");

    StatefulSet stub = sets.getItems().getFirst();
    assertThat(stub.getMetadata().getUid()).isEqualTo("1");
    assertThat(stub.getSpec()).isNull();
    assertThat(stub.getStatus()).isNull();
    assertThat(unreadable(stub)).isNotEmpty();
    assertThat(unreadable(serialization.clone(stub))).isEqualTo(unreadable(stub));
    assertThat(sets.getItems().get(1).getSpec().getReplicas()).isOne();
    assertThat(sets.getItems().get(1).getStatus().getReplicas()).isOne();
  }

  @Test
  void aBuiltInObjectThatIsTooLargeHasMetadataOnly() {
    String env = "{'name':'%s'}".formatted("n".repeat(1000));
    String large =
        "'spec':{'template':{'spec':{'containers':[{'env':[%s]}]}}}"
            .formatted(String.join(",", Collections.nCopies(600, env)));

    HasMetadata set =
        watched(
            "{'kind':'StatefulSet','apiVersion':'apps/v1','metadata':{'name':'a'},%s}"
                .formatted(large));

    assertThat(set)
        .isInstanceOfSatisfying(
            StatefulSet.class,
            node -> {
              assertThat(node.getMetadata().getName()).isEqualTo("a");
              assertThat(node.getSpec()).isNull();
            });
  }

  @Test
  void aFleetIsReadInTheSameWay() {
    SeiNodeDeployment fleet =
        (SeiNodeDeployment)
            watched(
                ("{'apiVersion':'sei.io/v1alpha1','kind':'SeiNodeDeployment','metadata':{},"
                        + "'spec':{'replicas':1,'template':{'spec':{%s,'configValues':[%s]}}}}")
                    .formatted(SPEC, entry("[".repeat(1_100) + "]".repeat(1_100))));

    assertThat(unreadable(fleet))
        .containsExactly(
            new Unreadable.Field(
                "spec.template.spec.configValues[0].value", "has more than 16 levels"));
    assertThat(fleet.hashCode()).isEqualTo(fleet.hashCode());
  }

  @Test
  void whatKubectlHasAppliedIsLeftOutOfObjectsOfWhichManyAreKept() {
    String applied =
        "'annotations':{'kubectl.kubernetes.io/last-applied-configuration':'%s','a':'b'}"
            .formatted("x".repeat(1000));
    String node =
        ("{'apiVersion':'sei.io/v1alpha1','kind':'SeiNode','metadata':{'name':'a',%s},"
                + "'spec':{%s}}")
            .formatted(applied, SPEC);

    assertThat(list(node).getFirst().getMetadata().getAnnotations()).isEqualTo(Map.of("a", "b"));
    assertThat(watched(node).getMetadata().getAnnotations()).isEqualTo(Map.of("a", "b"));
    assertThat(serialization.unmarshal(json(node), SeiNode.class).getMetadata().getAnnotations())
        .hasSize(2);
  }

  @Test
  void dataOfAConfigMapThatIsLargerThanTheOperatorsOwnIsLeftOutOfObjectsOfWhichManyAreKept() {
    String small =
        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'a':'%s'},"
            + "'binaryData':{'b':'%s'}}";
    String large = small.formatted("x".repeat(17 << 10), "y".repeat(17 << 10));
    small = small.formatted("x".repeat(15 << 10), "y".repeat(15 << 10));

    ConfigMapList read = list(ConfigMapList.class, large, small);
    List<ConfigMap> page = read.getItems();

    assertThat(page.getFirst().getData()).isEmpty();
    assertThat(page.getFirst().getBinaryData()).isEmpty();
    assertThat(page.get(1).getData().get("a")).hasSize(15 << 10);
    assertThat(page.get(1).getBinaryData().get("b")).hasSize(15 << 10);
    assertThat(((ConfigMap) watched(large)).getData()).isEmpty();
    ConfigMap alone = serialization.unmarshal(json(large), ConfigMap.class);
    assertThat(alone.getData().get("a")).hasSize(17 << 10);
    assertThat(Stream.concat(page.stream(), Stream.of(alone)))
        .as("what others keep in a ConfigMap makes it no stub")
        .noneMatch(Unreadable::isStub);
  }

  @ParameterizedTest
  @CsvSource({"labels", "annotations"})
  void ofLabelsAndAnnotations512AreKeptAndTheOperatorsOwnInAnyCase(String field) {
    String entries =
        IntStream.range(0, 20_000)
            .mapToObj("'example.com/%d':'v'"::formatted)
            .collect(Collectors.joining(","));
    String few = entries.substring(0, entries.indexOf(",'example.com/512'"));
    String node = "{'metadata':{'name':'a','%s':{%s,'sei.io/own':'v'}},'spec':{%s}}";

    SeiNode stub = list(node.formatted(field, entries, SPEC), node("b", SPEC)).getFirst();

    assertThat(unreadable(stub))
        .containsExactly(new Unreadable.Field("metadata." + field, "has more than 512 entries"));
    assertThat(entries(stub, field)).hasSize(513).containsKey("sei.io/own");
    few = few.substring(few.indexOf(',') + 1);
    SeiNode whole = list(node.formatted(field, few, SPEC)).getFirst();
    assertReadAsAWhole(whole);
    assertThat(entries(whole, field)).hasSize(512);
  }

  private static Map<String, String> entries(SeiNode node, String field) {
    return field.equals("labels")
        ? node.getMetadata().getLabels()
        : node.getMetadata().getAnnotations();
  }

  private static void assertReadAsAWhole(SeiNode node) {
    assertThat(unreadable(node)).isEmpty();
    assertThat(node.getSpec().image()).isEqualTo("i");
  }

  private static List<Unreadable.Field> unreadable(HasMetadata object) {
    return Unreadable.of(object).fields();
  }

  private static String entry(String value) {
    return "{'fileName':'app.toml','key':'k','value':%s}".formatted(value);
  }

  private static String node(String name, String spec) {
    return node(name, spec, "");
  }

  private static String node(String name, String spec, String status) {
    return ("{'apiVersion':'sei.io/v1alpha1','kind':'SeiNode','metadata':{'name':'%s'},"
            + "'spec':{%s},'status':{%s}}")
        .formatted(name, spec, status);
  }

  private HasMetadata watched(String object) {
    serialization.registerKubernetesResource(SeiNode.class);
    serialization.registerKubernetesResource(SeiNodeDeployment.class);
    String event = "{'type':'ADDED','object':%s}".formatted(object);
    return (HasMetadata) serialization.unmarshal(json(event), WatchEvent.class).getObject();
  }

  private List<SeiNode> list(String... items) {
    Type type =
        serialization.constructParametricType(DefaultKubernetesResourceList.class, SeiNode.class);
    return this.<KubernetesResourceList<SeiNode>>list(type, items).getItems();
  }

  private <L> L list(Type type, String... items) {
    String page = "{'metadata':{'continue':'x'},'items':[%s]}".formatted(String.join(",", items));
    return serialization.unmarshal(
        new ByteArrayInputStream(json(page).getBytes(StandardCharsets.UTF_8)),
        new TypeReference<L>() {
          @Override
          public Type getType() {
            return type;
          }
        });
  }

  private static String json(String quoted) {
    return quoted.replace('\'', '"');
  }
}
