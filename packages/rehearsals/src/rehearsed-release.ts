import { EmbeddedCloud, type ImportedAccount, type ServiceVersion } from '@sluice/cloud-sim/embedded'
import { type CloudClients, clientsInProcess } from '@sluice/server/cloud/adapter/access'
import { recordAttempt } from '@sluice/server/delivery/deployments/execution/attempts'
import { isFinal } from '@sluice/server/delivery/deployments/execution/machine'
import { outcomeOf } from '@sluice/server/delivery/deployments/execution/outcome'
import { type DeploymentState, isDue, later } from '@sluice/server/delivery/deployments/execution/state'
import { typeOf } from '@sluice/server/delivery/deployments/types/deployment-types'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'

/** A deployment as far as the release code reads it. */
type Row = DeploymentState & { organizationId: string; moduleInstanceId: string }

/** Makes chance fall the same way in every rehearsal. */
const seed = 1

/** The service is copied and comes to rest before the release begins. Milliseconds. */
const settleMs = 3_600_000

/** When the reconciler notices that a worker is gone. Milliseconds. */
const takeoverMs = 15_000

/** Turns without any passing of time; more are a bug. */
const maxTurns = 200

/**
 * A release in a simulated copy of the service. The code that decides and acts is that of the server; this does what
 * its database, its engine and its clock do there.
 */
export class RehearsedRelease {
  readonly job: RehearsalJob
  readonly cloud: EmbeddedCloud
  readonly startedAt: Date
  /** The task definition and the revision that the service ran before. */
  readonly #base: { taskDefinitionArn: string; revisionArn: string }
  readonly #clients: CloudClients
  #row: Row
  /** An event of the cloud calls for a look. */
  #isTold = false
  /** The worker dies after each change of the cloud, before it has saved what came of it. */
  #losesSaves = false

  private constructor(job: RehearsalJob, cloud: EmbeddedCloud, clients: CloudClients) {
    this.job = job
    this.cloud = cloud
    this.#clients = clients
    this.startedAt = cloud.now()
    const [base] = cloud.versionsOf(this.serviceArn)
    this.#base = base ?? { taskDefinitionArn: String(job.twin.service.taskDefinition), revisionArn: '' }
    this.#row = begin(job, this.startedAt)
    cloud.onEvent((detailType) => {
      if (detailType !== 'ECS Task State Change') this.#isTold = true
    })
  }

  /** Copies the service, and begins the release when it has come to rest. */
  static async open(job: RehearsalJob): Promise<RehearsedRelease> {
    const { twin } = job
    const startsAt = new Date(twin.readAt)
    const cloud = new EmbeddedCloud({ startsAt: new Date(startsAt.getTime() - settleMs), seed })
    await cloud.control.setTiming(timingOf(job))
    for (const image of imagesOf(twin.taskDefinitions))
      await cloud.control.putImage({ pattern: image, behaviour: 'healthy' })
    await cloud.import(twin as unknown as ImportedAccount)
    await cloud.control.clearImages()
    cloud.advanceTo(startsAt)
    const roleArn = `arn:aws:iam::${twin.accountNumber}:role/rehearsal`
    const credentials = await cloud.signIn(roleArn)
    return new RehearsedRelease(
      job,
      cloud,
      clientsInProcess(cloud.requestHandler, { region: twin.region, credentials }),
    )
  }

  get serviceArn(): string {
    return this.job.release.serviceArn
  }

  get row(): DeploymentState {
    return this.#row
  }

