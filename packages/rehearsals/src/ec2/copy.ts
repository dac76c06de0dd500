import type { EmbeddedCloud, GroupInstance, ImportedGroup } from '@sluice/cloud-sim/embedded'
import type { DeploymentState } from '@sluice/server/delivery/deployments/execution/state'
import { documentNameOf, releaseParameterOf } from '@sluice/server/delivery/deployments/types/ec2/release'
import type { Ec2Change } from '@sluice/server/delivery/rehearsals/job'
import type { Copy, ScenarioEnd, Versions } from '../copy.ts'
import { ec2Scenarios } from './scenarios.ts'

/** Parameters of command documents, which cannot be read. */
const documentParameters = [
  ...['imageUri', 'deployId', 'commands'],
  ...['sourceRepo', 'sourceBranch', 'sourceRef', 'sourceBasePath', 'sourceCredentialParameter'],
]

type Change = Ec2Change & { rehearsalId: string }

/** Copy of an Auto Scaling group. */
export class Ec2Copy implements Copy {
  readonly #change: Change
  readonly #cloud: EmbeddedCloud
  readonly scenarios = ec2Scenarios(this)

  constructor(change: Change, cloud: EmbeddedCloud) {
    this.#change = change
    this.#cloud = cloud
  }

  async create(): Promise<void> {
    const { release, twin } = this.#change
    const { group, reachable, currentRelease, installSeconds } = twin
    if (installSeconds !== undefined) await this.#cloud.control.setTiming({ commandSeconds: installSeconds })
    const document = { name: documentNameOf(release), parameters: documentParameters }
    const parameter = { name: releaseParameterOf(release), value: JSON.stringify(currentRelease) }
    const imported = { group, reachable, document, ...(currentRelease && { parameter }) }
    await this.#cloud.importGroup(imported as unknown as ImportedGroup)
    if (currentRelease) await this.#cloud.setCommandOutcome(currentRelease.deploymentId, 'healthy')
    // The simulated cloud derives outcomes from the names of images; the text of a script must not count.
    if (release.definition.runtime === 'manual') await this.setBehaviour('healthy')
  }

  /** Instances share the traffic evenly. One on which the command failed still serves the old version. */
  versions(row: DeploymentState): Versions {
    const instances = this.#cloud.instancesOf(String(this.#change.twin.group.AutoScalingGroupARN))
    const isNew = ({ deployment }: GroupInstance) => deployment === row.id
    const newCount = instances.filter(isNew).length
    const trafficPercent = instances.length === 0 ? 0 : (newCount / instances.length) * 100
    return {
      old: { taskCount: instances.length - newCount, trafficPercent: 100 - trafficPercent, errorPercent: 0 },
      new: { taskCount: newCount, trafficPercent, errorPercent: 0 },
    }
  }

  concernsRelease = (): boolean => true

  /** Makes commands that install the new version end like this, also those that run. */
  setBehaviour(behaviour: 'healthy' | 'crash' | 'unhealthy' | 'pull-error'): Promise<void> {
    return this.#cloud.setCommandOutcome(this.#change.rehearsalId, behaviour)
  }

  suggestion({ scenario, isStillBroken }: ScenarioEnd): string | undefined {
    const { automaticRollback } = this.#change.release
    return scenario === 'UNHEALTHY_AFTER_FIRST_SHIFT' && isStillBroken && !automaticRollback
      ? 'Set automatic_rollback in deploy.strategy: nothing returns the instances that were updated before the failure.'
      : undefined
  }
}
