import { randomBytes } from 'node:crypto'
import type { ValueOption } from '@sluice/contract'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { createStateTokens } from '../../stacks/iac-states/token.ts'
import { Client } from '../../testing/client.ts'
import { addMember } from '../../testing/members.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../pipelines/tables.ts'
import { listChunks } from '../step-logs/store.ts'
import { createAttemptTokens } from './attempt-tokens.ts'
import { type RunnerTestApi, startRunnerTestApi } from './runner.fixture.ts'

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const runnerId = `rnr_${randomBytes(13).toString('hex')}`
const settlement = { outcome: { status: 'SUCCESS', output: {} }, log: [] }

/** Valid bodies of each endpoint. */
const bodies: Record<keyof typeof runnerPaths, object> = {
  redeem: { key: 'k'.repeat(43) },
  hello: { runnerId, protocol: 1, version: '1', capacity: 1, labels: [], machine: 'm', isolation: 'none' },
  claim: { runnerId, most: 1, holds: [], waitMs: 0 },
  heartbeat: { runnerId, attempts: [] },
  leave: { runnerId, attempts: [] },
  log: { sequence: 1, text: 'said\n', offsets: {} },
  progress: { detail: { phase: 'plan' } },
  sourceAccess: {},
  cloudSession: {},
  plan: { tool: 'terraform', toolVersion: '1.9.0', configDigest: '', before: null, file: '', plan: {} },
  sensitiveVariables: { names: [] },
  takePlan: { isAgain: false, configDigest: '' },
  applied: { hasSucceeded: true, isStale: false, events: [] },
  findArtifact: { tree: 'a' },
  publishImage: { tree: 'a', buildSeconds: 1 },
  publishArtifact: { tree: 'a', buildSeconds: 1, files: [{ path: 'a', sizeBytes: 1, sha256: 'a'.repeat(64) }] },
  uploadStepArtifact: { name: 'dist', position: 0, content: 'YQ==' },
  downloadStepArtifact: { id: 'sart_1', position: 0 },
  settle: settlement,
}
const ofRunner = ['hello', 'claim', 'heartbeat', 'leave'] as const
const ofAttempt = [
  ...['log', 'progress', 'sourceAccess', 'cloudSession', 'plan', 'takePlan', 'applied'],
  ...['findArtifact', 'publishArtifact', 'publishImage', 'settle'],
] as const satisfies (keyof typeof runnerPaths)[]

async function knock(door: keyof typeof runnerPaths, token: string | undefined, body = bodies[door]): Promise<number> {
  const key = token === undefined ? {} : { key: token }
  const headers = { 'content-type': 'application/json' }
  return (await yard.ask(runnerPaths[door], { ...key, method: 'POST', headers, body: JSON.stringify(body) })).status
}

const inProgress = { status: 'IN_PROGRESS', attemptEpoch: 2, runnerId: null } as const
const begun = (more: Partial<PipelineStepExecutionRow> = {}) =>
  yard.command({ argv: ['true'] }, { step: { ...inProgress, ...more } })
const tokenOf = (id: string, attemptEpoch = 2, organizationId = yard.organizationId) =>
  yard.attemptTokens.issue({ organizationId, id, attemptEpoch })

describe('the token of an attempt', () => {
  test(
    'authorizes every operation of its attempt, and no other token does',
    everyCase(ofAttempt, async (door) => {
      const id = await begun()
      const [over, other] = [await begun({ status: 'SUCCESS' }), await begun()]
      const forged = createAttemptTokens([randomBytes(32)]).issue({
        organizationId: yard.organizationId,
        id,
        attemptEpoch: 2,
      })
      const claims = { workspaceId: 'ws_1', stepExecutionId: id, attemptEpoch: 2 }
      const right = tokenOf(id)
      const [text = '', signature = ''] = right.split('.')
      const [, otherSignature = ''] = tokenOf(other).split('.')
      const refused: [string, string | undefined, number][] = [
        ['none', undefined, 401],
        ['one of a runner', yard.runnerToken, 401],
        ['one of a state', createStateTokens([randomBytes(32)]).issue(claims, new Date()), 401],
        ['one that is made with another key', forged, 401],
        ['its claims with the signature of another', `${text}.${otherSignature}`, 401],
        ['its signature alone', `.${signature}`, 401],
        ['one of the attempt before', tokenOf(id, 1), 410],
        ['one of the attempt after', tokenOf(id, 3), 410],
        ['one of another organization', tokenOf(id, 2, 'org_01kacq2f9xe6mtz4v8hs3nb7wd'), 410],
        ['one of a step that is over', tokenOf(over), 410],
        ['one of a step that is not there', tokenOf('step_01kacq2f9xe6mtz4v8hs3nb7wd'), 410],
      ]
      for (const [what, token, status] of refused) expect([what, await knock(door, token)]).toEqual([what, status])
      expect([401, 410]).not.toContain(await knock(door, right))
      expect(await yard.stepOf(other)).toMatchObject({ status: 'IN_PROGRESS', statusDetail: null })
    }),
  )

  test(
    'does not authorize operations of runners',
    everyCase(ofRunner, async (door) => {
      expect(await knock(door, tokenOf(await begun()))).toBe(401)
      expect(await knock(door, undefined)).toBe(401)
      expect(await knock(door, yard.runnerToken)).toBe(200)
    }),
  )

  test("authorizes nothing else of the API, and neither does a runner's token", async () => {
    for (const key of [tokenOf(await begun()), yard.runnerToken]) {
      for (const path of ['/pipelines', '/cloud-accounts', '/iac-states/ws_1']) {
        expect((await yard.ask(path, { key })).status, path).toBe(401)
      }
    }
  })

  test('can write only to its own step, and expires with it', async () => {
    const [id, other] = [await begun(), await begun()]
    const token = tokenOf(id)
    expect(await knock('log', token)).toBe(200)
    expect(await knock('settle', token)).toBe(200)
    expect(await knock('settle', token)).toBe(410)
    expect(await knock('log', token, { sequence: 2, text: 'late\n', offsets: {} })).toBe(410)
    expect(await yard.logOf(id)).toBe('said\n')
    expect(await yard.logOf(other)).toBe('')
    expect(await yard.stepOf(id)).toMatchObject({ status: 'SUCCESS' })
    expect(await yard.stepOf(other)).toMatchObject({ status: 'IN_PROGRESS' })
  })
})

