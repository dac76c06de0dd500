import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type {
  Artifact,
  ArtifactRetention,
  ArtifactVerdict,
  AuditEvent,
  Deployment,
  PipelineStepExecution,
} from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { and, eq, isNotNull } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { beginRemovals, reserveLocation } from './removals.ts'
import { artifactRetentions, artifacts } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const dayMs = 86_400_000
/** Longer than the lease of a process on an organization's artifacts. */
const longestClaimMs = 12 * 60_000
const days = (count: number) => new Date(Date.now() - count * dayMs)

/** Creates a site whose builds produce one page. */
async function builtSite() {
  const organization = await world.organization({ delivery: false })
  const build = {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'mkdir dist && cp page dist', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id: organization.cloudAccountId },
  }
  const { moduleInstanceId, site } = await createTestSite(world, organization, { releases: [], build })
  return new BuiltSite(organization, moduleInstanceId, site.bucket)
}

class BuiltSite {
  readonly organization: TestOrganization
  readonly moduleInstanceId: string
  readonly bucket: string

  constructor(organization: TestOrganization, moduleInstanceId: string, bucket: string) {
    this.organization = organization
    this.moduleInstanceId = moduleInstanceId
    this.bucket = bucket
  }

  async build(page: string): Promise<Artifact> {
    const step = await this.ran({
      id: 'build',
      type: 'build',
      with: { module_instance_id: this.moduleInstanceId, source: { files: { page } } },
    })
    expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
    return this.artifact(String(step.outputData?.artifact_id))
  }

  async ran(step: { id: string; [more: string]: unknown }): Promise<PipelineStepExecution> {
    const { pipelines } = this.organization
    const { id } = await pipelines.run([step])
    await pipelines.untilOver(id, 60_000)
    return pipelines.step(id, step.id)
  }

  artifact(id: string): Promise<Artifact> {
    return this.organization.client.done<Artifact>('GET', `/artifacts/${id}`)
  }

  release({ deployInputs: inputs }: Pick<Artifact, 'deployInputs'>) {
    const data = { moduleInstanceId: this.moduleInstanceId, description: 'A page.', inputs }
    return this.organization.client.ask('POST', '/deployments', { data })
  }

  async released(artifact: Artifact): Promise<Deployment> {
    const { data } = (await this.release(artifact)).body as { data: Deployment }
    return this.organization.untilStatus(data.id, 'SUCCESS')
  }

  /** Backdates all builds so far by this much. */
  async age(count: number): Promise<void> {
    await world.db
      .update(artifacts)
      .set({ createdAt: days(count), takenAt: null })
      .where(eq(artifacts.moduleInstanceId, this.moduleInstanceId))
  }

  /** Enables retention and makes it due now. */
  async sweep(wish: object = { keepLatest: 1 }): Promise<void> {
    await this.organization.client.done('PATCH', '/artifacts/retention', { data: { isEnabled: true, ...wish } })
    await this.wake()
  }

  /** Makes everything that is scheduled due, and runs the removal as a worker does. */
  async wake(): Promise<void> {
    const { id } = this.organization
    await world.db
      .update(artifacts)
      .set({ removalTryAt: days(0) })
      .where(and(eq(artifacts.organizationId, id), isNotNull(artifacts.removalTryAt)))
    const isOwn = eq(artifactRetentions.organizationId, id)
    await world.db
      .update(artifactRetentions)
      .set({ wakeAt: days(0) })
      .where(isOwn)
    await eventually(
      'the artifacts to be looked through',
      async () => (await world.db.select().from(artifactRetentions).where(isOwn))[0]?.wakeAt ?? undefined,
      (at) => at === undefined || at.getTime() > Date.now() + longestClaimMs,
    )
  }

  async keys(): Promise<string[]> {
    const list = new ListObjectsV2Command({ Bucket: this.bucket })
    const { Contents = [] } = await this.organization.clients.storage.send(list)
    return Contents.map(({ Key = '' }) => Key).toSorted()
  }
}

const pageOf = ({ deployInputs }: Artifact) => `${deployInputs.directory}/page`

test("nothing is removed without an owner's request, and not before that can be withdrawn", async () => {
  const { organization } = await builtSite()
  const path = '/artifacts/retention'
  const usual = { keepDays: 90, keepLatest: 10, failedRemovalCount: 0 }
  expect(await organization.client.done('GET', path)).toEqual({ isEnabled: false, ...usual })
  const admin = await organization.member('ADMIN')
  expect(await admin.ask('PATCH', path, { data: { isEnabled: true } })).toMatchObject({ status: 403 })

  const set = await organization.client.done<ArtifactRetention>('PATCH', path, {
    data: { isEnabled: true, keepDays: 30 },
  })
  expect(set).toEqual({ ...usual, isEnabled: true, keepDays: 30, nextAt: expect.any(String) })
  expect(Date.parse(set.nextAt ?? '') - Date.now()).toBeGreaterThan(55 * 60_000)
  const [line] = await organization.client.done<AuditEvent[]>('GET', '/audit-events?action=artifacts.keep')
  expect(line).toMatchObject({
    details: { isEnabled: true, keepDays: 30, keepLatest: 10 },
    before: { isEnabled: false, keepDays: 90, keepLatest: 10 },
  })
  const off = await organization.client.done<ArtifactRetention>('PATCH', path, { data: { isEnabled: false } })
  expect(off).toEqual({ ...usual, isEnabled: false, keepDays: 30 })
})

