import type { CloudClients } from '../../cloud/adapter/access.ts'
import { targetGroupsOf } from '../../cloud/adapter/ecs/target-groups.ts'
import { present } from '../../platform/present.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'

/** Versions of a release, as the metrics of the load balancer or the function distinguish them. */
export type VersionPair = {
  measuredBy: 'load balancer' | 'function'
  /** Dimensions that both versions have. */
  shared: Readonly<Record<string, string>>
  /** Name of the dimension that distinguishes the versions. */
  apart: string
  /** Value of that dimension for the previous version; absent if nothing ran before. */
  old?: string
  new: string
}

type Released = Pick<DeploymentRow, 'release' | 'data'>

/**
 * Returns the dimensions of both versions. Returns undefined if metrics cannot distinguish them, such as in a rolling
 * release or before the new version exists.
 */
export async function versionsOf({ release, data }: Released, clients: CloudClients): Promise<VersionPair | undefined> {
  if (release.type === 'cloud:lambda' && data.type === 'cloud:lambda') {
    const { version, previousVersion } = data
    if (version === undefined) return undefined
    const name = release.functionArn.split(':').at(6) ?? ''
    const shared = { FunctionName: name, Resource: `${name}:${release.aliasName}` }
    const pair = { measuredBy: 'function' as const, shared, apart: 'ExecutedVersion', new: version }
    return previousVersion === undefined || previousVersion === version ? pair : { ...pair, old: previousVersion }
  }
  if (release.type !== 'cloud:ecs' || data.type !== 'cloud:ecs') return undefined
  const { sourceServiceRevisions: [source] = [], targetServiceRevision: target } = data.serviceDeploymentState ?? {}
  // Only application load balancers count and time requests.
  const balancers = (data.elbListenerState ?? []).filter(({ loadBalancerArn }) =>
    loadBalancerArn.includes(':loadbalancer/app/'),
  )
  if (!target || balancers.length === 0) return undefined
  const revisions = [target, source].flatMap((revision) => revision?.serviceRevisionArn ?? [])
  const groups = await targetGroupsOf(clients.ecs, revisions)
  const groupsOf = (revision: typeof target | undefined) => groups.get(revision?.serviceRevisionArn ?? '') ?? []
  const [before, after] = [groupsOf(source), groupsOf(target)]
  for (const { loadBalancerArn, rules } of balancers) {
    const isBehind = (group: string | undefined) => rules.some(({ targetGroupArn }) => targetGroupArn === group)
    const index = after.findIndex((group, at) => isBehind(group) || isBehind(before[at]))
    const [old, fresh] = [groupDimension(before[index]), groupDimension(after[index])]
    if (fresh === undefined || fresh === old) continue
    const shared = { LoadBalancer: dimensionOf(loadBalancerArn, ':loadbalancer/') ?? '' }
    return present({ measuredBy: 'load balancer' as const, shared, apart: 'TargetGroup', old, new: fresh })
  }
  return undefined
}

/** Returns the metric dimension of a load balancer: `app/NAME/ID` for `…:loadbalancer/app/NAME/ID`. */
const dimensionOf = (arn: string | undefined, after: string): string | undefined => arn?.split(after)[1]

/** Returns the metric dimension of a target group: `targetgroup/NAME/ID` for `…:targetgroup/NAME/ID`. */
const groupDimension = (arn: string | undefined): string | undefined => arn?.split(':').at(-1)
