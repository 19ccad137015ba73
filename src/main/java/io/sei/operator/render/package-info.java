/** Pure: from a spec and the settings to objects; names, labels and the spec hash. */
package io.sei.operator.render;
