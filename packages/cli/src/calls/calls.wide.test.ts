import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEvent, AuditHead, Deployment, ModuleInstance, PipelineRun } from '@sluice/contract'
import { sharedWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { eventually } from '@sluice/server/testing/eventually'
import { createOneOfEverything } from '@sluice/server/testing/resources'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { runToCompletion } from '../testing/command-line.ts'

let world: World
let org: TestOrganization
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-calls-'))
  world = await sharedWorld()
  org = await world.organization()
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

/** Runs the command line with the owner's key. */
const sluice = (...words: string[]) =>
  runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: org.client.token })

const pausing = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 20_160 }],
}

test('a release and a rollback print their progress without colours and exit with their result', async () => {
  const name = 'web'
  const { moduleInstanceId } = await org.service(null, { name })
  const released = await sluice('deploy', name, 'image_ref=shop/app:2', '--wait')
  expect(released.text).toMatch(/^dep_\w+ deploys web\n/)
  expect(released.text).toMatch(/\d\d:\d\d:\d\d +\d\/\d COMPLETED +The new version is live\.\nSUCCESS\n$/)
  expect(released.text).not.toContain('\u001b')
  expect(released.code).toBe(0)
  const [first] = released.text.split(' ', 1)
  expect(await sluice('get', 'deployments', first ?? '', '--json')).toMatchObject({
    stdout: expect.stringContaining('"triggerSource": "CLI"'),
  })

  const { id: second } = await org.deploy(moduleInstanceId, 'shop/app:3')
  await org.untilStatus(second, 'SUCCESS')
  expect(await sluice('rollback', second)).toMatchObject({
    code: 0,
    text: expect.stringMatching(new RegExp(`^dep_\\w+ returns from ${second} to ${first}\n[\\s\\S]*\nSUCCESS\n$`)),
  })
})

