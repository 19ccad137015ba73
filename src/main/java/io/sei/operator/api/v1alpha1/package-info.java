/** The CRDs as records; conditions, reasons and phases as enums. */
package io.sei.operator.api.v1alpha1;
