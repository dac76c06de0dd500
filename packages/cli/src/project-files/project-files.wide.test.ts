import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AppliedFiles } from '@sluice/contract'
import { Client } from '@sluice/server/testing/client'
import { eventually } from '@sluice/server/testing/eventually'
import { seedOrganization, startHttpWorld } from '@sluice/server/testing/http-world'
import { addMember } from '@sluice/server/testing/members'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { run, runToCompletion } from '../testing/command-line.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Returns the files of the documentation's example by path. */
async function example(): Promise<Record<string, string>> {
  const page = await readFile(new URL('../../../../docs/reference/project-files.md', import.meta.url), 'utf8')
  const files = [...page.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm)]
  return Object.fromEntries(files.map(([, path = '', text = '']) => [path, text]))
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-files-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

/** Creates an organization with everything the example refers to. */
async function organization() {
  const { key, organizationId } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  await client.done('POST', '/cloud-accounts', { data: { givenId: 'main', name: 'Main' } })
  await client.done('POST', '/teams', { data: { name: 'on-call' } })
  const secrets = { SESSION_SECRET: 'a-secret-word', OPERATIONS_URL: 'https://hooks.example.com/a-secret-path' }
  const env = { SLUICE_URL: world.url, SLUICE_TOKEN: key, ...secrets }
  const sluice = (folder: string, ...words: string[]) => runToCompletion(folder, words, env)
  return { client, env, sluice, organizationId }
}

type Page<T> = { data: T[] }
type Listed = { id: string; givenId: string; environmentId: string; input: Record<string, unknown> }

const listed = async <T>(client: Client, path: string) => ((await client.ask('GET', path)).body as Page<T>).data

const allAsInFiles = { code: 0, stdout: 'No changes: 17 records are as in the files.\n' }

test('the example of the documentation is applied, after which a plan is empty', async () => {
  const folder = await folderWith(await example())
  const { client, sluice, organizationId } = await organization()
  const planned = await sluice(folder, 'plan', 'shop')
  expect(planned).toMatchObject({ code: 5, stderr: '' })
  expect(planned.stdout).toContain('17 to create, 0 to change, 0 to remove; 0 records are as in the files.')
  const applied = await sluice(folder, 'apply', 'shop', '--yes')
  expect(applied).toMatchObject({ code: 0, stderr: '' })
  expect(planned.text + applied.text).not.toContain('a-secret')
  expect(await sluice(folder, 'plan', 'shop')).toMatchObject(allAsInFiles)
  const instances = await listed<Listed>(client, '/module-instances')
  const [account] = await listed<Listed>(client, '/cloud-accounts')
  const api = instances.find(({ givenId }) => givenId === 'api')
  expect(api?.input).toMatchObject({ cloud_account_id: account?.id })
  expect(instances.map(({ input }) => input)).toContainEqual(expect.objectContaining({ backend: api?.id }))

  // From now on, records are known to be managed by files, and other changes are detected.
  const [project] = await listed<Listed>(client, '/projects')
  const filesAs = (one: Client) => one.done<AppliedFiles>('GET', `/projects/${project?.id}/files`)
  const untouched = await filesAs(client)
  expect(untouched.records).toHaveLength(17)
  expect(untouched.records.flatMap(({ changes }) => changes)).toEqual([])
  const input = { ...api?.input, replicas: 7 }
  await client.done('PATCH', `/module-instances/${api?.id}`, { data: { input, name: 'By hand' } })
  const { records, appliedAt } = await filesAs(client)
  expect(Date.parse(appliedAt ?? '')).toBeLessThanOrEqual(Date.now())
  expect(records.flatMap(({ name, changes }) => changes.map(({ fields }) => [name, fields]))).toEqual([
    ['ModuleInstance production/api', expect.arrayContaining(['name', 'input.replicas'])],
  ])
  const [freeze] = await listed<Listed>(client, '/freezes')
  await client.ask('DELETE', `/freezes/${freeze?.id}`)
  const again = await sluice(folder, 'plan', 'shop')
  expect(again.stdout).toMatch(
    /^~ ModuleInstance production\/api\n( {4}\S.*\n)* {4}by hand: [^\n]*input\.replicas[^\n]*, by \S+ at 20/m,
  )
  expect(again.stdout).toMatch(/^\+ Freeze production\/Weekend\n( {4}\S.*\n)* {4}by hand: removed, by \S+ at 20/m)
  // Records that a user cannot see are not named.
  await client.done('PATCH', `/environments/${api?.environmentId}`, { data: { visibility: 'MEMBERS' } })
  const viewer = new Client(world.url, await addMember(world.db, organizationId, 'VIEWER'))
  expect(JSON.stringify(await filesAs(viewer))).not.toContain('production')
  await client.done('PATCH', `/environments/${api?.environmentId}`, { data: { visibility: 'ORGANIZATION' } })
  expect(await sluice(folder, 'apply', 'shop', '--yes')).toMatchObject({ code: 0, stderr: '' })
  expect((await filesAs(client)).records.flatMap(({ changes }) => changes)).toEqual([])
})