test('unreferenced artifacts are removed, referenced ones stay, and removed ones can be built again', async () => {
  const site = await builtSite()
  const { client } = site.organization
  const [unneeded, before, runs] = [await site.build('1'), await site.build('2'), await site.build('3')]
  await site.released(before)
  await site.released(runs)
  await site.age(100)
  const places = await Promise.all([unneeded, before, runs].map(async ({ id }) => (await site.artifact(id)).runningOn))
  expect(places).toEqual([[], [], [expect.objectContaining({ moduleInstanceId: site.moduleInstanceId })]])
  const dryRun = async () => {
    const verdicts = await client.done<ArtifactVerdict[]>('GET', '/artifacts/retention/dry-run?keepLatest=1')
    return verdicts.filter(({ isNeeded }) => !isNeeded).map(({ artifact: { id } }) => id)
  }
  expect(await dryRun()).toEqual([unneeded.id])
  await site.sweep()

  expect(await site.keys()).toEqual([before, runs].map(pageOf).toSorted())
  const { removal } = await site.artifact(unneeded.id)
  expect(removal).toEqual({
    reason: 'It is unused. Kept are 90 days, and the last 1 of each instance.',
    beganAt: expect.any(String),
    removedAt: expect.any(String),
  })
  for (const { id } of [before, runs]) expect(await site.artifact(id)).not.toHaveProperty('removal')
  expect(await dryRun()).toEqual([])
  const lines = await client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${unneeded.id}`)
  expect(lines).toMatchObject([
    { action: 'artifacts.remove', actorType: 'SERVICE', details: { location: unneeded.location } },
    { action: 'artifacts.create' },
  ])

  expect(await site.release(unneeded)).toMatchObject({
    status: 409,
    body: { code: 'Sluice:Artifacts:REMOVED', message: expect.stringContaining(unneeded.location) },
  })
  const step = await site.ran({
    id: 'release',
    type: 'deploy',
    with: { module_instance_id: site.moduleInstanceId, inputs: unneeded.deployInputs },
  })
  expect(step.error).toMatchObject({ code: 'Sluice:Artifacts:REMOVED' })

  const again = await site.build('1')
  expect(again.id).not.toBe(unneeded.id)
  expect(again).toMatchObject({ location: unneeded.location, digest: unneeded.digest })
  await site.released(again)
})

test('a versioned bucket retains no version of removed objects, and all of retained ones', async () => {
  const site = await builtSite()
  const { storage } = site.organization.clients
  const at = { Bucket: site.bucket }
  await storage.send(new PutBucketVersioningCommand({ ...at, VersioningConfiguration: { Status: 'Enabled' } }))
  const [unneeded, before, runs] = [await site.build('1'), await site.build('2'), await site.build('3')]
  const versionsOf = async (artifact: Artifact) => {
    const Prefix = pageOf(artifact)
    const { Versions = [], DeleteMarkers = [] } = await storage.send(new ListObjectVersionsCommand({ ...at, Prefix }))
    return Versions.length + DeleteMarkers.length
  }
  for (const artifact of [unneeded, runs]) {
    const Key = pageOf(artifact)
    await storage.send(new DeleteObjectCommand({ ...at, Key }))
    await storage.send(new PutObjectCommand({ ...at, Key, Body: 'again' }))
    expect(await versionsOf(artifact)).toBe(3)
  }
  await site.released(before)
  await site.released(runs)
  await site.age(100)
  await site.sweep()
  expect((await site.artifact(unneeded.id)).removal).toMatchObject({ removedAt: expect.any(String) })
  expect([await versionsOf(unneeded), await versionsOf(before), await versionsOf(runs)]).toEqual([0, 1, 3])
})

test('artifacts of a commit are found by a prefix of its id', async () => {
  const site = await builtSite()
  const { id } = await site.build('1')
  await site.build('2')
  await world.db
    .update(artifacts)
    .set({ commit: '0a1b2c3d4e'.padEnd(40, '5') })
    .where(eq(artifacts.id, id))
  const { client } = site.organization
  const found = async (commit: string) =>
    (await client.done<Artifact[]>('GET', `/artifacts?commit=${commit}`)).map((one) => one.id)
  expect([await found('0a1b2c3'), await found('0a1b2c4')]).toEqual([[id], []])
  expect(await client.ask('GET', '/artifacts?commit=0a1%25')).toMatchObject({ status: 400 })
})

test('an artifact that a build has reused counts as recent', async () => {
  const site = await builtSite()
  const [old] = [await site.build('1'), await site.build('2')]
  await site.age(100)
  expect((await site.build('1')).id).toBe(old.id)
  await site.sweep()
  expect(await site.artifact(old.id)).not.toHaveProperty('removal')
})

test('the artifact of a failed release is retained, because it may be running', async () => {
  const site = await builtSite()
  const [ran, failed] = [await site.build('1'), await site.build('2'), await site.build('3')]
  const first = await site.released(ran)
  const { id } = await site.released(failed)
  await site.age(100)
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, id))
  if (!row) throw new Error('the release is gone')
  await world.db.delete(deployments).where(eq(deployments.id, id))
  const error = { code: 'Sluice:Deployments:TIMED_OUT', message: 'It took too long.' }
  await world.db.insert(deployments).values({ ...row, status: 'ERROR', error })
  await site.sweep()
  for (const one of [ran, failed]) expect(await site.artifact(one.id)).not.toHaveProperty('removal')
  expect(first.status).toBe('SUCCESS')
})

test('an artifact that the cloud refuses to delete has the reason, can be released, and is retried', async () => {
  const site = await builtSite()
  const { organization } = site
  const [unneeded] = [await site.build('1'), await site.build('2')]
  await site.age(100)
  await organization.deny('s3:DeleteObjectVersion')
  await site.sweep()
  const refused = await site.artifact(unneeded.id)
  expect(refused.removal).toEqual({
    reason: expect.any(String),
    error: expect.stringMatching(/denied|authorized/i),
    nextRetryAt: expect.any(String),
  })
  expect(await organization.client.done('GET', '/artifacts/retention')).toMatchObject({ failedRemovalCount: 1 })
  expect(await site.keys()).toHaveLength(2)

  await organization.deny()
  await site.wake()
  expect((await site.artifact(unneeded.id)).removal).toMatchObject({ removedAt: expect.any(String) })
  expect(await organization.client.done('GET', '/artifacts/retention')).toMatchObject({ failedRemovalCount: 0 })
})

test('a partly deleted artifact cannot be released, and is deleted even after retention is disabled', async () => {
  const site = await builtSite()
  const { organization } = site
  const [unneeded] = [await site.build('1'), await site.build('2')]
  await site.age(100)
  // The deletion succeeds and its response is lost, so that the result is unknown.
  await organization.fault({ operation: 'DeleteObjects', kind: 'drop-answer', times: 1 })
  await site.sweep()
  const { removal } = await site.artifact(unneeded.id)
  expect(removal).toMatchObject({ beganAt: expect.any(String), error: expect.any(String) })
  expect(removal).not.toHaveProperty('removedAt')
  expect(await site.release(unneeded)).toMatchObject({ status: 409, body: { code: 'Sluice:Artifacts:REMOVED' } })

  await organization.client.done('PATCH', '/artifacts/retention', { data: { isEnabled: false } })
  await site.wake()
  expect((await site.artifact(unneeded.id)).removal).toMatchObject({ removedAt: expect.any(String) })
})

test('a release that starts during the decision keeps its artifact, and a later one is rejected', async () => {
  const site = await builtSite()
  const [unneeded] = [await site.build('1'), await site.build('2')]
  const { id } = await site.released(unneeded)
  await site.age(100)
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, id))
  if (!row) throw new Error('the release is gone')
  await world.db.delete(deployments).where(eq(deployments.id, id))
  const { organizationId } = row
  const now = new Date()
  const how = { retention: { keepLatest: 1, since: days(90) }, reason: 'A test.', now, tryAt: now }
  const later = new Date(Date.now() + 3_600_000) // no worker handles it before the end of the test
  const waits = {
    status: 'PENDING',
    completedAt: null,
    wakeAt: later,
    deadlineAt: later,
    waitingFor: 'a test',
  } as const
  const newRelease = { ...row, ...waits, id: newId('dep') }
  const [artifact] = await world.db.select().from(artifacts).where(eq(artifacts.id, unneeded.id))
  if (!artifact) throw new Error('the record is gone')
  let begun: ReturnType<typeof beginRemovals> | undefined
  await world.db.transaction(async (tx) => {
    await tx.insert(deployments).values(newRelease)
    begun = beginRemovals(world.db, organizationId, [artifact], how)
  })
  expect(await begun).toEqual([])
  expect(await site.artifact(unneeded.id)).not.toHaveProperty('removal')

  await world.db.delete(deployments).where(eq(deployments.id, newRelease.id))
  expect(await beginRemovals(world.db, organizationId, [artifact], how)).toMatchObject([{ id: unneeded.id }])
  await expect(world.db.insert(deployments).values(newRelease)).rejects.toMatchObject({
    cause: { constraint: 'release_what_is_there' },
  })
  expect(await reserveLocation(world.db, organizationId, artifact, now)).toBe('being-removed')
})
