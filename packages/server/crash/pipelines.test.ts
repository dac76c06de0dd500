import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AuditEvent,
  apiErrors,
  type Deployment,
  type ModuleInstance,
  type PipelineRun,
  type PreviewEnvironment,
  type Project,
} from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeGitHostA } from '../src/git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../src/git/adapter/fakes/settings.fixture.ts'
import {
  claimInstallation,
  createPullRequest,
  createStaging,
  install,
} from '../src/infrastructure/preview-environments/staging.fixture.ts'
import { eventually } from '../src/testing/eventually.ts'
import { seedOrganization } from '../src/testing/http-world.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { type Received, startStubServer } from '../src/testing/stub-server.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { lookMs, PatientClient } from './patient-client.ts'
import { Progress } from './progress.ts'

const unanswered = new Promise<never>(() => {})

const settle = async (world: World) => {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service()
  return { client: new PatientClient(world.url, organization.client.token), moduleInstanceId }
}

async function startPipelines(answer?: Parameters<typeof startStubServer>[0]) {
  const server = await startStubServer(answer)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const env = { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' }
  const { service, people } = await startCrashWorld({ speed: 1_200, people: settle, env })
  const [project] = await people.client.done<Project[]>('GET', '/projects')
  const pipelines = new Pipelines(people.client, project?.id ?? '')
  const ask = (id: string) => ({ id, type: 'http', with: { method: 'POST', url: `${server.url}/${id}` } })
  const child = await pipelines.create({ steps: [ask('in-child')] })
  const deploy = { module_instance_id: people.moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  const steps = [
    ask('first'),
    { id: 'gate', type: 'approval' },
    { id: 'deploy', type: 'deploy', with: deploy },
    { id: 'child', type: 'pipeline', with: { pipeline_id: child.id } },
    ask('last'),
  ]
  const listed = {
    childRuns: () => people.client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${child.id}`),
    deployments: () => people.client.done<Deployment[]>('GET', '/deployments'),
  }
  return { server, service, pipelines, steps, ask, ...listed }
}

/** Approves all waiting steps. An approval whose response was lost may have been saved. */
async function approveWhatWaits(pipelines: Pipelines, runId: string): Promise<void> {
  for (const { id, status } of await pipelines.steps(runId)) {
    if (status !== 'PENDING_APPROVAL') continue
    const { status: answer } = await pipelines.client.ask('POST', `/pipeline-step-executions/${id}/approve`)
    expect([200, 422]).toContain(answer)
  }
}

test('a run ends as expected, with one deployment and one child run, although the service is killed after every change', async () => {
  // The first request of each step gets no response, because the service is killed while it waits.
  const heard = new Set<string>()
  const answer = ({ path }: Received) => {
    if (heard.has(path)) return {}
    heard.add(path)
    return unanswered
  }
  const { server, service, pipelines, steps, childRuns, deployments } = await startPipelines(answer)
  const { id } = await pipelines.run(steps)
  const killedAt = new Set<string>()
  const progress = new Progress(`the end of ${id}`)
  for (;;) {
    await sleep(lookMs) // interval of the observer
    const run = await pipelines.get(id)
    if (run.completedAt) break
    const all = [run, ...(await pipelines.steps(id)), ...(await childRuns()), ...(await deployments())]
    const moment = [all.map(({ status }) => status), ...heard].join()
    progress.observe(moment)
    if (!killedAt.has(moment)) {
      killedAt.add(moment)
      await service.kill(service.kills % 3 === 2 ? 'service and engine' : 'service')
      service.start()
    }
    await approveWhatWaits(pipelines, id)
  }
  expect(await pipelines.get(id)).toMatchObject({ status: 'SUCCESS' })
  expect((await pipelines.steps(id)).map(({ status, attemptEpoch }) => [status, attemptEpoch])).toEqual([
    ['SUCCESS', 1],
    ['SUCCESS', 0],
    ['SUCCESS', 1],
    ['SUCCESS', 1],
    ['SUCCESS', 1],
  ])
  expect(await deployments()).toMatchObject([{ status: 'SUCCESS', pipelineRunId: id }])
  expect(await childRuns()).toMatchObject([{ status: 'SUCCESS' }])
  // A repeated request has the same idempotency key.
  for (const path of ['/first', '/in-child', '/last']) {
    const keys = server.received.filter((one) => one.path === path).map(({ headers }) => headers['idempotency-key'])
    expect(keys.length, path).toBeGreaterThan(1)
    expect(new Set(keys).size, path).toBe(1)
  }
  expect(service.kills, 'each request, and the approval, whatever else was seen').toBeGreaterThanOrEqual(4)
  expect(service.ownEnds).toEqual([])
})

/** Seconds until approvals expire, more than a busy machine needs to reach the kill. */
const soonSeconds = 20

test('approvals survive the service, and those that expire meanwhile are detected', async () => {
  const { service, pipelines } = await startPipelines()
  const gate = (approval: object) => [{ id: 'gate', type: 'approval', approval }]
  const patient = await pipelines.run(gate({ timeout_seconds: 3600 }))
  const approving = await pipelines.run(gate({ timeout_seconds: soonSeconds, on_timeout: 'approve' }))
  const rejecting = await pipelines.run(gate({ timeout_seconds: soonSeconds }))
  for (const { id } of [patient, approving, rejecting]) await pipelines.until(id, 'PENDING_APPROVAL')
  await service.kill('service and engine')
  await sleep(soonSeconds * 1000) // two of them expire while no service runs
  service.start()
  expect(await pipelines.untilOver(approving.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await pipelines.untilOver(rejecting.id)).toMatchObject({ status: 'ERROR' })
  expect(await pipelines.get(patient.id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  await pipelines.approve(patient.id, 'gate')
  expect(await pipelines.untilOver(patient.id)).toMatchObject({ status: 'SUCCESS' })
})

test('runs end as expected although the engine loses its data half-way', async () => {
  const { service, pipelines, steps, childRuns, deployments } = await startPipelines()
  const nowhere = { url: 'http://127.0.0.1:9/' }
  const retry = { attempts: 2, backoff_seconds: soonSeconds }
  const waiting = await pipelines.run(steps)
  const failing = await pipelines.run([{ id: 'again', type: 'http', with: nowhere, retry }])
  const inGroup = await pipelines.create({ concurrency: { group: 'one' }, steps: [{ id: 'gate', type: 'approval' }] })
  const [first, second] = [await pipelines.start(inGroup.id), await pipelines.start(inGroup.id)]
  await pipelines.until(waiting.id, 'PENDING_APPROVAL')
  await pipelines.until(first.id, 'PENDING_APPROVAL')
  const isBackingOff = async () => (await pipelines.step(failing.id, 'again')).queueReason === 'RETRY_BACKOFF'
  await eventually('the back-off', isBackingOff, Boolean)

  await service.kill('service and engine')
  await service.forgetEngine()
  service.start()

  await pipelines.approve(waiting.id, 'gate')
  await eventually('the deployment', deployments, ({ length }) => length === 1)
  await service.kill('service and engine')
  await service.forgetEngine()
  service.start()

  expect(await pipelines.untilOver(waiting.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await deployments()).toHaveLength(1)
  expect(await childRuns()).toHaveLength(1)
  expect(await pipelines.untilOver(failing.id)).toMatchObject({ status: 'ERROR' })
  expect(await pipelines.step(failing.id, 'again')).toMatchObject({ attemptEpoch: 2, retryAttempt: 1 })
  await pipelines.approve(first.id, 'gate')
  await pipelines.approve(second.id, 'gate')
  for (const { id } of [first, second]) expect(await pipelines.untilOver(id)).toMatchObject({ status: 'SUCCESS' })
  expect(service.ownEnds).toEqual([])
})

test('a retry continues once from the failed step, with the earlier results, although the service is killed after every change', async () => {
  // Requests succeed once the run is retried. The first request of each step then gets no response, because of a kill.
  let isMended = false
  const heard = new Set<string>()
  const answer = ({ path }: Received) => {
    if (path === '/build') return { body: { image: 'shop/app:2' } }
    if (!isMended) return { status: 500 }
    if (heard.has(path)) return {}
    heard.add(path)
    return unanswered
  }
  const { server, service, pipelines, steps, ask, childRuns, deployments } = await startPipelines(answer)
  const [, , deploy, child, last] = steps
  const image = '<< steps.build.output.body.image >>'
  const { id: pipelineId } = await pipelines.create({
    steps: [
      ask('build'),
      { ...ask('release'), with: { ...ask('release').with, body: image } },
      { ...deploy, with: { ...deploy?.with, inputs: { image_ref: image } } },
      child,
      last,
    ] as object[],
  })
  const failed = await pipelines.untilOver((await pipelines.start(pipelineId)).id)
  expect(failed).toMatchObject({ status: 'ERROR' })
  const [build] = await pipelines.steps(failed.id)
  isMended = true

  const path = `/pipeline-runs/${failed.id}/retry`
  /** Two concurrent retries; the patient client repeats its own with the same key until there is a response. */
  const askTwice = Promise.all([pipelines.client.ask('POST', path), pipelines.client.ask('POST', path)])
  await sleep(30) // time of the kill
  await service.kill('service and engine')
  await service.forgetEngine()
  service.start()
  expect((await askTwice).map(({ status }) => status).toSorted()).toEqual([201, apiErrors.pipelineRunRetried.status])
  const runs = await pipelines.client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${pipelineId}`)
  expect(runs).toHaveLength(2)
  const id = runs.find((run) => run.id !== failed.id)?.id ?? ''

  const killedAt = new Set<string>()
  const progress = new Progress(`the end of ${id}`)
  for (;;) {
    await sleep(lookMs) // interval of the observer
    const run = await pipelines.get(id)
    if (run.completedAt) break
    const all = [run, ...(await pipelines.steps(id)), ...(await childRuns()), ...(await deployments())]
    const moment = [all.map(({ status }) => status), ...heard].join()
    progress.observe(moment)
    if (killedAt.has(moment)) continue
    killedAt.add(moment)
    await service.kill(service.kills % 3 === 2 ? 'service and engine' : 'service')
    service.start()
  }
  expect(await pipelines.get(id)).toMatchObject({ status: 'SUCCESS' })
  const [first, ...others] = await pipelines.steps(id)
  expect(first).toMatchObject({
    status: 'SUCCESS',
    attemptEpoch: 1,
    outputData: build?.outputData,
    statusDetail: { takenOver: { pipelineRunId: failed.id, pipelineStepExecutionId: build?.id } },
  })
  expect(others.map(({ status, attemptEpoch }) => [status, attemptEpoch])).toEqual(others.map(() => ['SUCCESS', 1]))
  expect(await deployments()).toMatchObject([{ status: 'SUCCESS', pipelineRunId: id }])
  expect(await childRuns()).toMatchObject([{ status: 'SUCCESS' }])
  expect(
    server.received.filter((one) => one.path === '/build'),
    'what was done is not done again',
  ).toHaveLength(1)
  const released = server.received.filter((one) => one.path === '/release')
  expect(new Set(released.map(({ body }) => body))).toEqual(new Set(['shop/app:2']))
  for (const path of ['/release', '/in-child', '/last']) {
    const requests = server.received.filter((one) => one.path === path)
    // All requests of the retry have one key; the failed run had another.
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size, path).toBe(
      path === '/release' ? 2 : 1,
    )
  }
  expect(service.kills, 'each request, and the retry, whatever else was seen').toBeGreaterThanOrEqual(4)
  expect(service.ownEnds).toEqual([])
})

