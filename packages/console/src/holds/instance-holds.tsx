import type { ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { HoldRows } from './hold-rows.tsx'

type Props = { instance: Pick<ModuleInstance, 'id' | 'environmentId'> }

/** What keeps anything newer from being released to an instance: what holds it, or all of its environment. */
export const InstanceHolds = ({ instance: { id, environmentId } }: Props) => {
  const held = useOperation('listHolds', { query: { environmentId, limit: 100 } })
  return <HoldRows holds={(held.data?.data ?? []).filter(({ moduleInstanceId = id }) => moduleInstanceId === id)} />
}
