import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { eventually } from '@sluice/server/testing/eventually'
import { startIssuer } from '@sluice/server/testing/issuer'
import { build } from 'tsdown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputNames } from './settings.ts'
import { actionDescription, component, runAction, runComponent, startHosts } from './stand-in.fixture.ts'

const subject = 'repo:acme/shop:pull_request'

let world: World
let org: TestOrganization
let issuer: Awaited<ReturnType<typeof startIssuer>>
let hosts: Awaited<ReturnType<typeof startHosts>>
let directory: string
let bundle: string
let account: string
const sign = (aud: string) => issuer.sign({ aud, sub: subject })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-action-'))
  const cwd = join(import.meta.dirname, '..')
  ;[world, issuer] = await Promise.all([
    startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } }),
    startIssuer(),
    build({ cwd, config: join(cwd, 'tsdown.config.ts'), outDir: directory, logLevel: 'silent' }),
  ])
  bundle = join(directory, 'release.mjs')
  hosts = await startHosts(sign)
  org = await world.organization()
  const data = { name: 'ci', role: 'DEVELOPER' }
  account = (await org.client.done<{ id: string }>('POST', '/service-accounts', { data })).id
  const trust = { serviceAccountId: account, name: 'shop', issuer: issuer.url, audience: world.url, subject }
  await org.client.done('POST', '/service-account-trusts', { data: trust })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([issuer?.close(), hosts?.close(), directory && rm(directory, { recursive: true })])
})

const asJob = () => ({ url: world.url, service_account: account })
const action = (inputs: Record<string, string>) => runAction(bundle, hosts, { ...asJob(), ...inputs })
const notesOf = (what: string) => hosts.notes.filter(({ body, user }) => user.type === 'Bot' && body.includes(what))

const pausing = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 20_160 }],
}

/** The deployment that a job has started, once it waits for somebody. */
async function untilItAsks(job: { log: string }): Promise<string> {
  await eventually(
    'the job to say that it waits',
    async () => job.log,
    (log) => log.includes('waits for somebody'),
  )
  return /dep_\w+/.exec(job.log)?.[0] ?? ''
}