  get isOver(): boolean {
    return isFinal(this.#row.status)
  }

  /** The versions that run or get requests now: the one from before the release, and the one that it brings. */
  versions(): { old: VersionSum; new: VersionSum } {
    const all = this.cloud.versionsOf(this.serviceArn)
    const { taskDefinitionArn, revisionArn } = this.#base
    const isOld = (one: ServiceVersion) =>
      one.revisionArn === revisionArn ||
      (one.taskDefinitionArn === taskDefinitionArn && this.newDefinitionArn !== taskDefinitionArn)
    return { old: sumOf(all.filter(isOld)), new: sumOf(all.filter((one) => !isOld(one))) }
  }

  /** The task definition that is released; undefined before it is registered. */
  get newDefinitionArn(): string | undefined {
    const { progress } = this.#row
    return 'taskDefinitionArn' in progress ? progress.taskDefinitionArn : undefined
  }

  /** Images of the containers of the new version. */
  get newImages(): string[] {
    const { taskDefinition } = this.job.release
    const register = 'register' in taskDefinition ? taskDefinition.register : undefined
    return imagesOf(register ? [register] : this.job.twin.taskDefinitions)
  }

  /** Lets the worker die after each change of the cloud. */
  loseSaves(): void {
    this.#losesSaves = true
  }

  /** A user continues the pause that the release waits in. */
  continuePause(): void {
    const now = this.cloud.now()
    const decision = typeOf(this.#row).continuePause(this.#row, { hookId: undefined, by: 'a user' }, now)
    if (decision.verdict === 'accepted') this.#row = { ...this.#row, ...decision.deployment }
  }

  /** Does everything that is to be done now. */
  async work(): Promise<void> {
    for (let turn = 0; turn < maxTurns; turn++) {
      const isTold = this.#isTold
      this.#isTold = false
      if (this.isOver || !(isTold || isDue(this.#row, this.cloud.now()))) return
      await this.#takeStep(isTold)
    }
    throw new Error(`The release does not wait for anything: ${this.#row.waitingFor}`)
  }

  /** Lets time pass to the next moment at which anything is due, at most to `latest`. */
  passTo(latest: Date): void {
    const { wakeAt, deadlineAt } = this.#row
    const moments = [wakeAt, deadlineAt, this.cloud.nextDueAt(), latest]
    const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []))
    this.cloud.advanceTo(new Date(Math.min(...times)))
  }

  /** As the server's worker does: what comes next, an attempt written down before a change, and its outcome. */
  async #takeStep(isTold: boolean): Promise<void> {
    const row = this.#row
    const now = this.cloud.now()
    const kind = typeOf(row)
    const action = kind.nextAction(row, now)
    if (action.do === 'rest') return
    if (action.do === 'expire') {
      this.#row = { ...row, ...kind.onDeadline(row, now) }
      return
    }
    const isChange = kind.changesCloud(action)
    if (isChange) this.#row = { ...row, ...recordAttempt<DeploymentState>(row, now) }
    const readAt = performance.now()
    const read = { row: this.#row, account: this.#account(), isTold, readAt }
    const next = await outcomeOf(this.#parts(), read, row, action)
    // Another worker finds the attempt, and looks whether it had its effect.
    const isLost = isChange && this.#losesSaves
    this.#row = isLost ? { ...this.#row, wakeAt: later(now, takeoverMs) } : { ...this.#row, ...next }
  }

  #account() {
    const { organizationId, release } = this.job
    return { id: release.cloudAccountId, organizationId, roleArn: '', externalId: '' }
  }

  #parts(): Parameters<typeof outcomeOf>[0] {
    const { minMs, maxMs, pausedMaxMs, crowdMs } = this.job.pace
    return {
      cloud: { clientsFor: () => this.#clients },
      pace: { minMs, maxMs, pausedMaxMs },
      crowdMs: () => crowdMs,
      clock: this.cloud.now,
      sendOutbound: () => Promise.reject(new Error('A rehearsal has no network.')),
      lendAccess: async () => undefined,
      checkStart: async () => this.job.startChecks,
      listSiteReleases: async () => [],
      listFunctionReleases: async () => [],
      log: { debug() {}, info() {} },
    }
  }
}

/** The tasks and requests of a version. */
export type VersionSum = Pick<ServiceVersion, 'taskCount' | 'healthyCount' | 'trafficPercent' | 'errorPercent'>

function sumOf(versions: readonly ServiceVersion[]): VersionSum {
  const sum = (name: keyof VersionSum) => versions.reduce((total, version) => total + version[name], 0)
  return {
    taskCount: sum('taskCount'),
    healthyCount: sum('healthyCount'),
    trafficPercent: sum('trafficPercent'),
    errorPercent: sum('errorPercent'),
  }
}

/**
 * The deployment as it is when its turn has come. Its analysis checks would measure an application that is not there.
 */
function begin(job: RehearsalJob, now: Date): Row {
  const { rehearsalId: id, organizationId, moduleInstanceId } = job
  const { analysis: _, ...release } = job.release
  const kind = typeOf({ release })
  const { resourceArn, data, progress } = kind.begin(release, { id, channel: 'API', triggeredBy: 'a rehearsal' })
  const waiting = { startedAt: null, completedAt: null, error: null, externalDeploymentId: null, waitingFor: null }
  const row: DeploymentState = {
    ...{ id, status: 'PENDING', release, data, progress, resourceArn: resourceArn ?? null },
    ...{ ...waiting, wakeAt: null, deadlineAt: null },
  }
  return { ...kind.start(row, now), organizationId, moduleInstanceId }
}

/** The simulated cloud spends a quarter of a task's start-up time on its provisioning. */
const timingOf = ({ twin: { startSeconds } }: RehearsalJob) =>
  startSeconds === undefined ? {} : { provisionSeconds: startSeconds / 4, pullSeconds: (startSeconds * 3) / 4 }

function imagesOf(definitions: readonly Record<string, unknown>[]): string[] {
  const containers = definitions.flatMap(
    ({ containerDefinitions = [] }) => containerDefinitions as { image?: string }[],
  )
  return [...new Set(containers.flatMap(({ image }) => image ?? []))].map((image) => image.split('@')[0] ?? image)
}
