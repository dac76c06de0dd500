export type Answer = { status: number; headers: Headers; body: unknown }

/** Asks the API as a caller would. */
export class Client {
  readonly #url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.token = token
  }

  /** The answer, whatever it is. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** The resource of an answer that must be a success. */
  async done<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return (answer.body as { data: T }).data
  }
}