test('a change lists each field with old and new values, and a new config is a new version', async () => {
  const files = await example()
  const folder = await folderWith(files)
  const { client, sluice } = await organization()
  await sluice(folder, 'apply', 'shop', '--yes')
  const change = async (path: string, from: string, to: string) =>
    writeFile(join(folder, path), files[path]?.replace(from, to) ?? '')
  await change('shop/production.yaml', 'replicas: 3', 'replicas: 5')
  await change('shop/release.yaml', 'approval: {}', 'approval: { message: Go on? }')
  const { code, stdout } = await sluice(folder, 'plan', 'shop', '--json')
  expect(code).toBe(5)
  expect(JSON.parse(stdout).changes).toEqual([
    {
      action: 'change',
      record: 'ModuleInstance production/web',
      differences: [{ path: 'input.replicas', before: 3, after: 5 }],
    },
    {
      action: 'change',
      record: 'Pipeline release',
      differences: [{ path: 'config.steps[1].approval.message', after: 'Go on?' }],
    },
  ])
  expect(await sluice(folder, 'apply', 'shop', '--yes')).toMatchObject({ code: 0 })
  expect(await sluice(folder, 'plan', 'shop')).toMatchObject(allAsInFiles)
  expect(await listed<{ version: number }>(client, '/pipeline-versions')).toMatchObject([
    { version: 2 },
    { version: 1 },
  ])
})

test('a secret is compared but never printed, and one that cannot be read is set again on request', async () => {
  const folder = await folderWith(await example())
  const { sluice } = await organization()
  await sluice(folder, 'apply', 'shop', '--yes')
  const text = await readFile(join(folder, 'shop/production.yaml'), 'utf8')
  await writeFile(join(folder, 'shop/production.yaml'), text.replace('OPERATIONS_URL}', 'OPERATIONS_URL}/more'))
  const planned = await sluice(folder, 'plan', 'shop', '--set-secrets')
  expect(planned.stdout).toContain(
    `~ DefaultValue production/session_secret\n    value: "(hidden)" → "$\{env:SESSION_SECRET}"`,
  )
  expect(planned.stdout).toContain(
    `~ NotificationChannel Operations\n    url: "(hidden)" → "$\{env:OPERATIONS_URL}/more"`,
  )
  expect(planned.stdout).toContain('0 to create, 2 to change')
  expect(planned.text).not.toContain('a-secret')
})

