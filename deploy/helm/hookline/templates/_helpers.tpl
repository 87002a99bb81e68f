{{/* The longest service makes 52 characters of it, the most that a StatefulSet's pods can be labelled with. */}}
{{- define "hookline.name" -}}
{{- if contains "hookline" .Release.Name }}{{ .Release.Name | trunc 33 | trimSuffix "-" }}{{ else }}{{ printf "%s-hookline" .Release.Name | trunc 33 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "hookline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What selects the pods of one service: (dict "root" $ "name" "ingest"). */}}
{{- define "hookline.selector" -}}
app.kubernetes.io/name: hookline
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "hookline.labels" -}}
{{ include "hookline.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* Settings that all have: where Kafka and the registry are, and how topics are called and made, with which `hookline doctor` compares; of one process: (dict "root" $ "name" "ingest"). */}}
{{- define "hookline.connection" -}}
{{- $kafka := .root.Values.kafka }}
- name: HOOKLINE_KAFKA_BROKERS
  value: {{ join "," (required "kafka.brokers names no broker" $kafka.brokers) | quote }}
- name: HOOKLINE_SCHEMA_REGISTRY_URL
  value: {{ required "registry.url is required" .root.Values.registry.url | quote }}
- name: HOOKLINE_PARTITIONS
  value: {{ .root.Values.topics.partitions | quote }}
- name: HOOKLINE_REPLICATION_FACTOR
  value: {{ .root.Values.topics.replicationFactor | quote }}
{{- with .root.Values.topics.prefix }}
- name: HOOKLINE_TOPIC_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- if $kafka.tls }}
- name: HOOKLINE_KAFKA_TLS
  value: "true"
{{- end }}
{{- with $kafka.saslMechanism }}
- name: HOOKLINE_KAFKA_SASL_MECHANISM
  value: {{ . }}
- name: HOOKLINE_KAFKA_SASL_USERNAME
  value: {{ $kafka.saslUsername | replace "{process}" $.name | quote }}
- name: HOOKLINE_KAFKA_SASL_PASSWORD_FILE
  value: /kafka/password
{{- end }}
{{- if $kafka.clientCertificate.secretName }}
- name: HOOKLINE_KAFKA_TLS_CERTIFICATE_FILE
  value: /kafka-certificate/tls.crt
- name: HOOKLINE_KAFKA_TLS_KEY_FILE
  value: /kafka-certificate/tls.key
{{- end }}
{{- if include "hookline.hasAuthority" .root }}
- name: NODE_EXTRA_CA_CERTS
  value: /kafka-authority/ca.crt
{{- end }}
{{- if .root.Values.registry.credentials.secretName }}
- name: HOOKLINE_SCHEMA_REGISTRY_USERNAME_FILE
  value: /registry/username
- name: HOOKLINE_SCHEMA_REGISTRY_PASSWORD_FILE
  value: /registry/password
{{- end }}
{{- end }}

{{- define "hookline.hasAuthority" -}}
{{- or .Values.kafka.authority.configMapName .Values.kafka.authority.secretName }}
{{- end }}

{{/*
The environment: what the chart gives, without what settings say otherwise, as no name may stand twice; then the settings:
(dict "given" <a list as YAML> "settings" <a map>). Numbers as JSON: as text a million is 1e+06.
*/}}
{{- define "hookline.environment" -}}
{{- $settings := .settings }}
{{- range .given | fromYamlArray }}
{{- if not (hasKey $settings .name) }}
- name: {{ .name }}
  value: {{ .value | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $settings }}
- name: {{ $name }}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- end }}

{{- define "hookline.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "hookline.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Volumes that the connections of one process need: (dict "root" $ "name" "ingest"). */}}
{{- define "hookline.connectionVolumes" -}}
{{- $kafka := .root.Values.kafka }}
{{- if $kafka.saslMechanism }}
- name: kafka
  secret:
    secretName: {{ required "kafka.saslPassword.secretName is required with kafka.saslMechanism" $kafka.saslPassword.secretName }}
    defaultMode: 0440
    items: [{ key: {{ $kafka.saslPassword.secretKey | replace "{process}" .name | quote }}, path: password }]
{{- end }}
{{- with $kafka.clientCertificate.secretName }}
- name: kafka-certificate
  secret:
    secretName: {{ . | replace "{process}" $.name }}
    defaultMode: 0440
    items:
      - { key: {{ $kafka.clientCertificate.certificateKey | quote }}, path: tls.crt }
      - { key: {{ $kafka.clientCertificate.keyKey | quote }}, path: tls.key }
{{- end }}
{{- with $kafka.authority }}
{{- if .secretName }}
- name: kafka-authority
  secret:
    secretName: {{ .secretName }}
    defaultMode: 0440
    items: [{ key: {{ .secretKey | quote }}, path: ca.crt }]
{{- else if .configMapName }}
- name: kafka-authority
  configMap:
    name: {{ .configMapName }}
    items: [{ key: {{ .configMapKey | quote }}, path: ca.crt }]
{{- end }}
{{- end }}
{{- with .root.Values.registry.credentials }}
{{- if .secretName }}
- name: registry
  secret:
    secretName: {{ .secretName }}
    defaultMode: 0440
    items:
      - { key: {{ .usernameKey | quote }}, path: username }
      - { key: {{ .passwordKey | quote }}, path: password }
{{- end }}
{{- end }}
{{- end }}

