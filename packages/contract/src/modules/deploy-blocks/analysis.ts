import { type Static, Type } from 'typebox'
import { closed, otherwise, type Rule } from './description.ts'

const Text = Type.String({ minLength: 1, maxLength: 2_000 })
const texts = (description: string) => otherwise(Type.Record(Type.String(), Type.String(), { description }), {})

const Metric = Type.Object(
  {
    namespace: Text,
    name: Text,
    statistic: Type.String({
      pattern: '^(Average|Sum|Minimum|Maximum|SampleCount|p[0-9]{1,2}([.][0-9]{1,2})?)$',
      examples: ['p99'],
    }),
    dimensions: texts('By the name of the dimension; {version} is the version of a function that is released.'),
    period: otherwise(
      // What the cloud keeps of a metric is never finer than a minute.
      Type.Integer({ minimum: 60, maximum: 86_400, multipleOf: 60, description: 'Seconds.' }),
      60,
    ),
  },
  { ...closed, description: 'A metric of the account that is deployed to.' },
)

const Http = Type.Object(
  {
    url: Type.Optional(Text),
    headers: texts('By the name of the header.'),
    status: otherwise(Type.Integer({ minimum: 100, maximum: 599, description: 'What must be answered.' }), 200),
  },
  { ...closed, description: 'A request that must be answered.' },
)

/**
 * What it means that a metric has no data: a bad measurement, a good one, or none. Then a pause is left to a person.
 */
export const noDataRules = ['fail', 'continue', 'wait'] as const
export type NoData = (typeof noDataRules)[number]

const Check = Type.Object(
  {
    name: Text,
    metric: Type.Optional(Metric),
    at_least: Type.Optional(Type.Number({ description: 'The lowest value that is good.' })),
    at_most: Type.Optional(Type.Number({ description: 'The highest value that is good.' })),
    no_data: Type.Optional(
      Type.Enum([...noDataRules], { description: 'What it means that there is no data even then; wait is usual.' }),
    ),
    no_data_after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3_600, description: 'How late a point of the metric may be, in seconds.' }),
    ),
    http: Type.Optional(Http),
  },
  closed,
)

const count = (minimum: number, description: string) => Type.Integer({ minimum, maximum: 1_000, description })

/** The `analysis` part of a deploy block. */
export const AnalysisBlock = Type.Object(
  {
    interval: otherwise(
      Type.Integer({ minimum: 1, maximum: 3_600, description: 'Seconds between two measurements.' }),
      60,
    ),
    count: otherwise(count(1, 'How many good measurements of every check let a pause go on.'), 3),
    failure_limit: otherwise(count(0, 'How many bad ones of a check are borne.'), 0),
    inconclusive_limit: otherwise(count(0, 'How many of a check may fail to be had.'), 3),
    // Each is a request per interval.
    checks: Type.Array(Check, { minItems: 1, maxItems: 20 }),
  },
  { ...closed, description: 'What is measured at pauses and in bakes, and what is good.' },
)
export type AnalysisBlock = Static<typeof AnalysisBlock>

type CheckBlock = AnalysisBlock['checks'][number]

const ofChecks =
  (isWrong: (check: CheckBlock, index: number, all: CheckBlock[]) => boolean, below: string, must: string) =>
  ({ analysis }: { analysis?: AnalysisBlock }) =>
    (analysis?.checks ?? []).flatMap((check, index, all) =>
      isWrong(check, index, all) ? [{ path: `.analysis.checks[${index}]${below}`, must }] : [],
    )

const has = <T>(value: T | undefined): value is T => value !== undefined

export const analysisRules: readonly Rule<{ analysis?: AnalysisBlock }>[] = [
  ofChecks(
    ({ name }, index, all) => all.findIndex((one) => one.name === name) !== index,
    '.name',
    'must be other than those before it',
  ),
  ofChecks(({ metric, http }) => has(metric) === has(http), '', 'must have either metric or http'),
  ofChecks(
    ({ metric, at_least, at_most }) => has(metric) && !has(at_least) && !has(at_most),
    '',
    'must have at_least or at_most',
  ),
  ofChecks(
    ({ http }) => has(http) && !has(http.url),
    '.http.url',
    'is needed: a release has no address of its own that could be asked',
  ),
  ofChecks(
    ({ metric, at_least, at_most }) => !has(metric) && (has(at_least) || has(at_most)),
    '',
    'must have neither at_least nor at_most: those are of metrics',
  ),
  ofChecks(
    ({ metric, no_data, no_data_after }) => !has(metric) && (has(no_data) || has(no_data_after)),
    '',
    'must have neither no_data nor no_data_after: those are of metrics',
  ),
  ofChecks(
    ({ at_least, at_most }) => has(at_least) && has(at_most) && at_least > at_most,
    '.at_least',
    'must not be above at_most',
  ),
]
