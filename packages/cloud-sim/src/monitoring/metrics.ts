import type {
  Dimension,
  DimensionFilter,
  ListMetricsInput,
  MetricDatum,
  PutMetricDataInput,
} from '@aws-sdk/client-cloudwatch'
import type { Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { madeUpSamples } from './made-up-metrics.ts'
import { cloudWatch, type MetricName, type Sample } from './state.ts'

export const invalidMetricParameter = (message: string) => new CloudError('InvalidParameterValueException', message)

/** Reports whether a dimension matches a filter by name and optional value. */
const hasDimension =
  ({ Name, Value }: DimensionFilter) =>
  ({ name, value }: MetricName['dimensions'][number]): boolean =>
    name === Name && (Value ?? value) === value

const hourMs = 3_600_000
const hourKey = (metric: string, at: number) => `${metric} ${Math.floor(at / hourMs)}`

export function metricName(
  namespace: string | undefined,
  name: string | undefined,
  dimensions: Dimension[] | undefined,
): MetricName {
  if (!namespace) throw invalidMetricParameter('The parameter Namespace is required.')
  if (!name) throw invalidMetricParameter('The parameter MetricName is required.')
  const pairs = (dimensions ?? []).map(({ Name = '', Value = '' }) => ({ name: Name, value: Value }))
  return { namespace, name, dimensions: pairs.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

const keyOf = (scope: Scope, { namespace, name, dimensions }: MetricName) =>
  `${scope} ${namespace} ${name} ${dimensions.map((dimension) => `${dimension.name}=${dimension.value}`).join(',')}`

export function putMetricData(world: World, caller: Caller, { Namespace, MetricData = [] }: Wire<PutMetricDataInput>) {
  for (const datum of MetricData) {
    const metric = metricName(Namespace, datum.MetricName, datum.Dimensions)
    const at = datum.Timestamp === undefined ? world.clock.timestamp() : datum.Timestamp * 1000
    keep(world, caller.scope, metric, at, datum)
  }
  return {}
}

function keep(world: World, scope: Scope, metric: MetricName, at: number, datum: Wire<MetricDatum>): void {
  const key = keyOf(scope, metric)
  if (!cloudWatch(world).metrics.get(key)) cloudWatch(world).metrics.save({ key, scope, ...metric })
  const hour = cloudWatch(world).metricHours.get(hourKey(key, at)) ?? {
    key: hourKey(key, at),
    metric: key,
    samples: [],
  }
  const unit = datum.Unit ?? 'None'
  hour.samples.push(...valuesOf(datum).map(([value, count]) => ({ at, value, count, unit })))
  cloudWatch(world).metricHours.save(hour)
}

function valuesOf({ Value, Values, Counts, StatisticValues, MetricName }: Wire<MetricDatum>): [number, number][] {
  if (Value !== undefined) return [[Value, 1]]
  if (Values) return Values.map((value, index) => [value, Counts?.[index] ?? 1])
  if (!StatisticValues?.SampleCount) throw invalidMetricParameter(`The metric ${MetricName} has no value.`)
  const { SampleCount, Sum = 0, Minimum = 0, Maximum = 0 } = StatisticValues
  if (SampleCount < 3) return SampleCount === 1 ? [[Sum, 1]] : splitInTwo(Minimum, Maximum)
  // Returns values with the same count, sum, minimum and maximum as the given statistics.
  return [
    [Minimum, 1],
    [Maximum, 1],
    [(Sum - Minimum - Maximum) / (SampleCount - 2), SampleCount - 2],
  ]
}

const splitInTwo = (minimum: number, maximum: number): [number, number][] => [
  [minimum, 1],
  [maximum, 1],
]

/** Returns visible samples from `start` to before `until`, stored and generated, unsorted. */
export function samplesOf(world: World, scope: Scope, metric: MetricName, start: number, until: number): Sample[] {
  const key = keyOf(scope, metric)
  const { clock, weather } = world
  const shown = clock.timestamp(clock.now() - weather.metricLagSeconds * 1000)
  const end = weather.metricLagSeconds === 0 ? until : Math.min(until, shown)
  const put = cloudWatch(world).metrics.get(key) ? putSamples(world, key, start, end) : []
  return [...put, ...madeUpSamples(world, scope, metric, start, end)]
}

const putSamples = (world: World, key: string, start: number, end: number): Sample[] =>
  cloudWatch(world)
    .metricHours.having('metric', key)
    .flatMap(({ samples }) => samples)
    .filter(({ at }) => at >= start && at < end)

/** Lists all matching metrics on one page, so no token is valid. */
export function listMetrics(world: World, caller: Caller, input: ListMetricsInput) {
  const { Namespace, MetricName, Dimensions = [], NextToken } = input
  if (NextToken !== undefined) throw invalidMetricParameter('Request parameter NextToken is invalid')
  const found = cloudWatch(world)
    .metrics.having('scope', caller.scope)
    .filter(({ namespace, name }) => (Namespace ?? namespace) === namespace && (MetricName ?? name) === name)
    .filter(({ dimensions }) => Dimensions.every((wanted) => dimensions.some(hasDimension(wanted))))
  return {
    Metrics: found.map(({ namespace, name, dimensions }) => ({
      Namespace: namespace,
      MetricName: name,
      Dimensions: dimensions.map((dimension) => ({ Name: dimension.name, Value: dimension.value })),
    })),
  }
}