test('all errors in files are reported with their positions, and nothing is changed', async () => {
  const wrong = `kind: Project
name: shop
---
kind: Enviroment
name: staging
---
kind: ModuleInstance
name: web
environment: nowhere
module: web
input: { peer: "$\{ModuleInstance:staging/api}", secret: "$\{env:NOT_SET}" }
---
kind: Pipeline
name: release
config:
  steps: [{ id: a, type: aproval }]
---
kind: Project
name: other
`
  const { client, sluice } = await organization()
  const folder = await folderWith({ 'shop.yaml': wrong })
  const { code, stdout } = await sluice(folder, 'apply', '.', '--yes')
  expect(code).toBe(1)
  expect(stdout).toContain('shop.yaml:4:7: error unknown-kind: kind: expected one of Project, ')
  expect(stdout).toContain('shop.yaml:11:57: error no-such-variable: input.secret: there is no variable NOT_SET')
  expect(stdout).toContain('shop.yaml:16:26: error Sluice:PipelineVersions:CONFIG_INVALID: config.steps[0].type: ')
  expect(stdout).toContain('shop.yaml:19:7: error named-twice: name: ')
  await writeFile(
    join(folder, 'shop.yaml'),
    wrong
      .split('---\n')
      .slice(0, 3)
      .join('---\n')
      .replace(/, secret.*"/, '')
      .replace('Enviroment', 'Environment'),
  )
  expect((await sluice(folder, 'plan', '.')).stdout.split('\n')).toEqual([
    'shop.yaml:9:14: error not-there: environment: there is no Environment nowhere, neither in the files nor in the service',
    'shop.yaml:10:9: error not-there: module: there is no ModuleDefinition web, neither in the files nor in the service',
    'shop.yaml:11:16: error not-there: input.peer: there is no ModuleInstance staging/api, neither in the files nor in the service',
    '',
  ])
  expect(await listed(client, '/projects')).toEqual([])
})

test('a published version cannot be changed, and a secret cannot be written in a file', async () => {
  const files = await example()
  const folder = await folderWith(files)
  const { sluice } = await organization()
  await sluice(folder, 'apply', 'shop', '--yes')
  await writeFile(join(folder, 'shop/web.yaml'), files['shop/web.yaml']?.replace('default: 1', 'default: 2') ?? '')
  const production = files['shop/production.yaml']?.replace(/value: .*/, 'value: in-plain-sight')
  await writeFile(join(folder, 'shop/production.yaml'), production ?? '')
  const { code, stdout } = await sluice(folder, 'plan', 'shop')
  expect(code).toBe(1)
  expect(stdout).toContain('error cannot-change: version: version 1.0.0 is published with another config')
  expect(stdout).toContain('error plain-secret: value: ')
  expect(stdout).not.toContain('in-plain-sight')
})

test('addresses of channels and settings of execution environments are validated before anything is changed', async () => {
  const { client, sluice } = await organization()
  const folder = await folderWith({
    'shop.yaml': `kind: Project
name: shop
---
kind: NotificationChannel
name: Chat
type: SLACK
url: https://hooks.slack.com/services/in-plain-sight
---
kind: NotificationChannel
name: Mail
type: EMAIL
team: on-call
recipients: [ada@example.com]
---
kind: NotificationChannel
name: On call
type: PAGERDUTY
---
kind: ExecutionEnvironment
name: pool
type: runners
region: eu-west-1
---
kind: ExecutionEnvironment
name: builds
region: eu-west-1
---
kind: ApprovalRule
name: Two
teams: [nobody]
---
kind: ExecutionAssignment
executionEnvironment: elsewhere
`,
  })
  const { code, stdout } = await sluice(folder, 'apply', '.', '--yes')
  expect(code).toBe(1)
  expect(stdout.split('\n').toSorted().slice(1)).toEqual([
    'shop.yaml:12:7: error Sluice:Request:INVALID: team: expected none for EMAIL',
    expect.stringMatching(/^shop\.yaml:15:1: error Sluice:Request:INVALID: routingKey: expected one for PAGERDUTY$/),
    'shop.yaml:22:9: error Sluice:Request:INVALID: region: an execution environment of the kind runners does not take it',
    expect.stringMatching(
      /^shop\.yaml:24:1: error Sluice:Request:INVALID: cloudAccount: an execution environment of the/,
    ),
    'shop.yaml:30:9: error not-there: teams[0]: there is no TEAM nobody, neither in the files nor in the service',
    'shop.yaml:33:23: error not-there: executionEnvironment: there is no ExecutionEnvironment elsewhere, neither in the files nor in the service',
    'shop.yaml:7:6: error plain-secret: url: what leads to such a channel is a secret, which are not written in files: name a variable',
  ])
  expect(stdout).not.toContain('in-plain-sight')
  expect(await listed(client, '/projects')).toEqual([])
})

test('without a terminal an apply requires --yes, and only --prune removes records without a file', async () => {
  const files = await example()
  const folder = await folderWith(files)
  const { client, sluice } = await organization()
  await sluice(folder, 'apply', 'shop', '--yes')
  const [shop] = await listed<Listed>(client, '/projects')
  const ofPullRequest = { projectId: shop?.id, givenId: 'pr-1', name: 'Pull request 1' }
  const { id } = await client.done<Listed>('POST', '/environments', { data: ofPullRequest })
  await world.db.execute(`update environments set preview_environment_id = 'pre_1' where id = '${id}'`)
  await rm(join(folder, 'shop/release.yaml'))
  await rm(join(folder, 'shop/staging.yaml'))
  await writeFile(join(folder, 'shop/project.yaml'), files['shop/project.yaml']?.replace('staging, ', '') ?? '')
  const apart = await sluice(folder, 'plan', 'shop')
  expect(apart.stdout).toMatch(/^~ EnvironmentOrder\n[^+-]*0 to create, 1 to change, 0 to remove/)
  expect(await sluice(folder, 'apply', 'shop', '--prune')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Use --yes'),
  })
  expect(await listed(client, '/pipelines')).toHaveLength(1)
  const removed = await sluice(folder, 'apply', 'shop', '--prune', '--yes')
  expect(removed).toMatchObject({ code: 0 })
  const order = ['Pipeline release', 'ModuleInstance staging/web', 'Environment staging']
  expect(removed.stdout).toContain(order.map((key) => `${key} removed\n`).join(''))
  const left = await listed<Listed>(client, '/environments')
  expect(left.map(({ givenId }) => givenId).toSorted()).toEqual(['pr-1', 'production'])
  expect(await sluice(folder, 'plan', 'shop', '--prune')).toMatchObject({ code: 0 })
})

