import type { Freeze } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { OverrideTable } from './override-table.tsx'

/** Lists the overrides of a freeze, newest first. */
export const FreezeOverrides = ({ freeze: { id, name }, now }: { freeze: Freeze; now: number }) => {
  const overrides = useOperation('listFreezeOverrides', { params: { id }, query: { limit: 100 } })
  return (
    <QueryResult of={overrides} lines={2}>
      {({ data }) => <OverrideTable name={name} overrides={data} now={now} />}
    </QueryResult>
  )
}
