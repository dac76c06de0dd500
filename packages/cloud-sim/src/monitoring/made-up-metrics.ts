import { createHash } from 'node:crypto'
import { arnIn, arns, type Scope } from '../arns.ts'
import type { Service } from '../ecs/service-records.ts'
import { ecs } from '../ecs/state.ts'
import { elb } from '../elb/state.ts'
import { functionArn } from '../lambda/records.ts'
import { lambda } from '../lambda/state.ts'
import type { World } from '../world.ts'
import { type ShareAt, shareOfTargetGroup, shareOfVersion } from './shares.ts'
import type { MetricName, Sample } from './state.ts'

const minuteMs = 60_000
/** Time for which new services have generated metrics, so that charts are not empty. */
const pastMs = 6 * 3_600_000
/** Maximum number of generated minutes: fifteen days, the retention of one-minute data in AWS. */
const maxMinutes = 15 * 24 * 60

type MakeUp = (look: { wave: number; noise: number; busy: boolean }) => Pick<Sample, 'value' | 'count' | 'unit'>

/** Generated service metrics: hourly waves with noise, higher during a deployment. */
const ofServices: Record<string, MakeUp> = {
  CPUUtilization: ({ wave, noise, busy }) => percent(32 + 12 * wave + 6 * noise + (busy ? 18 : 0)),
  MemoryUtilization: ({ wave, noise, busy }) => percent(54 + 3 * wave + 2 * noise + (busy ? 8 : 0)),
}
const ofLoadBalancers: Record<string, MakeUp> = {
  RequestCount: ({ wave, noise }) => ({ value: 1, count: Math.round(240 + 90 * wave + 40 * noise), unit: 'Count' }),
  TargetResponseTime: ({ wave, noise, busy }) => ({
    value: 0.045 + 0.01 * wave + 0.006 * noise + (busy ? 0.015 : 0),
    count: 240,
    unit: 'Seconds',
  }),
  HTTPCode_Target_5XX_Count: ({ noise }) => ({
    value: 1,
    count: Math.max(0, Math.floor(4 * noise - 2)),
    unit: 'Count',
  }),
}

/** Generated function metrics. Code never runs, so no call fails. */
const ofFunctions: Record<string, MakeUp> = {
  Invocations: ({ wave, noise }) => ({ value: 1, count: callsOf({ wave, noise }), unit: 'Count' }),
  Errors: ({ wave, noise }) => ({ value: 0, count: callsOf({ wave, noise }), unit: 'Count' }),
  Throttles: ({ wave, noise }) => ({ value: 0, count: callsOf({ wave, noise }), unit: 'Count' }),
  Duration: ({ wave, noise }) => ({
    value: 180 + 40 * wave + 30 * noise,
    count: callsOf({ wave, noise }),
    unit: 'Milliseconds',
  }),
}

const callsOf = ({ wave, noise }: { wave: number; noise: number }): number => Math.round(120 + 50 * wave + 20 * noise)

const percent = (value: number) => ({ value: Math.min(100, Math.max(0, value)), count: 1, unit: 'Percent' as const })

/**
 * Generates metrics of simulated services between two timestamps. The values depend only on metric and minute, so they
 * need not be stored.
 */
export function madeUpSamples(world: World, scope: Scope, metric: MetricName, start: number, end: number): Sample[] {
  const source = sourceOf(world, scope, metric)
  if (!source) return []
  const from = Math.max(Math.ceil(start / minuteMs) * minuteMs, source.since - pastMs, end - maxMinutes * minuteMs)
  const until = Math.min(end, world.clock.timestamp() - minuteMs) // the current minute is not complete
  const samples: Sample[] = []
  const seed = `${scope} ${metric.name} ${JSON.stringify(metric.dimensions)}`
  for (let at = Math.ceil(from / minuteMs) * minuteMs; at < until; at += minuteMs) {
    const look = {
      wave: Math.sin((at / 3_600_000) * 2 * Math.PI),
      noise: chance(`${seed} ${at}`),
      busy: source.isBusy(at),
    }
    const made = shared(source.makeUp(look), source.shareAt(at + minuteMs / 2))
    if (made.count > 0) samples.push({ at, ...made })
  }
  return samples
}

interface Source {
  makeUp: MakeUp
  since: number
  shareAt: ShareAt
  isBusy: (at: number) => boolean
}

const whole: ShareAt = () => 1

function sourceOf(world: World, scope: Scope, { namespace, name, dimensions }: MetricName): Source | undefined {
  const dimensionOf = (dimension: string) => dimensions.find((one) => one.name === dimension)?.value ?? ''
  if (namespace === 'AWS/ECS') {
    const clusterArn = arns.cluster(scope, dimensionOf('ClusterName'))
    const service = ecs(world).services.get(arns.inCluster(clusterArn, 'service', dimensionOf('ServiceName')))
    const makeUp = ofServices[name]
    if (!service || !makeUp) return undefined
    return { makeUp, since: service.createdAt, shareAt: whole, isBusy: deploymentsOf(world, service) }
  }
  if (namespace === 'AWS/ApplicationELB') {
    const balancer = elb(world).loadBalancers.get(
      arnIn(scope, 'elasticloadbalancing', `loadbalancer/${dimensionOf('LoadBalancer')}`),
    )
    const makeUp = ofLoadBalancers[name]
    if (!balancer || !makeUp) return undefined
    const shareAt = shareOfTargetGroup(world, scope, balancer.key, dimensionOf('TargetGroup'))
    return { makeUp, since: balancer.createdAt, shareAt, isBusy: () => false }
  }
  if (namespace === 'AWS/Lambda') {
    const owner = lambda(world).functions.get(functionArn(scope, dimensionOf('FunctionName')))
    const makeUp = ofFunctions[name]
    if (!owner || !makeUp) return undefined
    const told = { resource: dimensionOf('Resource'), version: dimensionOf('ExecutedVersion') }
    return { makeUp, since: owner.createdAt, shareAt: shareOfVersion(world, owner, told), isBusy: () => false }
  }
  return undefined
}

const shared = ({ count, ...sample }: ReturnType<MakeUp>, share: number) => ({
  ...sample,
  count: Math.round(share * count),
})

function deploymentsOf(world: World, service: Service): (at: number) => boolean {
  const spans = ecs(world)
    .serviceDeployments.having('service', service.key)
    .map(
      ({ startedAt, createdAt, finishedAt }) =>
        [startedAt ?? createdAt, finishedAt ?? Number.POSITIVE_INFINITY] as const,
    )
  return (at) => spans.some(([from, until]) => from < at + minuteMs && at < until)
}

/** Returns a pseudo-random number from 0 to 1 derived from the text. */
const chance = (text: string): number => createHash('sha1').update(text).digest().readUInt32BE() / 2 ** 32
