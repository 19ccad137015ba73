package io.sei.operator;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.ObjectCodec;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.base.Json;
import io.sei.operator.base.TrustedCertificates;
import java.io.ObjectInputStream;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;

/** Holds the operator's own code to {@code docs/security.md}. */
class SecurityRulesTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  @Test
  void nothingIsLookedUpByAName() {
    // A class or a method that a user's text could choose.
    noClasses().should().callMethod(Class.class, "forName", String.class).check(MAIN);
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.lang.reflect..", "javax.script..", "javax.naming..")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(ClassLoader.class)
        .check(MAIN);
  }

  @Test
  void nothingIsMadeOfSerializedObjects() {
    noClasses().should().dependOnClassesThat().areAssignableTo(ObjectInputStream.class).check(MAIN);
  }

  @Test
  void onlyTheFactoryMakesJsonMappers() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Json.class.getName())
        .and()
        .doNotHaveFullyQualifiedName(Json.class.getName() + "$ForgetfulFactory")
        .should()
        .callConstructorWhere(
            target(owner(assignableTo(ObjectCodec.class).or(assignableTo(JsonFactory.class)))))
        .orShould()
        .callMethodWhere(
            target(owner(assignableTo(ObjectCodec.class))).and(target(name("builder"))))
        .orShould()
        // It has a mapper of its own.
        .dependOnClassesThat()
        .belongToAnyOf(Serialization.class)
        .check(MAIN);
  }

  @Test
  void noProgramIsRun() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(ProcessBuilder.class, Process.class)
        .check(MAIN);
  }

  @Test
  void nobodyDecidesHimselfWhichCertificateIsGood() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(TrustedCertificates.class.getName())
        .should()
        .dependOnClassesThat()
        .resideInAPackage("javax.net.ssl..")
        .check(MAIN);
    noClasses().should().implement(TrustManager.class).check(MAIN);
    noClasses().should().implement(HostnameVerifier.class).check(MAIN);
    noClasses()
        .should()
        .callMethodWhere(target(nameMatching("(set|with)(TrustCerts|DisableHostnameVerification)")))
        .check(MAIN);
  }
}