test('a preview prints the result of each scenario, and one of them as a timeline', async () => {
  const { moduleInstanceId } = await org.service(pausing, { name: 'rehearsed' })
  const words = ['rehearse', 'rehearsed', 'image_ref=shop/app:2']
  const shown = await sluice(...words, '--wait', '--scenario', 'NO_FAULT', 'TASKS_CRASH', 'TASKS_CRASH+CLOUD_THROTTLES')
  expect(shown.text).toMatch(/NO_FAULT +SUCCESS +The release succeeds after .* with 2 pauses; users see no errors\./)
  expect(shown.text).toMatch(/TASKS_CRASH +ROLLED_BACK +The release is rolled back after /)
  expect(shown.text).toMatch(/TASKS_CRASH\+CLOUD_THROTTLES +ROLLED_BACK /)
  expect(shown.code).toBe(0)
  const timeline = await sluice(...words, '--timeline', 'NO_FAULT')
  expect(timeline.text).toMatch(/00:00:00 +INIT +0 % +2 +0\b/)
  expect(timeline.text).toMatch(/\d\d:\d\d:\d\d +COMPLETED +100 % /)
  expect(timeline.text).toMatch(
    /At most 4 tasks or instances run at the same time\. Extra tasks run for [0-9.]+ hours in total\./,
  )
  const wrong = await sluice(...words, '--scenario', 'EARTHQUAKE')
  expect(wrong.code).toBe(1)
  expect((await org.client.done<unknown[]>('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)).length).toBe(0)
})

test('a freeze is created, listed with its times, overridden and lifted', async () => {
  const frozenOrg = await world.organization()
  const { moduleInstanceId } = await frozenOrg.service(null, { name: 'frozen' })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: frozenOrg.client.token })
  const added = await call(
    'freeze',
    'add',
    'Holidays',
    '--until',
    '2099-01-01T00:00:00Z',
    '--stops',
    'releases',
    'applies',
  )
  expect(added).toMatchObject({ code: 0, text: expect.stringMatching(/^frz_\w+ freezes from .* until 2099-01-01/) })
  const [id = ''] = added.text.split(' ', 1)
  expect((await call('freeze', 'list')).text).toContain('Holidays')
  const { id: waiting } = await frozenOrg.deploy(moduleInstanceId)
  expect(await call('freeze', 'override', id, '--instance', 'frozen', '--reason', 'The shop is down.')).toMatchObject({
    code: 0,
    text: expect.stringContaining('frozen may pass'),
  })
  await frozenOrg.untilStatus(waiting, 'SUCCESS')
  expect(await call('freeze', 'lift', id)).toMatchObject({ code: 0, text: `${id} is lifted\n` })
  expect(await call('freeze', 'add', 'Holidays')).toMatchObject({ code: 2, text: expect.stringContaining('--until') })
})

test('a channel is created, listed and tested, and a delivery is resent', async () => {
  const call = (...words: string[]) => sluice('channel', ...words)
  const address = 'http://192.168.0.1:9/hook' // no server, at an address that is not allowed
  const added = await call('add', 'Pager', address, '--events', 'deployment.paused', 'deployment.failed')
  expect(added).toMatchObject({ code: 0, text: expect.stringMatching(/^nch_\w+ is notified of [\s\S]*: whsec_/) })
  const [id = ''] = added.text.split(' ', 1)
  expect((await call('list')).text).toContain('deployment.paused,deployment.failed')
  const urgent = await call('add', 'Urgent', address, '--severity', 'critical')
  expect(urgent).toMatchObject({ code: 0, text: expect.stringMatching(/^nch_\w+ is notified of everything/) })
  expect((await call('list')).text).toContain('CRITICAL')
  expect(await call('add', 'Urgent', address, '--severity', 'bad')).toMatchObject({ code: 2 })
  const tested = await call('test', id)
  expect(tested).toMatchObject({ code: 1, text: expect.stringContaining('not on the public internet') })
  const [deliveryId = ''] = /ndl_\w+/.exec(tested.text) ?? []
  expect(await call('resend', deliveryId)).toMatchObject({ code: 0, text: expect.stringContaining('is sent again as') })
  expect((await call('deliveries', id)).text).toContain('channel.test')
  expect(await call('add', 'Pager', address, '--events', 'rain')).toMatchObject({ code: 2 })
  const chat = await call('add', 'Chat', address, '--kind', 'slack', '--events', 'deployment.failed')
  expect(chat).toMatchObject({ code: 0, text: expect.stringMatching(/^nch_\w+ is notified of deployment.failed\s*$/) })
  const [chatId = ''] = chat.text.split(' ', 1)
  const file = join(directory, 'signing-secret.txt')
  await writeFile(file, `${'8f'.repeat(16)}\n`)
  expect(await call('buttons', chatId, file)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/has buttons\. The Request URL [^:]+: http\S+\/slack-interactions\s*$/),
  })
  expect(await call('buttons', chatId, '--off')).toMatchObject({ code: 0, text: `${chatId} no longer has buttons\n` })
  expect(await call('buttons', chatId)).toMatchObject({ code: 2 })
  const both = ['--kind', 'slack', '--events', 'deployment.paused', '--signing-secret']
  expect((await call('add', 'Chat', address, ...both, file)).text).toContain('/slack-interactions')
  expect(await call('add', 'Chat', '-', ...both, '-')).toMatchObject({ code: 2 })
  expect(await sluice('slack', 'list')).toMatchObject({ code: 0, text: 'No account at Slack is linked.\n' })
  expect(await sluice('slack', 'unlink', 'sla_nobody')).toMatchObject({
    code: 1,
    text: expect.stringContaining('The linked account sla_nobody does not exist'),
  })
})

test('notification settings are printed and changed', async () => {
  const call = (...words: string[]) => sluice('notifications', ...words, '--output', 'json')
  const set = await call('set', '--topics', 'started', 'followed', '--severity', 'warning', '--quiet', '19:00-08:00')
  expect(set).toMatchObject({ code: 0 })
  const shown = await call('show')
  for (const words of ['"STARTED"', '"FOLLOWED"', '"WARNING"', '"19:00"']) expect(shown.text).toContain(words)
  expect(shown.text).not.toContain('"APPROVALS"')
  expect((await call('set', '--topics', 'none', '--quiet', 'none', '--off')).text).toContain('"enabled": false')
  expect(await call('set', '--topics', 'rain')).toMatchObject({ code: 2 })
  expect(await call('set')).toMatchObject({ code: 2 })
})

