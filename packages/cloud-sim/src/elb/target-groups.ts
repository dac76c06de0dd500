import type {
  CreateTargetGroupInput,
  DeregisterTargetsInput,
  DescribeTargetGroupsInput,
  DescribeTargetHealthInput,
  ModifyTargetGroupInput,
  RegisterTargetsInput,
  TargetGroup as TargetGroupShape,
  TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { arns } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { forwardedTo, targetGroupsNotFound } from './actions.ts'
import { checkArn } from './arn-rules.ts'
import { page } from './pages.ts'
import { elb, type Target, type TargetGroup, type TargetState } from './state.ts'
import { checkTags } from './tag-rules.ts'
import { deregisterTarget, registerTarget, setTargetHealth } from './targets.ts'

export function createTargetGroup(world: World, caller: Caller, input: CreateTargetGroupInput) {
  const { Name: name = '', Tags: tags = [], Port, ...shape } = input
  if (!/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?$/.test(name)) {
    throw new CloudError('ValidationError', `Target group name '${name}' is not valid`)
  }
  if (
    elb(world)
      .targetGroups.having('scope', caller.scope)
      .some((group) => group.name === name)
  ) {
    throw new CloudError('DuplicateTargetGroupName', `A target group with the same name '${name}' exists`)
  }
  checkMatcher(shape)
  const group: TargetGroup = {
    key: arns.targetGroup(caller.scope, name),
    scope: caller.scope,
    name,
    port: Number(Port ?? 80),
    shape: { ...defaultsOf(shape), ...shape },
    targets: [],
    attributes: { 'deregistration_delay.timeout_seconds': '300', 'stickiness.enabled': 'false' },
    tags: checkTags(tags),
  }
  elb(world).targetGroups.save(group)
  return { TargetGroups: [describe(world, group)] }
}

/** Checks the success codes, such as `200,301-302` ("Matcher", ELB API, read 2026-11). */
function checkMatcher({ Matcher, Protocol }: Pick<TargetGroup['shape'], 'Matcher' | 'Protocol'>): void {
  const text = Matcher?.HttpCode ?? '200'
  const highest = ['HTTP', 'HTTPS', undefined].includes(Protocol) ? 499 : 599
  const codes = text.split(/[,-]/).map(Number)
  if (codes.every((code) => Number.isInteger(code) && code >= 200 && code <= highest)) return
  const message = `Health check matcher HTTP code '${text}' must be within '200-${highest}' inclusive`
  throw new CloudError('ValidationError', message)
}

/** Returns the defaults of a target group, which has no HTTP fields behind a network load balancer. */
function defaultsOf({
  Protocol = 'HTTP',
  HealthCheckProtocol,
}: Omit<CreateTargetGroupInput, 'Name'>): TargetGroup['shape'] {
  const isHttp = Protocol === 'HTTP' || Protocol === 'HTTPS'
  const check = HealthCheckProtocol ?? (isHttp ? 'HTTP' : 'TCP')
  return {
    Protocol,
    ...(isHttp && { ProtocolVersion: 'HTTP1' }),
    HealthCheckProtocol: check,
    HealthCheckPort: 'traffic-port',
    HealthCheckEnabled: true,
    ...(check !== 'TCP' && { HealthCheckPath: '/', Matcher: { HttpCode: isHttp ? '200' : '200-399' } }),
    HealthCheckIntervalSeconds: 30,
    HealthCheckTimeoutSeconds: isHttp ? 5 : check === 'HTTP' ? 6 : 10,
    HealthyThresholdCount: 5,
    UnhealthyThresholdCount: 2,
    TargetType: 'instance',
    IpAddressType: 'ipv4',
  }
}

export function describeTargetGroups(world: World, caller: Caller, input: DescribeTargetGroupsInput) {
  const { TargetGroupArns: wantedArns, Names: names, LoadBalancerArn } = input
  if (wantedArns) return { TargetGroups: wantedArns.map((arn) => describe(world, findTargetGroup(world, caller, arn))) }
  const all = elb(world).targetGroups.having('scope', caller.scope)
  if (names) {
    const missing = names.filter((name) => !all.some((group) => group.name === name))
    if (missing.length > 0) throw new CloudError('TargetGroupNotFound', 'One or more target groups not found')
  }
  const found = all.filter(
    (group) =>
      (!names || names.includes(group.name)) &&
      (!LoadBalancerArn || loadBalancersOf(world, group).includes(LoadBalancerArn)),
  )
  const { items, NextMarker } = page(found, input)
  return { TargetGroups: items.map((group) => describe(world, group)), NextMarker }
}

export function modifyTargetGroup(world: World, caller: Caller, input: ModifyTargetGroupInput) {
  const { TargetGroupArn, ...changes } = input
  const group = findTargetGroup(world, caller, TargetGroupArn)
  checkMatcher({ ...group.shape, ...changes })
  Object.assign(group.shape, changes)
  return { TargetGroups: [describe(world, elb(world).targetGroups.save(group))] }
}

export function deleteTargetGroup(world: World, caller: Caller, input: { TargetGroupArn?: string }) {
  checkArn('target group', input.TargetGroupArn ?? '')
  const group = elb(world).targetGroups.get(input.TargetGroupArn ?? '')
  if (!group || group.scope !== caller.scope) return {} // deleting a missing target group succeeds
  if (loadBalancersOf(world, group).length > 0) {
    throw new CloudError('ResourceInUse', `Target group '${group.key}' is currently in use by a listener or a rule`)
  }
  elb(world).targetGroups.remove(group)
  return {}
}

export function registerTargets(world: World, caller: Caller, input: RegisterTargetsInput) {
  const group = findTargetGroup(world, caller, input.TargetGroupArn)
  for (const { Id = '', Port } of input.Targets ?? []) {
    registerTarget(world, group.key, Id, Number(Port ?? group.port))
    // No health check is simulated for manually registered targets.
    setTargetHealth(world, group.key, Id, Number(Port ?? group.port), 'healthy')
  }
  return {}
}

export function deregisterTargets(world: World, caller: Caller, input: DeregisterTargetsInput) {
  const group = findTargetGroup(world, caller, input.TargetGroupArn)
  for (const { Id = '', Port } of input.Targets ?? [])
    deregisterTarget(world, group.key, Id, Number(Port ?? group.port))
  return {}
}

const reasons: Record<
  TargetState,
  Pick<NonNullable<TargetHealthDescription['TargetHealth']>, 'Reason' | 'Description'>
> = {
  healthy: {},
  initial: { Reason: 'Elb.InitialHealthChecking', Description: 'Initial health checks in progress' },
  unhealthy: { Reason: 'Target.FailedHealthChecks', Description: 'Health checks failed' },
  draining: { Reason: 'Target.DeregistrationInProgress', Description: 'Target deregistration is in progress' },
}

export function describeTargetHealth(world: World, caller: Caller, input: DescribeTargetHealthInput) {
  const group = findTargetGroup(world, caller, input.TargetGroupArn)
  const isWanted = ({ id, port }: Target) =>
    (input.Targets ?? []).some((target) => target.Id === id && Number(target.Port ?? group.port) === port)
  const targets = input.Targets ? group.targets.filter(isWanted) : group.targets
  const inUse = loadBalancersOf(world, group).length > 0
  const unused = {
    State: 'unused',
    Reason: 'Target.NotInUse',
    Description: 'Target group is not configured to receive traffic from the load balancer',
  } as const
  return {
    TargetHealthDescriptions: targets.map(({ id, port, state }) => ({
      Target: { Id: id, Port: port, AvailabilityZone: 'all' },
      HealthCheckPort: String(port),
      TargetHealth: inUse ? { State: state, ...reasons[state] } : unused,
    })),
  }
}

export function findTargetGroup(world: World, caller: Caller, arn = ''): TargetGroup {
  checkArn('target group', arn)
  const group = elb(world).targetGroups.get(arn)
  if (group?.scope !== caller.scope) throw targetGroupsNotFound([arn])
  return group
}

/** Returns the load balancers with a listener or rule that forwards to the group. */
export function loadBalancersOf(world: World, group: TargetGroup): string[] {
  const forwards = elb(world)
    .rules.having('scope', group.scope)
    .filter(({ actions }) => actions.flatMap(forwardedTo).some(({ TargetGroupArn }) => TargetGroupArn === group.key))
  const loadBalancers = forwards.flatMap(
    ({ listenerArn }) => elb(world).listeners.get(listenerArn)?.loadBalancerArn ?? [],
  )
  return [...new Set(loadBalancers)]
}

const describe = (world: World, group: TargetGroup): TargetGroupShape => ({
  TargetGroupArn: group.key,
  TargetGroupName: group.name,
  Port: group.port,
  ...group.shape,
  LoadBalancerArns: loadBalancersOf(world, group),
})
