import {
  type DeploymentResource,
  type Ec2DeploymentData,
  type EcsDeploymentData,
  imageOfDefinition,
  type LambdaDeploymentData,
  type StaticDeploymentData,
  type TaskDefinitionRecord,
  versionOf,
} from '@sluice/contract'
import { withoutDigest } from '../../cloud/facts/images.ts'
import type { ObservedService, RunningUnit } from '../../cloud/facts/running.ts'
import { present } from '../../platform/present.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'

/** Observed state of a site. */
export type ObservedSite = {
  active: string | undefined
  objectCount: number
  distributions: { id: string; status?: string | undefined; domainName?: string | undefined }[]
  invalidations: { id: string; status: string }[]
}

/** Observed resources, by the type of the deployment. */
export type ObservedResources =
  | { type: 'cloud:ecs'; service: ObservedService }
  | { type: 'cloud:ec2'; machines: RunningUnit[] }
  | { type: 'cloud:lambda'; versions: RunningUnit[] }
  | { type: 'cloud:static'; site: ObservedSite }

/** Maximum number of returned resources. Large groups, and services with many failing tasks, have more. */
export const maxResources = 500

type Looked = Pick<DeploymentRow, 'data' | 'externalDeploymentId'>

/**
 * Returns the resources of a deployment: as observed in the cloud or, without an observation, from the deployment's own
 * data.
 */
export function resourcesOf({ data, externalDeploymentId }: Looked, seen?: ObservedResources): DeploymentResource[] {
  switch (data.type) {
    case 'cloud:ecs':
      return ofService(data, externalDeploymentId, seen?.type === data.type ? seen.service : undefined)
    case 'cloud:ec2':
      return ofGroup(data, seen?.type === data.type ? seen.machines : undefined)
    case 'cloud:lambda':
      return ofFunction(data, seen?.type === data.type ? seen.versions : undefined)
    case 'cloud:static':
      return ofSite(data, seen?.type === data.type ? seen.site : undefined)
  }
}

function ofService(
  { serviceArn, clusterArn, deployedTaskDefinition, previousTaskDefinition }: EcsDeploymentData,
  externalId: string | null,
  seen: ObservedService | undefined,
): DeploymentResource[] {
  const { status, desiredCount, runningCount, tasks = [], groups = [] } = seen ?? {}
  const released = deployedTaskDefinition && imageOfDefinition(deployedTaskDefinition.definition)
  return [
    present({ kind: 'SERVICE' as const, id: serviceArn, name: last(serviceArn), status, desiredCount, runningCount }),
    ...definition(deployedTaskDefinition, 'NEW'),
    ...definition(previousTaskDefinition, 'PREVIOUS'),
    ...groups.map(({ arn, ...group }) => ({ kind: 'TARGET_GROUP' as const, id: arn, ...group })),
    ...tasks
      .map((task) => ({ task, isNew: externalId !== null && task.externalDeploymentId === externalId }))
      // Excludes stopped tasks of other releases.
      .filter(({ task, isNew }) => isNew || !task.isStopped)
      .map(({ task, isNew }) => ({
        kind: 'TASK' as const,
        id: `${clusterArn.replace(':cluster/', ':task/')}/${task.id}`,
        release: isNew ? ('NEW' as const) : ('PREVIOUS' as const),
        ...present({
          version: task.image === undefined ? undefined : versionOf({ image: task.image }),
          imageDigest: isNew && released !== undefined ? task.digests?.[withoutDigest(released)] : undefined,
          imageDigests: isNew ? task.digests : undefined,
        }),
        ...lifeOf(task),
      })),
  ]
}

function definition(record: TaskDefinitionRecord | undefined, release: 'NEW' | 'PREVIOUS'): DeploymentResource[] {
  if (!record) return []
  const image = imageOfDefinition(record.definition)
  const version = image === undefined ? undefined : versionOf({ image })
  return [present({ kind: 'TASK_DEFINITION' as const, id: record.arn, name: last(record.arn), release, version })]
}