test('events are printed one per line from a position, and replayed to a channel', async () => {
  const { id: projectId } = await org.client.done<{ id: string }>('POST', '/projects', {
    data: { givenId: 'events', name: 'Events' },
  })
  expect(await sluice('events')).toMatchObject({ code: 0 })
  const { moduleInstanceId } = await org.service(null, { name: 'told' })
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  const lines = await eventually(
    'the release to be among what happened',
    async () => (await sluice('events', '--types', 'deployment.started', 'deployment.succeeded')).text,
    (text) => text.includes(`deployment.succeeded  ${id}`),
  )
  const [, position = ''] = new RegExp(`^(\\d+) .*deployment.started  ${id}`, 'm').exec(lines) ?? []
  expect((await sluice('events', '--after', position, '--output', 'json')).text).toMatch(/^\{.*"deployment.succeeded"/)
  expect(await sluice('events', '--types', 'rain')).toMatchObject({ code: 2 })
  const added = await sluice('channel', 'add', 'Later', 'http://192.168.0.1:9/hook', '--project', projectId)
  const [channelId = ''] = added.text.split(' ', 1)
  expect(await sluice('channel', 'replay', channelId, '--after', position)).toMatchObject({
    code: 0,
    text: expect.stringContaining('0 events are delivered to'),
  })
})

test('preview environments are listed with their resources, extended, ended and retried', async () => {
  const previewed = await world.organization()
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: previewed.client.token })
  expect((await call('preview', 'list')).text).toBe('There are no preview environments.\n')
  const { byPath } = await createOneOfEverything(world.db, { organizationId: previewed.id })
  const id = byPath['preview-environments'] ?? ''
  expect((await call('preview', 'list')).text).toMatch(new RegExp(`${id} .*pr-1 .*#1 .*READY .*0\\.0`))
  expect((await call('preview', 'retry', id)).code).not.toBe(0)
  expect((await call('preview', 'extend', id, '--hours', '48')).text).toMatch(/^pr-1 is kept until 2/)
  expect(await call('preview', 'end', id)).toMatchObject({ code: 0, text: 'pr-1 is torn down\n' })
})

test('a service is held, listed, and its hold is lifted with a reason', async () => {
  const heldOrg = await world.organization()
  const { moduleInstanceId } = await heldOrg.service(null, { name: 'held' })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: heldOrg.client.token })
  const added = await call('hold', 'add', '--instance', 'held', '--reason', 'Prices are wrong.')
  expect(added).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^hld_\w+ holds held: nothing newer is released/),
  })
  const [id = ''] = added.text.split(' ', 1)
  expect((await call('hold', 'list')).text).toMatch(new RegExp(`${id}.*${moduleInstanceId}.*Prices are wrong\\.`))
  const { id: waiting } = await heldOrg.deploy(moduleInstanceId)
  const released = await call('hold', 'release', id, '--reason', 'Prices are right.')
  expect(released).toMatchObject({ code: 0, text: `${id} is let go\n` })
  await heldOrg.untilStatus(waiting, 'SUCCESS')
  expect((await call('hold', 'list', '--released')).text).toContain(id)
  const unnamed = await call('hold', 'add', '--reason', 'Something.')
  expect(unnamed).toMatchObject({ code: 2, text: expect.stringContaining('--instance') })
})

