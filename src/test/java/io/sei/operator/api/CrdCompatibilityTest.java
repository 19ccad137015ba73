package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.zjsonpatch.JsonPatch;
import io.sei.operator.api.v1alpha1.Bounds;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Upgrades CRDs under objects and manifests of an earlier version. */
class CrdCompatibilityTest {

  /** The CRDs of releases, a directory each. */
  private static final Path RELEASES = Path.of("src", "test", "resources", "crds");

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String CRD =
      """
      spec:
        group: sei.io
        scope: Namespaced
        names: {kind: Thing, plural: things, singular: thing, shortNames: [th]}
        versions:
          - name: v1
            served: true
            storage: true
            subresources: {status: {}, scale: {specReplicasPath: .spec.size}}
            additionalPrinterColumns: [{name: Phase, type: string, jsonPath: .status.phase}]
            schema:
              openAPIV3Schema:
                properties:
                  spec:
                    type: object
                    required: [name]
                    properties:
                      name: {type: string, minLength: 1, maxLength: 9}
                      mode: {type: string, enum: [a, b]}
                      size: {type: integer, minimum: 1, maximum: 9, nullable: true}
                      list: {type: array, items: {type: string}, x-kubernetes-list-type: map}
                      map: {type: object, additionalProperties: {type: string}}
                      any: {type: object, x-kubernetes-preserve-unknown-fields: true}
                    x-kubernetes-validations: [{rule: self.size > 1, message: m}]
      """;

  /** The API server refused the StatefulSet: a claim has to be one of the pod. */
  private static final String NEVER_WORKED =
      "resources: new rule !has(self.claims) || self.claims.size() == 0";

  /**
   * Text that is no duration never worked: the sidecar, or the operator that ran it, refused it.
   */
  private static final String TRUST_PERIOD = "trustPeriod: pattern is narrower";

  private static final String CEREMONY = "maxCeremonyDuration: pattern is narrower";

  /** Refused values never worked: seid ends at its next start with such an address or peer. */
  private static final Pattern SEID_REFUSES =
      Pattern.compile(
          ".*(?:externalAddress: new rule .*|addresses\\[]: pattern is narrower"
              + "|(?:peers|rpcServers): new rule oldSelf.*)");

  /** Refuses whole numbers as the type did, in a sentence. */
  private static final Pattern QUOTED_OVERRIDES =
      Pattern.compile(
          ".*\\.overrides\\{}: (?:type changed|x-kubernetes-int-or-string changed|new rule"
              + " type\\(self\\) in .*)");

  /**
   * Columns of a fleet that differ from the Go operator's on purpose. People read them: READY is
   * text, such as 3/3, and REASON replaces columns whose values are nearly always the same.
   */
  private static final Pattern COLUMNS_OF_FLEETS =
      Pattern.compile("type changed|column (?:Replicas|Paused|Updated|Target) is gone");

  /** The field is in no release, so the rule holds for every stored resource. */
  private static final String ON_A_NEW_FIELD =
      "spec: new rule has(self.genesis) == has(oldSelf.genesis) && (!has(self.genesis) ||"
          + " self.genesis == oldSelf.genesis)";

  /** The refused values are of a field that is in no release. */
  private static final String LOOSER =
      "validator: new rule has(self.signingKey) == has(self.nodeKey) || has(self.remoteSigner)";

  /** Seeds are in no release; without one the rule is that of every release. */
  private static final String ON_A_NEW_MODE =
      "spec: new rule (has(self.fullNode) ? 1 : 0) + (has(self.archive) ? 1 : 0) +"
          + " (has(self.replayer) ? 1 : 0) + (has(self.seed) ? 1 : 0) + (has(self.validator) ? 1 :"
          + " 0) == 1";

  /**
   * Replaces a rule of every release, which Kubernetes 1.30 applied to what it had stored: there
   * the old object has no field of an escaped name. A fleet that broke it before may be edited, but
   * for its volume.
   */
  private static final String WITHOUT_THE_ESCAPED_FIELD =
      " self.template.spec.dataVolume == oldSelf.value().template.spec.dataVolume)";

