import { expectConformity } from './conformance.ts'

export type TestResponse = { status: number; headers: Headers; body: unknown }

/** API client that rejects any response that violates the contract. */
export class Client {
  readonly #url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.token = token
  }

  /** Sends a request and returns the response, whatever its status. */
  ask(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.send(method, path, body === undefined ? {} : { json: JSON.stringify(body) })
  }

  /** Sends a raw body, which need not be valid JSON. */
  async send(
    method: string,
    path: string,
    { json, headers = {}, signal }: { json?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<TestResponse> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: json }),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await textOf(response)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as unknown) : text === '' ? undefined : text,
    }
    expectConformity(method, path, answer)
    return answer
  }

  /** Sends a request that must succeed and returns its resource. */
  async done<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return (answer.body as { data: T }).data
  }

  /** Returns all items of a list, page by page. */
  async all<T>(path: string): Promise<T[]> {
    const found: T[] = []
    for (let cursor = ''; ; ) {
      const { status, body } = await this.ask('GET', `${path}?limit=100${cursor}`)
      if (status >= 300) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
      const { data, meta } = body as { data: T[]; meta: { nextCursor: string } }
      found.push(...data)
      if (meta.nextCursor === '') return found
      cursor = `&cursor=${encodeURIComponent(meta.nextCursor)}`
    }
  }
}

/** Reads the body; of an event stream only the start, because it may never end. */
async function textOf(response: Response): Promise<string> {
  const { headers, body } = response
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  for await (const first of body) return new TextDecoder().decode(first)
  return ''
}
