import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppliedFiles, Role } from '@sluice/contract'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { eventually } from '@sluice/server/testing/eventually'
import { startIssuer } from '@sluice/server/testing/issuer'
import { build } from 'tsdown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputNames as filesInputNames } from './project-files/settings.ts'
import { inputNames } from './settings.ts'
import { actionDescription, component, runAction, runComponent, startHosts } from './stand-in.fixture.ts'

const subject = 'repo:acme/shop:pull_request'

let world: World
let org: TestOrganization
let issuer: Awaited<ReturnType<typeof startIssuer>>
let hosts: Awaited<ReturnType<typeof startHosts>>
let directory: string
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
  hosts = await startHosts(sign)
  org = await world.organization()
  account = await trustedAccount('ci', 'DEVELOPER')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([issuer?.close(), hosts?.close(), directory && rm(directory, { recursive: true })])
})

async function trustedAccount(name: string, role: Role): Promise<string> {
  const { id } = await org.client.done<{ id: string }>('POST', '/service-accounts', { data: { name, role } })
  const trust = { serviceAccountId: id, name: 'shop', issuer: issuer.url, audience: world.url, subject }
  await org.client.done('POST', '/service-account-trusts', { data: trust })
  return id
}

const asJob = () => ({ url: world.url, service_account: account })
const action = (inputs: Record<string, string>) =>
  runAction({ described: '.', bundles: directory }, hosts, { ...asJob(), ...inputs })
const notesOf = (what: string) => hosts.notes.filter(({ body, user }) => user.type === 'Bot' && body.includes(what))

const pausing = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 20_160 }],
}

/** Waits until the deployment that a job started is paused, and returns its id. */
async function untilItAsks(job: { log: string }): Promise<string> {
  await eventually(
    'the job to say that it waits',
    async () => job.log,
    (log) => log.includes('It waits for a decision'),
  )
  return /dep_\w+/.exec(job.log)?.[0] ?? ''
}

