import { EmbeddedCloud, type ImportedAccount, type ServiceVersion } from '@sluice/cloud-sim/embedded'
import { type CloudClients, clientsInProcess } from '@sluice/server/cloud/adapter/access'
import { recordAttempt } from '@sluice/server/delivery/deployments/execution/attempts'
import { isFinal } from '@sluice/server/delivery/deployments/execution/machine'
import { outcomeOf } from '@sluice/server/delivery/deployments/execution/outcome'
import { type DeploymentState, isDue, later } from '@sluice/server/delivery/deployments/execution/state'
import { typeOf } from '@sluice/server/delivery/deployments/types/deployment-types'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'

/** Fields of a deployment that the release code reads. */
type Row = DeploymentState & { organizationId: string; moduleInstanceId: string }

/** Seed of random numbers, so that rehearsals are reproducible. */
const seed = 1

/** Time in which the copied service becomes steady before the release starts, in milliseconds. */
const settleMs = 3_600_000

/** Time after which the reconciler detects a lost worker, in milliseconds. */
const takeoverMs = 15_000

/** Maximum number of consecutive steps at one virtual time. More indicate an endless loop. */
const maxTurns = 200

/**
 * Release in a simulated copy of the service. The server's code makes all decisions and changes. This class replaces
 * the database, the engine and the clock.
 */
export class RehearsedRelease {
  readonly job: RehearsalJob
  readonly cloud: EmbeddedCloud
  readonly startedAt: Date
  /** Task definition and service revision before the release. */
  readonly #base: { taskDefinitionArn: string; revisionArn: string }
  readonly #clients: CloudClients
  #row: Row
  /** Whether a cloud event requires a poll. */
  #isTold = false
  /** Whether the worker dies after each change of the cloud, before it saves the result. */
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

  /** Copies the service and starts the release when the copy is steady. */
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

  /** Returns tasks and traffic of the previous version and of the new one. */
  versions(): { old: VersionSum; new: VersionSum } {
    const all = this.cloud.versionsOf(this.serviceArn)
    const { taskDefinitionArn, revisionArn } = this.#base
    const isOld = (one: ServiceVersion) =>
      one.revisionArn === revisionArn ||
      (one.taskDefinitionArn === taskDefinitionArn && this.newDefinitionArn !== taskDefinitionArn)
    return { old: sumOf(all.filter(isOld)), new: sumOf(all.filter((one) => !isOld(one))) }
  }

  /** Task definition of the new version; undefined until it is registered. */
  get newDefinitionArn(): string | undefined {
    const { progress } = this.#row
    return 'taskDefinitionArn' in progress ? progress.taskDefinitionArn : undefined
  }

  /** Container images of the new version. */
  get newImages(): string[] {
    const { taskDefinition } = this.job.release
    const register = 'register' in taskDefinition ? taskDefinition.register : undefined
    return imagesOf(register ? [register] : this.job.twin.taskDefinitions)
  }

  /** Makes the worker die after each change of the cloud. */
  loseSaves(): void {
    this.#losesSaves = true
  }

  /** Continues the current pause as a user. */
  continuePause(): void {
    const now = this.cloud.now()
    const decision = typeOf(this.#row).continuePause(this.#row, { hookId: undefined, by: 'a user' }, now)
    if (decision.verdict === 'accepted') this.#row = { ...this.#row, ...decision.deployment }
  }

  /** Executes all steps that are due. */
  async work(): Promise<void> {
    for (let turn = 0; turn < maxTurns; turn++) {
      const isTold = this.#isTold
      this.#isTold = false
      if (this.isOver || !(isTold || isDue(this.#row, this.cloud.now()))) return
      await this.#takeStep(isTold)
    }
    throw new Error(`The release does not wait for anything: ${this.#row.waitingFor}`)
  }

  /** Advances the virtual time to the next due moment, at most to `latest`. */
  passTo(latest: Date): void {
    const { wakeAt, deadlineAt } = this.#row
    const moments = [wakeAt, deadlineAt, this.cloud.nextDueAt(), latest]
    const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []))
    this.cloud.advanceTo(new Date(Math.min(...times)))
  }

  /**
   * Executes one step like the server's worker: decides, records the attempt before a change, and saves its outcome.
   */
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
    // Another worker finds the attempt and checks whether it had an effect.
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

/** Tasks and traffic of a version. */
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

/** Returns the deployment at its start. Without analysis checks, because the simulated application has no metrics. */
function begin(job: RehearsalJob, now: Date): Row {
  const { rehearsalId: id, organizationId, moduleInstanceId } = job
  const { analysis: _, ...release } = job.release
  const kind = typeOf({ release })
  const { resourceArn, data, progress } = kind.begin(release, { id, channel: 'API', triggeredBy: 'a rehearsal' })
  const waiting = { startedAt: null, completedAt: null, error: null, externalDeploymentId: null, waitingFor: null }
  const row: DeploymentState = {
    id,
    status: 'PENDING',
    release,
    data,
    progress,
    resourceArn: resourceArn ?? null,
    ...waiting,
    wakeAt: null,
    deadlineAt: null,
  }
  return { ...kind.start(row, now), organizationId, moduleInstanceId }
}

/** Returns the timing of tasks. The simulated cloud uses a quarter of the start-up time for provisioning. */
const timingOf = ({ twin: { startSeconds } }: RehearsalJob) =>
  startSeconds === undefined ? {} : { provisionSeconds: startSeconds / 4, pullSeconds: (startSeconds * 3) / 4 }

function imagesOf(definitions: readonly Record<string, unknown>[]): string[] {
  const containers = definitions.flatMap(
    ({ containerDefinitions = [] }) => containerDefinitions as { image?: string }[],
  )
  return [...new Set(containers.flatMap(({ image }) => image ?? []))].map((image) => image.split('@')[0] ?? image)
}