test('a release blocked by a rule is approved, the approval withdrawn, and the release rejected', async () => {
  const guarded = await world.organization()
  const { moduleInstanceId } = await guarded.service(null, { name: 'guarded' })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: guarded.client.token })
  const added = await call('approval-rule', 'add', 'Production', '--instance', 'guarded', '--required', '2')
  expect(added).toMatchObject({ code: 0, text: expect.stringMatching(/^apr_\w+ asks for 2 from now on/) })
  const [ruleId = ''] = added.text.split(' ', 1)
  expect((await call('approval-rule', 'list')).text).toMatch(new RegExp(`${ruleId}.*Production.*${moduleInstanceId}`))
  const waiting = await call('deploy', 'guarded', 'image_ref=shop/app:2', '--no-wait-for-approval')
  const [id = ''] = waiting.text.split(' ', 1)
  expect(waiting).toMatchObject({ code: 4, stderr: `sluice: ${id} waits for approval: sluice approve ${id}\n` })
  expect(await call('approve', id, '--comment', 'Looks right.')).toMatchObject({
    code: 0,
    text: expect.stringContaining(`${id} is approved`),
  })
  expect(await call('withdraw', id)).toMatchObject({ code: 0, text: expect.stringContaining('is taken back') })
  expect(await call('reject', id, '--comment', 'Not today.')).toMatchObject({
    code: 0,
    text: expect.stringContaining(`${id} is turned down`),
  })
  expect((await guarded.get(id)).error?.message).toContain('turned the release down: Not today.')
  expect(await call('approval-rule', 'delete', ruleId)).toMatchObject({ code: 0, text: `${ruleId} is deleted\n` })
  expect(await call('approval-rule', 'add')).toMatchObject({ code: 2 })
})

test('a policy is dry-run, created from a file or a bundled one, shown, overridden and deleted', async () => {
  const judged = await world.organization()
  const { moduleInstanceId } = await judged.service(null, { name: 'judged' })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: judged.client.token })
  const { id } = await judged.deploy(moduleInstanceId, 'shop/app:latest')
  const file = join(directory, 'policy.yaml')
  const said = ['name: No latest', 'guards: DEPLOYMENTS', 'message: Name a version.']
  await writeFile(file, [...said, `expression: deployment.images.all(i, i.tag != 'latest')`].join('\n'))
  const tried = await call('policy', 'dry-run', file, '--instance', 'judged')
  expect(tried).toMatchObject({ code: 0, text: expect.stringMatching(/^It would have blocked 1 of 1 deployments/) })
  expect(tried.text).toContain(id)
  const made = await call('policy', 'create', file, '--instance', 'judged')
  expect(made).toMatchObject({ code: 0, text: expect.stringMatching(/^pol_\w+ judges DEPLOYMENTS from now on/) })
  const [policyId = ''] = made.text.split(' ', 1)
  expect((await call('policy', 'list')).text).toMatch(new RegExp(`${policyId}.*DENY.*${moduleInstanceId}.*No latest`))
  expect((await call('policy', 'show', policyId)).text).toMatch(new RegExp(`^id: ${policyId}\n[^]*Name a version\\.`))
  expect((await call('policy', 'dry-run', policyId)).text).toContain(id)
  expect((await call('deploy', 'judged', 'image_ref=shop/app:latest')).text).toContain('Name a version.')
  const past = await call('policy', 'override', policyId, '--instance', 'judged', '--reason', 'The shop is down.')
  expect(past).toMatchObject({ code: 0, text: expect.stringContaining(`judged may pass ${policyId} until`) })
  expect(await call('policy', 'delete', policyId)).toMatchObject({ code: 0, text: `${policyId} is deleted\n` })
  expect((await call('policy', 'list', '--bundled')).text).toContain('no-latest-tag')
  expect(await call('policy', 'create', '--bundled', 'no-latest-tag', '--warn')).toMatchObject({ code: 0 })
  expect(await call('policy', 'create', '--bundled', 'no-such')).toMatchObject({ code: 2 })
})

