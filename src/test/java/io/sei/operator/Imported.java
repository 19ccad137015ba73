package io.sei.operator;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;

/** The classes that rules are about, read once for all of them: that takes seconds. */
final class Imported {

  /** The product, its tests and its tools. */
  static final JavaClasses ALL = new ClassFileImporter().importPackages("io.sei.operator");

  /** The product. */
  static final JavaClasses MAIN =
      ALL.that(DescribedPredicate.describe("are of the product", Imported::isProduct));

  private Imported() {}

  private static boolean isProduct(JavaClass type) {
    return type.getSource()
        .map(source -> new DoNotIncludeTests().includes(Location.of(source.getUri())))
        .orElse(false);
  }
}
