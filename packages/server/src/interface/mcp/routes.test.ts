import { Client as Agent } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { AuditEvent } from '@sluice/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { apiKeys } from '../../identity/organizations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

let world: World
let owner: SeededOrganization
/** Test environment in which agents may act, with a low rate limit. */
let busy: World
beforeAll(async () => {
  world = await startHttpWorld(undefined, { mcp: 'on' })
  busy = await startHttpWorld(undefined, { mcp: 'on', mcpActions: 'on', mosts: { keyRequests: 5 } })
  owner = await seedOrganization(world.db)
})
afterAll(() => Promise.all([world, busy].map((one) => one?.[Symbol.asyncDispose]())))

async function agentOf(key: string, at = world) {
  const transport = new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  const agent = new Agent({ name: 'probe', version: '4.2' })
  await agent.connect(transport as Parameters<Agent['connect']>[0])
  onTestFinished(() => agent.close())
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError = false } = await agent.callTool({ name, arguments: input })
    const [first] = content as { text: string }[]
    return { text: first?.text ?? '', data: Reflect.get(Object(structuredContent), 'data') as object, isError }
  }
  return { agent, call, session: transport.sessionId ?? '' }
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const post = (body: unknown, headers: Record<string, string> = {}, key = owner.key) =>
  world.ask('/mcp', { key, method: 'POST', body: JSON.stringify(body), headers: { ...usual, ...headers } })

test("without the operator's setting the endpoint does not exist", async () => {
  const plain = await startHttpWorld()
  onTestFinished(() => plain[Symbol.asyncDispose]())
  const { key } = await seedOrganization(plain.db)
  expect((await plain.ask('/mcp', { key, method: 'POST', body: '{}', headers: usual })).status).toBe(404)
})

