import type { CallOptions, Client, Operation, ReplyOf, RequestOf } from './client.ts'

type Page<Row = unknown> = { data: Row[]; meta: { nextCursor: string } }

/** Operation that returns pages. */
export type ListOperation = { [O in Operation]: ReplyOf<O> extends Page ? O : never }[Operation]
type RowOf<O extends ListOperation> = ReplyOf<O> extends Page<infer Row> ? Row : never

/** Maximum page size, for the fewest requests. */
const pageSize = 100

/**
 * Yields every row of a list, requesting the next page when the previous rows are consumed. @example for await (const
 * deployment of rowsOf(client, 'listDeployments', { query: { status: ['ERROR'] } })) …
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