function ofFunction(data: LambdaDeploymentData, seen: RunningUnit[] | undefined): DeploymentResource[] {
  const { functionArn, aliasName, version, previousVersion } = data
  // The version that most of the alias's traffic goes to.
  const called = seen?.find(({ trafficPercent = 0 }) => trafficPercent > 50)
  const own = [
    ...(version === undefined ? [] : [{ id: version, release: 'NEW' as const }]),
    ...(previousVersion === undefined ? [] : [{ id: previousVersion, release: 'PREVIOUS' as const }]),
  ].filter(({ id }, index, all) => all.findIndex((other) => other.id === id) === index)
  const others = (seen ?? []).filter(
    ({ id, trafficPercent }) => trafficPercent !== undefined && !own.some((one) => one.id === id),
  )
  return [
    { kind: 'FUNCTION', id: functionArn, name: functionArn.split(':').at(-1) ?? functionArn },
    present({
      kind: 'FUNCTION_ALIAS' as const,
      id: `${functionArn}:${aliasName}`,
      name: aliasName,
      version: called?.id,
    }),
    ...[...own, ...others.map(({ id }) => ({ id, release: undefined }))].map(({ id, release }) => {
      const found = seen?.find((one) => one.id === id)
      return present({
        kind: 'FUNCTION_VERSION' as const,
        id: `${functionArn}:${id}`,
        name: id,
        release,
        version: id,
        ...(found && { ...lifeOf(found), name: id, trafficPercent: found.trafficPercent ?? 0 }),
      })
    }),
  ]
}

function ofGroup(data: Ec2DeploymentData, seen: RunningUnit[] | undefined): DeploymentResource[] {
  const { autoScalingGroupName: name, autoScalingGroupArn, instances = [] } = data
  const later = (seen ?? []).filter(({ id }) => !instances.some(({ instanceId }) => instanceId === id))
  return [
    { kind: 'MACHINE_GROUP', id: autoScalingGroupArn ?? name, name },
    ...instances.map(({ instanceId, returned, ...command }) => {
      const found = seen?.find(({ id }) => id === instanceId)
      const life = found ? lifeOf(found) : { name: instanceId }
      return { kind: 'MACHINE' as const, id: instanceId, ...life, command: returned ?? command }
    }),
    ...later.map((machine) => ({ kind: 'MACHINE' as const, id: machine.id, ...lifeOf(machine) })),
  ]
}

function ofSite(data: StaticDeploymentData, seen: ObservedSite | undefined): DeploymentResource[] {
  const { bucket, prefix, previousPrefix, distributions, invalidations = [] } = data
  const directory = (name: string, release: 'NEW' | 'PREVIOUS', objectCount?: number): DeploymentResource =>
    present({
      kind: 'DIRECTORY' as const,
      id: `${bucket}/${name}`,
      name,
      release,
      status: seen && (seen.active === name ? 'Served' : 'Not served'),
      objectCount,
    })
  return [
    directory(prefix, 'NEW', seen?.objectCount),
    ...(previousPrefix === undefined || previousPrefix === prefix ? [] : [directory(previousPrefix, 'PREVIOUS')]),
    ...distributions.map(({ arn, distributionId, domainName, status }) => {
      const found = seen?.distributions.find(({ id }) => id === distributionId)
      const now = { status: found?.status ?? status, address: found?.domainName ?? domainName }
      return present({ kind: 'DISTRIBUTION' as const, id: arn, name: distributionId, ...now })
    }),
    ...invalidations.map(({ invalidationId, requestedAt, status, purpose }) => ({
      kind: 'INVALIDATION' as const,
      id: invalidationId,
      name: invalidationId,
      release: purpose === 'RELEASE' ? ('NEW' as const) : ('PREVIOUS' as const),
      status: seen?.invalidations.find(({ id }) => id === invalidationId)?.status ?? status,
      since: requestedAt,
    })),
  ]
}

const lifeOf = ({ id, status, health, zone, address, since, until, reason }: RunningUnit) => ({
  name: id,
  status,
  health,
  ...present({ zone, address, since: since?.toISOString(), until: until?.toISOString(), reason }),
})

const last = (arn: string): string => arn.split('/').at(-1) ?? arn