describe('a report of an attempt', () => {
  test('is stored once, regardless of repetitions', async () => {
    const id = await begun()
    const token = tokenOf(id)
    for (let time = 0; time < 3; time += 1) expect(await knock('log', token)).toBe(200)
    expect(await knock('settle', token, { ...settlement, log: [bodies.log] })).toBe(200)
    const chunks = await listChunks(yard.db, yard.organizationId, id, { after: 0, limit: 10 })
    expect(chunks.map(({ text }) => text)).toEqual(['said\n'])
  })

  test('ends its step, even if a part of it cannot be stored', async () => {
    const id = await begun()
    const outcome = { status: 'SUCCESS', output: { text: 'a\0b' } }
    expect(await knock('settle', tokenOf(id), { outcome, log: [] })).toBe(200)
    expect(await yard.stepOf(id)).toMatchObject({
      status: 'SUCCESS',
      outputData: {},
      statusDetail: { omittedValues: [{ path: 'output.text' }] },
    })
  })

  test(
    'is rejected if it is malformed',
    everyCase(
      [
        ['no JSON', 'nonsense'],
        ['a list', '[]'],
        ['nothing', ''],
        ['a member too many', JSON.stringify({ ...bodies.log, more: 1 })],
        ['a line too long', JSON.stringify({ ...bodies.log, text: 'x'.repeat(200_000) })],
      ],
      async (_what, body) => {
        const headers = { 'content-type': 'application/json' }
        const key = tokenOf(await begun())
        const { status } = await yard.ask(runnerPaths.log, { key, method: 'POST', headers, body })
        expect(status).toBe(400)
      },
    ),
  )
})

test('an attempt is sent again if the response was lost', async () => {
  const id = await yard.command({ argv: ['true'] })
  const claim = async (holds: object[]) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ runnerId, most: 1, holds, waitMs: 0 })
    const { body: answer } = await yard.ask(runnerPaths.claim, { key: yard.runnerToken, method: 'POST', headers, body })
    return (answer as { attempts: { id: string; attemptEpoch: number }[] }).attempts.map((one) => one.id)
  }
  expect(await claim([])).toEqual([id])
  expect(await claim([])).toEqual([id])
  expect(await claim([{ id, attemptEpoch: 1 }])).toEqual([])
  await yard.db.update(pipelineStepExecutions).set({ status: 'SUCCESS' }).where(eq(pipelineStepExecutions.id, id))
  expect(await claim([])).toEqual([])
})

test('forms list the tools first that a runner reported at its last start', async () => {
  const viewer = new Client(yard.url, await addMember(yard.db, yard.organizationId, 'VIEWER'))
  const usual = async () => (await viewer.done<ValueOption[]>('GET', '/values/iac/versions'))[0]?.value
  for (const version of ['1.7.3', '1.8.2']) {
    const tools = { iac: [version], iac_alt: [] }
    expect(await knock('hello', yard.runnerToken, { ...bodies.hello, tools })).toBe(200)
    expect(await usual()).toBe(`~${version.slice(0, 3)}`)
  }
  const wrong = { ...bodies.hello, tools: { iac: ['newest'], iac_alt: [] } }
  expect(await knock('hello', yard.runnerToken, wrong)).toBe(400)
})