test('a dry run of a release prints what would make it fail or wait, and creates no deployment', async () => {
  const checked = await world.organization({ hasNetwork: true, deploy: { alarms: ['removed'] } })
  const { moduleInstanceId } = await checked.service(null, { name: 'checked' })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: checked.client.token })
  await checked.client.done('POST', '/holds', { data: { moduleInstanceId, reason: 'An incident.' } })

  const dry = await call('deploy', 'checked', 'image_ref=shop/app:2', '--dry-run')

  expect(dry.code).toBe(1)
  expect(dry.text).toMatch(/^WILL_FAIL: .*\nERROR ALARM_MISSING: .*removed.*\n {2}at deploy\.alarms\n/)
  expect(dry.text).toMatch(/\nUNCHECKED IMAGE_MISSING: .*shop\/app:2/)
  expect(dry.text).toMatch(/\nGATE HOLD WAIT: .*An incident\..*\n {2}.*holds:write/)
  const whole = await call('deploy', 'checked', 'image_ref=shop/app:2', '--dry-run', '-o', 'json')
  expect(JSON.parse(whole.stdout)).toMatchObject({ data: { outcome: 'WILL_FAIL', gates: [{ gate: 'HOLD' }] } })
  expect(await checked.client.done('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)).toEqual([])
})

test('a release is compared and promoted to a later environment, overriding a rule with a reason', async () => {
  const staged = await world.organization()
  const [here, there] = [await staged.service(null, { name: 'staged' }), await staged.service()]
  const { environmentId, projectId, ...instance } = await staged.client.done<ModuleInstance>(
    'GET',
    `/module-instances/${here.moduleInstanceId}`,
  )
  const later = { projectId, givenId: 'later', name: 'Later' }
  const { id: to } = await staged.client.done<{ id: string }>('POST', '/environments', { data: later })
  const { moduleDefinitionId, moduleVersionId, givenId, name } = instance
  const placed = { environmentId: to, moduleDefinitionId, moduleVersionId, givenId, name, input: there.input }
  await staged.client.done('POST', '/module-instances', { data: placed })
  const call = (...words: string[]) =>
    runToCompletion(directory, words, { SLUICE_URL: world.url, SLUICE_TOKEN: staged.client.token })
  const added = await call('promotion-rule', 'add', environmentId, 'later', '--soak', '60')
  expect(added).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^pmr_\w+ lets releases go on .* by hand after 60/),
  })
  const [ruleId = ''] = added.text.split(' ', 1)
  expect((await call('promotion-rule', 'list')).text).toMatch(new RegExp(`${ruleId}.*${to}.*60`))
  const { id } = await staged.untilStatus((await staged.deploy(here.moduleInstanceId)).id, 'SUCCESS')
  const looked = await call('promote', id, '--to', 'later', '--dry-run')
  expect(looked).toMatchObject({ code: 0, text: expect.stringContaining('live and healthy for long enough') })
  expect(looked.text).toContain(there.serviceArn)
  expect((await call('promote', id)).code).not.toBe(0)
  const promoted = await call('promote', id, '--override', 'The shop is down.')
  expect(promoted).toMatchObject({ code: 0, text: expect.stringMatching(/^dep_\w+/) })
  expect(await call('promotion-rule', 'delete', ruleId)).toMatchObject({ code: 0, text: `${ruleId} is deleted\n` })
})

test('a running service is listed, previewed and imported', async () => {
  const { moduleInstanceId, serviceArn } = await org.service(null, { name: 'imported' })
  const [environment] = await org.client.done<{ id: string }[]>('GET', '/environments')
  const listed = await sluice('import', 'list', org.cloudAccountId, '--region', 'eu-west-1')
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`imported .*${moduleInstanceId}`)) })
  const where = ['--environment', environment?.id ?? '']
  const taken = await sluice('import', 'service', serviceArn, ...where, '--given-id', 'again')
  expect(taken).toMatchObject({ code: 1, text: expect.stringContaining(moduleInstanceId) })
  await org.client.ask('DELETE', `/module-instances/${moduleInstanceId}`)
  const dry = await sluice('import', 'service', serviceArn, ...where, '--dry-run')
  expect(dry.stdout).toMatch(/^would import imported as an instance of imported-container-service\nfirst release: 1, /)
  expect(await sluice('import', 'service', serviceArn, ...where)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^mi_\w+ imports imported\nfirst release: 1, imported:1 \(dep_\w+\)\n/),
  })
})

