import type { GetMetricDataInput, MetricDataQuery } from '@aws-sdk/client-cloudwatch'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { invalidMetricParameter, metricName, samplesOf } from './metrics.ts'
import { isStatistic, type Point, pointsOf } from './statistics.ts'

// "GetMetricData" in the API reference: 500 queries, 100,800 points.
const maxQueries = 500
const maxPoints = 100_800

const validationError = (message: string) => new CloudError('ValidationException', message)

interface Answered {
  Id: string
  Label: string
  points: Point[]
}

export function getMetricData(world: World, caller: Caller, input: Wire<GetMetricDataInput>) {
  const { MetricDataQueries: queries = [], StartTime = 0, EndTime = 0, MaxDatapoints, NextToken } = input
  if (queries.length > maxQueries) throw validationError(`The request has more than ${maxQueries} queries.`)
  if (StartTime >= EndTime) throw validationError('The parameter StartTime must be less than the parameter EndTime.')
  const ids = queries.map(({ Id }) => Id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined)
    throw validationError(`The values for parameter Id in MetricDataQueries are not unique: ${twice}.`)
  const answered = queries
    .filter(({ ReturnData }) => ReturnData !== false)
    .map((query) => answer(world, caller, query, StartTime * 1000, EndTime * 1000))
  if (input.ScanBy !== 'TimestampAscending') for (const { points } of answered) points.reverse()
  return paged(answered, MaxDatapoints ?? maxPoints, NextToken)
}

function answer(
  world: World,
  caller: Caller,
  { Id = '', Label, MetricStat, Expression }: Wire<MetricDataQuery>,
  start: number,
  end: number,
): Answered {
  if (!/^[a-z][a-zA-Z0-9_]*$/.test(Id)) throw validationError(`The value ${Id} for parameter Id is not matching.`)
  if (Expression) throw validationError('The simulated cloud does not evaluate expressions.')
  const { Metric = {}, Stat = '', Period = 0 } = MetricStat ?? {}
  if (!isStatistic(Stat)) throw validationError(`The value ${Stat} for parameter Stat is not supported.`)
  if (!(Period > 0 && (Period % 60 === 0 || [1, 5, 10, 20, 30].includes(Period)))) {
    throw invalidMetricParameter('The parameter Period must be a multiple of 60, or 1, 5, 10, 20 or 30.')
  }
  const metric = metricName(Metric.Namespace, Metric.MetricName, Metric.Dimensions)
  const samples = samplesOf(world, caller.scope, metric, start, end)
  return { Id, Label: Label ?? metric.name, points: pointsOf(samples, Stat, Period * 1000) }
}

/** Returns a page of points across all series. The token is the number of points before it. */
function paged(answered: Answered[], most: number, token: string | undefined) {
  const all = answered.flatMap(({ points }, index) => points.map((point) => ({ index, point })))
  const from = token === undefined ? 0 : Number(Buffer.from(token, 'base64').toString())
  if (!Number.isInteger(from)) throw invalidMetricParameter('The parameter NextToken is not valid.')
  const shown = Map.groupBy(all.slice(from, from + most), ({ index }) => index)
  const hasMore = from + most < all.length
  return {
    MetricDataResults: answered.map(({ Id, Label }, index) => {
      const points = (shown.get(index) ?? []).map(({ point }) => point)
      const [Timestamps, Values] = [points.map(({ at }) => seconds(at)), points.map(({ value }) => value)]
      return { Id, Label, Timestamps, Values, StatusCode: hasMore ? 'PartialData' : 'Complete' }
    }),
    Messages: [],
    ...(hasMore ? { NextToken: Buffer.from(String(from + most)).toString('base64') } : {}),
  }
}