test('an interrupted apply is continued by the next one', async () => {
  const folder = await folderWith(await example())
  const { sluice, env } = await organization()
  const killed = run(folder, ['apply', 'shop', '--yes'], env)
  await eventually(
    'something to be made',
    async () => killed.output.stdout,
    (text) => text.includes('created'),
  )
  killed.child.kill('SIGKILL')
  await killed.exitCode
  expect(await sluice(folder, 'apply', 'shop', '--yes')).toMatchObject({ code: 0 })
  expect(await sluice(folder, 'plan', 'shop')).toMatchObject(allAsInFiles)
})

test('two concurrent applies create nothing twice', async () => {
  const folder = await folderWith(await example())
  const { client, sluice } = await organization()
  const both = await Promise.all([sluice(folder, 'apply', 'shop', '--yes'), sluice(folder, 'apply', 'shop', '--yes')])
  for (const { code, stderr } of both) if (code !== 0) expect(stderr).toMatch(/TAKEN|ALREADY_SET/)
  expect(await sluice(folder, 'apply', 'shop', '--yes')).toMatchObject({ code: 0 })
  expect(await sluice(folder, 'plan', 'shop')).toMatchObject(allAsInFiles)
  expect(await listed(client, '/pipeline-versions')).toHaveLength(1)
})

test('an import from a file is planned and applied together with its module', async () => {
  const compose = 'services: { web: { image: registry.example/web:1, ports: [80] } }'
  const folder = await folderWith({
    'shop/project.yaml': 'kind: Project\nname: shop\n---\nkind: Environment\nname: production\n',
    'compose.yaml': compose,
  })
  const { client, sluice } = await organization()
  const place = ['--environment', 'production', '--account', 'main', '--with-module']
  const cluster = ['--cluster', 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop']
  const imported = await sluice(folder, 'import', 'compose.yaml', ...place, ...cluster, '--to', 'shop/web.yaml')
  expect(imported).toMatchObject({ code: 0 })
  expect(await sluice(folder, 'apply', 'shop', '--yes')).toMatchObject({ code: 0, stderr: '' })
  const [web] = await listed<Listed>(client, '/module-instances')
  expect(web).toMatchObject({ givenId: 'web', input: { image_repository: 'registry.example/web' } })
  expect(await sluice(folder, 'plan', 'shop')).toMatchObject({ code: 0 })
})