test('the audit log is exported line by line with filters', async () => {
  await org.client.done('POST', '/projects', { data: { givenId: 'exported', name: 'Exported' } })
  const { code, stdout } = await sluice('export', 'audit-events', 'action=projects.create', 'actorName=owner')
  expect(code).toBe(0)
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as AuditEvent).details)).toContainEqual({
    givenId: 'exported',
    name: 'Exported',
  })
  expect(await sluice('export', 'deployments')).toMatchObject({ code: 2 })
  expect(await sluice('export', 'audit-events', 'nobody=knows')).toMatchObject({ code: 1 })
})

test('an exported audit log is verified offline with a signed head, and a changed event is detected', async () => {
  const [log, head] = [join(directory, 'log.ndjson'), join(directory, 'head.json')]
  await org.client.done('POST', '/projects', { data: { givenId: 'verified', name: 'Verified' } })
  await writeFile(head, (await sluice('api', 'getAuditHead', '--json')).stdout)
  const exported = (await sluice('export', 'audit-events')).stdout
  await writeFile(log, exported)
  const { publicKey } = await org.client.done<AuditHead>('GET', '/audit-events/head')
  const verify = () => sluice('audit', 'verify', log, '--heads', head, '--public-key', publicKey)
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Signed heads vouch .*\nNothing was changed or removed\.$/ms),
  })
  await writeFile(log, exported.replace('"Verified"', '"Approved"'))
  expect(await verify()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^✗ aud_\w+ .* was changed/) })
  await writeFile(log, 'no log')
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1, is not an event') })
})

test('the permissions of the key are printed, for the organization and for a scope in it', async () => {
  expect(await sluice('permissions')).toMatchObject({ code: 0, stdout: expect.stringContaining('- deployments:write') })
  const { projectId } = org.pipelines
  const { stdout } = await sluice('permissions', projectId, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ projectId, restricted: false })
  expect(await sluice('permissions', 'nobody')).toMatchObject({ code: 1 })
})

test('output is a table, JSON, YAML, or one id per line, with progress on stderr', async () => {
  const { moduleInstanceId } = await org.service(null, { name: 'shown' })
  const shown = async (...words: string[]) => (await sluice('get', 'module-instances', ...words)).stdout
  expect(await shown('-o', 'name')).toMatch(/^(mi_\w+\n)+$/)
  expect(parse(await shown('-o', 'yaml'))).toEqual(JSON.parse(await shown('--json')))
  expect(await shown(moduleInstanceId, '-o', 'name')).toBe(`${moduleInstanceId}\n`)
  expect(await shown(moduleInstanceId, '-o', 'table')).toMatch(new RegExp(`^ID .*\n${moduleInstanceId} .*\n$`))

  const started = await sluice('deploy', 'shown', 'image_ref=shop/app:2', '-o', 'name')
  expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^dep_\w+\n$/), stderr: '' })
  const watched = await sluice('watch', started.stdout.trim(), '-o', 'name')
  expect(watched).toMatchObject({ stdout: started.stdout, stderr: expect.stringContaining('COMPLETED') })
})

test('a paused release is continued from pause to pause; a script reads JSON', async () => {
  const { moduleInstanceId } = await org.service(pausing)
  const paused = await sluice('deploy', moduleInstanceId, 'image_ref=shop/app:2', '--until-paused', '--json')
  expect(paused).toMatchObject({ code: 0, stderr: expect.stringContaining('PAUSED') })
  const { id, status }: Deployment = JSON.parse(paused.stdout)
  expect(status).toBe('IN_PROGRESS')
  expect(await sluice('watch', id, '--timeout', '0.1')).toMatchObject({
    code: 3,
    stderr: `sluice: ${id} is not finished after 0.1 s. It continues: sluice watch ${id}\n`,
  })
  const described = await sluice('describe', id)
  expect(described.stdout).toContain(`  It is paused: sluice continue ${id}\n`)
  expect(described.stdout).toContain(`\nConsole: ${world.url}/console/deployments/${id}\n`)
  expect(await sluice('open', id)).toMatchObject({ code: 0, stdout: `${world.url}/console/deployments/${id}\n` })
  expect((await sluice('diff', id)).stdout).toMatch(
    / {4}release\.containerDefinitions\.\S+\.image: ".*" → "shop\/app:2"\n/,
  )
  expect((await sluice('diff', id, id)).stdout).toContain('Nothing differs')
  const next = await sluice('continue', id, '--no-wait-for-approval')
  expect(next.stdout.match(/PAUSED/g)).toHaveLength(2)
  expect(next).toMatchObject({ code: 4, stderr: `sluice: ${id} is paused: sluice continue ${id}\n` })
  expect(await sluice('continue', id, '--wait')).toMatchObject({ code: 0, text: expect.stringMatching(/SUCCESS\n$/) })
  expect((await sluice('diff', id, '--running')).stdout).toBe(
    `${id} against ${id}\nNothing differs of what is recorded.\n`,
  )
  const { environmentId } = await org.client.done<Deployment>('GET', `/deployments/${id}`)
  const { givenId } = await org.client.done<{ givenId: string }>('GET', `/module-instances/${moduleInstanceId}`)
  const between = ['diff', givenId, '--from', environmentId]
  expect((await sluice(...between, '--to', environmentId)).stdout).toContain(`${id} against ${id}\n`)
  expect(await sluice(...between)).toMatchObject({ code: 2 })
})

