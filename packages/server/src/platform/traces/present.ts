import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Position in a trace as a W3C `traceparent`: `00-<trace>-<span>-<flags>`, in hexadecimal.
 * https://www.w3.org/TR/trace-context/#traceparent-header, read 2026-11-26
 */
export type Traceparent = string

export type SpanOptions = {
  name: string
  kind: 'server' | 'consumer' | 'producer' | 'client'
  /** Ids of records and names of operations; never bodies or text that users wrote. */
  attributes: Record<string, string | number>
  /** Parent span; without it, the span starts a new trace. */
  parent?: Traceparent | undefined
}

export type Span = {
  /** Position in the trace for child spans. */
  readonly place: Traceparent
  /** Links the span to another trace that it does not belong to. */
  link(other: Traceparent): void
  end(result?: { attributes?: SpanOptions['attributes']; failure?: string | undefined }): void
}

/** Destination of trace spans, such as an OTLP receiver. */
export type Spans = {
  begin(wish: SpanOptions): Span
  /** Records a span that has ended, with its duration in seconds. */
  note(wish: SpanOptions & { seconds: number; failure?: string | undefined }): void
  /** Sends the buffered spans, within 2 seconds. */
  stop(): Promise<void>
}

/** Destination of spans and position in a trace of the current work; without a position, it belongs to no trace. */
type Present = { spans: Spans; place: Traceparent | undefined }

const present = new AsyncLocalStorage<Present>()

/** Returns the position of the current work in its trace, or undefined if it is not traced. */
export const placeInTrace = (): Traceparent | undefined => present.getStore()?.place

export const traceIdOf = (place: Traceparent): string => place.slice(3, 35)

/** Runs work with a destination for its spans, at a position in a trace or outside of any trace. */
export const tracedBy = <T>(spans: Spans | undefined, place: Traceparent | undefined, work: () => T): T =>
  spans === undefined ? work() : present.run({ spans, place }, work)

/** Runs work outside of the current trace, for example to schedule later work. */
export function runOutsideTrace<T>(work: () => T): T {
  const store = present.getStore()
  return store?.place === undefined ? work() : present.run({ spans: store.spans, place: undefined }, work)
}

/** Runs work in a span of its own, if tracing is enabled. */
export async function asSpan<T>(wish: SpanOptions, work: () => Promise<T>): Promise<T> {
  const store = present.getStore()
  if (store === undefined) return work()
  const span = store.spans.begin(wish)
  try {
    const result = await present.run({ spans: store.spans, place: span.place }, work)
    span.end()
    return result
  } catch (error) {
    span.end({ failure: error instanceof Error ? error.name : 'error' })
    throw error
  }
}

/** Records finished work as a span of the current trace, if there is one. */
export function noteSpan(wish: Omit<SpanOptions, 'parent'> & { seconds: number; failure?: string | undefined }): void {
  const store = present.getStore()
  if (store?.place !== undefined) store.spans.note({ ...wish, parent: store.place })
}

/** Returns the trace id for log lines, if the current work is traced. */
export function traceOfLine(): { traceId?: string } {
  const place = placeInTrace()
  return place === undefined ? {} : { traceId: traceIdOf(place) }
}
