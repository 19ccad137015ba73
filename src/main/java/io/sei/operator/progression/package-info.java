/** Pure: types of sidecar tasks, peers and witnesses, the hash of the configuration. */
package io.sei.operator.progression;