test('a release with a repeated idempotency key starts once; if it fails, the command fails with details', async () => {
  await world.cloud.putImage({ pattern: 'shop/broken:*', behaviour: 'crash' })
  const { moduleInstanceId } = await org.service()
  const words = ['deploy', moduleInstanceId, 'image_ref=shop/broken:2', '--idempotency-key', moduleInstanceId]
  const started = await sluice(...words)
  expect(started).toMatchObject({ code: 0, text: expect.stringMatching(/^dep_\w+\n$/) })
  const { code, text } = await sluice(...words, '--wait')
  expect(text.startsWith(`${started.text.trim()} deploys`)).toBe(true)
  expect(text).toMatch(/\nROLLED_BACK\nsluice: .* \(Sluice:Deployments:TASKS_UNHEALTHY\)\n/)
  expect(text).toMatch(/\n {2}Stopped tasks:\n {4}.*EssentialContainerExited/)
  expect(code).toBe(1)
})

/** Creates a pipeline with output and an approval. Returns its givenId. */
async function asking(): Promise<string> {
  const [project] = await org.client.done<{ id: string }[]>('GET', '/projects')
  const givenId = `p-${randomBytes(5).toString('hex')}`
  const data = { projectId: project?.id, givenId, name: 'Ask' }
  const { id } = await org.client.done<{ id: string }>('POST', '/pipelines', { data })
  const file = join(directory, `${givenId}.yaml`)
  await writeFile(
    file,
    `steps:
      - { id: say, type: command, with: { shell: 'printf "\\\\033[31mred\\\\033[0m\\\\n"' } }
      - { id: ask, type: approval, needs: [say], approval: { message: 'Go on?' } }`,
  )
  const version = await sluice('api', 'createPipelineVersion', `pipelineId=${id}`, `config:=@${file}`)
  expect(version).toMatchObject({ code: 0, text: expect.stringContaining('\nversion: 1\n') })
  return givenId
}

test('a run is followed with its step output and approved, and a rejected one fails and is retried', async () => {
  const givenId = await asking()
  const [first, second] = await Promise.all([
    sluice('run', givenId, '--until-paused', '--json'),
    sluice('run', givenId, '--no-wait-for-approval'),
  ])
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('say | red\n') })
  const { id }: PipelineRun = JSON.parse(first.stdout)
  const [, step = ''] = /ask: PENDING_APPROVAL Go on\? sluice approve (\w+)\n/.exec(first.stderr) ?? []
  const described = await sluice('describe', id)
  expect(described.stdout).toMatch(new RegExp(`ask asks: Go on\\?\\n.*sluice approve ${step}\\n`))
  expect(await sluice('approve', step, '--comment', 'Go')).toMatchObject({ code: 0, text: 'ask is approved\n' })
  expect(await sluice('watch', id)).toMatchObject({ code: 0, text: expect.stringMatching(/ask: SUCCESS\nSUCCESS\n$/) })

  const [, other = ''] = /waits for approval: sluice approve (\w+)\n/.exec(second.stderr) ?? []
  expect(second.code).toBe(4)
  const [run = ''] = second.text.split(' ', 1)
  expect(await sluice('reject', other, '--comment', 'Not on a Friday')).toMatchObject({ code: 0 })
  expect(await sluice('watch', run)).toMatchObject({ code: 1, stderr: expect.stringContaining('Not on a Friday') })

  const again = await sluice('retry', run, '--until-paused', '--reason', 'It is Monday')
  expect(again).toMatchObject({ code: 0, text: expect.stringContaining(` retries ${run}\n`) })
  expect(again.text).toContain('ask: PENDING_APPROVAL')
  expect(again.text).not.toContain('say | red') // skipped in the retry
  const twice = await sluice('retry', run, '--skip', 'say', '--reason', 'x')
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining(`was already retried by the run run_`) })
})

