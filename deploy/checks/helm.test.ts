import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generatedChart } from './chart.ts'
import { kustomizedBase, type Manifest, manifestsOf } from './kubernetes.ts'
import { isProgram, run } from './programs.ts'

const chart = fileURLToPath(new URL('../helm', import.meta.url))
const read = (path: string) => readFileSync(join(chart, path), 'utf8')

test.for(Object.entries(generatedChart()))('%s is generated from deploy/kubernetes/base', async ([path, text]) => {
  await expect(text).toMatchFileSnapshot(join(chart, path))
})

type Values = Record<string, unknown>
const defaults = parse(read('values.yaml')) as Values

const directory = mkdtempSync(join(tmpdir(), 'sluice-chart-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const renderer = (await isProgram('helm'))
  ? 'helm template'
  : (await isProgram('go'))
    ? 'text/template and sprig'
    : undefined

/** Renders the chart with these values in place of the defaults. */
async function rendered(values: Values = {}): Promise<Manifest[]> {
  const file = join(directory, 'values.json')
  writeFileSync(file, JSON.stringify({ ...defaults, ...values }))
  if (renderer === 'helm template') {
    const { stdout } = await run('helm', ['template', 'sluice', chart, '--namespace', 'sluice', '--values', file])
    return manifestsOf(stdout)
  }
  // Debian's packages of Go libraries are a GOPATH.
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(directory, 'cache') }
  const program = fileURLToPath(new URL('helm/render.go', import.meta.url))
  const { stdout } = await run('go', ['run', program, chart, file], { env, maxBuffer: 2 ** 24 })
  return manifestsOf(stdout)
}

/** Returns objects by kind and name, without namespaces, hashes in names and empty annotations. */
function byName(manifests: Manifest[]): Record<string, unknown> {
  const text = JSON.stringify(manifests.filter(({ kind }) => kind !== 'Namespace'))
    .replaceAll(/"(sluice-settings|engine)-[a-z0-9]{10}"/g, '"$1"')
    .replaceAll(/,?"annotations":\{\}/g, '')
    .replaceAll(/,?"namespace":"sluice"/g, '')
  const objects = JSON.parse(text) as Manifest[]
  // A job is never changed: each revision of the chart has one of its own.
  for (const { kind, metadata } of objects) if (kind === 'Job') metadata.name = metadata.name.replace(/-1$/, '')
  return Object.fromEntries(objects.map((one) => [`${one.kind}/${one.metadata.name}`, one]))
}

describe.skipIf(renderer === undefined)(`the Helm chart, rendered by ${renderer}`, () => {
  test('with its default values is the kustomize base', async () => {
    const objects = byName(await rendered())
    expect(Object.keys(objects).length).toBeGreaterThan(20)
    expect(objects, 'npm run test:deploy -- helm --update').toEqual(byName(kustomizedBase()))
  })

  test('is what Kubernetes takes, with every part that can be turned on', async () => {
    const ingress = { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'sluice-tls' }
    const manifests = await rendered({
      ingress,
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
    })
    const faults = await Promise.all(manifests.map(faultOf))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
    const [found] = manifests.filter(({ kind }) => kind === 'Ingress')
    expect(found).toMatchObject({ spec: { ingressClassName: 'nginx', rules: [{ host: 'sluice.example.com' }] } })
    const account = manifests.find(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === 'sluice')
    expect(account?.metadata).toMatchObject({ annotations: { 'eks.amazonaws.com/role-arn': 'arn' } })
  })

  test('a changed value is in the manifests, and a changed setting gives the ConfigMap another name', async () => {
    const settings = { ...(defaults.settings as Values), SLUICE_PUBLIC_URL: 'https://other.example.com' }
    const api = { ...(defaults.api as Values), minReplicas: 5 }
    const manifests = await rendered({ settings, api })
    const scaler = manifests.find(({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name === 'api')
    expect(scaler).toMatchObject({ spec: { minReplicas: 5 } })
    const nameIn = (all: Manifest[]) =>
      all.find(({ metadata }) => metadata.name.startsWith('sluice-settings-'))?.metadata.name
    expect(nameIn(manifests)).not.toBe(nameIn(await rendered()))
  })
})

type Model = new (data: object) => { validate(): void }

/** What Kubernetes' own description of such an object says against it; undefined if nothing. */
async function faultOf(manifest: Manifest): Promise<string | undefined> {
  const models = (await import(/* @vite-ignore */ `kubernetes-models/${manifest.apiVersion}`)) as Record<string, Model>
  const Known = models[manifest.kind]
  if (!Known) return `${manifest.apiVersion} knows no ${manifest.kind}`
  try {
    new Known(manifest).validate()
    return undefined
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`
  }
}

describe('values.schema.json', () => {
  const validate = new Ajv({ allErrors: true }).compile(JSON.parse(read('values.schema.json')))

  test('accepts the default values', () => {
    expect(validate(defaults), JSON.stringify(validate.errors)).toBe(true)
  })

  test.for<[string, Values]>([
    ['a value that does not exist', { replicas: 3 }],
    ['a setting that is not text', { settings: { ...(defaults.settings as Values), SLUICE_DRAIN_SECONDS: 5 } }],
    ['settings without an address', { settings: { ENGINE_IDENTITY_KEYS: 'publickeyv1_1' } }],
    ['no pods', { api: { ...(defaults.api as Values), minReplicas: 0 } }],
    ['a disk without a unit', { engine: { ...(defaults.engine as Values), storage: '20' } }],
  ])('rejects %s', ([, values]) => {
    expect(validate({ ...defaults, ...values })).toBe(false)
  })
})

test('templates use the functions only that the README of the chart lists', () => {
  const rows = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const listed = new Set(rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)))
  const templates = readdirSync(join(chart, 'templates')).map((file) => read(`templates/${file}`))
  const actions = templates.flatMap((text) =>
    [...text.matchAll(/\{\{-? (.+?) -?\}\}/g)].map(([, action = '']) => action),
  )
  // Words that are no values, variables or texts.
  const words = actions.flatMap((action) =>
    [...action.replaceAll(/"[^"]*"/g, '').matchAll(/(?<![.$\w])[a-z]\w*/gi)].map(([word]) => word),
  )
  expect(words.length).toBeGreaterThan(20)
  expect([...new Set(words)].filter((word) => !listed.has(word))).toEqual([])
})