  /** A first limit of a list, a map or a text, and how many entries or characters it leaves. */
  private static final Pattern FIRST_LIMIT =
      Pattern.compile(".*: new max(Items|Properties|Length) (\\d+)");

  /** A label's value, and more than anybody has of all else; docs/upgrade.md names the limits. */
  private static final int NOBODY_HAS_MORE = 63;

  private static final String FIRST_LIMIT_OF_KEYS =
      ": new rule self.all(key, size(key) <= %d)".formatted(Bounds.MAX_KEY);

  private static final String VERSION = "/spec/versions/0";
  private static final String SPEC = VERSION + "/schema/openAPIV3Schema/properties/spec";

  static Stream<Path> released() throws IOException {
    try (Stream<Path> files = Files.walk(RELEASES)) {
      return files.filter(Files::isRegularFile).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("released")
  void whateverWorkedWithAReleaseStillWorks(Path released) throws IOException {
    Path current = Path.of("crds").resolve(released.getFileName());

    assertThat(
            CrdCompatibility.breaks(
                YAML.readTree(released.toFile()), YAML.readTree(current.toFile())))
        .filteredOn(
            text ->
                Stream.of(
                        NEVER_WORKED,
                        TRUST_PERIOD,
                        CEREMONY,
                        ON_A_NEW_FIELD,
                        LOOSER,
                        ON_A_NEW_MODE,
                        WITHOUT_THE_ESCAPED_FIELD,
                        FIRST_LIMIT_OF_KEYS)
                    .noneMatch(known -> text.endsWith(known)))
        .filteredOn(text -> !isGenerousFirstLimit(text) && !SEID_REFUSES.matcher(text).matches())
        .filteredOn(text -> !QUOTED_OVERRIDES.matcher(text).matches())
        .filteredOn(text -> !COLUMNS_OF_FLEETS.matcher(text).matches())
        .isEmpty();
  }

  /** A stored value beyond the limit stays editable, as StoredOffendersTest shows. */
  private static boolean isGenerousFirstLimit(String found) {
    Matcher limit = FIRST_LIMIT.matcher(found);
    return limit.matches() && Integer.parseInt(limit.group(2)) >= NOBODY_HAS_MORE;
  }

  @Test
  void everyCrdThatWasReleasedIsCompared() throws IOException {
    assertThat(released().map(Path::getFileName).distinct())
        .containsExactlyInAnyOrderElementsOf(
            CrdFile.all().stream()
                .filter(
                    crd -> !Set.of(SeiNodeTask.class, SeiSigningKey.class).contains(crd.model()))
                .map(crd -> crd.path().getFileName())
                .toList());
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "replace | /spec/group | 'other' | group changed",
        "replace | /spec/scope | 'Cluster' | scope changed",
        "replace | /spec/names/kind | 'Other' | kind changed",
        "remove | /spec/names/shortNames/0 | | shortName th is gone",
        "remove | VERSION | | version v1 is not served any more",
        "replace | VERSION/served | false | version v1 is not served any more",
        "replace | VERSION/storage | false | storage changed",
        "remove | VERSION/subresources/status | | status changed",
        "replace | VERSION/subresources/scale/specReplicasPath | '.x' | scale changed",
        "remove | VERSION/additionalPrinterColumns/0 | | column Phase is gone",
        "replace | VERSION/additionalPrinterColumns/0/type | 'date' | type changed",
        "remove | SPEC/properties/mode | | spec.mode is gone",
        "replace | SPEC/properties/mode/type | 'integer' | spec.mode: type changed",
        "remove | SPEC/properties/mode/enum/0 | | spec.mode: value a is gone",
        "add | SPEC/properties/name/enum | ['x'] | spec.name: takes only some values now",
        "add | SPEC/required/- | 'mode' | spec.mode is newly required",
        "replace | SPEC/properties/name/minLength | 2 | spec.name: minLength is narrower",
        "replace | SPEC/properties/name/maxLength | 8 | spec.name: maxLength is narrower",
        "add | SPEC/properties/name/pattern | 'x' | spec.name: pattern is narrower",
        "add | SPEC/properties/name/format | 'uuid' | spec.name: format is narrower",
        "replace | SPEC/properties/size/minimum | 2 | spec.size: minimum is narrower",
        "replace | SPEC/properties/size/maximum | 8 | spec.size: maximum is narrower",
        "add | SPEC/properties/list/maxItems | 8 | spec.list: new maxItems 8",
        "remove | SPEC/properties/size/nullable | | spec.size: no longer nullable",
        "add | SPEC/properties/size/default | 1 | spec.size: default changed",
        "replace | SPEC/properties/list/items/type | 'object' | spec.list[]: type changed",
        "replace | SPEC/properties/list/x-kubernetes-list-type | 'set' | spec.list:"
            + " x-kubernetes-list-type changed",
        "replace | SPEC/properties/map/additionalProperties/type | 'object' | spec.map{}: type"
            + " changed",
        "remove | SPEC/properties/map/additionalProperties | | spec.map{}: additionalProperties"
            + " changed",
        "remove | SPEC/properties/any/x-kubernetes-preserve-unknown-fields | | spec.any: no longer"
            + " x-kubernetes-preserve-unknown-fields",
        "add | SPEC/x-kubernetes-validations/- | {'rule':'self.a'} | spec: new rule self.a",
        "replace | SPEC/x-kubernetes-validations/0/rule | 'self.size > 2' | spec: new rule"
            + " self.size > 2",
        "add | SPEC/anyOf | [{}] | spec: anyOf changed",
      })
  void refuses(String operation, String path, String value, String told) throws IOException {
    assertThat(breaks(operation, path, value)).containsExactly(told);
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "add | /spec/names/shortNames/- | 'thg'",
        "add | /spec/versions/- | {'name':'v2','served':true,'storage':false}",
        "add | VERSION/additionalPrinterColumns/- | {'name':'Age','type':'date'}",
        "replace | VERSION/additionalPrinterColumns/0/jsonPath | '.status.other'",
        "add | SPEC/properties/new |"
            + " {'type':'object','required':['x'],'properties':{'x':{'type':'string'}}}",
        "add | VERSION/subresources/scale/labelSelectorPath | '.status.selector'",
        "remove | SPEC/required/0 |",
        "add | SPEC/properties/mode/enum/- | 'c'",
        "remove | SPEC/properties/mode/enum |",
        "replace | SPEC/properties/name/maxLength | 10",
        "remove | SPEC/properties/name/minLength |",
        "replace | SPEC/properties/size/minimum | 0",
        "add | SPEC/properties/name/description | 'words'",
        "remove | SPEC/x-kubernetes-validations/0 |",
        "replace | SPEC/x-kubernetes-validations/0/message | 'other words'",
      })
  void accepts(String operation, String path, String value) throws IOException {
    assertThat(breaks(operation, path, value)).isEmpty();
  }

  @Test
  void acceptsARuleOnAFieldThatIsNew() throws IOException {
    String place = "SPEC/x-kubernetes-validations/-";

    assertThat(breaks("add", place, "{'rule':'self.a || !has(self.fresh)'}")).isEmpty();
    assertThat(breaks("add", place, "{'rule':'self.a || !has(self.size)'}")).hasSize(1);
  }

  private static List<String> breaks(String operation, String path, String value)
      throws IOException {
    String place = path.replace("SPEC", SPEC).replace("VERSION", VERSION);
    String json = value == null ? "null" : value.replace('\'', '"');
    JsonNode patch =
        JSON.readTree(
            "[{\"op\":\"%s\",\"path\":\"%s\",\"value\":%s}]".formatted(operation, place, json));
    JsonNode before = YAML.readTree(CRD);
    return CrdCompatibility.breaks(before, JsonPatch.apply(patch, before));
  }
}
