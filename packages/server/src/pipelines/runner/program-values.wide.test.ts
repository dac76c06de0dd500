import { createHash, randomBytes } from 'node:crypto'
import { eventSecretHeader } from '@sluice/contract'
import { parseExactJson } from '@sluice/contract/exact-json'
import { type Assignment, runnerPaths } from '@sluice/contract/runner-protocol'
import { toStorableOutput } from '@sluice/contract/storable-value'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { newId } from '../../platform/ids.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { Pipelines } from '../../testing/pipelines.ts'
import { type RunnerTestApi, startRunnerTestApi } from './runner.fixture.ts'

/** Number of random values for each endpoint, in addition to `extremes`. */
const numRuns = 60

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('\0', 'x\0y', '\ud800', 'a\udfffb', '__proto__', 'constructor', '', '\u2028', '😀', '<< inputs.a >>'),
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.constantFrom(
    '1e400',
    '-1e400',
    '1e-400',
    '12345678901234567890',
    '9007199254740993',
    '3.14159265358979323846',
    '-0',
  ),
)
const textOfObject = (members: [string, string][]) =>
  `{${members.map(([name, item]) => `${JSON.stringify(name)}:${item}`).join(',')}}`

/** Generates JSON texts with duplicate names, and with numbers that JavaScript cannot represent. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    oddText.map((text) => JSON.stringify(text)),
    number,
    fc.constantFrom('null', 'true', '[]', '{}'),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc.array(fc.tuple(fc.oneof(oddText, fc.constantFrom('a', 'b')), tie('json')), { maxLength: 4 }).map(textOfObject),
  ),
}))

const extremes: Record<string, string> = {
  'a text of 10 MB': JSON.stringify('x'.repeat(10 * 1024 * 1024)),
  '1,000 lists in each other': `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
  '1,000 objects in each other': `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`,
  '100,000 values': `[${'1,'.repeat(100_000)}1]`,
  'a number of 100,000 digits': '7'.repeat(100_000),
  'a name of 100,000 characters with NUL': `{"${'n'.repeat(100_000)}\\u0000":1}`,
}

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

/** Starts an attempt of a step, as the organization's own runner does. */
async function attempt(...step: Parameters<RunnerTestApi['command']>): Promise<Assignment> {
  const id = await yard.command(...step)
  const runnerId = `rnr_${randomBytes(13).toString('hex')}`
  const claim = { runnerId, most: 1, holds: [], waitMs: 10_000 }
  const { body } = await yard.send(runnerPaths.claim, yard.runnerToken, JSON.stringify(claim))
  const assignment = (body.attempts as Assignment[]).find((one) => one.id === id)
  if (!assignment) throw new Error(`the step ${id} was not given to the runner`)
  return assignment
}

/** Sends a body, at which the server must not fail. */
async function send(path: string, key: string, body: string, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' }
  const answer = await yard.ask(path, { key, method: 'POST', body, headers: { ...type, ...headers } })
  expect(answer.status, `POST ${path} fails at ${body.slice(0, 300)}: ${yard.logged.at(-1)}`).toBeLessThan(500)
  return answer
}

/** Checks random and extreme values. */
function withValues(check: (text: string) => Promise<void>): () => Promise<void> {
  return async () => {
    for (const [name, text] of Object.entries(extremes)) {
      await check(text).catch((cause) => {
        throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      })
    }
    await fc.assert(fc.asyncProperty(json, check), { numRuns })
  }
}

/** Reports whether a request was accepted. A rejected one must name the JSON path of the error first. */
function isAcceptedOrPlaced(answer: Awaited<ReturnType<typeof send>>, accepted: number): boolean {
  if (answer.status === accepted) return true
  expect([400, 413, 422], JSON.stringify(answer.body)).toContain(answer.status)
  if (answer.status !== 400) return false
  const items = (answer.body.details as { items?: string[] }[]).flatMap(({ items = [] }) => items)
  expect(items.join('\n'), 'a rejection names the path of each fault').toMatch(/^\$/)
  return false
}

