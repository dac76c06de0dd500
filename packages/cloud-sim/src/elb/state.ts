import type {
  Action,
  Listener as ListenerShape,
  RuleCondition,
  Tag,
  TargetGroup as TargetGroupShape,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** Load balancer. Key: its ARN. */
export interface LoadBalancer extends Row {
  scope: Scope
  name: string
  type: 'application' | 'network'
  scheme: string
  dnsName: string
  subnets: string[]
  securityGroups: string[]
  createdAt: number
  attributes: Record<string, string>
  tags: Tag[]
}

/** Key: the listener ARN. Its default actions are stored in its default rule. */
export interface Listener extends Row {
  scope: string
  loadBalancerArn: string
  port: number
  protocol: NonNullable<ListenerShape['Protocol']>
  certificates: NonNullable<ListenerShape['Certificates']>
  sslPolicy?: string | undefined
  tags: Tag[]
}

/** Listener rule. Key: its ARN. */
export interface Rule extends Row {
  scope: string
  listenerArn: string
  /** `default` or a number as text, as in the API. */
  priority: string
  isDefault: boolean
  conditions: RuleCondition[]
  actions: Action[]
  /** Earlier traffic shares with their end timestamps, oldest first, from which metrics are derived. */
  before?: { until: number; shares: Record<string, number> }[] | undefined
  tags: Tag[]
}

export type TargetState = 'initial' | 'healthy' | 'unhealthy' | 'draining'

export interface Target {
  id: string
  port: number
  state: TargetState
}

/** Target group. Key: its ARN. */
export interface TargetGroup extends Row {
  scope: Scope
  name: string
  port: number
  /** Requested settings of the target group, with defaults. */
  shape: Omit<TargetGroupShape, 'TargetGroupArn' | 'TargetGroupName' | 'Port' | 'LoadBalancerArns'>
  targets: Target[]
  attributes: Record<string, string>
  tags: Tag[]
}

/** Tables of the simulated Elastic Load Balancing. */
export const elb = defineState((world) => ({
  loadBalancers: world.table<LoadBalancer>('load-balancer', { scope: (row) => row.scope }, { isEventual: true }),
  listeners: world.table<Listener>('listener', {
    loadBalancer: (row) => row.loadBalancerArn,
    scope: (row) => row.scope,
  }),
  rules: world.table<Rule>('rule', { scope: (row) => row.scope, listener: (row) => row.listenerArn }),
  targetGroups: world.table<TargetGroup>('target-group', { scope: (row) => row.scope }, { isEventual: true }),
}))