test('what the action and the component take is what the program reads, and all of it is described', async () => {
  const { inputs, runs } = await actionDescription()
  expect(Object.keys(inputs).sort()).toEqual([...inputNames].sort())
  expect(runs).toEqual({ using: 'node24', main: 'dist/release.mjs' })
  const { spec, job } = await component({ image: 'sluice:1', url: 'https://s.example', service_account: 'sa_1' })
  const given = Object.keys(job.variables).flatMap((name) => /^INPUT_(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? [])
  expect(given.sort()).toEqual(inputNames.filter((name) => name !== 'token' && name !== 'host_token').sort())
  for (const { description } of [...Object.values(inputs), ...Object.values(spec.inputs)] as {
    description: string
  }[]) {
    expect(description).toMatch(/\w/)
  }
})

test('a release signs in without a secret, waits through a pause, and keeps one comment up to date', async () => {
  await org.service(pausing, { name: 'ci-web' })
  const forged = { id: 1, body: '<!-- sluice instance ci-web -->', user: { type: 'User' }, author: { id: 1 } }
  hosts.notes.push({ ...forged })
  const { job, done } = await action({
    instance: 'ci-web',
    inputs: 'image_ref=shop/app:2',
    description: 'For the fair.',
  })
  const id = await untilItAsks(job)
  expect(job.log).toContain(`It waits for somebody to decide: ${world.url}/console/deployments/${id}`)
  await eventually(
    'the comment to say so',
    async () => notesOf('ci-web'),
    ([note]) => note?.body.includes('It waits') === true,
  )
  await org.continueToEnd(id)
  const { code, log, outputs, summary, commands } = await done
  expect(code, log).toBe(0)
  const url = `${world.url}/console/deployments/${id}`
  expect(outputs).toEqual({ id, status: 'SUCCESS', url })
  expect(log).toMatch(/^\d\d:\d\d:\d\d +\d+\/\d+ [A-Z_]+ /m)
  expect(commands).toEqual([])
  expect(notesOf('ci-web')).toMatchObject([{ body: expect.stringContaining('is **SUCCESS**') }])
  expect(hosts.notes[0]).toEqual(forged)
  expect(summary).toContain(`[${id}](${url})`)
})

test('one that nobody continues fails the job when the time is up, and goes on', async () => {
  await org.service(pausing, { name: 'ci-slow' })
  const inputs = { instance: 'ci-slow', inputs: 'image_ref=shop/app:2', timeout_minutes: '0.1', comment: 'false' }
  const { code, log, outputs } = await (await action(inputs)).done
  expect(code).toBe(1)
  expect(log).toContain('It is not over after 0.1 minutes, and goes on')
  expect(outputs.status).not.toBe('SUCCESS')
  expect(notesOf('ci-slow')).toEqual([])
})

test('a job that is cancelled cancels what it has started', async () => {
  await org.service(pausing, { name: 'ci-off' })
  const { job, done, cancel } = await action({ instance: 'ci-off', inputs: 'image_ref=shop/app:2' })
  const id = await untilItAsks(job)
  cancel()
  const { code, log } = await done
  expect(code).toBe(1)
  expect(log).toContain(`The job was cancelled, and so is ${id}`)
  const { error } = await org.untilStatus(id, 'ROLLED_BACK')
  expect(error?.code).toBe('Sluice:Deployments:CANCELLED')
})

test('a key is hidden, what a step writes gives the host no orders, and a failure fails the job', async () => {
  const shell = "echo '::set-env name=PATH::/evil'; echo '::add-mask::a'; exit 3"
  const { givenId } = await org.pipelines.create({ steps: [{ id: 'say', type: 'command', with: { shell } }] })
  const inputs = { service_account: '', token: org.client.token, pipeline: givenId }
  const { code, log, commands, outputs } = await (await action(inputs)).done
  expect(code).toBe(1)
  expect(log).toContain('say | ::set-env')
  expect(commands).toEqual([`::add-mask::${org.client.token}`])
  expect(outputs).toMatchObject({ id: expect.stringMatching(/^run_/), status: 'ERROR' })
  expect(notesOf(givenId)).toMatchObject([{ body: expect.stringContaining('is **ERROR**') }])
})

test.each([
  ['neither an instance nor a pipeline', {}, 'Set either instance or pipeline.'],
  ['both', { instance: 'a', pipeline: 'b' }, 'Set either instance or pipeline.'],
  ['an address that is none', { instance: 'a', url: 'sluice' }, 'url is where Sluice is'],
  ['nobody', { instance: 'a', service_account: '' }, 'Set service_account, or token.'],
  ['inputs that are none', { instance: 'a', inputs: 'image' }, 'name=text or name:=JSON'],
  ['a word that is no answer', { instance: 'a', wait: 'maybe' }, 'wait is true or false'],
])('a job with %s is told so', async (_what, inputs, told) => {
  const { code, log } = await (await action(inputs)).done
  expect({ code, log }).toEqual({ code: 2, log: expect.stringContaining(told) })
})

test('the component runs a pipeline, hands its outputs on, and keeps one note', async () => {
  const { givenId } = await org.pipelines.create({
    steps: [{ id: 'say', type: 'command', with: { shell: 'echo hello' } }],
  })
  const given = { ...asJob(), image: 'sluice:1', pipeline: givenId, description: 'For the fair:\nsoon.' }
  for (let time = 0; time < 2; time += 1) {
    const { code, log, report } = await runComponent(hosts, sign, given)
    expect(code, log).toBe(0)
    expect(log).toContain('say | hello')
    expect(report).toMatch(/^SLUICE_ID=run_\w+\nSLUICE_STATUS=SUCCESS\nSLUICE_URL=http:\S+\n$/)
  }
  expect(notesOf(givenId)).toMatchObject([{ body: expect.stringContaining('is **SUCCESS**') }])
})
