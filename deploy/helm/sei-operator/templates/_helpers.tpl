{{- define "sei-operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Cluster-scoped objects of releases of one name in two namespaces must differ. */}}
{{- define "sei-operator.clusterName" -}}
{{- $name := include "sei-operator.fullname" . -}}
{{- if eq $name .Release.Namespace -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace $name -}}
{{- end -}}
{{- end -}}

{{- define "sei-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Not helm.sh/chart and managed-by: Helm adds the latter itself, and kustomize gets these too. */}}
{{- define "sei-operator.labels" -}}
{{ include "sei-operator.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: sei-operator
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sei-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sei-operator.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The ServiceAccount as which sidecars are called. */}}
{{- define "sei-operator.sidecarClient" -}}
{{- printf "%s-sidecar-client" (include "sei-operator.fullname" .) -}}
{{- end -}}

{{- define "sei-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "sei-operator.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* A match condition: whether a request is the operator's. */}}
{{- define "sei-operator.isOperator" -}}
request.userInfo.username == "system:serviceaccount:{{ .Release.Namespace }}:{{ include "sei-operator.serviceAccountName" . }}"
{{- end -}}

{{- define "sei-operator.admissionPolicyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ .policy }}
  labels:
    {{- include "sei-operator.labels" .root | nindent 4 }}
spec:
  policyName: {{ .policy }}
  validationActions: [Deny]
{{- end -}}

{{- define "sei-operator.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Values of YAML that look like numbers, as a person wrote them. */}}
{{- define "sei-operator.text" -}}
{{- if kindIs "float64" . -}}
{{- if eq (float64 (int64 .)) . -}}{{- int64 . -}}{{- else -}}{{- . -}}{{- end -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}
