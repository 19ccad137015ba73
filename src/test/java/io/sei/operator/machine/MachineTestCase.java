package io.sei.operator.machine;

import org.junit.jupiter.api.Tag;

/** A cluster with one Kubernetes node, whose volumes are directories. */
@Tag("node")
abstract class MachineTestCase extends RealNodeTestCase {}
