import { randomUUID } from 'node:crypto'
import type { AuditEvent } from '@sluice/contract'
import { createInstance, publishModule } from '@sluice/server/demo/organization'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { Client } from '@sluice/server/testing/client'
import { eventually } from '@sluice/server/testing/eventually'
import { addServiceAccount } from '@sluice/server/testing/members'
import { createOneOfEverything } from '@sluice/server/testing/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectHttpAgent, connectInProcessAgent, quotedIn } from '../testing/agent.ts'
import { version } from '../version.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_MCP: 'on', SLUICE_MCP_ACTIONS: 'on' } })
  org = await world.organization()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const owner = (allowActions = false) => connectInProcessAgent({ url: world.url, token: org.client.token, allowActions })
const key = () => ({ idempotencyKey: randomUUID() })

const pausing = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 20_160 }],
}

const reads = [
  ...['list_projects', 'what_runs', 'list_deployments', 'explain_deployment', 'explain_run', 'what_waits_for_me'],
  ...['diff_release', 'diff_upgrade', 'diff_plan', 'read_log', 'read_instance_log', 'search'],
]
const acts = ['release', 'continue_deployment', 'cancel_deployment', 'roll_back', 'start_run']

test('tools that change something are offered only to keys with permission, if the operator enabled them', async () => {
  const viewer = await org.member('VIEWER')
  const asViewer = await connectInProcessAgent({ url: world.url, token: viewer.token, allowActions: true })
  expect((await asViewer.names()).sort()).toEqual([...reads].sort())
  expect((await (await owner()).names()).sort()).toEqual([...reads, 'dry_run_pipeline'].sort())
  const { agent, call, names } = await owner(true)
  expect((await names()).sort()).toEqual([...reads, 'dry_run_pipeline', ...acts].sort())
  for (const { name, annotations } of (await agent.listTools()).tools) {
    expect(annotations?.readOnlyHint, name).toBe(!acts.includes(name))
    expect(annotations?.destructiveHint ?? false, name).toBe(acts.includes(name))
  }
  const { moduleInstanceId } = await org.service()
  const wish = { instance: moduleInstanceId, inputs: { image_ref: 'shop/app:2' }, ...key() }
  expect(await asViewer.call('release', wish)).toMatchObject({
    isError: true,
    text: expect.stringContaining('deployments:write'),
  })
  await expect((await owner()).call('release', wish)).rejects.toThrow('There is no such tool')
  expect(await call('list_deployments', { instance: moduleInstanceId })).toMatchObject({ says: '0 deployments.' })
})

test('a key that can deploy in one project gets the matching tools and is restricted to that project', async () => {
  const serviceAccountId = 'sa_agents'
  const token = await addServiceAccount(world.db, org.id, 'VIEWER', serviceAccountId)
  const elsewhere = await org.client.done<{ id: string }>('POST', '/projects', {
    data: { givenId: 'else', name: 'Else' },
  })
  const grant = { principalId: serviceAccountId, projectId: elsewhere.id, role: 'DEPLOYER' }
  await org.client.done('POST', '/role-grants', { data: grant })
  const { names, call } = await connectInProcessAgent({ url: world.url, token, allowActions: true })
  expect((await names()).filter((name) => acts.includes(name)).sort()).toEqual([
    'cancel_deployment',
    'release',
    'roll_back',
    'start_run',
  ])
  const { moduleInstanceId } = await org.service()
  const wish = { instance: moduleInstanceId, inputs: { image_ref: 'shop/app:2' }, ...key() }
  expect(await call('release', wish)).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Sluice refused it with 403/),
  })
})

test('no tool approves or rejects a step, whatever the permissions of the key', async () => {
  const { agent, names } = await owner(true)
  expect((await names()).filter((name) => /approve|reject|decide/.test(name))).toEqual([])
  expect(agent.getInstructions()).toContain('Only a person approves or rejects')
})