/** Checks that an endpoint accepts some values and rejects the others. */
function accepts(request: (text: string) => Promise<Awaited<ReturnType<typeof send>>>, accepted: number) {
  let acceptedCount = 0
  return async () => {
    await withValues(async (text) => {
      if (isAcceptedOrPlaced(await request(text), accepted)) acceptedCount += 1
    })()
    expect(acceptedCount, 'accepted values').toBeGreaterThan(numRuns / 6)
    expect(acceptedCount, 'accepted values').toBeLessThan(numRuns)
  }
}

describe('the server never fails because of what a program returns:', { timeout: 600_000 }, () => {
  test(
    'the output of a step is stored without unstorable values, which are named',
    withValues(async (text) => {
      const { id, token } = await attempt({ argv: ['true'] })
      const output = `{"value":${text},"done":true}`
      const answer = await send(
        runnerPaths.settle,
        token,
        `{"outcome":{"status":"SUCCESS","output":${output}},"log":[]}`,
      )
      expect(answer.status).toBe(200)
      const { status, outputData, statusDetail } = await yard.stepOf(id)
      const expected = toStorableOutput(parseExactJson(output) as Record<string, unknown>, 'output')
      expect({ status, outputData }).toEqual({
        status: 'SUCCESS',
        outputData: JSON.parse(JSON.stringify(expected.value)),
      })
      expect((statusDetail?.omittedValues ?? []) as unknown[]).toEqual(expected.omittedValues.slice(0, 50))
    }),
  )

  test(
    'the error of a step is stored',
    withValues(async (text) => {
      const { id, token } = await attempt({ argv: ['true'] })
      const error = `{"code":"A","message":${JSON.stringify(text.slice(0, 1_000))},"metadata":{"value":${text}}}`
      const answer = await send(runnerPaths.settle, token, `{"outcome":{"status":"ERROR","error":${error}},"log":[]}`)
      expect(answer.status).toBe(200)
      expect(await yard.stepOf(id)).toMatchObject({ status: 'ERROR', error: { code: 'A' } })
    }),
  )

  test(
    'progress and log lines are stored',
    withValues(async (text) => {
      const { token } = await attempt({ argv: ['true'] })
      const progress = await send(runnerPaths.progress, token, `{"detail":{"value":${text}}}`)
      expect(progress.status).toBe(text.length < 1024 * 1024 ? 200 : 413)
      const line = JSON.stringify(String(parseExactJson(text.length > 100_000 ? '1' : text)))
      expect(await send(runnerPaths.log, token, `{"sequence":1,"text":${line},"offsets":{"a":1}}`)).toMatchObject({
        status: 200,
      })
      expect(await send(runnerPaths.settle, token, `{"outcome":{"status":"SUCCESS"},"log":[]}`)).toMatchObject({
        status: 200,
      })
    }),
  )

  test(
    'the files of a build are accepted or rejected',
    withValues(async (text) => {
      const { token } = await attempt({ argv: ['true'] })
      const built = `"tree":${text},"commit":${text}`
      await send(runnerPaths.findArtifact, token, `{${built}}`)
      await send(runnerPaths.publishImage, token, `{${built},"buildSeconds":${text}}`)
      const files = `[{"path":${text},"sizeBytes":1,"sha256":"${'a'.repeat(64)}"}]`
      await send(runnerPaths.publishArtifact, token, `{${built},"files":${files},"buildSeconds":1}`)
      expect(await send(runnerPaths.settle, token, `{"outcome":{"status":"SUCCESS"},"log":[]}`)).toMatchObject({
        status: 200,
      })
    }),
  )

  test(
    'resources of a plan and outputs of an apply are stored without unstorable values, and the step succeeds',
    withValues(async (text) => {
      const { organizationId, projectId } = yard
      const stackId = newId('stk')
      const named = { givenId: stackId.replace('_', '-'), name: 'Network' }
      await yard.db.insert(stacks).values({ id: stackId, organizationId, projectId, ...named })
      const given = { stack_id: stackId, source: { files: { 'main.tf': '' } }, workspace: null }
      const { id, token } = await attempt(given, { step: { stepType: 'iac:destroy', stackId } })
      const change = `{"actions":["delete"],"before":${text},"after":null,"before_sensitive":false}`
      const resource = `{"address":"a.b","type":"a","name":"b","provider_name":"p","change":${change}}`
      const plan = `{"resource_changes":[${resource}],"output_changes":{"a":${change}}}`
      const report = `"tool":"terraform","toolVersion":"1","configDigest":"d","before":null,"file":"YQ=="`
      const planned = await send(runnerPaths.plan, token, `{"plan":${plan},${report}}`)
      expect(planned).toMatchObject({ status: 200, body: { total: 1, changes: { DELETE: 1 } } })
      await send(runnerPaths.takePlan, token, '{"isAgain":false,"configDigest":"d"}')
      const outputs = `{"value":{"value":${text}},"done":{"value":1}}`
      const state = `{"version":4,"serial":1,"lineage":"l","outputs":${outputs},"resources":[]}`
      const pulled = Buffer.from(state).toString('base64')
      const done = { hasSucceeded: true, isStale: false, events: [], pulled }
      const applied = await send(runnerPaths.applied, token, JSON.stringify(done))
      expect(applied.status).toBe(200)
      const { output, omittedValues } = applied.body
      const outcome = { status: 'SUCCESS', output, omittedValues }
      const settled = await send(runnerPaths.settle, token, JSON.stringify({ outcome, log: [] }))
      expect(settled.status).toBe(200)
      expect(await yard.stepOf(id)).toMatchObject({ status: 'SUCCESS', outputData: { outputs: { done: 1 } } })
      expect((await findStack(yard.db, organizationId, stackId))?.outputs).toMatchObject({ done: 1 })
    }),
  )
})

