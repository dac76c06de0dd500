import type {
  CreateListenerInput,
  DescribeListenersInput,
  Listener as ListenerShape,
  ModifyListenerInput,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { usableCertificate } from '../acm/usable.ts'
import { arns, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { checkActions } from './actions.ts'
import { checkArn } from './arn-rules.ts'
import { findLoadBalancer } from './load-balancers.ts'
import { page } from './pages.ts'
import { removeListener } from './removal.ts'
import { elb, type Listener } from './state.ts'
import { checkTags } from './tag-rules.ts'
import { findRule } from './weights.ts'

export function createListener(world: World, caller: Caller, input: CreateListenerInput) {
  const loadBalancer = findLoadBalancer(world, caller, input.LoadBalancerArn)
  const port = Number(input.Port)
  if (!(port >= 1 && port <= 65535)) throw new CloudError('ValidationError', `Port '${input.Port}' is not valid`)
  if (
    elb(world)
      .listeners.having('loadBalancer', loadBalancer.key)
      .some((listener) => listener.port === port)
  ) {
    throw new CloudError('DuplicateListener', 'A listener already exists on this port for this load balancer')
  }
  const actions = checkActions(world, caller.scope, input.DefaultActions)
  checkCertificates(world, caller.scope, input)
  const listener: Listener = {
    key: arns.listener(loadBalancer.key),
    scope: caller.scope,
    loadBalancerArn: loadBalancer.key,
    port,
    protocol: input.Protocol ?? (loadBalancer.type === 'network' ? 'TCP' : 'HTTP'),
    certificates: input.Certificates ?? [],
    sslPolicy: input.SslPolicy,
    tags: checkTags(input.Tags),
  }
  elb(world).listeners.save(listener)
  elb(world).rules.save({
    key: arns.rule(listener.key),
    scope: caller.scope,
    listenerArn: listener.key,
    priority: 'default',
    isDefault: true,
    conditions: [],
    actions,
    tags: [],
  })
  return { Listeners: [describe(world, listener)] }
}

export function describeListeners(world: World, caller: Caller, input: DescribeListenersInput) {
  if (input.ListenerArns) {
    return { Listeners: input.ListenerArns.map((arn) => describe(world, findListener(world, caller, arn))) }
  }
  if (!input.LoadBalancerArn) {
    throw new CloudError('ValidationError', 'You must specify either listener ARNs or a load balancer ARN')
  }
  const loadBalancer = findLoadBalancer(world, caller, input.LoadBalancerArn)
  const { items, NextMarker } = page(elb(world).listeners.having('loadBalancer', loadBalancer.key), input)
  return { Listeners: items.map((listener) => describe(world, listener)), NextMarker }
}

export function modifyListener(world: World, caller: Caller, input: ModifyListenerInput) {
  const listener = findListener(world, caller, input.ListenerArn)
  checkCertificates(world, caller.scope, input)
  if (input.Port !== undefined) listener.port = Number(input.Port)
  if (input.Protocol !== undefined) listener.protocol = input.Protocol
  if (input.SslPolicy !== undefined) listener.sslPolicy = input.SslPolicy
  if (input.Certificates !== undefined) listener.certificates = input.Certificates
  const rule = findRule(world, listener.key)
  if (input.DefaultActions && rule) {
    elb(world).rules.save(Object.assign(rule, { actions: checkActions(world, caller.scope, input.DefaultActions) }))
  }
  elb(world).listeners.save(listener)
  return { Listeners: [describe(world, listener)] }
}

export function deleteListener(world: World, caller: Caller, input: { ListenerArn?: string }) {
  removeListener(world, findListener(world, caller, input.ListenerArn))
  return {}
}

export function findListener(world: World, caller: Caller, arn = ''): Listener {
  checkArn('listener', arn)
  const listener = elb(world).listeners.get(arn)
  if (listener?.scope !== caller.scope) throw new CloudError('ListenerNotFound', `One or more listeners not found`)
  return listener
}

/** Checks that certificates exist in the same region and are issued. IAM server certificates are not simulated. */
function checkCertificates(
  world: World,
  scope: Scope,
  { Certificates = [] }: Pick<ModifyListenerInput, 'Certificates'>,
): void {
  const missing = Certificates.find(
    ({ CertificateArn = '' }) => CertificateArn.includes(':acm:') && !usableCertificate(world, scope, CertificateArn),
  )
  if (missing) throw new CloudError('CertificateNotFound', `Certificate ARN '${missing.CertificateArn}' is not valid`)
}

function describe(world: World, row: Listener): ListenerShape {
  return {
    ListenerArn: row.key,
    LoadBalancerArn: row.loadBalancerArn,
    Port: row.port,
    Protocol: row.protocol,
    Certificates: row.certificates,
    SslPolicy: row.sslPolicy,
    DefaultActions: findRule(world, row.key)?.actions,
  }
}
