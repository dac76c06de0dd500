import { hex } from './ids.ts'

/** Region and account as in ARNs, `region:account`. Scopes are isolated from each other. */
export type Scope = string

/** Returns the partition of a region (`partitions.json` of botocore, read 2026-11). */
export function partitionOf(region: string): string {
  const other = ['aws-cn', 'aws-us-gov', 'aws-eusc'].find((one) => region.startsWith(`${one.slice('aws-'.length)}-`))
  return other ?? 'aws'
}

/**
 * Matches the regions of all partitions, including future ones (`regionRegex` in `partitions.json` of botocore, read
 * 2026-11).
 */
const regionPattern = /^(?:(?:us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+|cn-\w+-\d+|us-gov-\w+-\d+|eusc-de-\w+-\d+)$/

export const isRegion = (name: string): boolean => regionPattern.test(name)

/** Returns the ARN of a service's resource in a scope. */
export const arnIn = (scope: Scope, service: string, resource: string): string =>
  `arn:${partitionOf(regionAndAccountOf(scope).region)}:${service}:${scope}:${resource}`

export const arns = {
  cluster: (scope: Scope, name: string) => arnIn(scope, 'ecs', `cluster/${name}`),
  taskDefinition: (scope: Scope, family: string, revision: number) =>
    arnIn(scope, 'ecs', `task-definition/${family}:${revision}`),
  /** Returns the ARN of a cluster's service, task, service deployment or service revision. */
  inCluster: (clusterArn: string, kind: string, ...segments: string[]) =>
    arnIn(scopeOfArn(clusterArn), 'ecs', `${kind}/${[nameOf(clusterArn), ...segments].join('/')}`),
  autoScalingGroup: (scope: Scope, id: string, name: string) =>
    arnIn(scope, 'autoscaling', `autoScalingGroup:${id}:autoScalingGroupName/${name}`),
  loadBalancer: (scope: Scope, type: 'app' | 'net', name: string) =>
    arnIn(scope, 'elasticloadbalancing', `loadbalancer/${type}/${name}/${hex(16)}`),
  targetGroup: (scope: Scope, name: string) => arnIn(scope, 'elasticloadbalancing', `targetgroup/${name}/${hex(16)}`),
  listener: (loadBalancerArn: string) => `${loadBalancerArn.replace(':loadbalancer/', ':listener/')}/${hex(16)}`,
  rule: (listenerArn: string) => `${listenerArn.replace(':listener/', ':listener-rule/')}/${hex(16)}`,
}

/** Returns the last segment of an ARN. */
export const nameOf = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1)

export const scopeOfArn = (arn: string): Scope => arn.split(':').slice(3, 5).join(':')

export function regionAndAccountOf(scope: Scope): { region: string; account: string } {
  const [region = '', account = ''] = scope.split(':')
  return { region, account }
}