describe("a caller's values are accepted, or rejected with their path:", { timeout: 600_000 }, () => {
  test('inputs of runs', async () => {
    const owner = await seedOrganization(yard.db)
    const client = new Client(yard.url, owner.key)
    const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
    const pipelines = new Pipelines(client, project.id)
    const inputs = [{ id: 'value', type: 'object' }]
    const { id } = await pipelines.create({ inputs, steps: [{ id: 'a', type: 'approval' }] })
    const start = (text: string) =>
      send('/pipeline-runs', owner.key, `{"data":{"pipelineId":"${id}","inputs":{"value":{"value":${text}}}}}`)
    await accepts(start, 201)()
  })

  test('payloads of webhooks', async () => {
    const { organizationId } = yard
    const id = newId('cs')
    const secret = randomBytes(16).toString('hex')
    await yard.db.insert(codeSources).values({
      id,
      organizationId,
      type: 'GITHOSTB',
      repoUrl: `https://git.example.com/${id}`,
      repoName: id,
      gitRepositoryId: '7',
      visibility: 'PRIVATE',
      auth: { kind: 'none' },
      webhookSecretHash: sha256(secret),
    })
    const deliver = (text: string) => {
      const commits = `[{"id":"a","message":${text},"author":${text},"added":[${text}],"modified":[],"removed":[]}]`
      const push = `"object_kind":"push","ref":"refs/heads/main","before":"b","after":"${randomBytes(20).toString('hex')}"`
      const body = `{${push},"project":{"id":7},"user_username":"ada","total_commits_count":1,"commits":${commits}}`
      return send(`/webhooks/githostb/${id}`, '', body, { 'x-gitlab-token': secret })
    }
    await accepts(deliver, 202)()
  })

  test('events of clouds', async () => {
    const { organizationId } = yard
    const id = newId('ca')
    const secret = randomBytes(16).toString('hex')
    await yard.db.insert(cloudAccounts).values({
      id,
      organizationId,
      givenId: id.replace('_', '-'),
      name: 'Cloud',
      status: 'CONNECTED',
      externalId: id,
      cloudId: '123456789012',
      eventSecretHash: sha256(secret),
    })
    const deliver = (text: string) => {
      const envelope = `"id":"${newId('evt')}","source":"aws.ecs","detail-type":"Something","account":"123456789012"`
      const place = `"time":"${new Date().toISOString()}","region":"eu-west-1","resources":[]`
      const body = `{${envelope},${place},"detail":{"value":${text}}}`
      return send(`/cloud-accounts/${id}/events`, '', body, { [eventSecretHeader]: secret })
    }
    await accepts(deliver, 202)()
  })
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
