/** The only file that imports the OpenTelemetry SDK. It is loaded only if tracing is enabled. */

import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Span, SpanOptions, Spans, Traceparent } from './present.ts'

export type TraceSettings = {
  /** URL of the OTLP receiver, without `/v1/traces`. */
  endpoint: string
  /** Headers as `name=value`, with percent-encoded values. */
  headers: readonly string[]
  /** Sampling ratio of new traces, from 0 to 1. */
  ratio: number
  /** Maximum delay in milliseconds before spans are sent in a batch. */
  gatherMs: number
  serviceName: string
  log: Logger
}

/** Maximum time in milliseconds to send the remaining spans on shutdown. */
const stopWithinMs = 2_000

/** Sends spans to an OTLP receiver in batches. Buffers at most 2,048 spans while the receiver is unreachable. */
export function sendSpans(settings: TraceSettings): Spans {
  const { endpoint, headers, ratio, gatherMs, serviceName, log } = settings
  const tell = onceInAWhile((why) => log.warn({ receiver: new URL(endpoint).origin, why }, 'traces could not be sent'))
  const silent = () => {}
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: headersIn(headers),
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'host.name': hostname() }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: gatherMs })],
  })
  const tracer = provider.getTracer('sluice')
  const begin = ({ name, kind, attributes, parent }: SpanOptions, startTime?: number) =>
    tracer.startSpan(
      name,
      { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) },
      below(parent),
    )
  return {
    begin: (wish) => spanOf(begin(wish)),
    note({ seconds, failure, ...wish }) {
      const endedAt = Date.now()
      const span = begin(wish, endedAt - seconds * 1_000)
      if (failure !== undefined) fail(span, failure)
      span.end(endedAt)
    },
    async stop() {
      const failed = (error: unknown) => tell(String(error))
      await Promise.race([provider.shutdown().catch(failed), sleep(stopWithinMs, undefined, { ref: false })])
    },
  }
}

/**
 * Minimum interval of log lines about failed batches, in milliseconds. Every batch fails while the receiver is
 * unreachable.
 */
const tellEveryMs = 60_000

function onceInAWhile(tell: (why: string) => void): (text: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (text) => {
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    tell(messageIn(text))
  }
}

/** Extracts the message from an SDK error, which is JSON with the stack and the receiver's response. */
function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message)
  } catch {
    return text
  }
}

const kinds: Record<SpanOptions['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  client: SpanKind.CLIENT,
}

const spanOf = (span: SdkSpan): Span => ({
  place: written(span.spanContext()),
  link(other) {
    const link = linkTo(other)
    if (link) span.addLink(link)
  },
  end({ attributes, failure } = {}) {
    if (attributes) span.setAttributes(attributes)
    if (failure !== undefined) fail(span, failure)
    span.end()
  },
})

function fail(span: SdkSpan, failure: string): void {
  span.setAttribute('error.type', failure)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const written = ({ traceId, spanId, traceFlags }: SpanContext): Traceparent =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

/** Parses a `traceparent`. Returns undefined if it is invalid; clients can send any text. */
function read(place: Traceparent): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(place) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

function below(parent: Traceparent | undefined): Context {
  const context = parent === undefined ? undefined : read(parent)
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT
}

function linkTo(place: Traceparent): Link | undefined {
  const context = read(place)
  return context && { context }
}

const headersIn = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [name, decodeURIComponent(value.join('='))]
    }),
  )
