package io.sei.operator.testkit;

/** A text that counts how often one of its characters is looked at. */
public final class CountingText implements CharSequence {

  private final String text;
  private long looks;

  public CountingText(String text) {
    this.text = text;
  }

  /** Returns the number of reads of a character. */
  public long looks() {
    return looks;
  }

  @Override
  public char charAt(int index) {
    looks++;
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.subSequence(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
