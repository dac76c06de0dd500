import Type from 'typebox'
import { logAreas, logLevels } from '../../log/areas.ts'
import { milliseconds, millisecondsExpected, type Settings, url, urlExpected } from './kinds.ts'

/** Reports whether a text is a time in UTC. */
const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) && !Number.isNaN(Date.parse(text))

/** Settings of the clock, logs, traces and poll intervals. */
export const paceSettings = {
  logLevel: {
    env: 'SLUICE_LOG_LEVEL',
    type: Type.Enum([...logLevels]),
    default: 'info',
    expected: 'debug, info, warn, error or silent',
    description: 'The least important lines to log.',
  },
  logLevels: {
    env: 'SLUICE_LOG_LEVELS',
    type: Type.Array(Type.String({ pattern: `^(${logAreas.join('|')})=(${logLevels.join('|')})$` }), { minItems: 1 }),
    expected: `pairs such as cloud=debug, separated by commas, of the areas ${logAreas.join(', ')}`,
    description: 'Areas of which to log more or less than of the rest.',
  },
  logRequestsMs: {
    env: 'SLUICE_LOG_REQUESTS_MS',
    type: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
    default: 0,
    expected: 'a whole number of milliseconds from 0 to 86400000',
    description: 'Requests that took at least so long get a line in the log. 0: all.',
  },
  logRequestsEvery: {
    env: 'SLUICE_LOG_REQUESTS_EVERY',
    type: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1,
    expected: 'a whole number from 1 to 1000000',
    description: 'Of those requests, one in so many gets a line. What failed (5xx) always does.',
  },
  logFormat: {
    env: 'SLUICE_LOG_FORMAT',
    type: Type.Enum(['pretty', 'json']),
    default: 'pretty',
    expected: 'pretty or json',
    description: 'pretty for people, json for machines.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: url,
    expected: urlExpected,
    description: 'Where traces are sent, by OTLP over HTTP and without `/v1/traces`. Without it, there are none.',
  },
  otlpHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    isSecret: true,
    type: Type.Array(Type.String({ pattern: '^[\\w-]+=([^\\s%]|%[0-9A-Fa-f]{2})+$' }), { minItems: 1 }),
    expected: 'pairs such as authorization=Bearer%20…, separated by commas',
    description: 'Headers that they are sent with; values are percent-encoded.',
  },
  otlpDelayMs: {
    env: 'OTEL_BSP_SCHEDULE_DELAY',
    type: milliseconds,
    default: 5_000,
    expected: millisecondsExpected,
    description: 'How long what there is to send waits for more.',
  },
  traceRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    type: Type.Number({ minimum: 0, maximum: 1 }),
    default: 1,
    expected: 'a number from 0 to 1',
    description: 'The share of traces that is kept and sent; of a trace all or nothing.',
  },
  traceServiceName: {
    env: 'OTEL_SERVICE_NAME',
    type: Type.String({ minLength: 1 }),
    default: 'sluice',
    expected: 'a name',
    description: 'What this process is called in traces.',
  },
  pollMinMs: {
    env: 'SLUICE_POLL_MIN_MS',
    type: milliseconds,
    default: 1_000,
    expected: millisecondsExpected,
    description: 'How often a deployment that just changed is looked at.',
  },
  pollMaxMs: {
    env: 'SLUICE_POLL_MAX_MS',
    type: milliseconds,
    default: 15_000,
    expected: millisecondsExpected,
    description: 'How often a deployment that does not change is looked at.',
  },
  pausedPollMaxMs: {
    env: 'SLUICE_PAUSED_POLL_MAX_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description:
      'How often a deployment that waits for a person is looked at; a twelfth as often where an event of the cloud led ' +
      'to the pause, and more seldom where those of an organization together would be looked at more than 12 times a ' +
      'second.',
  },
  outsidePollMs: {
    env: 'SLUICE_OUTSIDE_POLL_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description: 'How often every account is looked through for releases that others made there, at the latest.',
  },
  clockSpeed: {
    env: 'SLUICE_CLOCK_SPEED',
    type: Type.Number({ minimum: 1, maximum: 100_000 }),
    default: 1,
    expected: 'a number from 1 to 100000',
    description:
      'For tests and rehearsals only: how many seconds of the service pass in a second, so that pauses, soak times and ' +
      'expiry come sooner. Polls and connections stay in real time. Needs SLUICE_CLOCK_EPOCH and SLUICE_CLOUD_ENDPOINT.',
  },
  clockEpoch: {
    env: 'SLUICE_CLOCK_EPOCH',
    type: Type.Refine(Type.String(), isMoment),
    expected: 'a time such as 2026-01-31T12:00:00Z',
    description: 'When the clock began to run at SLUICE_CLOCK_SPEED, the same in every process and after a restart.',
  },
} as const satisfies Settings
