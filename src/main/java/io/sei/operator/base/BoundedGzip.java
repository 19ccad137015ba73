package io.sei.operator.base;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** Inflates a gzip file up to a number of bytes: some KiB of a file can be gigabytes of text. */
public final class BoundedGzip extends FilterInputStream {

  /** The file inflates to more than may be read. */
  public static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;

    private TooLarge(long limit) {
      super("inflates to more than %d bytes".formatted(limit));
    }
  }

  private final long limit;
  private long read;

  /**
   * @param limit bytes of the inflated file
   */
  public BoundedGzip(byte[] compressed, long limit) throws IOException {
    super(new GZIPInputStream(new ByteArrayInputStream(compressed)));
    this.limit = limit;
  }

  @Override
  public int read() throws IOException {
    return counted(super.read(), 1);
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int count = super.read(buffer, offset, length);
    return counted(count, count);
  }

  private int counted(int result, int bytes) throws IOException {
    read += result < 0 ? 0 : bytes;
    if (read > limit) {
      throw new TooLarge(limit);
    }
    return result;
  }
}