test.each([
  { name: 'release', described: '.', main: 'dist/release.mjs', inputNames, needed: {} },
  {
    name: 'project-files',
    described: 'project-files',
    main: '../dist/project-files.mjs',
    inputNames: filesInputNames,
    needed: { folder: 'infrastructure' },
  },
])('the inputs of the action and the component $name match those of the program and are documented', async (one) => {
  const { inputs, runs } = await actionDescription(one.described)
  const names: readonly string[] = one.inputNames
  expect(Object.keys(inputs).sort()).toEqual(names.toSorted())
  expect(runs).toEqual({ using: 'node24', main: one.main })
  const asked = { image: 'sluice:1', url: 'https://s.example', service_account: 'sa_1', ...one.needed }
  const { spec, job } = await component(one.name, asked)
  const given = Object.keys(job.variables).flatMap((name) => /^INPUT_(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? [])
  expect(given.sort()).toEqual(names.filter((name) => name !== 'token' && name !== 'host_token').sort())
  for (const { description } of [...Object.values(inputs), ...Object.values(spec.inputs)] as {
    description: string
  }[]) {
    expect(description).toMatch(/\w/)
  }
})

test('a release signs in without a secret, waits during a pause, and updates one comment', async () => {
  await org.service(pausing, { name: 'ci-web' })
  const forged = { id: 1, body: '<!-- sluice instance ci-web -->', user: { type: 'User' }, author: { id: 1 } }
  hosts.notes.push({ ...forged })
  const { job, done } = await action({
    instance: 'ci-web',
    inputs: 'image_ref=shop/app:2',
    description: 'For the fair.',
  })
  const id = await untilItAsks(job)
  expect(job.log).toContain(`It waits for a decision: ${world.url}/console/deployments/${id}`)
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

test('a paused release fails the job at its timeout and stays paused', async () => {
  await org.service(pausing, { name: 'ci-slow' })
  const inputs = { instance: 'ci-slow', inputs: 'image_ref=shop/app:2', timeout_minutes: '0.1', comment: 'false' }
  const { code, log, outputs } = await (await action(inputs)).done
  expect(code).toBe(1)
  expect(log).toContain('It is not finished after 0.1 minutes, and continues')
  expect(outputs.status).not.toBe('SUCCESS')
  expect(notesOf('ci-slow')).toEqual([])
})

test('a cancelled job cancels its release', async () => {
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

test('a key is masked, output of a step contains no workflow commands, and a failure fails the job', async () => {
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
])('a job with %s reports its mistake', async (_what, inputs, told) => {
  const { code, log } = await (await action(inputs)).done
  expect({ code, log }).toEqual({ code: 2, log: expect.stringContaining(told) })
})

test('the component runs a pipeline, passes on its outputs, and updates one note', async () => {
  const { givenId } = await org.pipelines.create({
    steps: [{ id: 'say', type: 'command', with: { shell: 'echo hello' } }],
  })
  const given = { ...asJob(), image: 'sluice:1', pipeline: givenId, description: 'For the fair:\nsoon.' }
  for (let time = 0; time < 2; time += 1) {
    const { code, log, report } = await runComponent('release', hosts, given)
    expect(code, log).toBe(0)
    expect(log).toContain('say | hello')
    expect(report).toMatch(/^SLUICE_ID=run_\w+\nSLUICE_STATUS=SUCCESS\nSLUICE_URL=http:\S+\n$/)
  }
  expect(notesOf(givenId)).toMatchObject([{ body: expect.stringContaining('is **SUCCESS**') }])
})

const files = {
  'infrastructure/shop.yaml': `kind: Project
name: in-files
---
kind: Environment
name: staging
title: Staging
---
kind: Pipeline
name: say
config: { steps: [{ id: say, type: command, with: { shell: echo hello } }] }
`,
}

test('project files are planned in a comment, applied after the merge, and then checked', async () => {
  const [reader, writer] = [await trustedAccount('plans', 'VIEWER'), await trustedAccount('applies', 'ADMIN')]
  const place = { described: 'project-files', bundles: directory }
  const job = async (given: Record<string, string>, checkout: Parameters<typeof runAction>[3] = { files }) => {
    const inputs = { url: world.url, service_account: reader, folder: 'infrastructure', ...given }
    return (await runAction(place, hosts, inputs, checkout)).done
  }
  const planned = await job({})
  expect(planned).toMatchObject({ code: 0, outputs: { status: 'CHANGES', changes: '3' } })
  const [note] = notesOf('files infrastructure')
  expect(note?.body).toContain('the files in `infrastructure` at c0ffeec0ff differ from the current records')
  expect(note?.body).toContain('**3 to create, 0 to change, 0 to remove; 0 records are as in the files.**')
  expect(note?.body).toContain('+ Environment staging\n    title: "Staging"')
  expect(planned.summary).toContain('+ Environment staging')

  const merged = { files, event: { ref: 'refs/heads/main' } }
  const applied = await job({ service_account: writer, mode: 'apply' }, merged)
  expect(applied, applied.log).toMatchObject({ code: 0, outputs: { status: 'APPLIED', changes: '3' } })
  expect(applied.log).toContain('Pipeline say created')
  const projects = await org.client.done<{ id: string; givenId: string }[]>('GET', '/projects')
  const project = projects.find(({ givenId }) => givenId === 'in-files')
  const commit = 'ab'.repeat(20)
  expect(await org.client.done<AppliedFiles>('GET', `/projects/${project?.id}/files`)).toMatchObject({
    appliedBy: 'applies',
    source: { commit, url: `https://github.example/acme/shop/commit/${commit}` },
  })

  const wrong = `${files['infrastructure/shop.yaml']}---\nkind: Enviroment\nname: production\n`
  const faulty = await job({}, { files: { 'infrastructure/shop.yaml': wrong } })
  expect(faulty).toMatchObject({ code: 1, outputs: { status: 'FAULTS' } })
  expect(notesOf('files infrastructure')).toEqual([
    { ...note, body: expect.stringContaining('infrastructure/shop.yaml:12:7: error unknown-kind') },
  ])

  // A manual change of a resource makes the scheduled check fail.
  const environments = await org.client.done<{ id: string; name: string }[]>('GET', '/environments')
  const id = environments.find(({ name }) => name === 'Staging')?.id
  await org.client.done('PATCH', `/environments/${id}`, { data: { name: 'Stage' } })
  const checked = await job({ mode: 'check' }, merged)
  expect(checked).toMatchObject({ code: 1, outputs: { status: 'CHANGES', changes: '1' } })
  expect(checked.summary).toContain('title: "Stage" → "Staging"')
})

test('the component plans files, also for another project', async () => {
  const given = { ...asJob(), image: 'sluice:1', folder: 'infrastructure', project: 'elsewhere' }
  const { code, log, report } = await runComponent('project-files', hosts, given, { files })
  expect(code, log).toBe(0)
  expect(log).toContain('+ Project elsewhere')
  expect(report).toBe('SLUICE_STATUS=CHANGES\nSLUICE_CHANGES=3\n')
  expect(notesOf('files infrastructure elsewhere')).toHaveLength(1)
})