{{- define "hookline.connectionMounts" -}}
{{- if .Values.kafka.saslMechanism }}
- { name: kafka, mountPath: /kafka, readOnly: true }
{{- end }}
{{- if .Values.kafka.clientCertificate.secretName }}
- { name: kafka-certificate, mountPath: /kafka-certificate, readOnly: true }
{{- end }}
{{- if .Values.registry.credentials.secretName }}
- { name: registry, mountPath: /registry, readOnly: true }
{{- end }}
{{- if include "hookline.hasAuthority" . }}
- { name: kafka-authority, mountPath: /kafka-authority, readOnly: true }
{{- end }}
{{- end }}

{{/* What of a pod does not depend on what runs in it. */}}
{{- define "hookline.scheduling" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/*
The services of this release, as JSON: what files/services.json says of each, with its `values`.
*/}}
{{- define "hookline.services" -}}
{{- $services := list }}
{{- range .Files.Get "files/services.json" | fromJsonArray }}
{{- $values := index $.Values .valuesKey }}
{{- if dig "enabled" true $values }}
{{- $services = append $services (set . "values" $values) }}
{{- end }}
{{- end }}
{{- toJson $services }}
{{- end }}

{{/* What the chart gives one service of hookline.services, with `root`. */}}
{{- define "hookline.given" -}}
{{- include "hookline.connection" . }}
- name: HOOKLINE_SHUTDOWN_GRACE
  value: {{ sub .graceSeconds 10 }}s
{{- if has "encryption-keys" .secrets }}
- name: HOOKLINE_ENCRYPTION_KEYS_FILE
  value: /secrets/encryption-keys
{{- end }}
{{- if has "api-tokens" .secrets }}
- name: HOOKLINE_API_TOKENS_FILE
  value: /secrets/api-tokens
{{- end }}
{{- with dig "operatorWebhook" dict .values }}
{{- if .url }}
- name: HOOKLINE_OPERATOR_WEBHOOK_URL
  value: {{ .url | quote }}
{{- end }}
{{- if .secretName }}
- name: HOOKLINE_OPERATOR_WEBHOOK_SECRET_FILE
  value: /operator-webhook/secret
{{- end }}
{{- end }}
{{- if and (has "encryption-keys" .secrets) .root.Values.deliverer.allowCIDRs }}
- name: HOOKLINE_EGRESS_ALLOW_CIDRS
  value: {{ join "," .root.Values.deliverer.allowCIDRs | quote }}
{{- end }}
{{- if and (eq .name "control") (not .root.Values.audienceProcessor.enabled) }}
- name: HOOKLINE_AUDIENCES
  value: "off"
{{- end }}
{{- if and (eq .name "control") (not (dig "console" "enabled" true .values)) }}
- name: HOOKLINE_CONSOLE
  value: "off"
{{- end }}
{{- end }}

{{/*
A pod of one service of hookline.services, with `root`.
`hasDisk` says that the workload gives it a volume called `data`.
*/}}
{{- define "hookline.pod" -}}
{{- $root := .root }}
metadata:
  labels:
    {{- include "hookline.labels" . | nindent 4 }}
    {{- with $root.Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with $root.Values.podAnnotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "hookline.name" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Longer than the service takes itself, with the time before it is told.
  terminationGracePeriodSeconds: {{ .graceSeconds }}
  securityContext: {{- include "hookline.podSecurity" $root | nindent 4 }}
  {{- with include "hookline.scheduling" $root | trim }}{{ . | nindent 2 }}{{ end }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "hookline.selector" $ | nindent 10 }}
    {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "hookline.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ .name }}]
      securityContext: {{- include "hookline.containerSecurity" $root | nindent 8 }}
      env:
        {{- $settings := mergeOverwrite (deepCopy $root.Values.settings) .values.settings }}
        {{- include "hookline.environment" (dict "given" (include "hookline.given" .) "settings" $settings) | trim | nindent 8 }}
      ports:
        {{- with .port }}
        - { name: http, containerPort: {{ . }} }
        {{- end }}
        - { name: metrics, containerPort: {{ .metricsPort }} }
      # The process listens at once; a window or a profile store is brought up to date from Kafka first, which readiness waits for.
      startupProbe:
        httpGet: { path: /livez, port: metrics }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /readyz, port: metrics }
        periodSeconds: 5
        failureThreshold: 2
      # Says that the process answers; never depends on Kafka or endpoints, whose absence no restart mends.
      livenessProbe:
        httpGet: { path: /livez, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        # Requests still come for a moment after the pod has begun to end; there is no shell that could sleep.
        preStop:
          exec: { command: [/usr/local/bin/node, -e, "setTimeout(() => {}, 5000)"] }
      resources: {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if .secrets }}
        - { name: secrets, mountPath: /secrets, readOnly: true }
        {{- end }}
        {{- if dig "operatorWebhook" "secretName" "" .values }}
        - { name: operator-webhook, mountPath: /operator-webhook, readOnly: true }
        {{- end }}
        {{- with include "hookline.connectionMounts" $root | trim }}{{ . | nindent 8 }}{{ end }}
  volumes:
    - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
    {{- if not .hasDisk }}
    - { name: data, emptyDir: { sizeLimit: 64Mi } }
    {{- end }}
    {{- if .secrets }}
    - name: secrets
      secret:
        secretName: {{ required "secrets.existingSecret is required" $root.Values.secrets.existingSecret }}
        defaultMode: 0440
        items:
          {{- range .secrets }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
    {{- end }}
    {{- with dig "operatorWebhook" dict .values }}
    {{- if .secretName }}
    - name: operator-webhook
      secret:
        secretName: {{ .secretName }}
        defaultMode: 0440
        items: [{ key: {{ .secretKey | quote }}, path: secret }]
    {{- end }}
    {{- end }}
    {{- with include "hookline.connectionVolumes" . | trim }}{{ . | nindent 4 }}{{ end }}
{{- end }}
