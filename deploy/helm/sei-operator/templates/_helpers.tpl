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

{{/* The labels of the pod of helm test: not those by which the Deployment and the Service select. */}}
{{- define "sei-operator.testLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 58 | trimSuffix "-" }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The labels that are given, without those by which the Deployment selects its pods. */}}
{{- define "sei-operator.otherLabels" -}}
{{- with omit . "app.kubernetes.io/name" "app.kubernetes.io/instance" "sei.io/shard" -}}
{{ toYaml . }}
{{- end -}}
{{- end -}}

{{/* Not helm.sh/chart and managed-by: Helm adds the latter itself, and kustomize gets these too. */}}
{{- define "sei-operator.labels" -}}
{{ include "sei-operator.labelsWith" (dict "root" . "more" dict) }}
{{- end -}}

{{/*
The labels of an object that has more than the others, of a dict of root and more, which take precedence over
those of commonLabels. Tools refuse a key that is written twice, so they are merged.
*/}}
{{- define "sei-operator.labelsWith" -}}
{{ include "sei-operator.selectorLabels" .root }}
{{- $own := dict "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/part-of" "sei-operator" }}
{{ include "sei-operator.otherLabels" (merge (dict) (default dict .more) (default dict .root.Values.commonLabels) $own) }}
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
  validationActions: [{{ default "Deny" .action }}]
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

{{/* The operator's settings, of a dict of root, shard and shards. */}}
{{- define "sei-operator.settings" -}}
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: SEI_SIDECAR_SERVICE_ACCOUNT
  value: {{ .root.Release.Namespace }}/{{ include "sei-operator.sidecarClient" .root }}
{{- with .root.Values.watchNamespaces }}
- name: SEI_WATCH_NAMESPACES
  value: {{ join "," . | quote }}
{{- end }}
{{- if .root.Values.takeover.enabled }}
- name: SEI_TAKEOVER_NAMESPACES
  value: {{ join "," .root.Values.takeover.namespaces | quote }}
{{- end }}
{{- if gt .shards 1 }}
- name: SEI_SHARD
  value: {{ printf "%d/%d" .shard .shards | quote }}
{{- end }}
{{- if not .root.Values.leaderElection.enabled }}
- name: SEI_LEADER_ELECTION
  value: "false"
{{- end }}
{{- if ne .root.Values.signing.scope "Cluster" }}
- name: SEI_SIGNING_SCOPE
  value: {{ .root.Values.signing.scope }}
{{- end }}
{{- if ne .root.Values.releaseList.configMap "sei-releases" }}
- name: SEI_RELEASES_CONFIG_MAP
  value: {{ .root.Values.releaseList.configMap | quote }}
{{- end }}
{{- if .root.Values.rbac.retainVolumes }}
- name: SEI_RETAIN_VOLUMES
  value: "true"
{{- end }}
{{- if .root.Values.controllerConfig.configMap }}
- name: SEI_CONTROLLER_CONFIG
  value: /etc/sei-controller/{{ .root.Values.controllerConfig.key }}
{{- end }}
{{- range $name, $value := .root.Values.config }}
- name: {{ $name }}
  value: {{ include "sei-operator.text" $value | quote }}
{{- end }}
{{- with .root.Values.javaOptions }}
- name: _JAVA_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- end -}}
