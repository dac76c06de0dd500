import type { IacPlan } from '@sluice/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { queryKeyOf } from '../api/use-operation.ts'

export type LatestApply = {
  /** Latest applied plan; undefined if there is none. */
  applied: IacPlan | undefined
  /** Newer plan whose apply failed, possibly after some changes. */
  failed: IacPlan | undefined
}

/** Returns the latest apply of a stack. The API has no operation for it, so this reads plans, newest first. */
export const useLatestApply = (stackId: string): UseQueryResult<LatestApply, Error> =>
  useQuery({
    queryKey: [...queryKeyOf('listIacPlans', { query: { stackId } }), 'latest apply'],
    queryFn: ({ signal }) => findLatestApply(plansOf(stackId, signal)),
  })

/** Reads only as many pages as needed: with hourly drift checks, most plans are never applied. */
async function* plansOf(stackId: string, signal: AbortSignal): AsyncGenerator<IacPlan> {
  let cursor = ''
  do {
    const query = { stackId, limit: 100, ...(cursor !== '' && { cursor }) }
    const { data, meta } = await client.listIacPlans({ query }, { signal })
    yield* data
    cursor = meta.nextCursor
  } while (cursor !== '')
}

export async function findLatestApply(newestFirst: AsyncIterable<IacPlan> | Iterable<IacPlan>): Promise<LatestApply> {
  let failed: IacPlan | undefined
  for await (const plan of newestFirst) {
    if (plan.status === 'APPLIED') return { applied: plan, failed }
    if (plan.status === 'FAILED') failed ??= plan
  }
  return { applied: undefined, failed }
}
