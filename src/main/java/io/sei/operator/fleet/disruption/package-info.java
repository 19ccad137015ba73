/** Which node of a fleet may be taken down next, and for what. */
package io.sei.operator.fleet.disruption;