test("an agent authenticates with its key, reads documents, and is in the audit log with its program's name", async () => {
  const { agent, call } = await agentOf(owner.key)
  const { tools } = await agent.listTools()
  expect(tools.map(({ name }) => name)).toContain('what_runs')
  expect(tools.map(({ name }) => name)).not.toContain('release')
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  expect(await call('list_projects')).toMatchObject({ isError: false, text: expect.stringMatching(/^\d+ project/) })
  await expect(call('release', { instance: 'web' })).rejects.toThrow('There is no such tool')
  const [page] = (await agent.readResource({ uri: 'sluice://docs/rollback' })).contents
  expect(page).toMatchObject({ text: expect.stringMatching(/^# /) })
  const { body } = await world.ask('/audit-events?channel=AGENT', { key: owner.key })
  const by = {
    actorId: owner.membershipId,
    userAgent: expect.stringMatching(/^sluice-mcp\/[\d.]+ \(probe 4\.2\)$/),
  }
  expect(body.data as AuditEvent[]).toMatchObject([
    { ...by, action: 'agent-resources.read', resourceId: 'sluice://docs/rollback' },
    { ...by, action: 'agent-tools.call', resourceId: 'list_projects' },
  ])
})

test('tools that change something are available if the operator allows them and the role has the permission', async () => {
  const names = async (role: 'VIEWER' | 'DEVELOPER') => {
    const { key } = await seedOrganization(busy.db, { role })
    const { agent, call } = await agentOf(key, busy)
    const { tools } = await agent.listTools()
    return { names: tools.map(({ name }) => name), call }
  }
  expect((await names('DEVELOPER')).names).toContain('release')
  const viewer = await names('VIEWER')
  expect(viewer.names).not.toContain('release')
  const wish = { instance: 'web', idempotencyKey: 'viewer-wants-it' }
  expect(await viewer.call('release', wish)).toMatchObject({
    isError: true,
    text: expect.stringContaining('deployments:write'),
  })
})

test('an agent shares the rate limit of its key', async () => {
  const { key } = await seedOrganization(busy.db)
  const ping = () => busy.send('/mcp', key, JSON.stringify(message('ping')))
  const answers = await Promise.all(Array.from({ length: 150 }, ping))
  expect(answers.map(({ status }) => status)).toContain(429)
})

test('records of another organization are not found, and its sessions are invalid', async () => {
  const other = await seedOrganization(world.db)
  const all = await createOneOfEverything(world.db, other)
  const { call, session } = await agentOf(owner.key)
  expect(await call('explain_deployment', { deploymentId: all.byPath.deployments })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Sluice refused it with 404 /),
  })
  const ping = message('ping')
  expect((await post(ping, { 'mcp-session-id': session })).status).toBe(200)
  const stolen = await post(ping, { 'mcp-session-id': session }, other.key)
  expect(stolen).toMatchObject({ status: 404, body: { error: { message: 'Session not found' } } })
  for (const forged of [
    '',
    'x',
    '.',
    `${session}x`,
    `${Buffer.from('evil').toString('base64url')}.${session.split('.')[1]}`,
  ]) {
    expect((await post(ping, { 'mcp-session-id': forged })).status).toBe(404)
  }
})

test('a key that is revoked while the agent is connected is rejected from then on', async () => {
  const { key, keyId } = await seedOrganization(world.db)
  const { call } = await agentOf(key)
  expect((await call('list_projects')).isError).toBe(false)
  await world.db.update(apiKeys).set({ revokedAt: new Date() }).where(eq(apiKeys.id, keyId))
  const statusOfPing = async () => (await post(message('ping'), {}, key)).status
  await eventually('the key to be rejected', statusOfPing, (status) => status === 401)
  await expect(call('list_projects')).rejects.toThrow()
})

test('a request without a key is rejected, regardless of cookies', async () => {
  const ask = (headers: Record<string, string>) =>
    world.ask('/mcp', { method: 'POST', body: JSON.stringify(message('ping')), headers: { ...usual, ...headers } })
  expect((await ask({})).status).toBe(401)
  expect((await ask({ cookie: `sluice_session=sls_${'x'.repeat(43)}`, 'x-sluice-csrf': '1' })).status).toBe(401)
  expect((await ask({ authorization: 'Basic eDp5' })).status).toBe(401)
})

test('a page of another site is rejected, even with DNS rebinding', async () => {
  const from = async (headers: Record<string, string>) => (await post(message('ping'), headers)).status
  expect(await from({ origin: world.url })).toBe(200)
  expect(await from({ origin: 'https://evil.example' })).toBe(403)
  expect(await from({ origin: 'null' })).toBe(403)
})

test(
  'an invalid request is rejected',
  everyCase(
    [
      ['no JSON', '{', {}, 400],
      ['several messages', [message('ping'), message('ping')], {}, 400],
      ['no message', { hello: 'there' }, {}, 400],
      ['nothing', null, {}, 400],
      ['a megabyte and more', message('ping', { text: 'x'.repeat(1_100_000) }), {}, 413],
      ['more values than anybody needs', message('ping', { list: Array.from({ length: 60_000 }, () => 1) }), {}, 413],
      ['another type', message('ping'), { 'content-type': 'text/plain' }, 415],
      ['another wish', message('ping'), { accept: 'text/html' }, 406],
      ['another protocol', message('ping'), { 'mcp-protocol-version': '1999-01-01' }, 400],
    ],
    async (_what, body, headers, status) => {
      const text = body === '{' ? body : JSON.stringify(body)
      const answer = await world.ask('/mcp', {
        key: owner.key,
        method: 'POST',
        body: text,
        headers: { ...usual, ...headers },
      })
      expect(answer.status).toBe(status)
    },
  ),
)

test('an unsupported stream cannot be opened', async () => {
  const { status, headers } = await world.ask('/mcp', { key: owner.key, headers: { accept: 'text/event-stream' } })
  expect(status).toBe(405)
  expect(headers.get('allow')).toBe('POST')
})