test('a release by an agent passes its pause; the audit log says who acted for whom', async () => {
  const { moduleInstanceId } = await org.service(pausing, { name: 'agents-web' })
  const { call, read } = await owner(true)
  const wish = { instance: 'agents-web', inputs: { image_ref: 'shop/app:2' }, description: 'For the fair.', ...key() }
  const released = await call('release', wish)
  expect(released).toMatchObject({ isError: false, says: expect.stringMatching(/^dep_\w+ was accepted/) })
  expect(await call('release', wish)).toMatchObject({ data: released.data })
  const { id } = released.data.deployment as { id: string }
  expect(quotedIn(released.text)).toContain(`${id} `)

  const hookId = await org.untilPaused(id)
  expect(await call('explain_deployment', { deploymentId: id })).toMatchObject({
    says: expect.stringContaining('is paused and waits for a user'),
    data: { pause: { hookId }, deployment: { description: 'For the fair.', version: '2' } },
  })
  const { id: behind } = await org.deploy(moduleInstanceId, 'shop/app:9')
  const queued = await call('explain_deployment', { deploymentId: behind })
  expect(queued.says).toBe(`${behind} waits for 1 deployment of the same instance.`)
  expect(quotedIn(queued.text)).toContain(`carried out first: ${id} IN_PROGRESS`)
  const cancelled = await call('cancel_deployment', { deploymentId: behind })
  expect(cancelled).toMatchObject({ isError: false, says: expect.stringContaining('is called off') })

  const waits = await call('what_waits_for_me')
  expect(waits.data.pauses).toMatchObject([{ id, hookId }])
  expect(quotedIn(waits.text)).toContain(hookId)
  const runs = await call('what_runs', { search: 'agents-web' })
  expect(runs.data.instances).toMatchObject([
    { project: 'Shop', moduleInstanceId, inProgress: { deploymentId: id, isPaused: true } },
  ])
  expect(quotedIn(await read(`sluice://deployments/${id}`))).toContain(`hookId ${hookId}`)
  const other = { deploymentId: id, hookId: 'another' }
  expect(await call('continue_deployment', other)).toMatchObject({ isError: true })
  expect(await call('continue_deployment', { ...other, hookId })).toMatchObject({ isError: false })
  await org.continueToEnd(id)

  const lines = await org.client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${id}`)
  const { email } = await org.client.done<{ email: string }>('GET', '/auth/whoami')
  expect(lines.find(({ action }) => action === 'deployments.create')).toMatchObject({
    actorName: email,
    channel: 'AGENT',
    userAgent: `sluice-mcp/${version} (probe 4.2)`,
  })
  const ends = lines.filter(({ action, details }) => action === 'deployments.continue' && details?.hookId === hookId)
  expect(ends).toMatchObject([{ channel: 'AGENT', userAgent: `sluice-mcp/${version} (probe 4.2)` }])

  const { id: second } = await org.deploy(moduleInstanceId, 'shop/app:3')
  await org.continueToEnd(second)
  const changed = await call('diff_release', { deploymentId: second })
  expect(changed.data).toMatchObject({ deploymentId: second, againstDeploymentId: id })
  expect(quotedIn(changed.text)).toContain('version: 2 -> 3')
  expect(quotedIn(changed.text)).toContain('inputs.image_ref: shop/app:2 -> shop/app:3')
  const same = await call('diff_release', { deploymentId: second, against: second })
  expect(same.says).toContain(`${second} differs in 0 things of what is recorded, against ${second}.`)
  const back = await call('roll_back', { deploymentId: second, toDeploymentId: id, ...key() })
  expect(back).toMatchObject({ isError: false, says: expect.stringContaining(`returns from ${second}`) })
})

test('over HTTP an agent releases what a rule allows, and only people approve it and end its pause', async () => {
  const guarded = await world.organization()
  const { moduleInstanceId } = await guarded.service(pausing)
  const [environment] = await guarded.client.done<{ id: string; projectId: string }[]>('GET', '/environments')
  const rule = { name: 'Two', environmentId: environment?.id, requiredApprovals: 1, excludeStarter: true }
  await guarded.client.done('POST', '/approval-rules', { data: rule })
  const serviceAccountId = 'sa_http_agents'
  const token = await addServiceAccount(world.db, guarded.id, 'VIEWER', serviceAccountId)
  const grant = { principalId: serviceAccountId, projectId: environment?.projectId, role: 'DEPLOYER' }
  await guarded.client.done('POST', '/role-grants', { data: grant })
  const { call, names } = await connectHttpAgent({ url: world.url, token })

  const wish = { instance: moduleInstanceId, inputs: { image_ref: 'shop/app:2' }, ...key() }
  const released = await call('release', wish)
  expect(await call('release', wish)).toMatchObject({ data: released.data })
  const { id } = released.data.deployment as { id: string }
  const waiting = await eventually(
    'the rule to be told',
    () => call('explain_deployment', { deploymentId: id }),
    ({ text }) => text.includes('Two'),
  )
  expect(waiting.says).toContain(`${id} is PENDING`)
  expect(await names()).not.toContain('continue_deployment')
  const approval = await new Client(world.url, token).ask('POST', `/deployments/${id}/approve`)
  expect(approval.status).toBe(403)
  expect((await guarded.get(id)).status).toBe('PENDING')

  await guarded.client.done('POST', `/deployments/${id}/approve`)
  const hookId = await guarded.untilPaused(id)
  expect(await call('continue_deployment', { deploymentId: id, hookId })).toMatchObject({
    isError: true,
    text: expect.stringContaining('approvals:write'),
  })
  expect(await call('explain_deployment', { deploymentId: id })).toMatchObject({
    says: expect.stringContaining('is paused and waits for a user'),
  })
  await guarded.continueToEnd(id)
  expect((await guarded.get(id)).status).toBe('SUCCESS')

  const lines = await guarded.client.done<AuditEvent[]>('GET', '/audit-events?channel=AGENT&limit=100')
  const made = lines.find(({ action }) => action === 'deployments.create')
  expect(made).toMatchObject({ actorType: 'SERVICE_ACCOUNT', resourceId: id })
  const tool = { action: 'agent-tools.call', resourceId: 'release', requestId: made?.requestId }
  expect(lines).toContainEqual(expect.objectContaining(tool))
  expect(lines.some(({ action }) => /\.(approve|continue)$/.test(action))).toBe(false)
})

test('every call and reading of a local agent is audited', async () => {
  const { call, read } = await owner()
  await call('what_runs', { search: 'nothing-of-the-kind' })
  await call('list_projects')
  await expect(call('release', {})).rejects.toThrow('There is no such tool')
  await expect(read('sluice://deployments/dep_none')).rejects.toThrow('404')
  await expect(read('sluice://nothing')).rejects.toThrow('There is no such resource')
  const told = '/audit-events?channel=AGENT&limit=3'
  const { email } = await org.client.done<{ email: string }>('GET', '/auth/whoami')
  const by = { actorName: email, userAgent: `sluice-mcp/${version} (probe 4.2)` }
  expect(await org.client.done<AuditEvent[]>('GET', told)).toMatchObject([
    { ...by, action: 'agent-resources.read', resourceId: 'sluice://deployments/dep_none' },
    { ...by, action: 'agent-tools.call', resourceId: 'list_projects' },
    { ...by, action: 'agent-tools.call', resourceId: 'what_runs' },
  ])
})

test('a failed deployment is explained with its reason and the output of its tasks', async () => {
  await world.cloud.putImage({ pattern: 'shop/agents-broken:*', behaviour: 'crash' })
  const { moduleInstanceId } = await org.service()
  const { call } = await owner(true)
  const { id } = await org.deploy(moduleInstanceId, 'shop/agents-broken:2')
  await org.untilStatus(id, 'ROLLED_BACK')
  const why = await call('explain_deployment', { deploymentId: id })
  expect(why.says).toBe(`${id} is ROLLED_BACK: it failed.`)
  expect(quotedIn(why.text)).toContain('Sluice:Deployments:TASKS_UNHEALTHY')
  expect(quotedIn(why.text)).toContain('EssentialContainerExited')
  const failed = await call('list_deployments', { instance: moduleInstanceId, status: ['ROLLED_BACK'] })
  expect(failed.data.deployments).toMatchObject([{ id, failure: expect.any(String) }])
})

test('a freeze is reported as the reason why a release waits or is rejected', async () => {
  const frozen = await world.organization()
  const { moduleInstanceId } = await frozen.service()
  const until = '2099-01-01T00:00:00Z'
  const rules = { window: { from: '2026-01-01T00:00:00Z', until }, stops: ['RELEASES'] }
  const plan = { ...rules, name: 'Holidays', reason: 'Half of us are away.' }
  const { id: freezeId } = await frozen.client.done<{ id: string }>('POST', '/freezes', { data: plan })
  const { call } = await connectInProcessAgent({ url: world.url, token: frozen.client.token, allowActions: true })
  const wish = { instance: moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  const { id } = (await call('release', { ...wish, ...key() })).data.deployment as { id: string }
  const waiting = await eventually(
    'the freeze to be told',
    () => call('explain_deployment', { deploymentId: id }),
    ({ text }) => text.includes('Holidays'),
  )
  expect(waiting.says).toContain('is PENDING: it waits for its turn')
  expect(quotedIn(waiting.text)).toContain('Half of us are away.')

  await frozen.client.done('PATCH', `/freezes/${freezeId}`, { data: { onRelease: 'REJECT' } })
  const refused = await call('release', { ...wish, ...key() })
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Sluice refused it with 422 Sluice:Freezes:FROZEN/),
  })
  expect(quotedIn(refused.text)).toContain('Holidays')
})

test('a run is explained step by step with its log and its pending approval', async () => {
  const { givenId } = await org.pipelines.create({
    steps: [
      { id: 'say', type: 'command', with: { shell: 'seq 1 700' } },
      { id: 'ask', type: 'approval', needs: ['say'], approval: { message: 'Go on?' } },
    ],
  })
  const { call, read } = await owner(true)
  const started = await call('start_run', { pipeline: givenId, description: 'For the fair.', ...key() })
  const { id: runId } = started.data.run as { id: string }
  const { id: asking } = await org.pipelines.untilStep(runId, 'ask', 'PENDING_APPROVAL')
  const run = await call('explain_run', { runId })
  expect(run.says).toBe(
    `${runId} is PENDING_APPROVAL: a step waits for a person to approve it. 2 steps, 0 of them failed.`,
  )
  expect(quotedIn(run.text)).toMatch(/^ask \(\w+\): PENDING_APPROVAL asks: Go on\?$/m)

  const { id: stepId } = await org.pipelines.step(runId, 'say')
  const log = await call('read_log', { stepId, lines: 3 })
  expect(log.data.lines).toEqual(['698', '699', '700'])
  expect(log.says).toBe('The last 3 lines. There are more before them.')
  expect(quotedIn(await read(`sluice://steps/${stepId}/log`))).toMatch(/^601\n[\s\S]*\n700$/)

  expect((await call('what_waits_for_me')).data.approvals).toMatchObject([{ id: asking, asks: 'Go on?' }])
  const viewer = await org.member('VIEWER')
  const asViewer = await connectInProcessAgent({ url: world.url, token: viewer.token })
  expect(await asViewer.call('what_waits_for_me')).toMatchObject({
    says: expect.stringMatching(/^0 steps and 0 paused deployments wait for the holder of this key; [1-9]/),
  })
  await org.pipelines.reject(runId, 'ask', 'Not on a Friday')
  await org.pipelines.untilOver(runId)
  expect(quotedIn((await call('explain_run', { runId })).text)).toContain('Not on a Friday')
})

