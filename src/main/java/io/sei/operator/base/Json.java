package io.sei.operator.base;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.json.ByteSourceJsonBootstrapper;
import com.fasterxml.jackson.core.sym.ByteQuadsCanonicalizer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;

/** Makes every JSON and YAML mapper of the operator, so that each has chosen limits. */
public final class Json {

  /** Levels of nesting that the API server's decoder accepts. */
  private static final int API_SERVER_DEPTH = 10_000;

  /** Bytes of a request that the API server accepts; no name and no number in it is longer. */
  private static final int API_SERVER_REQUEST = 3 << 20;

  private static final StreamReadConstraints API_SERVER_READS =
      StreamReadConstraints.builder()
          .maxNestingDepth(API_SERVER_DEPTH)
          .maxNameLength(API_SERVER_REQUEST)
          .maxNumberLength(API_SERVER_REQUEST)
          .maxStringLength(StreamReadConstraints.DEFAULT_MAX_STRING_LEN)
          .build();

  private static final StreamWriteConstraints API_SERVER_WRITES =
      StreamWriteConstraints.builder().maxNestingDepth(API_SERVER_DEPTH).build();

  private Json() {}

  /** A mapper with Jackson's limits, for documents of the operator, of pods and of Secrets. */
  public static JsonMapper mapper() {
    return builder().build();
  }

  /** Builds a mapper with Jackson's limits. */
  public static JsonMapper.Builder builder() {
    return JsonMapper.builder(parsers());
  }

  /** A mapper for YAML with Jackson's limits. */
  public static YAMLMapper yaml() {
    return new YAMLMapper();
  }

  /**
   * A factory of parsers with Jackson's limits, for documents that are not read as a whole. It
   * keeps no names for later documents: those of 6,000 answers of a pod, of 50,000 characters each,
   * are more than the heap.
   */
  public static JsonFactory parsers() {
    return forgetful().build();
  }

  /** Parsers that refuse a text value with more characters than a limit, unless it is skipped. */
  public static JsonFactory parsers(int maxValue) {
    return forgetful()
        .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(maxValue).build())
        .build();
  }

  private static JsonFactoryBuilder forgetful() {
    return new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES);
  }

  /** A mapper that parses whatever the API server accepts and may store. */
  public static ObjectMapper ofApiServer() {
    return new ObjectMapper(new ForgetfulFactory());
  }

  /**
   * Forgets the names of a document with the document. A plain factory keeps up to 6,000 names of
   * any length for later documents, and Jackson's cache of interned names another 280 (2.21); a
   * tenant chooses names of up to a megabyte.
   */
  private static final class ForgetfulFactory extends JsonFactory {
    private static final long serialVersionUID = 1;

    ForgetfulFactory() {
      super(
          (JsonFactoryBuilder)
              new JsonFactoryBuilder()
                  .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                  .streamReadConstraints(API_SERVER_READS)
                  .streamWriteConstraints(API_SERVER_WRITES));
    }

    @Override
    protected JsonParser _createParser(InputStream in, IOContext context) throws IOException {
      return parser(new ByteSourceJsonBootstrapper(context, in));
    }

    @Override
    protected JsonParser _createParser(byte[] data, int offset, int length, IOContext context)
        throws IOException {
      return parser(new ByteSourceJsonBootstrapper(context, data, offset, length));
    }

    private JsonParser parser(ByteSourceJsonBootstrapper bootstrapper) throws IOException {
      return bootstrapper.constructParser(
          _parserFeatures,
          _objectCodec,
          ByteQuadsCanonicalizer.createRoot(),
          _rootCharSymbols,
          _factoryFeatures);
    }
  }
}
