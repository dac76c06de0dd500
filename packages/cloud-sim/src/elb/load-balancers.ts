import type {
  CreateLoadBalancerInput,
  DescribeLoadBalancersInput,
  LoadBalancer as LoadBalancerShape,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { arns, regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { digits } from '../ids.ts'
import type { World } from '../world.ts'
import { checkArn } from './arn-rules.ts'
import { page } from './pages.ts'
import { removeListener } from './removal.ts'
import { elb, type LoadBalancer } from './state.ts'
import { checkTags } from './tag-rules.ts'

export function createLoadBalancer(world: World, caller: Caller, input: CreateLoadBalancerInput) {
  const { Name: name = '', Type: type = 'application', Scheme: scheme = 'internet-facing' } = input
  if (!/^(?!internal-)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?$/.test(name)) {
    throw new CloudError('ValidationError', `The load balancer name '${name}' is not valid`)
  }
  if (type === 'gateway') throw new CloudError('ValidationError', 'Gateway load balancers are not simulated')
  const there = elb(world)
    .loadBalancers.having('scope', caller.scope)
    .find((row) => row.name === name)
  if (there) {
    throw new CloudError('DuplicateLoadBalancerName', `A load balancer with the same name '${name}' exists`)
  }
  const subnets = input.Subnets ?? (input.SubnetMappings ?? []).flatMap(({ SubnetId }) => SubnetId ?? [])
  if (subnets.length === 0) throw new CloudError('ValidationError', 'A load balancer must have at least one subnet')
  const loadBalancer: LoadBalancer = {
    key: arns.loadBalancer(caller.scope, type === 'network' ? 'net' : 'app', name),
    scope: caller.scope,
    name,
    type,
    scheme,
    dnsName: dnsNameOf(name, type, scheme, caller.region),
    subnets,
    securityGroups: input.SecurityGroups ?? [],
    createdAt: world.clock.timestamp(),
    attributes: { 'deletion_protection.enabled': 'false', 'idle_timeout.timeout_seconds': '60' },
    tags: checkTags(input.Tags),
  }
  elb(world).loadBalancers.save(loadBalancer)
  return { LoadBalancers: [describe(loadBalancer)] }
}

function dnsNameOf(name: string, type: string, scheme: string, region: string): string {
  const prefix = scheme === 'internal' ? 'internal-' : ''
  const host = `${prefix}${name}-${digits(10)}`
  return type === 'network' ? `${host}.elb.${region}.amazonaws.com` : `${host}.${region}.elb.amazonaws.com`
}

export function describeLoadBalancers(world: World, caller: Caller, input: DescribeLoadBalancersInput) {
  const { LoadBalancerArns: wantedArns, Names: names } = input
  if (wantedArns) return { LoadBalancers: wantedArns.map((arn) => describe(findLoadBalancer(world, caller, arn))) }
  const all = elb(world).loadBalancers.having('scope', caller.scope)
  if (names) {
    const found = all.filter(({ name }) => names.includes(name))
    if (found.length < names.length) throw notFound(names.filter((name) => !found.some((row) => row.name === name)))
    return { LoadBalancers: found.map(describe) }
  }
  const { items, NextMarker } = page(all, input)
  return { LoadBalancers: items.map(describe), NextMarker }
}

export function deleteLoadBalancer(world: World, caller: Caller, input: { LoadBalancerArn?: string }) {
  checkArn('load balancer', input.LoadBalancerArn ?? '')
  const loadBalancer = elb(world).loadBalancers.get(input.LoadBalancerArn ?? '')
  if (!loadBalancer || loadBalancer.scope !== caller.scope) return {} // deleting a missing load balancer succeeds
  if (loadBalancer.attributes['deletion_protection.enabled'] === 'true') {
    const message = `Load balancer '${loadBalancer.key}' cannot be deleted because deletion protection is enabled`
    throw new CloudError('OperationNotPermitted', message)
  }
  for (const listener of elb(world).listeners.having('loadBalancer', loadBalancer.key)) removeListener(world, listener)
  elb(world).loadBalancers.remove(loadBalancer)
  return {}
}

export function findLoadBalancer(world: World, caller: Caller, arn = ''): LoadBalancer {
  checkArn('load balancer', arn)
  const loadBalancer = elb(world).loadBalancers.get(arn)
  if (loadBalancer?.scope !== caller.scope) throw notFound([arn])
  return loadBalancer
}

const notFound = (names: string[]) =>
  new CloudError('LoadBalancerNotFound', `Load balancers '[${names.join(', ')}]' not found`)

function describe(row: LoadBalancer): LoadBalancerShape {
  const { region } = regionAndAccountOf(row.scope)
  return {
    LoadBalancerArn: row.key,
    DNSName: row.dnsName,
    CanonicalHostedZoneId: 'Z35SXDOTRQ7X7K',
    CreatedTime: new Date(row.createdAt),
    LoadBalancerName: row.name,
    Scheme: row.scheme === 'internal' ? 'internal' : 'internet-facing',
    VpcId: 'vpc-0a1b2c3d4e5f60718',
    State: { Code: 'active' },
    Type: row.type,
    AvailabilityZones: row.subnets.map((SubnetId, index) => ({ SubnetId, ZoneName: `${region}${'abc'[index % 3]}` })),
    SecurityGroups: row.securityGroups,
    IpAddressType: 'ipv4',
  }
}
