{{- define "verifier.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- end }}
{{- define "verifier.selector" -}}
app.kubernetes.io/name: verifier-hosted
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "verifier.labels" -}}
{{ include "verifier.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "verifier.account" -}}{{ .Values.serviceAccount.name | default (include "verifier.name" .) }}{{- end }}
