import type { EmbeddedCloud, ImportedAccount, ServiceVersion } from '@sluice/cloud-sim/embedded'
import type { DeploymentState } from '@sluice/server/delivery/deployments/execution/state'
import type { EcsChange } from '@sluice/server/delivery/rehearsals/job'
import type { Copy, ScenarioEnd, VersionSum, Versions } from '../copy.ts'
import { alarmAfterMs, ecsScenarios } from './scenarios.ts'

type Behaviour = Parameters<EmbeddedCloud['control']['putImage']>[0]['behaviour']

/** Copy of an ECS service. */
export class EcsCopy implements Copy {
  readonly #change: EcsChange
  readonly #cloud: EmbeddedCloud
  /** Task definition and service revision before the release. */
  #base = { taskDefinitionArn: '', revisionArn: '' }
  readonly scenarios = ecsScenarios(this)

  constructor(change: EcsChange, cloud: EmbeddedCloud) {
    this.#change = change
    this.#cloud = cloud
  }

  async create(): Promise<void> {
    const { twin } = this.#change
    const { control } = this.#cloud
    await control.setTiming(timingOf(twin.startSeconds))
    for (const pattern of imagesOf(twin.taskDefinitions)) await control.putImage({ pattern, behaviour: 'healthy' })
    await this.#cloud.importService(twin as unknown as ImportedAccount)
    await control.clearImages()
    const [base] = this.#cloud.versionsOf(this.#serviceArn)
    this.#base = base ?? { taskDefinitionArn: String(twin.service.taskDefinition), revisionArn: '' }
    const { images, logGroups } = twin.missing
    if (images.length + logGroups.length > 0) await this.setBehaviour('pull-error')
  }

  versions(row: DeploymentState): Versions {
    const all = this.#cloud.versionsOf(this.#serviceArn)
    const { taskDefinitionArn, revisionArn } = this.#base
    const isOld = (one: ServiceVersion) =>
      one.revisionArn === revisionArn ||
      (one.taskDefinitionArn === taskDefinitionArn && newDefinitionOf(row) !== taskDefinitionArn)
    return { old: sumOf(all.filter(isOld)), new: sumOf(all.filter((one) => !isOld(one))) }
  }

  concernsRelease = (eventType: string): boolean => eventType !== 'ECS Task State Change'

  /** Sets the behavior of tasks with an image of the new version, for the next `times` tasks or all. */
  async setBehaviour(behaviour: Behaviour, times?: number): Promise<void> {
    for (const pattern of imagesOf([this.#change.twin.definition])) {
      await this.#cloud.control.putImage({ pattern, behaviour, ...(times !== undefined && { times }) })
    }
  }

  /** Makes the tasks of the new version stop working. */
  async breakNewTasks(row: DeploymentState): Promise<void> {
    await this.setBehaviour('unhealthy')
    await this.#cloud.failRunningTasks(newDefinitionOf(row) ?? '')
  }

  raiseAlarms(): Promise<void> {
    const names = this.#change.twin.alarms.map(({ AlarmName }) => String(AlarmName))
    return this.#cloud.raiseAlarms(this.#serviceArn, names)
  }

  releaseExternally = (): Promise<void> => this.#cloud.releaseExternally(this.#serviceArn)

  /** Number of tasks that the service should run. */
  get desiredCount(): number {
    return Number(this.#change.twin.service.desiredCount ?? 0)
  }

  suggestion({ scenario, outcome, errorSeconds }: ScenarioEnd): string | undefined {
    const { release, twin } = this.#change
    const { strategy } = release
    if (scenario === 'ALARM_DURING_BAKE' && outcome === 'SUCCESS') {
      if (twin.alarms.length === 0) {
        return 'Name alarms in deploy.alarms: nothing notices a version whose requests fail while its health checks pass.'
      }
      if (strategy.type === 'rolling') return undefined
      const minutes = strategy.bakeTimeInMinutes
      const needed = alarmAfterMs / 60_000
      return `With a bake time of ${minutes} min, a failure in minute ${needed} is not caught: set bake_time_in_minutes to more than ${needed}.`
    }
    if (scenario === 'UNHEALTHY_AFTER_FIRST_SHIFT' && errorSeconds > 0 && strategy.type === 'blue_green') {
      return 'A canary strategy would expose only a share of the users to a version that stops working.'
    }
    return undefined
  }

  get #serviceArn(): string {
    return this.#change.release.serviceArn
  }
}

/** Returns the task definition of the new version; undefined until it is registered. */
const newDefinitionOf = ({ progress }: DeploymentState): string | undefined =>
  'taskDefinitionArn' in progress ? progress.taskDefinitionArn : undefined

function sumOf(versions: readonly ServiceVersion[]): VersionSum {
  const sum = (name: keyof VersionSum) => versions.reduce((total, version) => total + version[name], 0)
  return { taskCount: sum('taskCount'), trafficPercent: sum('trafficPercent'), errorPercent: sum('errorPercent') }
}

/** Returns the timing of tasks. The simulated cloud uses a quarter of the start-up time for provisioning. */
const timingOf = (startSeconds: number | undefined) =>
  startSeconds === undefined ? {} : { provisionSeconds: startSeconds / 4, pullSeconds: (startSeconds * 3) / 4 }

function imagesOf(definitions: readonly Record<string, unknown>[]): string[] {
  const containers = definitions.flatMap(
    ({ containerDefinitions = [] }) => containerDefinitions as { image?: string }[],
  )
  return [...new Set(containers.flatMap(({ image }) => image ?? []))].map((image) => image.split('@')[0] ?? image)
}
