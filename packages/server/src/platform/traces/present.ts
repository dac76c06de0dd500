import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Where something stands in a trace, as programs write it to each other: `00-<trace>-<span>-<flags>`, in hexadecimal.
 * https://www.w3.org/TR/trace-context/#traceparent-header, read 2026-11-26
 */
export type Traceparent = string

/** What is told of a span when it begins. */
export type SpanWish = {
  name: string
  kind: 'server' | 'consumer' | 'producer' | 'client'
  /** Ids of records and names of operations: no bodies, and nothing that people wrote. */
  attributes: Record<string, string | number>
  /** Where it stands; without, it begins a trace. */
  parent?: Traceparent | undefined
}

/** A span that goes on. */
export type Span = {
  /** Where that stands which is done in it. */
  readonly place: Traceparent
  /** Notes that it has to do with another trace, which somebody else began. */
  link(other: Traceparent): void
  end(result?: { attributes?: SpanWish['attributes']; failure?: string | undefined }): void
}

/** Where spans are kept. */
export type Spans = {
  begin(wish: SpanWish): Span
  /** A span that is over, and took so long. */
  note(wish: SpanWish & { seconds: number; failure?: string | undefined }): void
  /** Hands on what is kept, in 2 s at the most. */
  stop(): Promise<void>
}

/** Where spans are kept of what is done just now, and where it stands; without a place it is part of no trace. */
type Present = { spans: Spans; place: Traceparent | undefined }

const present = new AsyncLocalStorage<Present>()

/** Where the present work stands; undefined where it is traced by nobody. */
export const placeInTrace = (): Traceparent | undefined => present.getStore()?.place

export const traceIdOf = (place: Traceparent): string => place.slice(3, 35)

/** Does work whose spans are kept so, at a place in a trace or, as yet, at none. */
export const tracedBy = <T>(spans: Spans | undefined, place: Traceparent | undefined, work: () => T): T =>
  spans === undefined ? work() : present.run({ spans, place }, work)

/** Does work that is no part of the present trace, such as what is to be done later. */
export function apart<T>(work: () => T): T {
  const store = present.getStore()
  return store?.place === undefined ? work() : present.run({ spans: store.spans, place: undefined }, work)
}

/** Does work as a span, where spans are kept. */
export async function asSpan<T>(wish: SpanWish, work: () => Promise<T>): Promise<T> {
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

/** Notes what is over as a span of the present trace, if there is one. */
export function noteSpan(wish: Omit<SpanWish, 'parent'> & { seconds: number; failure?: string | undefined }): void {
  const store = present.getStore()
  if (store?.place !== undefined) store.spans.note({ ...wish, parent: store.place })
}

/** What lines of the log say of the trace that they were written in. */
export function traceOfLine(): { traceId?: string } {
  const place = placeInTrace()
  return place === undefined ? {} : { traceId: traceIdOf(place) }
}
