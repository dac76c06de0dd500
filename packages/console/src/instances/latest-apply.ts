import type { IacPlan } from '@sluice/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { keyOf } from '../api/use-operation.ts'

export type LatestApply = {
  /** The plan that was applied last; undefined where none ever was. */
  applied: IacPlan | undefined
  /** The latest plan after it whose apply failed, and may have changed something before it did. */
  failed: IacPlan | undefined
}

/** What was applied to a stack last. The interface has no operation for it; its plans, newest first, tell. */
export const useLatestApply = (stackId: string): UseQueryResult<LatestApply, Error> =>
  useQuery({
    queryKey: [...keyOf('listIacPlans', { query: { stackId } }), 'latest apply'],
    queryFn: ({ signal }) => findLatestApply(plansOf(stackId, signal)),
  })

/** Only as many pages are read as it takes: where drift is looked for every hour, most plans are never applied. */
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
