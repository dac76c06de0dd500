import { hex } from './ids.ts'

/**
 * An account's part of the world in one region, written `region:account` as in the middle of every ARN. Nothing is seen
 * from one scope in another.
 */
export type Scope = string

/** Builders of ARNs within a scope. */
export const arns = {
  cluster: (scope: Scope, name: string) => `arn:aws:ecs:${scope}:cluster/${name}`,
  taskDefinition: (scope: Scope, family: string, revision: number) =>
    `arn:aws:ecs:${scope}:task-definition/${family}:${revision}`,
  /** What belongs to a cluster: services, tasks, service deployments, service revisions. */
  inCluster: (clusterArn: string, kind: string, ...segments: string[]) =>
    `arn:aws:ecs:${scopeOfArn(clusterArn)}:${kind}/${[nameOf(clusterArn), ...segments].join('/')}`,
  autoScalingGroup: (scope: Scope, id: string, name: string) =>
    `arn:aws:autoscaling:${scope}:autoScalingGroup:${id}:autoScalingGroupName/${name}`,
  loadBalancer: (scope: Scope, type: 'app' | 'net', name: string) =>
    `arn:aws:elasticloadbalancing:${scope}:loadbalancer/${type}/${name}/${hex(16)}`,
  targetGroup: (scope: Scope, name: string) => `arn:aws:elasticloadbalancing:${scope}:targetgroup/${name}/${hex(16)}`,
  listener: (loadBalancerArn: string) => `${loadBalancerArn.replace(':loadbalancer/', ':listener/')}/${hex(16)}`,
  rule: (listenerArn: string) => `${listenerArn.replace(':listener/', ':listener-rule/')}/${hex(16)}`,
}

/** The last segment of an ARN. */
export const nameOf = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1)

export const scopeOfArn = (arn: string): Scope => arn.split(':').slice(3, 5).join(':')

export function placeOf(scope: Scope): { region: string; account: string } {
  const [region = '', account = ''] = scope.split(':')
  return { region, account }
}
