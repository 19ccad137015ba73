/** Every setting of the operator. */
package io.sei.operator.config;