test('the log of an instance is read from its cloud', async () => {
  const { name } = (await org.service(null, { name: 'agents-log' })).input as { name?: string } & object
  const source = { type: 'cloud_monitor', cloud_account_id: org.cloudAccountId, region: 'eu-west-1' }
  const log_group = `/services/${name ?? 'agents-log'}`
  const config = { inputs: [], ui: { logs: [{ id: 'all', name: 'All', source: { ...source, log_group } }] } }
  const module = { type: 'agents-log', name: 'Log', description: 'Shows its log.', config }
  const version = await publishModule(world.db, org.id, module)
  const [environment] = await org.client.done<{ id: string; projectId: string }[]>('GET', '/environments')
  const place = { projectId: environment?.projectId ?? '', environmentId: environment?.id ?? '' }
  const named = { givenId: 'agents-reader', name: 'Reader' }
  await createInstance(world.db, { organizationId: org.id, ...place, ...named, version, input: {} })
  const { call } = await owner()
  const seen = await eventually(
    'a line of the log',
    () => call('read_instance_log', { instance: 'agents-reader', minutes: 1_440, lines: 5 }),
    ({ data }) => (data.lines as string[] | undefined)?.length === 5,
  )
  expect(quotedIn(seen.text).split('\n')).toHaveLength(5)
})

