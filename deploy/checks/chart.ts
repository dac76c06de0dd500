import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { kustomization, type Manifest, manifestsOf, readBase, settingsOf } from './kubernetes.ts'

/** A value of the chart, and the place in the manifests that it sets. Its default is what the manifests have there. */
type Parameter = {
  /** Names in `values.yaml`, from the outermost on. */
  value: [string, ...string[]]
  description: string
  schema: object
  object: string
  path: (string | number)[]
}

const container = ['spec', 'template', 'spec', 'containers', 0]
const count = { type: 'integer', minimum: 1 }
const resources = {
  type: 'object',
  properties: { requests: { type: 'object' }, limits: { type: 'object' } },
  additionalProperties: false,
}

const scaled = (name: string): Parameter[] => [
  {
    value: [name, 'minReplicas'],
    description: `Fewest pods of ${name}.`,
    schema: count,
    object: `HorizontalPodAutoscaler/${name}`,
    path: ['spec', 'minReplicas'],
  },
  {
    value: [name, 'maxReplicas'],
    description: `Most pods of ${name}. PostgreSQL's max_connections must fit: docs/reference/production.md.`,
    schema: count,
    object: `HorizontalPodAutoscaler/${name}`,
    path: ['spec', 'maxReplicas'],
  },
]

const sized = (name: string, object: string): Parameter => ({
  value: [name, 'resources'],
  description: `Requests and limits of a pod of ${name}.`,
  schema: resources,
  object,
  path: [...container, 'resources'],
})

