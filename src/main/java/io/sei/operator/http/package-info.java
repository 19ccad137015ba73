/** HTTP to untrusted programs, bounded in time and size. */
package io.sei.operator.http;
