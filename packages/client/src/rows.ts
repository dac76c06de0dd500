import type { CallOptions, Client, Operation, ReplyOf, RequestOf } from './client.ts'

type Page<Row = unknown> = { data: Row[]; meta: { nextCursor: string } }

/** An operation that answers page by page. */
export type ListOperation = { [O in Operation]: ReplyOf<O> extends Page ? O : never }[Operation]
type RowOf<O extends ListOperation> = ReplyOf<O> extends Page<infer Row> ? Row : never

/** As many as a page may have: fewer requests. */
const pageSize = 100

/**
 * Every row of a list, page after page; the next is asked for when the rows before it are used up.
 * @example for await (const deployment of rowsOf(client, 'listDeployments', { query: { status: ['ERROR'] } })) …
 */
export async function* rowsOf<O extends ListOperation>(
  client: Pick<Client, O>,
  operation: O,
  request?: RequestOf<O>,
  options?: CallOptions,
): AsyncGenerator<RowOf<O>, void, undefined> {
  const list = client[operation] as (request: object, options?: CallOptions) => Promise<Page<RowOf<O>>>
  for (let cursor: string | undefined; cursor !== ''; ) {
    const query = { limit: pageSize, ...request?.query, ...(cursor !== undefined && { cursor }) }
    const { data, meta } = await list({ ...request, query }, options)
    yield* data
    cursor = meta.nextCursor
  }
}