test.each([
  [['deploy', 'nowhere'], 1, 'sluice: There is no module instance nowhere. sluice get module-instances lists'],
  [['get', 'deployments', 'status=DONE'], 1, '\n  Query: $.status[0]: expected one of PENDING,'],
  [['deploy', 'web', '--wiat'], 2, "sluice: unknown option '--wiat'\n(Did you mean --wait?)\n"],
  [['get', 'deployment'], 2, 'sluice: There is no list of deployment. Was one of these meant: deployments?'],
  [['deploy', 'web', 'image_ref'], 2, 'sluice: image_ref is not of the form name=text'],
  [['deploy', 'web', 'n:={'], 2, 'A text goes after = instead of :=.'],
  [['api', 'deleteProject'], 2, 'sluice: deleteProject needs id=…'],
  [['watch', 'dep_x'], 1, 'sluice: There is neither a deployment nor a run of a pipeline dep_x in this organization.'],
  [['cancel', 'dep_x'], 1, 'sluice: There is neither a deployment nor a run of a pipeline dep_x in this organization.'],
  [['watch', 'dep_x', '--url', 'localhost:4600'], 2, 'localhost:4600 is not an address such as https://'],
  [['watch', 'dep_x', '--url', 'http://127.0.0.1:2'], 1, 'Nothing answers at http://127.0.0.1:2 (ECONNREFUSED).'],
])('%j prints the error and the remedy', async (words, exit, why) => {
  const { code, text } = await sluice(...words)
  expect(text).toContain(why)
  expect(text).not.toContain('    at ')
  expect(code).toBe(exit)
})

test('without a key no request is sent', async () => {
  expect(await runToCompletion(directory, ['api', 'whoami'], { SLUICE_URL: world.url })).toMatchObject({
    code: 2,
    text: 'sluice: Who calls? sluice login, or set SLUICE_TOKEN to an API key, or in CI SLUICE_SERVICE_ACCOUNT.\n',
  })
})

type Reply = { status: number; body: string }

/** Starts a server that sends these responses in order and repeats the last one. */
async function answering(...replies: Reply[]): Promise<Record<string, string>> {
  const server = createServer((_, response) => {
    const { status, body } = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500, body: '' }
    response.writeHead(status, { 'retry-after': '0.01' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { SLUICE_TOKEN: 'slc_x', SLUICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('following continues through a temporary outage of the service', async () => {
  const seen = (status: string) => ({ status: 200, body: JSON.stringify({ data: { id: 'dep_1', status } }) })
  const env = await answering(seen('PENDING'), { status: 503, body: '' }, seen('SUCCESS'))
  const { code, text } = await runToCompletion(directory, ['watch', 'dep_1'], env)
  expect(text).toMatch(/^The service could not be reached: 503 .*Trying again for 120 s\.\nSUCCESS\n$/)
  expect(code).toBe(0)
})

test('a server that is not Sluice is reported as such', async () => {
  const env = await answering({ status: 200, body: '<html>Welcome</html>' })
  expect(await runToCompletion(directory, ['get', 'deployments'], env)).toMatchObject({
    code: 1,
    text: expect.stringContaining('(Sluice:Client:NO_ANSWER)'),
  })
})
