import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningSim, SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import { type AuditEvent, type Route, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../../git/adapter/fakes/settings.fixture.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { bodyFor, target } from '../../testing/requests.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'
import { type Prepared, scenarios } from './changes.fixture.ts'

let directory: string
let sim: RunningSim
let hostA: FakeGitHostA
let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-audit-'))
  ;[sim, hostA] = await Promise.all([spawnCloudSim({ stateFile: join(directory, 'cloud.db') }), startFakeGitHostA()])
  world = await startHttpWorld(() => {}, {
    cloudEndpoint: sim.url,
    git: settingsOfFakeA(hostA),
    registration: 'open',
    findTexts: async () => ['proven'],
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([sim?.stop(), hostA?.close()])
  await rm(directory, { recursive: true, force: true })
})

/** Operations without a change in the organization, and the tests that cover their effects. */
const without: Partial<Record<keyof typeof routes, string>> = {
  claimInstallation: 'hands out an address; githosta-installations/routes.test.ts follows it',
  createGithostbConnection: 'hands out an address; githostb-connections/routes.test.ts follows it',
  receiveGitHostAWebhook:
    'only takes the delivery in; pipeline-triggers/set-off.test.ts sees the runs that it sets off',
  receiveGitHostBWebhook:
    'only takes the delivery in; pipeline-triggers/set-off.test.ts sees the runs that it sets off',
  receiveCloudEvent: 'only takes the event in; infrastructure-events/external.wide.test.ts sees what it sets off',
  importModuleInstance: 'needs a service in the cloud; module-imports/routes.wide.test.ts looks at its line',
  findCertificates: 'needs a role in the cloud; cloud/certificates/certificates.wide.test.ts looks at its line',
  exchangeIdToken: 'needs a token of an issuer; service-account-trusts/exchange.test.ts looks at its line',
  createOrganization: 'its line is in the organization that it makes; organizations/routes.test.ts looks at it',
  beginSignIn: 'changes nothing yet',
  startDeviceSignIn: 'is of no organization yet',
  decideDeviceSignIn: 'needs somebody who is signed in in the console; auth/sign-in.test.ts looks at its line',
  finishDeviceSignIn: 'the same',
  previewSlackLink: 'changes nothing',
  linkSlackAccount: 'needs a link that Slack showed; slack-presses/slack-presses.wide.test.ts looks at its line',
  receiveSlackInteraction: 'needs what Slack signs; the same',
  createDeploymentCheck: 'changes nothing',
  dryRunPolicy: 'changes nothing',
  signOutByProvider: "needs a provider's word; single-sign-on/back-channel.test.ts looks at its lines",
  acceptInvitation: 'needs the token that only its own test has; invitations/routes.test.ts',
  register: 'below, with what follows it',
  login: 'below, with what follows it',
  logout: 'below, with what follows it',
}

/** Operations that change something of the whole organization here. */
const ofOrganization: readonly string[] = ['createDefaultValue', 'createPolicy']

/** Records that configure a project, or are one, whose audit events must have the project. */
const inProjects = new Set([
  ...[
    'approval-rules',
    'default-values',
    'domains',
    'environments',
    'freezes',
    'holds',
    'module-instances',
    'pipelines',
  ],
  ...['pipeline-versions', 'policies', 'preview-environments', 'preview-templates', 'projects', 'promotion-rules'],
  ...['role-grants', 'stacks', 'stack-workspaces', 'watched-repositories'],
])

const operationOf = ({ operationId }: Route) => operationId
const changing = (Object.values(routes) as Route[]).filter(
  ({ method, operationId }) => method !== 'GET' && !(operationId in without),
)

let ofAll: Promise<OneOfEverything> | undefined
/** Returns the records for all operations that only add others. */
const shared = () => (ofAll ??= createOneOfEverything(world.db))

test(
  'every operation that changes a record writes an audit event',
  { timeout: 600_000 }, // 27 s on two busy cores
  everyCase(
    changing,
    async (route) => {
      const prepare = scenarios[route.operationId as keyof typeof scenarios]
      // An operation that changes or deletes a record has records of its own.
      const isAdding = !prepare && !route.path.includes('{')
      const everything = isAdding ? await shared() : await createOneOfEverything(world.db)
      const client = new Client(world.url, await addMember(world.db, everything.organizationId, 'OWNER'))
      const prepared: Prepared = (await prepare?.({ db: world.db, world, hostA, client, everything })) ?? {}
      if (route.operationId === 'connectCloudAccount') await putRole(prepared)
      const { data = bodyFor(route, everything)?.data, path = target(route, everything) } = prepared
      const headers = { 'x-request-id': route.operationId, 'user-agent': 'sluice-cli/1' }

      const answer = await client.send(route.method, path, {
        headers,
        ...(route.body && { json: JSON.stringify({ data }) }),
      })

      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      const lines = await client.done<AuditEvent[]>('GET', '/audit-events')
      const own = lines.filter(({ requestId }) => requestId === route.operationId)
      expect(own).not.toEqual([])
      for (const line of own) {
        expect(line).toMatchObject({ actorType: 'MEMBERSHIP', channel: 'CLI', ipAddress: '127.0.0.1' })
        expect(line.actorName).toMatch(/^owner-/)
        const isPlaced =
          inProjects.has(line.action.split('.', 1)[0] ?? '') && !ofOrganization.includes(route.operationId)
        if (isPlaced) expect(line, line.action).toMatchObject({ projectId: expect.stringMatching(/^prj_/) })
      }
    },
    { name: operationOf },
  ),
)

/** Creates the role of a cloud account, which trusts the account's external id. */
async function putRole({ path = '', data = {} }: Prepared): Promise<void> {
  const [row] = await world.db
    .select()
    .from(cloudAccounts)
    .where(eq(cloudAccounts.id, path.split('/')[2] ?? ''))
  await new SimControl(sim.url).putRole({ roleArn: String(data.roleArn), externalId: row?.externalId ?? '' })
}

test('registration, sign-in and sign-out each write an audit event', async () => {
  const person = { email: 'ada@example.com', password: 'correct horse battery staple' }
  const send = (path: string, data: object | undefined, cookie = '') =>
    world.ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': path, cookie, origin: world.url },
      ...(data && { body: JSON.stringify({ data }) }),
    })
  const registered = await send('/auth/register', { ...person, fullName: 'Ada', organizationName: 'Analytical' })
  expect(registered.status, JSON.stringify(registered.body)).toBeLessThan(300)
  const cookieOf = ({ headers }: { headers: Headers }) => headers.get('set-cookie')?.split(';')[0] ?? ''
  const first = cookieOf(await send('/auth/login', person))
  expect((await send('/auth/logout', undefined, first)).status).toBe(204)
  const { body } = await world.ask('/audit-events', {
    headers: { cookie: cookieOf(await send('/auth/login', person)) },
  })
  const lines = (body as { data: AuditEvent[] }).data.map(({ action, channel, actorName }) => [
    action,
    channel,
    actorName,
  ])
  expect(lines.reverse()).toEqual(
    ['organizations.create', 'sessions.create', 'sessions.delete', 'sessions.create'].map((action) => [
      action,
      'CONSOLE',
      person.email,
    ]),
  )
})