test('a pull request gets one preview environment, which is removed completely, although the service is killed after every change', async () => {
  const host = await startFakeGitHostA()
  onTestFinished(() => host.close())
  install(host)
  const own = async (world: World) => {
    const owner = await seedOrganization(world.db)
    await claimInstallation(world.db, owner)
    return { client: new PatientClient(world.url, owner.key), url: world.url }
  }
  const env = { ...settingsOfFakeA(host), SLUICE_PUBLIC_URL: 'https://sluice.example' }
  const { service, people } = await startCrashWorld({ speed: 60, people: own, env })
  const { client } = people
  await service.ready()
  const staging = await createStaging(client, people.url)
  const request = await createPullRequest(host, staging)
  const { projectId, environmentId } = staging
  await staging.make('/preview-templates', { projectId, environmentId, codeSourceId: request.source.id })
  const killedAt = new Set<string>()
  const untilItIs = async (status: PreviewEnvironment['status']): Promise<PreviewEnvironment> => {
    const progress = new Progress(`a preview environment to be ${status}`)
    for (;;) {
      await sleep(lookMs) // interval of the observer
      const [preview] = await client.done<PreviewEnvironment[]>('GET', '/preview-environments?includeDeleted=true')
      if (preview?.status === status) return preview
      const instances = preview?.environmentId
        ? await client.done<ModuleInstance[]>('GET', `/module-instances?environmentId=${preview.environmentId}`)
        : []
      const moment = [preview?.status, ...instances.map((one) => one.status)].join()
      progress.observe(moment)
      if (killedAt.has(moment)) continue
      killedAt.add(moment)
      await service.kill(service.kills % 3 === 2 ? 'service and engine' : 'service')
      service.start()
      await service.ready()
    }
  }
  await request.tell('opened')
  const { id, instanceCount } = await untilItIs('READY')
  expect(instanceCount).toBe(2)
  await request.tell('closed')
  expect(await untilItIs('DESTROYED')).toMatchObject({ id, instanceCount: 0, failedTeardowns: 0 })
  expect(service.kills).toBeGreaterThan(2)
  const made = await client.done<AuditEvent[]>('GET', '/audit-events?limit=100')
  const actions = made.filter(({ actorName }) => actorName === 'Preview environments').map(({ action }) => action)
  const counted = (name: string) => actions.filter((action) => action === name).length
  expect([counted('environments.create'), counted('environments.delete')]).toEqual([1, 1])
  expect(counted('module-instances.delete')).toBe(2)
  await eventually(
    'the comment',
    async () => request.comments(),
    ([one]) => one?.includes('Gone') === true,
  )
  expect(request.comments()).toHaveLength(1)
})
