import type { SendOutbound } from './send.ts'

type Init = {
  method: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null | undefined
}

/** Adapts the guarded client to the interface of `fetch`, for libraries that send requests themselves. */
export const createOutboundFetch =
  (send: SendOutbound) =>
  async (url: string, { method, headers, body, signal }: Init): Promise<Response> => {
    const answer = await send({
      method,
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      ...(signal && { signal }),
    })
    // `Response` allows no body, not even an empty one, for these statuses.
    const isEmpty = [204, 205, 304].includes(answer.status)
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
  }

export type OutboundFetch = ReturnType<typeof createOutboundFetch>
