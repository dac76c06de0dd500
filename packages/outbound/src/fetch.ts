import type { SendOutbound } from './send.ts'

type Init = {
  method: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null | undefined
}

/** The guarded client in the shape of `fetch`, for libraries that send requests by themselves. */
export const fetchThrough =
  (send: SendOutbound) =>
  async (url: string, { method, headers, body, signal }: Init): Promise<Response> => {
    const answer = await send({
      method,
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      ...(signal && { signal }),
    })
    // A response without a body has no text either; other statuses than these are no answers of HTTP.
    const isEmpty = [204, 205, 304].includes(answer.status)
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
  }

export type OutboundFetch = ReturnType<typeof fetchThrough>
