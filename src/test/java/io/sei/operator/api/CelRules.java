package io.sei.operator.api;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Patterns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The validation rules of a committed CRD and its patterns, evaluated as an API server does: each
 * for every place where its part of the schema applies, and a rule about a change only where there
 * was something before.
 */
final class CelRules {

  private static final Set<String> RESERVED =
      Set.of(
          "true",
          "false",
          "null",
          "in",
          "as",
          "break",
          "const",
          "continue",
          "else",
          "for",
          "function",
          "if",
          "import",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while");

  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addLibraries(CelExtensions.optional(), CelExtensions.strings())
          .addFunctionDeclarations(
              CelFunctionDecl.newFunctionDeclaration(
                  "isQuantity",
                  CelOverloadDecl.newGlobalOverload(
                      "is_quantity", SimpleType.BOOL, SimpleType.STRING)))
          .addVar("self", SimpleType.DYN)
          .addVar("oldSelf", SimpleType.DYN)
          .build();

  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.standardCelRuntimeBuilder()
          .addLibraries(CelExtensions.optional(), CelExtensions.strings())
          .addFunctionBindings(
              CelFunctionBinding.from("is_quantity", String.class, CelRules::isQuantity))
          .build();

  /**
   * A rule at its place in the schema, such as {@code spec.peers[]}.
   *
   * @param isOptionalOld whether it is evaluated for new values too
   */
  record Rule(String path, String expression, boolean isOptionalOld, String message) {

    static Rule of(String path, ValidationRule rule) {
      boolean isOptionalOld = Boolean.TRUE.equals(rule.getOptionalOldSelf());
      return new Rule(path, rule.getRule(), isOptionalOld, rule.getMessage());
    }

    /** A pattern is a rule in the API server's words; it leaves alone what is no text. */
    static Rule ofPattern(String path, String pattern) {
      String expression = "type(self) != string || self.matches(r\"%s\")".formatted(pattern);
      return new Rule(path, expression, false, "should match '%s'".formatted(pattern));
    }

    boolean isPattern() {
      return message.startsWith("should match ");
    }

    /** Returns whether it compares with what was there before. */
    boolean isTransition() {
      return expression.contains("oldSelf") && !isOptionalOld;
    }
  }

  /** Result of a rule at one place; an error, such as a missing field, refuses too. */
  enum Verdict {
    HELD,
    BROKEN,
    ERROR
  }

  /** A rule that was evaluated. */
  record Evaluated(Rule rule, Verdict verdict) {}

  private final JSONSchemaProps schema;
  private final Map<String, CelRuntime.Program> programs = new HashMap<>();

  private CelRules(JSONSchemaProps schema) {
    this.schema = schema;
  }

  static CelRules of(CrdFile crd) {
    try {
      var definition =
          Serialization.unmarshal(Files.readString(crd.path()), CustomResourceDefinition.class);
      return new CelRules(
          definition.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The rules of one part of a CRD. */
  static CelRules of(JSONSchemaProps schema) {
    return new CelRules(schema);
  }

  /** Every rule of the CRD about what users write. */
  List<Rule> all() {
    var rules = new ArrayList<Rule>();
    collect(schema, "", rules);
    return rules.stream().filter(rule -> !rule.path().startsWith("status")).toList();
  }

  /**
   * Evaluates every rule that applies to an object.
   *
   * @param old the object it takes the place of; null if it is new
   */
  List<Evaluated> evaluate(Object object, Object old) {
    var results = new ArrayList<Evaluated>();
    evaluate(schema, "", object, old, results);
    return results;
  }

  private static void collect(JSONSchemaProps at, String path, List<Rule> rules) {
    rules.addAll(rulesOf(at, path));
    properties(at).forEach((name, property) -> collect(property, child(path, name), rules));
    if (at.getItems() != null) {
      collect(at.getItems().getSchema(), path + "[]", rules);
    }
    valueSchema(at).ifPresent(props -> collect(props, path + "{}", rules));
  }

  private void evaluate(
      JSONSchemaProps at, String path, Object value, Object old, List<Evaluated> results) {
    for (Rule rule : rulesOf(at, path)) {
      if (!rule.isTransition() || old != null) {
        results.add(new Evaluated(rule, verdict(rule, value, old)));
      }
    }
    if (value instanceof List<?> items && at.getItems() != null) {
      // Items of an atomic list have no predecessors.
      items.forEach(item -> evaluate(at.getItems().getSchema(), path + "[]", item, null, results));
    }
    if (value instanceof Map<?, ?> fields) {
      properties(at)
          .forEach(
              (name, property) -> {
                if (fields.get(name) != null) {
                  Object before = old instanceof Map<?, ?> olds ? olds.get(name) : null;
                  evaluate(property, child(path, name), fields.get(name), before, results);
                }
              });
      valueSchema(at)
          .ifPresent(
              props ->
                  fields.values().forEach(v -> evaluate(props, path + "{}", v, null, results)));
    }
  }

  private Verdict verdict(Rule rule, Object value, Object old) {
    var variables = new HashMap<String, Object>();
    variables.put("self", cel(value));
    if (rule.isOptionalOld()) {
      variables.put("oldSelf", Optional.ofNullable(old).map(CelRules::cel));
    } else if (old != null) {
      variables.put("oldSelf", cel(old));
    }
    try {
      Object result =
          programs.computeIfAbsent(rule.expression(), CelRules::compile).eval(variables);
      return Boolean.TRUE.equals(result) ? Verdict.HELD : Verdict.BROKEN;
    } catch (CelEvaluationException e) {
      return Verdict.ERROR;
    }
  }

  /** Parses like the API server, which accepts negative quantities. */
  private static boolean isQuantity(String text) {
    return text.replaceFirst("^-", "").matches(Patterns.QUANTITY);
  }

  private static CelRuntime.Program compile(String expression) {
    try {
      return RUNTIME.createProgram(COMPILER.compile(expression).getAst());
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalStateException("not CEL: " + expression, e);
    }
  }

  private static List<Rule> rulesOf(JSONSchemaProps at, String path) {
    Stream<Rule> patterns =
        Stream.ofNullable(at.getPattern()).map(pattern -> Rule.ofPattern(path, pattern));
    Stream<Rule> rules =
        Stream.ofNullable(at.getXKubernetesValidations())
            .flatMap(List::stream)
            .map(rule -> Rule.of(path, rule));
    return Stream.concat(patterns, rules).toList();
  }

  private static Optional<JSONSchemaProps> valueSchema(JSONSchemaProps at) {
    return Optional.ofNullable(at.getAdditionalProperties()).map(bool -> bool.getSchema());
  }

  private static Map<String, JSONSchemaProps> properties(JSONSchemaProps at) {
    return at.getProperties() == null ? Map.of() : at.getProperties();
  }

  private static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /**
   * Returns the value as rules have it: whole numbers are 64 bits wide, reserved names are escaped.
   */
  private static Object cel(Object value) {
    if (value instanceof Integer number) {
      return number.longValue();
    }
    if (value instanceof List<?> items) {
      return items.stream().map(CelRules::cel).toList();
    }
    if (value instanceof Map<?, ?> fields) {
      var escaped = new LinkedHashMap<String, Object>();
      fields.forEach((name, field) -> escaped.put(escape((String) name), cel(field)));
      return escaped;
    }
    return value;
  }

  private static String escape(String name) {
    return RESERVED.contains(name) ? "__" + name + "__" : name;
  }
}
