import { createHash } from 'node:crypto'
import type { BuildOrder } from '@sluice/contract/runner-protocol'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { maskSecrets } from '../pipeline-runs/secrets.ts'
import { type Built, dirHashOf, provenanceOf } from './provenance.ts'

const uri = Type.String({ pattern: '^[a-z][a-z0-9+.-]*:.+' })
const moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' })
const digests = Type.Record(Type.String(), Type.String({ pattern: '^[0-9a-f]+$' }), { minProperties: 1 })

/** Schema copied from in-toto's statement v1 and SLSA's provenance v1 (read 2026-11), independent of our code. */
const specified = Compile(
  Type.Object({
    _type: Type.Literal('https://in-toto.io/Statement/v1'),
    subject: Type.Array(Type.Object({ name: Type.Optional(Type.String()), digest: digests }), { minItems: 1 }),
    predicateType: Type.Literal('https://slsa.dev/provenance/v1'),
    predicate: Type.Object({
      buildDefinition: Type.Object({
        buildType: uri,
        externalParameters: Type.Object({}),
        internalParameters: Type.Optional(Type.Object({})),
        resolvedDependencies: Type.Optional(Type.Array(Type.Object({ uri, digest: Type.Optional(digests) }))),
      }),
      runDetails: Type.Object({
        builder: Type.Object({ id: uri, version: Type.Optional(Type.Record(Type.String(), Type.String())) }),
        metadata: Type.Optional(Type.Object({ invocationId: Type.String(), startedOn: moment, finishedOn: moment })),
      }),
    }),
  }),
)

const commit = 'a'.repeat(40)
const archive: BuildOrder = {
  kind: 'build',
  publishedAs: 'archive',
  outputDirectory: 'dist',
  source: { url: 'https://ada:pa55word@git.example.com/acme/shop', ref: 'main', basePath: '.' },
  commands: [{ name: 'install', script: 'npm ci --token=t0ken-of-inputs' }],
  env: { STAGE: 'live', TOKEN: 't0ken-of-the-step' },
}
const image: BuildOrder = {
  kind: 'build',
  publishedAs: 'image',
  source: { files: { Dockerfile: 'FROM scratch' }, basePath: '.' },
  dockerfile: 'Dockerfile',
  context: '.',
  isInjected: false,
  arguments: { STAGE: 'live' },
  secrets: { TOKEN: 't0ken-of-the-step' },
}
const built = (change: Partial<Built>): Built => ({
  artifact: { kind: 'lambda', bucket: 'archives', key: 'shop/1.zip', digest: `sha256:${'0'.repeat(64)}` },
  files: [],
  commit,
  order: archive,
  plan: {
    instance: { id: 'mi_1', projectId: 'prj_1', environmentId: 'env_1' },
    given: {
      moduleVersionId: 'mv_1',
      inputs: { key: 't0ken-of-inputs' },
      environment: { STAGE: 'live' },
      secrets: ['TOKEN'],
    },
  },
  run: { pipelineId: 'pip_1', pipelineVersionId: 'pv_1', triggeredBy: 'Ada Lovelace', triggerSource: 'PUSH' },
  step: {
    id: 'se_1',
    attemptEpoch: 2,
    organizationId: 'org_1',
    pipelineRunId: 'run_1',
    runnerId: 'runner-1',
    executionEnvironmentId: null,
    startedAt: new Date('2026-11-26T12:00:00Z'),
  },
  finishedAt: new Date('2026-11-26T12:00:07Z'),
  ...change,
})
const builder = { address: 'https://sluice.example.com', release: '0.2.0' }
const secrets = ['t0ken-of-the-step', 't0ken-of-inputs', 'predicate', 'a'.repeat(40)]
const hidden = <T>(value: T) => maskSecrets(value, secrets)

const site = { kind: 'static', bucket: 'site', key: 'releases/1', digest: `sha256:${'0'.repeat(64)}` } as const
const inRegistry = { kind: 'image', bucket: 'host', key: 'shop/web', digest: `sha256:${'0'.repeat(64)}` } as const
const files = [{ path: 'index.html', sha256: 'f'.repeat(64), sizeBytes: 1 }]

test.each<[string, Partial<Built>]>([
  ['an archive', {}],
  ['a site', { artifact: site, files, order: { ...archive, publishedAs: 'files' } }],
  ['an image of files', { artifact: inRegistry, commit: undefined, order: image }],
])('the provenance of %s conforms to the specifications and contains no secret', (_, change) => {
  const provenance = provenanceOf(built(change), { builder, hidden })
  expect(specified.Errors(provenance)).toEqual([])
  expect(JSON.stringify(provenance)).not.toMatch(/t0ken|pa55word/)
})

test('the provenance has the builder, source, parameters, dependencies and times', () => {
  const { subject, predicate } = provenanceOf(built({}), { builder, hidden: (value) => value })
  expect(subject).toEqual([{ name: 's3://archives/shop/1.zip', digest: { sha256: '0'.repeat(64) } }])
  const { buildDefinition, runDetails } = predicate
  const repository = 'https://git.example.com/acme/shop'
  expect(buildDefinition.resolvedDependencies).toEqual([{ uri: `git+${repository}`, digest: { gitCommit: commit } }])
  expect(buildDefinition.externalParameters).toMatchObject({
    source: { repository, ref: 'main' },
    builder: { type: 'commands', commands: archive.commands },
    environment: { STAGE: 'live' },
  })
  expect(buildDefinition.internalParameters).toMatchObject({ triggeredBy: 'Ada Lovelace', secrets: ['TOKEN'] })
  expect(runDetails).toEqual({
    builder: { id: 'https://sluice.example.com', version: { sluice: '0.2.0' } },
    metadata: {
      invocationId: 'run_1/se_1/2',
      startedOn: '2026-11-26T12:00:00.000Z',
      finishedOn: '2026-11-26T12:00:07.000Z',
    },
  })
})

test('the digest of a directory equals the one that other tools compute', () => {
  // sha256sum of a file `a` with "1
  // " and of `b/c` with "2
  // ", and of these lines.
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const one = { path: 'a', sha256: sha256('1\n') }
  const other = { path: 'b/c', sha256: sha256('2\n') }
  expect(dirHashOf([other, one])).toBe(sha256(`${one.sha256}  a\n${other.sha256}  b/c\n`))
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 2 }), (paths) => {
      const named = paths.map((path) => ({ path, sha256: sha256(path) }))
      expect(dirHashOf(named.toReversed())).toBe(dirHashOf(named))
    }),
  )
})
