package io.sei.operator.dashboard;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.ServedDashboard;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.StatusCorpus.Staged;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page of {@code kubectl sei dashboard} in Chromium: it shows every scene of the demo and every
 * fault, and what tenants write neither runs in it nor makes it request anything.
 */
@RealControlPlane
@Execution(ExecutionMode.SAME_THREAD)
class DashboardTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** Has the pictures of README and docs drawn anew where it is set. */
  private static final boolean DRAWS_PICTURES = Boolean.getBoolean("pictures.update");

  private static final Map<String, String> RUNBOOKS =
      Map.of("SEI_RUNBOOKS", "https://wiki.example/runbooks");

  private static Browser browser;
  private static boolean hasNight;

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private String namespace;
  private KubectlSei plugin;
  private ServedDashboard dashboard;

  @BeforeAll
  static void startBrowser() {
    browser = new Browser();
  }

  @AfterAll
  static void closeBrowser() {
    browser.close();
  }

  @BeforeEach
  void serve(ControlPlane controlPlane, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace.name();
    plugin = new KubectlSei(controlPlane, this.namespace);
    open(RUNBOOKS);
  }

  @AfterEach
  void close() {
    dashboard.close();
  }

  private void open(Map<String, String> environment) {
    dashboard = new ServedDashboard(controlPlane, plugin, environment);
    browser.size(1440, 900);
    browser.scheme("light");
    browser.open(dashboard.address());
    eventually(() -> assertThat(browser.text("#connection")).isEqualTo("live"));
  }

  @Test
  void everySceneShowsTheProblemsThatWhyNames() throws IOException {
    for (List<Staged> scene : Cases.of(5, scenes()).toList()) {
      clear();
      scene.forEach(this::store);

      List<String> expected = problemsOfPlugin();

      eventually(
          () -> {
            assertThat(browser.all("#nodes tbody tr")).hasSize(count(scene, SeiNode.class));
            assertThat(browser.all("#fleets tbody tr"))
                .hasSize(count(scene, SeiNodeDeployment.class));
            assertThat(problemsOfPage()).as(scene.getLast().scene()).isEqualTo(expected);
          });
    }
  }

  @Test
  void whatTenantsWriteNeitherRunsNorRequestsAnything() throws IOException {
    var requests = new AtomicInteger();
    HttpServer trap =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    trap.createContext("/", exchange -> requests.incrementAndGet());
    trap.start();
    String url = "http://127.0.0.1:" + trap.getAddress().getPort();
    for (String hostile : hostileTexts(url)) {
      storeHostile(hostile);
    }

    eventually(() -> assertThat(browser.all("#problems article")).isNotEmpty());
    eventually(() -> assertThat(browser.all("#timeline li")).hasSizeGreaterThan(1));
    browser.press("j", "j");
    browser.pressEnter();
    eventually(() -> assertThat(browser.all("#detail .head")).isNotEmpty());

    assertThat(browser.<Object>run("return window.ran ?? null")).as("a script ran").isNull();
    assertThat(browser.all("img, iframe, object, embed, form, style, base")).isEmpty();
    assertThat(browser.all("script")).hasSize(1);
    assertThat(
            browser.<List<String>>run(
                "return [...document.querySelectorAll('a')].map(link =>"
                    + " link.getAttribute('href'))"))
        .allMatch(
            href -> href.startsWith("#") || href.startsWith("https://wiki.example/runbooks/"));
    assertThat(
            browser.<List<String>>run(
                "return performance.getEntriesByType('resource').map(entry => entry.name)"))
        .allMatch(address -> address.startsWith(dashboard.address().replace("/dashboard/", "/")));
    assertThat(browser.text("main")).doesNotContain("\u202e", "\u061c", "\u0007");
    assertThat(requests).as("requests to the address in the texts").hasValue(0);
    trap.stop(0);
  }

  private static List<String> hostileTexts(String url) {
    return List.of(
        "<img src=\"%s/i\" onerror=\"window.ran=1\"><script src=\"%s/s\"></script>"
            .formatted(url, url),
        "javascript:window.ran=1//%s \"'><svg onload=window.ran=1>".formatted(url),
        "\u202egnp.exe \u061c \u0007 <style>@import '%s/c'</style> %s"
            .formatted(url, "a".repeat(900)));
  }

  private void storeHostile(String hostile) {
    String name = "hostile-" + Integer.toHexString(hostile.hashCode());
    SeiNode node = Samples.node(namespace, name, Samples.fullNode("sei:a"));
    node.getMetadata().setAnnotations(Map.of("sei.io/runbook", hostile));
    SeiNode stored = client.resource(node).create();
    writeStatus(
        stored,
        Map.of(
            "phase",
            "Running",
            "reason",
            hostile,
            "mode",
            hostile,
            "currentImage",
            hostile,
            "observedGeneration",
            stored.getMetadata().getGeneration(),
            "planHistory",
            List.of(hostile),
            "conditions",
            List.of(
                Map.of(
                    "type", "Stalled",
                    "status", "True",
                    "reason", "CrashLoop",
                    "message", hostile,
                    "observedGeneration", 1,
                    "lastTransitionTime", "2026-06-01T10:00:00Z"))));
    client
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withGenerateName("hostile-")
                .endMetadata()
                .withNewInvolvedObject()
                .withKind("SeiNode")
                .withNamespace(namespace)
                .withName(hostile)
                .endInvolvedObject()
                .withReason(hostile.substring(0, 30))
                .withMessage(hostile)
                .withType("Warning")
                .withLastTimestamp(Instant.now().toString())
                .withNewSource()
                .withComponent("sei-operator")
                .endSource()
                .build())
        .create();
  }

  @Test
  void runbooksAreLinkedOnlyToAPlainAddress() {
    dashboard.close();
    store(only("fault/crash-loop"));
    open(Map.of("SEI_RUNBOOKS", "javascript:alert"));
    eventually(() -> assertThat(browser.all("#problems article")).hasSize(1));

    assertThat(browser.all("#problems a[href*='CrashLoop']")).isEmpty();
  }

  @Test
  void theProxyLetsNothingElseThrough() throws Exception {
    URI secrets =
        URI.create(dashboard.address()).resolve("/api/v1/namespaces/" + namespace + "/secrets");
    URI nodes =
        URI.create(dashboard.address())
            .resolve("/apis/sei.io/v1alpha1/namespaces/" + namespace + "/seinodes");
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      assertThat(status(http, HttpRequest.newBuilder(nodes))).isEqualTo(200);
      assertThat(status(http, HttpRequest.newBuilder(secrets))).isEqualTo(403);
      assertThat(status(http, HttpRequest.newBuilder(nodes.resolve("seinodes/any"))))
          .isEqualTo(403);
      for (String method : List.of("POST", "PUT", "PATCH", "DELETE")) {
        assertThat(
                status(
                    http,
                    HttpRequest.newBuilder(nodes).method(method, BodyPublishers.ofString("{}"))))
            .as(method)
            .isEqualTo(403);
      }
    }
    assertThat(dashboard.interrupt()).isZero();
  }

  private static int status(HttpClient http, HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  /** Plays objects that were stored before their CRDs had types. */
  @Test
  void aFieldOfAnotherTypeHidesNoOtherObject() {
    List<String> failures =
        browser.run(
            """
            return Promise.all([import("/dashboard/model.js"), import("/dashboard/view.js")]).then(([model, view]) => {
              const now = Date.now();
              const values = ["text", 5, [null], [5], { a: 1 }, null];
              const statuses = values.flatMap((value) => [
                value,
                ...["conditions", "upgrades", "plan", "planHistory", "rollout", "updatedReplicas", "chain", "snapshots"]
                  .map((field) => ({ [field]: value })),
                { plan: { phase: "Active", tasks: value } },
                { rollout: { nodes: value } },
                { conditions: [{ type: "Stalled", status: "True", reason: value, message: value }] },
              ]);
              const specs = values.flatMap((value) => [value, { replicas: value }, { template: value }, { image: value, chainId: value }]);
              const stored = [...statuses.map((status) => ({ status })), ...specs.map((spec) => ({ spec }))];
              const metadata = { name: "old-0", namespace: "n", uid: "u", generation: 1 };
              const settings = { runbooks: "", pages: new Set(["CrashLoop"]) };
              return ["SeiNode", "SeiNodeDeployment"].flatMap((kind) => stored.flatMap((fields) => {
                try {
                  const objects = [model.readable({ kind, metadata, ...fields })];
                  const parent = () => document.createElement("div");
                  view.showProblems(parent(), model.problemsOf(objects, settings.pages), settings);
                  view.showDetail(parent(), objects[0], objects);
                  view.showChains(parent(), kind === "SeiNode" ? [] : objects, kind === "SeiNode" ? objects : [], now);
                  if (kind === "SeiNode") {
                    view.showNodes(parent(), objects);
                  } else {
                    view.showFleets(parent(), objects, [], now);
                  }
                  return [];
                } catch (failure) {
                  return [`${JSON.stringify(fields)}: ${failure.message}`];
                }
              }));
            });
            """);

    assertThat(failures).isEmpty();
  }

  /** Plays an API server that refuses or ends each watch, and counts what it is asked in 3 s. */
  @ParameterizedTest
  @CsvSource({"200", "403", "410"})
  void aWatchThatEndsAtOnceIsNotRenewedAtOnce(int status) {
    long requests =
        browser.<Long>run(
            """
            const [status] = arguments;
            return import("/dashboard/api.js").then(async ({ ObjectList }) => {
              const real = window.fetch;
              let requests = 0;
              window.fetch = async (url, options) => {
                if (!url.startsWith("/played?")) {
                  return real(url, options);
                }
                requests += 1;
                return url.includes("watch=true")
                  ? new Response("", { status })
                  : Response.json({ items: [], metadata: { resourceVersion: "1" } });
              };
              new ObjectList("/played", {}, () => {}).run();
              await new Promise((resume) => setTimeout(resume, 3_000));
              return requests;
            });
            """,
            status);

    assertThat(requests).isBetween(2L, 8L);
  }

  /** Events are not in the API server's watch cache, which sends the bookmarks. */
  @Test
  void aQuietWatchOfEventsIsNoFailure() {
    List<Long> silences =
        browser.run(
            """
            return import("/dashboard/api.js").then(({ ObjectList }) =>
              [{ hasBookmarks: true }, { hasBookmarks: false }].map((kind) => new ObjectList("/", {}, () => {}, kind).silenceMillis));
            """);

    assertThat(silences.get(0)).isLessThan(290_000L);
    assertThat(silences.get(1)).isGreaterThan(290_000L);
  }

  @Test
  void theKeyboardReachesEverything() {
    store(only("fault/crash-loop"));
    store(only("fault/disk-failing"));
    eventually(() -> assertThat(browser.all("#nodes tbody tr")).hasSize(2));

    browser.press("/");
    assertThat(browser.<String>run("return document.activeElement.id")).isEqualTo("filter");
    browser.press("crash");
    eventually(() -> assertThat(browser.all("#nodes tbody tr")).hasSize(1));
    browser.pressEscape();
    browser.press("j");
    browser.pressEnter();
    eventually(() -> assertThat(browser.text("#detail h2")).isEqualTo("Node crash-loop-0"));
    assertThat(browser.<String>run("return document.activeElement.id")).isEqualTo("detail-title");
    browser.pressEscape();
    eventually(() -> assertThat(browser.all("#detail:not([hidden])")).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"320, light", "320, dark", "1280, light", "1280, dark", "3840, light"})
  void itFitsTheWindowAndCanBeRead(int width, String scheme) throws IOException {
    dashboard.close();
    storeTheNight(client);
    plugin = new KubectlSei(controlPlane, UpgradeNight.NAMESPACE);
    open(RUNBOOKS);
    browser.size(width, 1400);
    browser.scheme(scheme);
    eventually(() -> assertThat(browser.all("#nodes tbody tr")).hasSize(15));
    eventually(() -> assertThat(browser.all("#timeline li")).hasSize(3));

    assertThat(
            browser.<Long>run(
                "return document.scrollingElement.scrollWidth -"
                    + " document.scrollingElement.clientWidth"))
        .as("pixels that the page is too wide")
        .isZero();
    assertThat(browser.<List<String>>run(CONTRASTS)).as("text with a contrast below 4.5").isEmpty();
    if (DRAWS_PICTURES && width == 1280) {
      Files.write(Path.of("docs", "images", "page-" + scheme + ".png"), browser.picture());
    }
  }

  /** Stores it once for all windows. */
  private static void storeTheNight(KubernetesClient client) {
    if (!hasNight) {
      new UpgradeNight(client).store();
      hasNight = true;
    }
  }

  /** Contrast of each text to its ground, as WCAG 2 defines it; 4.5 is its level AA. */
  private static final String CONTRASTS =
      """
      const channels = (color) => color.match(/[\\d.]+/g).map(Number);
      const luminance = (color) => channels(color).slice(0, 3)
        .map((value) => value / 255)
        .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
      const ground = (element) => {
        const color = getComputedStyle(element).backgroundColor;
        return channels(color)[3] === 0 && element.parentElement ? ground(element.parentElement) : color;
      };
      const texts = [...document.querySelectorAll('body *')].filter((element) =>
        element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
      return texts
        .map((element) => {
          const [light, dark] = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => b - a);
          return [element, (light + 0.05) / (dark + 0.05)];
        })
        .filter(([, contrast]) => contrast < 4.5)
        .map(([element, contrast]) => `${element.tagName}.${element.className}: ${contrast.toFixed(2)}`);
      """;

  // --- Objects
  // ------------------------------------------------------------------------------------

  /**
   * Returns the last state of each scene; those of the faults together, since their names differ.
   */
  private static List<List<Staged>> scenes() {
    Map<String, Map<String, Staged>> last = new LinkedHashMap<>();
    for (Staged staged : StatusCorpus.demo()) {
      if (!isShown(staged)) {
        continue;
      }
      String scene = staged.scene().startsWith("fault/") ? "fault" : staged.scene();
      String object = staged.resource().getKind() + "/" + staged.resource().getMetadata().getName();
      last.computeIfAbsent(scene, name -> new LinkedHashMap<>()).put(object, staged);
    }
    return last.values().stream().map(objects -> fleetsFirst(objects.values())).toList();
  }

  private static boolean isShown(Staged staged) {
    return staged.resource() instanceof SeiNode || staged.resource() instanceof SeiNodeDeployment;
  }

  /** An owner has to be there before what it owns. */
  private static List<Staged> fleetsFirst(Collection<Staged> objects) {
    return objects.stream()
        .sorted(Comparator.comparing(staged -> staged.resource() instanceof SeiNode))
        .toList();
  }

  private static Staged only(String scene) {
    return StatusCorpus.demo().stream()
        .filter(staged -> staged.scene().equals(scene))
        .filter(staged -> staged.resource() instanceof SeiNode)
        .findFirst()
        .orElseThrow();
  }

  private static int count(List<Staged> scene, Class<?> kind) {
    return (int) scene.stream().filter(staged -> kind.isInstance(staged.resource())).count();
  }

  private void clear() {
    client.resources(SeiNode.class).inNamespace(namespace).delete();
    client.resources(SeiNodeDeployment.class).inNamespace(namespace).delete();
  }

  /** Stores an object with its status, as one that the operator has reconciled. */
  private void store(Staged staged) {
    HasMetadata copy = KubernetesClients.serialization().clone(staged.resource());
    copy.getMetadata().setNamespace(namespace);
    copy.getMetadata().setUid(null);
    copy.getMetadata().setFinalizers(null);
    // The garbage collector deletes what names an owner that is not there.
    String owner =
        copy.getMetadata().getOwnerReferences().stream()
            .map(OwnerReference::getName)
            .findFirst()
            .orElse(null);
    copy.getMetadata().setOwnerReferences(owner == null ? null : ownedBy(owner));
    JsonNode status = StatusCorpus.json(staged.resource()).path("status");
    HasMetadata stored = client.resource(copy).create();
    if (status.isObject()) {
      Map<String, Object> fields = JSON.convertValue(status, new TypeReference<>() {});
      fields.put("observedGeneration", stored.getMetadata().getGeneration());
      writeStatus(stored, fields);
    }
  }

  private List<OwnerReference> ownedBy(String fleet) {
    SeiNodeDeployment owner =
        client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(fleet).get();
    return owner == null ? null : List.of(FleetOwner.reference(owner));
  }

  private void writeStatus(HasMetadata stored, Map<String, ?> status) {
    try {
      client
          .resource(stored)
          .subresource("status")
          .patch(MERGE, JSON.writeValueAsString(Map.of("status", status)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- What is shown
  // ------------------------------------------------------------------------------

  private List<String> problemsOfPlugin() throws IOException {
    JsonNode items = JSON.readTree(plugin.run("why", "-o", "json").stdout()).path("items");
    return StreamSupport.stream(items.spliterator(), false)
        .map(item -> item.path("name").asText() + " " + item.path("reason").asText())
        .collect(Collectors.collectingAndThen(Collectors.toCollection(TreeSet::new), List::copyOf));
  }

  private List<String> problemsOfPage() {
    List<String> shown =
        browser.run(
            """
            return [...document.querySelectorAll('#problems article')].flatMap((article) => {
              const reason = article.querySelector('.badge').textContent.replace(/^\\S+ /, '');
              return [...article.querySelectorAll('.names a')].map((link) => `${link.textContent} ${reason}`);
            });
            """);
    return List.copyOf(new TreeSet<>(shown));
  }
}