test('changes of modules, plans and configurations are described without storing anything', async () => {
  const all = await createOneOfEverything(world.db, { organizationId: org.id })
  const { pipelines: pipeline, 'pipeline-runs': runId, 'module-instances': instance } = all.byPath
  const { call } = await owner()
  const plan = await call('diff_plan', { runId })
  expect(plan.says).toBe('1 plan, 1 change of resources.')
  expect(plan.data.resources).toMatchObject([{ address: expect.any(String), changeType: expect.any(String) }])
  expect(await call('diff_upgrade', { instance })).toMatchObject({
    isError: false,
    says: '0 inputs new, 0 gone, 0 with another default; it would be refused for 0 reasons.',
  })
  const config = { steps: [{ id: 'say', type: 'command', with: { shell: 'true' } }] }
  const checked = await call('dry_run_pipeline', { pipeline, config })
  expect(checked.says).toMatch(/^The configuration is right\. It changes [1-9]/)
  expect(await call('dry_run_pipeline', { pipeline, config: { steps: [{ id: 'say' }] } })).toMatchObject({
    isError: true,
  })
  expect(await org.client.done('GET', `/pipeline-versions?pipelineId=${pipeline}`)).toHaveLength(1)
})

test('projects are listed with their environments, and records are found by search', async () => {
  const { call } = await owner()
  const listed = await call('list_projects')
  expect(listed.data.projects).toContainEqual(
    expect.objectContaining({ name: 'Shop', environments: [expect.objectContaining({ name: 'production' })] }),
  )
  expect(quotedIn(listed.text)).toContain('Shop (')
  const found = await call('search', { query: 'Shop', type: ['PROJECT'] })
  expect(found.data.results).toMatchObject([{ type: 'PROJECT', title: expect.stringContaining('Shop') }])
})

test('a list is limited, reports the number of further items, and continues with its cursor', async () => {
  const { moduleInstanceId } = await org.service(pausing)
  for (const n of [2, 3, 4]) await org.deploy(moduleInstanceId, `shop/app:${n}`)
  const { call } = await owner()
  const first = await call('list_deployments', { instance: moduleInstanceId, limit: 2 })
  expect(first.says).toMatch(/^3 deployments\. 1 more are there: ask again with the nextCursor/)
  const rest = { instance: moduleInstanceId, limit: 2, cursor: first.data.nextCursor }
  expect((await call('list_deployments', rest)).data.deployments).toHaveLength(1)
})

test('the documentation is available as resources', async () => {
  const { agent, read } = await owner()
  const { resources } = await agent.listResources()
  expect(resources.map(({ uri }) => uri)).toContain('sluice://docs/rollback')
  expect(await read('sluice://docs/rollback')).toMatch(/^# /)
  expect((await agent.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'sluice://deployments/{id}',
    'sluice://steps/{id}/log',
  ])
})