const parameters: Parameter[] = [
  ...scaled('api'),
  sized('api', 'Deployment/api'),
  ...scaled('worker'),
  sized('worker', 'Deployment/worker'),
  {
    value: ['runner', 'replicas'],
    description: 'Pods of runners, with the token in the Secret sluice-runner.',
    schema: { type: 'integer', minimum: 0 },
    object: 'Deployment/runner',
    path: ['spec', 'replicas'],
  },
  sized('runner', 'Deployment/runner'),
  sized('engine', 'StatefulSet/engine'),
  {
    value: ['engine', 'storage'],
    description: 'Size of the disk of each of the three nodes.',
    schema: { type: 'string', pattern: '^[0-9]+(Mi|Gi|Ti)$' },
    object: 'StatefulSet/engine',
    path: ['spec', 'volumeClaimTemplates', 0, 'spec', 'resources', 'requests', 'storage'],
  },
  sized('migrate', 'Job/migrate'),
  {
    value: ['monitoring', 'namespace'],
    description: 'Namespace of Prometheus, which may reach /metrics of workers.',
    schema: { type: 'string', minLength: 1 },
    object: 'NetworkPolicy/worker',
    path: ['spec', 'ingress', 1, 'from', 0, 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'],
  },
]

/** Values in templates that are written manually, or that are missing in the base. */
const imageNames: Record<string, string> = { sluice: 'service', 'sluice-runner': 'runner', restate: 'engine' }
const text = { type: 'string', minLength: 1 }

/** Returns every generated file of `deploy/helm`, by its path there. */
export function generatedChart(): Record<string, string> {
  const templates = kustomization.resources
    .filter((file) => file !== 'namespace.yaml') // Helm's own --namespace says where
    .map((file) => [`templates/${file}`, templateOf(file)] as const)
  return {
    ...Object.fromEntries(templates),
    ...Object.fromEntries(
      configMaps.flatMap(({ files = [] }) => files.map((file) => [`files/${file}`, readBase(file)])),
    ),
    'templates/config-maps.yaml': configMapsText(),
    'values.yaml': valuesText(),
    'values.schema.json': `${JSON.stringify(valuesSchema(), undefined, 2)}\n`,
    'Chart.yaml': chartText(),
  }
}

const configMaps = kustomization.configMapGenerator

/** Templates of what each ConfigMap contains, of its name with a hash of that, and of itself. */
function configMapsText(): string {
  const settings = '{{- range $name, $value := .Values.settings }}\n{{ $name }}: {{ $value | quote }}\n{{- end }}'
  const dataOf = (files: string[]) =>
    files.map((file) => `\n${file}: {{ .Files.Get "files/${file}" | quote }}`).join('')
  const documents = configMaps.map(({ name, files }) =>
    [
      `{{- define "${name}.data" -}}\n${files ? dataOf(files).trimStart() : settings}\n{{- end }}`,
      `{{- define "${name}.configMapName" -}}`,
      `${name}-{{ include "${name}.data" . | sha256sum | trunc 10 }}`,
      '{{- end }}',
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      `  name: {{ include "${name}.configMapName" . }}`,
      '  labels:',
      ...Object.entries(labels).map(([label, value]) => `    ${label}: ${value}`),
      'data:',
      `  {{- include "${name}.data" . | nindent 2 }}\n`,
    ].join('\n'),
  )
  return generatedNote('kustomization.yaml') + documents.join('---\n')
}

const labels: Record<string, string> = Object.assign({}, ...kustomization.labels.map(({ pairs }) => pairs))

const generatedNote = (source: string) =>
  `# Generated from deploy/kubernetes/base/${source}: npm run test:deploy -- helm --update\n`

function templateOf(file: string): string {
  const expressions = new Expressions()
  const documents = manifestsOf(readBase(file)).map((manifest) => {
    const { apiVersion, kind, metadata, ...rest } = structuredClone(manifest)
    const template = {
      apiVersion,
      kind,
      metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
      ...rest,
    } as Manifest
    for (const one of parameters.filter(({ object }) => object === keyOf(manifest)))
      setParameter(template, one, expressions)
    setImages(template, expressions)
    setConfigMaps(template, expressions)
    if (kind === 'Job') template.metadata.name = expressions.scalar(`${metadata.name}-{{ .Release.Revision }}`)
    if (kind === 'ServiceAccount' && metadata.name === 'sluice') {
      Object.assign(template.metadata, { annotations: expressions.object('.Values.serviceAccount.annotations') })
    }
    return expressions.fill(stringify(template, { lineWidth: 0 }))
  })
  return generatedNote(file) + documents.join('---\n')
}

const keyOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`

/** Stands for expressions of the template while the manifest is data. */
class Expressions {
  readonly #texts: string[] = []

  scalar(text: string): string {
    return `EXPRESSION_${this.#texts.push(text) - 1}_`
  }

  /** The value becomes a block below its key. */
  object(value: string): string {
    return this.scalar(`{{- toYaml ${value} | nindent COLUMN }}`)
  }

  fill(text: string): string {
    return text.replaceAll(
      /^( *)(.*?: )?(.*?)EXPRESSION_(\d+)_(.*)$/gm,
      (_, indent: string, key = '', before: string, at: string, after: string) => {
        const expression = (this.#texts[Number(at)] ?? '').replace('COLUMN', String(indent.length + 2))
        return `${indent}${expression.startsWith('{{-') ? `${key.trimEnd()} ` : key}${before}${expression}${after}`
      },
    )
  }
}

function setParameter(manifest: Manifest, { value, path, object }: Parameter, expressions: Expressions): void {
  const [last = '', ...outer] = path.toReversed()
  const place = valueAt(manifest, outer.toReversed())
  if (typeof place !== 'object' || place === null || !(last in place)) throw missing(object, path)
  const name = `.Values.${value.join('.')}`
  const holder = place as Record<string | number, unknown>
  holder[last] = typeof holder[last] === 'object' ? expressions.object(name) : expressions.scalar(`{{ ${name} }}`)
}

const missing = (object: string, path: (string | number)[]) =>
  new Error(
    `deploy/kubernetes/base: ${object} has no ${path.join('.')}. Correct the table of parameters in deploy/checks/chart.ts.`,
  )

const valueAt = (from: unknown, path: (string | number)[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string | number, unknown> | undefined)?.[name], from)

/** Calls `visit` for each object in a manifest, at any depth. */
function walk(value: unknown, visit: (record: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>)
  for (const inner of Object.values(value)) walk(inner, visit)
}

function setImages(manifest: Manifest, expressions: Expressions): void {
  walk(manifest, (record) => {
    const name = typeof record.image === 'string' ? imageNames[record.image] : undefined
    if (name !== undefined) record.image = expressions.scalar(`{{ .Values.images.${name} }}`)
  })
}

/** Names of generated ConfigMaps end with a hash of what they contain, so that pods restart when it changes. */
function setConfigMaps(manifest: Manifest, expressions: Expressions): void {
  const names = new Set(configMaps.map(({ name }) => name))
  walk(manifest, ({ configMapRef, configMap }) => {
    for (const reference of [configMapRef, configMap] as ({ name?: string } | undefined)[]) {
      if (reference?.name === undefined || !names.has(reference.name)) continue
      reference.name = expressions.scalar(`{{ include "${reference.name}.configMapName" . }}`)
    }
  })
}

/** Default values with their descriptions, as nested maps. */
type Entry = { description: string; schema: object; value: unknown }

function entries(): [string[], Entry][] {
  const manifests = kustomization.resources.flatMap((file) => manifestsOf(readBase(file)))
  const images = kustomization.images.map(({ name, newName, newTag }): [string[], Entry] => {
    const value = `${newName}:${newTag}`
    return [['images', imageNames[name] ?? name], { description: `Image of ${imageNames[name]}.`, schema: text, value }]
  })
  const set = parameters.map(({ value, description, schema, object, path }): [string[], Entry] => {
    const found = valueAt(
      manifests.find((one) => keyOf(one) === object),
      path,
    )
    if (found === undefined) throw missing(object, path)
    return [value, { description, schema, value: found }]
  })
  const settings = {
    description: 'Settings of api and worker that are not secret: docs/reference/configuration.md.',
    schema: {
      type: 'object',
      additionalProperties: { type: 'string' },
      required: ['SLUICE_PUBLIC_URL', 'ENGINE_IDENTITY_KEYS'],
    },
    value: settingsOf(readBase('settings.env')),
  }
  const map = { type: 'object', additionalProperties: { type: 'string' } }
  return [
    ...images,
    [['settings'], settings],
    ...set,
    [
      ['serviceAccount', 'annotations'],
      { description: 'Annotations that give pods of the service their role in the cloud.', schema: map, value: {} },
    ],
    [
      ['ingress', 'enabled'],
      {
        description: 'Whether an Ingress leads to the API, at the host of settings.SLUICE_PUBLIC_URL.',
        schema: { type: 'boolean' },
        value: false,
      },
    ],
    [
      ['ingress', 'className'],
      { description: 'Class of the Ingress. Empty for that of the cluster.', schema: { type: 'string' }, value: '' },
    ],
    [
      ['ingress', 'annotations'],
      {
        description: 'Annotations of the Ingress: allow bodies of 64 MiB and streams of an hour.',
        schema: map,
        value: {},
      },
    ],
    [
      ['ingress', 'tlsSecret'],
      { description: 'Secret with the certificate of the host.', schema: text, value: 'sluice-tls' },
    ],
  ]
}

function valuesText(): string {
  const lines = ['# Generated: npm run test:deploy -- helm --update. Defaults are those of deploy/kubernetes/base.']
  let group = ''
  for (const [[first = '', ...rest], { description, value }] of grouped()) {
    const indent = rest.length === 0 ? '' : '  '
    if (rest.length > 0 && first !== group) lines.push(`${first}:`)
    group = first
    const block = stringify({ [rest[0] ?? first]: value }, { lineWidth: 0 }).trimEnd()
    lines.push(`${indent}# ${description}`, ...block.split('\n').map((line) => indent + line))
  }
  return `${lines.join('\n')}\n`
}

/** Entries of one group follow each other. */
function grouped(): [string[], Entry][] {
  const groups = Map.groupBy(entries(), ([[first = '']]) => first)
  return [...groups.values()].flat()
}

function valuesSchema(): object {
  const properties: Record<string, object> = {}
  for (const [first, members] of Map.groupBy(entries(), ([[name = '']]) => name)) {
    const schemas = members.map(
      ([[, second], { description, schema }]) => [second, { description, ...schema }] as const,
    )
    const inner = Object.fromEntries(schemas)
    properties[first] = schemas[0]?.[0] === undefined ? (schemas[0]?.[1] ?? {}) : closed(inner)
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...closed(properties) }
}

const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })

function chartText(): string {
  const root = fileURLToPath(new URL('../../package.json', import.meta.url))
  const { version, description } = JSON.parse(readFileSync(root, 'utf8')) as { version: string; description: string }
  const chart = { apiVersion: 'v2', name: 'sluice', type: 'application', description, version, appVersion: version }
  return stringify(chart, { lineWidth: 0 })
}
